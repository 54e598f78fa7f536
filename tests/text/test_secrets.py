"""Credentials are found and named, and what only resembles them is left alone (row 26 of the promises, the scanner).

Every credential here is made up at run time (tests/credentials.py). Each of the two rates has broken twins: scanners
without one rule, which must miss that kind, and without one exemption, which must raise alarms.
"""

from __future__ import annotations

import base64
import dataclasses
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.proof.note import generate_signer
from substrate.text import secrets
from substrate.text.secrets import KINDS, Finding, find_secrets
from substrate.text.service_rules import service_rules
from tests.credentials import SAMPLE_KINDS, benign_texts, samples
from tests.scale import rounds

ROOT = Path(__file__).parents[2]
TRIGGERS = sorted({*secrets._LITERAL.triggers, *secrets._CONTEXT.triggers} - {""})
KEYWORDS = sorted({keyword for rule in service_rules() for keyword in rule.keywords})
OWN = (*secrets._BY_LITERAL, *secrets._WITH_RUN, *secrets._BY_CONTEXT)
SERVICES = {rule.kind: rule for rule in service_rules()}
MEBIBYTE = 1024 * 1024


def named(text: str) -> list[tuple[str, str]]:
    return [(finding.kind, text[finding.start : finding.end]) for finding in find_secrets(text)]


def recall(kind: str, count: int, seed: int = 0) -> float:
    """The share of samples in which one finding of this kind covers the whole credential."""
    found = 0
    for sample in samples(kind, count, seed):
        start = sample.text.index(sample.secret)
        end = start + len(sample.secret)
        found += any(f.kind == kind and f.start <= start and end <= f.end for f in find_secrets(sample.text))
    return found / count


def alarms(count: int, seed: int = 0) -> float:
    return sum(bool(find_secrets(text)) for text in benign_texts(count, seed)) / count


def cpu_seconds(text: str) -> float:
    start = time.process_time()
    find_secrets(text)
    return time.process_time() - start


