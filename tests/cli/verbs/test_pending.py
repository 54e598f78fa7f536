"""The verb pending: one list of what waits for a person."""

from __future__ import annotations

import json

import pytest

import substrate
from tests.cli.run import Commands


@pytest.fixture
def waiting(store: Commands) -> dict[str, str]:
    with substrate.open(json.loads(store.ok("stats", "--json").out)["store"]) as memory:
        made = memory.propose("Stripe again", name="v1.fact.provider")
        text = memory.propose("Postgres it is.", domain="Book Notes", title="DB choice")
        memory.checkpoint([{"name": "v1.constraint.x", "value": "Never on Mondays.", "tags": ["proposed"]}])
    return {"correction": made.id, "text": text.id, "statement": "v1.constraint.x"}


def test_one_list_has_corrections_texts_and_statements(store: Commands, waiting: dict[str, str]) -> None:
    listed = json.loads(store.ok("pending", "--json").out)["items"]
    assert [one["kind"] for one in listed] == ["correction", "text", "statement"]
    assert store.ok("pending", "--accept", waiting["correction"]).out
    assert json.loads(store.ok("access", "v1.fact.provider", "--json").out)["value"] == "Stripe again"
    assert "created" in store.ok("pending", "--accept", waiting["text"], "--create").out
    store.ok("pending", "--decline", waiting["statement"])
    assert json.loads(store.ok("pending", "--json").out)["items"] == []


def test_a_line_that_asks_for_two_things_is_refused(store: Commands, waiting: dict[str, str]) -> None:
    made = waiting["correction"]
    assert "not both" in store("pending", "--accept", made, "--decline", made).err
    assert "belong to --accept" in store("pending", "--create").err
    assert "are of texts" in store("pending", "--accept", made, "--create").err
    assert "--create" in store("pending", "--accept", waiting["text"]).err
