"""Credentials of services and harmless notes, in lists by others who did not know the rules: what is made of them.

`lists/formats.jsonl`: one credential of each format, made up; those with `later` are a second list. Its texts
are cut by a middle dot every few characters, so that no scanner of repositories takes them for leaks.
`lists/harmless.jsonl`: a thousand notes without a credential. How the rules did when they first saw them is in
docs/decisions/0014-secrets.md; they were mended since, so that these are no measure of what they have not seen.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from substrate.text import secrets
from substrate.text.secrets import find_secrets

LISTS = Path(__file__).with_name("lists")
CUT = "\N{MIDDLE DOT} "
LINES = (LISTS / "formats.jsonl").read_text(encoding="utf-8").splitlines()
FORMATS = [(row["service"], row["text"].replace(CUT, "")) for row in map(json.loads, LINES)]
HARMLESS = [json.loads(line)["text"] for line in (LISTS / "harmless.jsonl").read_text(encoding="utf-8").splitlines()]
NAMED = (
    "groq xai perplexity replicate pinecone langsmith notion linear figma supabase heroku sentry docker npmrc mysql"
    " pgpass"
)
EMPTY = secrets._Rules([])


def recall() -> float:
    return sum(bool(find_secrets(text)) for _, text in FORMATS) / len(FORMATS)


def alarms() -> float:
    return sum(bool(find_secrets(text)) for text in HARMLESS) / len(HARMLESS)


def test_of_the_formats_of_services_at_least_95_in_100_are_found() -> None:
    assert len(FORMATS) >= 100
    assert recall() >= 0.95


@pytest.mark.parametrize("service", NAMED.split())
def test_a_credential_of_a_service_that_passed_once_is_found(service: str) -> None:
    texts = [text for name, text in FORMATS if service in name.replace("_", "")]
    assert texts
    assert all(find_secrets(text) for text in texts)


def test_of_a_thousand_harmless_notes_at_most_one_in_a_hundred_is_taken_for_a_credential() -> None:
    assert len(HARMLESS) == 1000
    assert alarms() <= 0.01


@pytest.mark.parametrize(
    "text",
    [
        "boarding pass: LH1234",
        "ski pass: zermatt2026",
        "token: claude-3-5-sonnet-20241022",
        "token: gpt-4o-mini-2024-07-18",
        "token: meta-llama/Llama-3.3-70B-Instruct",
        "api_key_id: production, session 609b93ce-c601-4c42-99cb-2ba7f1414e5a",
        "mysql -u root -p shop < dump.sql",
        "first pass: 12a, second pass: 14b",
    ],
)
def test_what_was_once_refused_wrongly_is_let_through(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize("emptied", ["_LITERAL", "_CONTEXT", "_services"])
def test_a_set_of_rules_that_was_emptied_is_found_out(emptied: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = recall()
    monkeypatch.setattr(secrets, emptied, (lambda: (EMPTY, EMPTY)) if emptied == "_services" else EMPTY)
    assert recall() < min(before, 0.97 if emptied == "_services" else 0.95)


def test_a_scanner_without_any_rules_scores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LITERAL", "_CONTEXT"):
        monkeypatch.setattr(secrets, name, EMPTY)
    monkeypatch.setattr(secrets, "_services", lambda: (EMPTY, EMPTY))
    assert recall() == 0


def test_a_scanner_that_lets_nothing_pass_as_plain_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_is_plain", lambda *_, **__: False)
    assert alarms() > 0.01


def test_the_stored_list_has_no_credential_in_readable_form() -> None:
    assert [line for line in LINES if find_secrets(line)] == []
    assert any(find_secrets(line.replace(CUT, "")) for line in LINES)