def is_linear(unit: str) -> bool:
    """Whether eight times the text costs some eight times as much: quadratic work would cost 64 times.

    A ratio, since the machine may be slow; and the best of a few, since it may be busy.
    """
    small, large = (unit * (size // len(unit) + 1) for size in (MEBIBYTE // 64, MEBIBYTE // 8))
    return any(cpu_seconds(large) < 24 * max(cpu_seconds(small), 0.002) for _ in range(5))


def test_there_are_at_least_25_kinds_and_samples_of_each() -> None:
    assert len(KINDS) >= 25
    assert set(KINDS) == SAMPLE_KINDS == {row[0] for row in OWN}


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_credentials_of_each_kind_are_found_named_and_covered(kind: str) -> None:
    seeds = rounds(1, 50)
    assert sum(recall(kind, 40, seed) for seed in range(seeds)) / seeds >= 0.98


@pytest.mark.parametrize("kind", KINDS)
def test_a_scanner_without_the_rules_of_a_kind_misses_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for ready, rows in (("_LITERAL", secrets._BY_LITERAL), ("_CONTEXT", secrets._BY_CONTEXT)):
        monkeypatch.setattr(secrets, ready, secrets._Rules([row for row in rows if row[0] != kind]))
    services = [secrets._Rules([row for row in rules.rows if row[0] != kind]) for rules in secrets._services()]
    monkeypatch.setattr(secrets, "_services", lambda: services)
    assert recall(kind, 40) < 0.98


@pytest.mark.soak
def test_benign_texts_raise_an_alarm_at_most_once_in_a_hundred() -> None:
    seeds = rounds(1, 20)
    assert sum(alarms(10_000, seed) for seed in range(seeds)) / seeds <= 0.01


@pytest.mark.parametrize("exemption", ["_is_stand_in", "_is_code", "_is_wordy", "_is_plain"])
def test_a_scanner_without_an_exemption_raises_alarms(exemption: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, exemption, lambda *_, **__: False)
    assert alarms(2_000) > 0.01


def test_a_signing_key_is_a_credential_and_its_verifier_key_is_not() -> None:
    signer = generate_signer("substrate-ab12")
    private = signer.secret()
    assert named(f"key: {private}") == [("substrate_key", private)]
    for text in ("{}", "token: {}", 'secret="{}"', "api_key={}", "verifier key {} of the store"):
        assert named(text.format(signer.key)) == []


def spelt(*parts: str) -> str:
    """Joined here, so that no scanner of repositories takes the documentation's own examples for a leak."""
    return "".join(parts)


@pytest.mark.parametrize(
    "text",
    [
        spelt("AKIA", "IOSFODNN7", "EXAMPLE"),
        spelt("aws_secret_access_key = wJalrXUtn", "FEMI/K7MDENG/bPxRfiCY", "EXAMPLEKEY"),
        spelt("Authorization: Basic ", base64.b64encode(b"Aladdin:open sesame").decode()),
        spelt("sk_test_", "4eC39HqLyjWDarjt", "T1zdp7dc"),
        spelt("ghp_", "x" * 36),
        spelt("hooks.slack.com/services/", "T00000000/B00000000/", "X" * 24),
        "postgresql://user:password@localhost/db",
        "amqp://guest:guest@localhost:5672/",
        "Give it as https://abc:xyz@example.com, or as https://abc:xyz@www.example.org.",
        "postgresql://scott:tiger@localhost:5432/shop",
        "ftp://joe:hush@files.test/x",
        "https://jo%40email.com:a%20secret@müller.de:1234/pa%20th?search=ab",
        "https://joe:my%20password@company.com/",
        "password: 1234567890",
        "password: changeme",
        "PASSWORD=",
        "password: null, token: none, secret: undefined",
        '"password": "correct horse battery staple"',
        "splituser('user[:passwd]@host[:port]') --> 'user[:passwd]', 'host[:port]'.",
        spelt("user='klem',\n    passwd='", "geheim$", "parole')"),
    ],
)
def test_placeholders_and_examples_of_documentation_are_no_credentials(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "https://abc:hush-hush@example.company.com/",
        "https://abc:hush-hush@myexample.com/",
        "https://abc:hush-hush@example.com.evil.net/",
        "https://abc:hush-hush@localhost-2/",
        "https://abc:q7Hush-hush@example.com/",
        "postgres://app:correcthorsebatterystaple@localhost/db",
        "ftp://joe:hush-hush@files.test/x",
        "https://abc:hush%20hush@company.com/",
        "https://abc:a%20hush@company.com/",
        "https://abc:a%20secretive@company.com/",
    ],
)
def test_a_password_of_a_host_that_one_can_own_is_a_credential_and_so_is_one_that_is_no_plain_word(text: str) -> None:
    assert [kind for kind, _ in named(text)] == ["url_password"]


@pytest.mark.parametrize("value", ["geheim$Parole", "heimlich$parole", "hOst[9port]", "x7[:Port9]zz", "host[:port"])
def test_what_is_only_like_an_example_is_a_credential(value: str) -> None:
    assert named(f"passwd='{value}'") == [("password", value)]


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ("password={}", "github_token"),
        ("Authorization: Bearer {}", "github_token"),
        ("https://x-access-token:{}@github.com/o/r.git", "github_token"),
        ("curl -u bot:{} https://h", "github_token"),
    ],
)
def test_where_two_kinds_overlap_the_more_specific_one_is_named(frame: str, kind: str) -> None:
    (sample,) = samples(kind, 1)
    assert named(frame.format(sample.secret)) == [(kind, sample.secret)]


def test_every_credential_of_a_text_is_found_in_the_order_of_the_text() -> None:
    kinds = ["url_password", "jwt", "password", "stripe_key"]
    texts = [sample for kind in kinds for sample in samples(kind, 1)]
    text = "\n".join(sample.text for sample in texts)
    assert [finding.kind for finding in find_secrets(text)] == kinds


def test_positions_count_characters_and_not_bytes() -> None:
    (sample,) = samples("npm_token", 1)
    assert find_secrets(f"\U0001f511 Schlüssel 密钥 {sample.secret}") == [
        Finding("npm_token", 15, 15 + len(sample.secret))
    ]


def test_a_finding_says_kind_and_position_and_cannot_hold_the_value() -> None:
    (sample,) = samples("password", 1)
    (finding,) = find_secrets(sample.text)
    assert [field.name for field in dataclasses.fields(Finding)] == ["kind", "start", "end"]
    assert sample.secret not in repr(finding)
    with pytest.raises((AttributeError, TypeError)):
        finding.value = sample.secret  # type: ignore[attr-defined]


def any_text() -> st.SearchStrategy[str]:
    """Any characters, lone surrogates too, with triggers and whole credentials strewn in."""
    characters = st.text(st.characters(exclude_categories=()), max_size=40)
    assigned = st.sampled_from(
        ["password=", "token: ", "api_key='", '"secret": "', "://u:", "@h", "Bearer ", "\\n", "-u a:"]
    )
    made = st.builds(
        lambda kind, seed: next(samples(kind, 1, seed)).text, st.sampled_from(sorted(KINDS)), st.integers(0, 99)
    )
    return st.lists(characters | st.sampled_from(TRIGGERS) | assigned | made, max_size=8).map("".join)


