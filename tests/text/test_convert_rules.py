"""The rules of Betterleaks are for RE2. Converted, they find the same by Python's `re`; some are left out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from substrate.text.convert_rules import convert

TAIL = r"""(?:\\?['"\x60]|[\s;]|\\[nr]|$)"""
BODY = "k3Xp9Qa7" * 4


def rule(regex: str, name: str = "acme-api-key", **more: object) -> dict[str, Any]:
    return {"rules": [{"id": name, "regex": regex, "keywords": ["ACME_"], **more}]}


def converted(regex: str, **more: object) -> re.Pattern[str]:
    (row,) = convert(rule(regex, **more))
    return re.compile(str(row["regex"]))


def test_a_credential_is_found_before_a_comma_too_and_not_as_part_of_a_longer_run() -> None:
    pattern = converted(rf"\b(acme_[A-Za-z0-9]{{32}}){TAIL}")
    for text in (f"acme_{BODY}", f"'acme_{BODY}'", f"(acme_{BODY}), and", f"密钥是acme_{BODY}。"):
        match = pattern.search(text)
        assert match is not None
        assert match[match.lastindex or 0] == f"acme_{BODY}"
    assert pattern.search(f"acme_{BODY}9") is None


def test_a_flag_in_the_middle_holds_until_its_group_ends() -> None:
    pattern = converted(r"\b(ac[)]-(?i)[a-z]{4}\))(Z)")
    assert pattern.search("ac)-AbCd)Z")
    assert pattern.search("AC)-AbCd)Z") is None
    assert pattern.search("ac)-AbCd)z") is None


def test_the_name_of_a_service_is_looked_for_without_what_leads_up_to_it() -> None:
    (row,) = convert(rule(rf"(?i)[\w.-]{{0,50}}?(?:acme)[\s'\"]{{0,3}}(?:=|>|:{{1,3}}=|:)([a-z0-9]{{32}}){TAIL}"))
    assert row["named"]
    assert str(row["regex"]).startswith("(?ai)(?:acme)")


def test_runs_without_a_bound_get_one() -> None:
    assert "{20,2000}+" in converted("acme_[a-z]{20,}").pattern


def test_the_least_entropy_and_the_keywords_are_kept() -> None:
    (row,) = convert(rule("acme_[a-z]{20}", filter='\nentropy(finding["secret"]) <= 3.5\n'))
    assert (row["entropy"], row["keywords"]) == (3.5, ["acme_"])


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("acme-client-id", {}),
        ("acme-token", {"path": "x"}),
        ("acme-token", {"skipReport": True}),
        ("generic-api-key", {}),
        ("github-pat", {}),
        ("sourcegraph-access-token", {}),
    ],
)
def test_what_is_public_vague_or_found_by_a_rule_of_our_own_is_left_out(name: str, more: dict[str, object]) -> None:
    assert convert(rule("acme_[a-z]{20}", name, **more)) == []
    assert len(convert(rule("acme_[a-z]{20}"))) == 1
