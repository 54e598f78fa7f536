"""The verb bootstrap on the command line."""

from __future__ import annotations

from substrate.opening.tokens import count_tokens
from tests.cli.running import Commands


def test_a_session_is_opened_as_text_and_as_json(store: Commands) -> None:
    ran = store.ok("bootstrap", "which", "provider")
    assert 'v1.fact.provider = "Adyen" (matches the objective' in ran.out
    assert 'v1.goal.launch = "In March"' in ran.out
    document = store.ok("bootstrap", "which", "provider", "--json").json
    assert document["objective"] == "which provider"
    assert [atom["name"] for atom in document["goals"]] == ["v1.goal.launch"]
    assert document["counter"] == "MiniLM WordPiece"


def test_the_budget_holds_for_what_is_printed(store: Commands) -> None:
    for tokens in (50, 90, 300):
        assert count_tokens(store.ok("bootstrap", "provider", "--max-tokens", str(tokens)).out) <= tokens
        assert count_tokens(store.ok("bootstrap", "provider", "--max-tokens", str(tokens), "--json").out) <= tokens


def test_evidence_can_be_asked_for(store: Commands) -> None:
    low = store.ok("bootstrap", "provider", "--json", "--evidence-threshold", "0.9", "--domain", "none").json
    assert low["left_out"]["low_evidence"] == 3
    assert low["absent"] == [{"name": "v1.domain.none", "why": "never recorded"}]
    told = store.ok("bootstrap", "provider", "--high-impact")
    assert "nothing is known that would help" in told.err


def test_what_cannot_be_is_refused(store: Commands) -> None:
    assert store("bootstrap", "--max-tokens", "10").code == 2
    assert store("bootstrap", "--evidence-threshold", "2").code == 2