@given(any_text())
def test_any_text_is_answered_with_sorted_disjoint_findings_within_it(text: str) -> None:
    end = 0
    for finding in find_secrets(text):
        assert finding.kind in KINDS or finding.kind in SERVICES
        assert end <= finding.start < finding.end <= len(text)
        end = finding.end


@given(any_text(), st.integers(0, 3))
def test_a_long_text_is_read_by_the_same_rules_as_a_short_one(text: str, lines: int) -> None:
    padding = ("\n" + " " * 600) * lines
    assert find_secrets(text + "\n" + padding) == find_secrets(text + "\n")


def hostile_texts() -> Iterator[str]:
    yield from ["a", "A", "0", "_", "-", " ", "\n", "\\", "\ud800", ":@", "://", "://a:", "eyJ", "eyJ-", "MDAw", "İ"]
    yield from [
        "eyJaaaaaaaa.eyJaaaaaaaa.",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\\",
        "login a password",
    ]
    yield from [
        "password=",
        'password:"',
        "password=&",
        "password: a.a.a",
        "password=(((",
        "token is ",
        "key: ",
        "-u a:",
    ]
    yield from ["secret=" + "aB3" * 13 + "x ", "Basic YTpi", "Bearer a1B2", "sig=" + "a" * 50]


@pytest.mark.parametrize("unit", list(hostile_texts()), ids=ascii)
def test_a_text_made_to_be_slow_costs_in_proportion_to_its_length(unit: str) -> None:
    assert is_linear(unit)


@pytest.mark.parametrize("trigger", TRIGGERS, ids=ascii)
def test_no_trigger_repeated_at_length_is_slow(trigger: str) -> None:
    assert is_linear(trigger)
    assert is_linear(trigger + "a1")


@pytest.mark.soak
@pytest.mark.parametrize("ending", ["", "a1", " = ", "secret key = "], ids=ascii)
def test_no_keyword_of_a_service_repeated_at_length_is_slow(ending: str) -> None:
    """All keywords in one text, so that all rules read it, beside a run that lets them."""
    text = "".join(f"{keyword}{ending}x9k2m4q8w1z7c3v5 = x9k2m4q8w1z7c3v5 " for keyword in KEYWORDS)
    assert is_linear(text)
    for keyword in KEYWORDS[:: 1 if rounds(0, 1) else len(KEYWORDS)]:
        assert is_linear(f"{keyword}{ending}x9k2m4q8w1z7c3v5")


def test_each_rule_of_a_service_can_be_read_is_bounded_and_has_a_keyword() -> None:
    assert len(SERVICES) == len(service_rules()) > 200
    for rule in service_rules():
        assert rule.kind not in KINDS
        assert re.compile(rule.pattern)
        assert rule.keywords
        assert all(keyword == keyword.lower() for keyword in rule.keywords)
        assert ".*" not in rule.pattern.replace(r"\.*", "")


def test_the_page_names_the_kinds_of_services() -> None:
    page = (ROOT / "docs" / "secrets.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^<!-- services -->\n(.+?)\n<!-- end -->$", page, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`(\w+)`", listed) == list(SERVICES)


def test_the_page_shows_the_same_kinds_as_the_code() -> None:
    page = (ROOT / "docs" / "secrets.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE)
    assert rows == list(KINDS.items())


BADGE = "[![codecov](https://codecov.io/gh/a/b/branch/main/graph/badge.svg?token={})](https://codecov.io/gh/a/b)"


@pytest.mark.parametrize("token", ["P9XK2MWQ7T", "p9Xk2mWq7T"])
def test_the_token_of_a_codecov_badge_is_public(token: str) -> None:
    """The twins: the same token elsewhere, a longer one, and a credential behind the badge."""
    badge = BADGE.format(token)
    assert named(badge) == named(badge.partition(")](")[0] + ")") == named(badge.replace("?", "?style=flat&")) == []
    value = f"{token}r4Lz8Vn3"
    assert named(BADGE.format(value)) == [("secret", value)]
    assert named(badge.replace("https://codecov.io/gh/a/b)", f"https://a.example/?token={value})")) == [
        ("secret", value)
    ]
    assert named(badge.replace("codecov.io", "codecov.io.example").replace(token, value)) == [("secret", value)]
    assert named(f"https://a.example/codecov.io/badge.svg?token={value}") == [("secret", value)]


@pytest.mark.parametrize(
    "frame", ["[a](https://h.example/?token={})", "[![b](https://h.example/x?a=b&key={})](https://c)"]
)
def test_the_span_of_a_parameter_ends_where_its_value_ends(frame: str) -> None:
    frame = frame.replace("key=", "access_token=")
    assert named(frame.format("P9xk2mWq7Tr4Lz8Vn3")) == [("secret", "P9xk2mWq7Tr4Lz8Vn3")]
