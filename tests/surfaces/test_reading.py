"""memory_access, memory_list_atoms and memory_history: one atom, all of a kind, and what was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from mcp.types import TextContent
from pydantic import TypeAdapter, ValidationError

import substrate
from substrate.result import iso
from substrate.surfaces.arguments import IsoTime
from tests.agents import Agent, in_memory

ACCESS, LIST, HISTORY = "memory_access", "memory_list_atoms", "memory_history"
LONG = "".join(chr(0x4E00 + i % 1000) for i in range(30_000))
COUNT = 250


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """250 atoms and more: a long one, one with two versions and windows, one that is tombstoned, one forgotten."""
    store = tmp_path_factory.mktemp("library") / "store"
    with substrate.open(store, model="none", actor="ada") as memory:
        memory.checkpoint([f"v1.item.n{i:03} = the value of {i}" for i in range(COUNT)])
        memory.checkpoint([f"v1.fact.long = {LONG}", "v1.fact.gone = soon", "v1.fact.erased = private"])
        memory.checkpoint(
            [
                {
                    "name": "v1.fact.office",
                    "value": "Berlin",
                    "valid_from": "2020-01-01",
                    "valid_to": "2024-01-01",
                    "tags": ["place"],
                    "entities": ["Berlin"],
                    "confidence": 0.9,
                    "source": "handbook",
                    "origin": "user",
                }
            ]
        )
        memory.checkpoint(
            [{"name": "v1.fact.office", "value": "Hamburg", "valid_from": "2024-01-01"}, "v1.fact.desk = 12"],
            edges=[{"source": "v1.fact.desk", "target": "v1.fact.office", "type": "depends_on"}],
        )
        memory.checkpoint(tombstones=["v1.fact.gone"])
        memory.forget("v1.fact.erased")
    return store


@pytest.fixture(scope="module")
def reader(library: Path) -> Iterator[Agent]:
    with in_memory(library) as agent:
        yield agent


# -- one atom ----------------------------------------------------------------------------------------------------------


def test_an_access_has_the_value_and_its_metadata(reader: Agent) -> None:
    now = reader.ok(ACCESS, key="v1.fact.office")
    assert (now["value"], now["actor"], now["validFrom"]) == ("Hamburg", "ada", "2024-01-01T00:00:00Z")
    before = reader.ok(ACCESS, key="v1.fact.office", asOf=now["seq"] - 1)
    said = {word: before[word] for word in ("value", "tags", "entities", "confidence", "source", "origin")}
    assert said == {
        "value": "Berlin",
        "tags": ["place"],
        "entities": ["Berlin"],
        "confidence": 0.9,
        "source": "handbook",
        "origin": "user",
    }
    assert before["id"] == now["id"]
    assert "proof" not in now
    assert "truncated" not in now


def test_an_atom_can_be_read_by_its_id(reader: Agent) -> None:
    found = reader.ok(ACCESS, key="v1.fact.office")
    assert reader.ok(ACCESS, key=found["id"])["key"] == "v1.fact.office"


def test_as_of_is_what_was_known_by_seq_or_by_time(reader: Agent, library: Path) -> None:
    with substrate.open(library, read_only=True) as memory:
        first, second = memory.history("v1.fact.office")
    assert reader.ok(ACCESS, key="v1.fact.office", asOf=first.seq)["value"] == "Berlin"
    assert reader.ok(ACCESS, key="v1.fact.office", asOf=str(first.seq))["value"] == "Berlin"
    assert reader.ok(ACCESS, key="v1.fact.office", asOf=iso(first.recorded_at))["value"] == "Berlin"
    assert reader.ok(ACCESS, key="v1.fact.office", asOf=iso(second.recorded_at))["value"] == "Hamburg"
    error = reader.error(ACCESS, key="v1.fact.office", asOf=iso(first.recorded_at - timedelta(days=1)))
    assert error["code"] in {"not_found", "input"}
    error = reader.error(ACCESS, key="v1.fact.office", asOf="some time ago")
    assert (error["code"], error["message"].startswith("asOf must be")) == ("schema_invalid", True)


def test_valid_at_is_what_held_in_the_world(reader: Agent) -> None:
    assert reader.ok(ACCESS, key="v1.fact.office", validAt="2022-05-01")["value"] == "Berlin"
    assert reader.ok(ACCESS, key="v1.fact.office", validAt="2025-05-01T10:00:00Z")["value"] == "Hamburg"
    assert reader.error(ACCESS, key="v1.fact.office", validAt="2019-05-01")["code"] == "not_found"


def test_of_a_long_value_a_part_is_shown_and_the_rest_can_be_read_on(reader: Agent) -> None:
    first = reader.ok(ACCESS, key="v1.fact.long")
    assert (first["truncated"], first["length"], len(first["value"])) == (True, len(LONG), 20_000)
    second = reader.ok(ACCESS, key="v1.fact.long", offset=first["nextOffset"])
    assert first["value"] + second["value"] == LONG
    assert (second["length"], {"truncated", "nextOffset"} & set(second)) == (len(LONG), set())
    assert reader.ok(ACCESS, key="v1.fact.long", offset=5, maxChars=7)["value"] == LONG[5:12]
    whole = reader.ok(ACCESS, key="v1.fact.long", maxChars=1_000_000)
    assert (whole["value"], {"truncated", "nextOffset", "length"} & set(whole)) == (LONG, set())
    behind = reader.ok(ACCESS, key="v1.fact.long", offset=1_000_000)
    assert (behind["value"], behind["length"], "truncated" in behind) == ("", len(LONG), False)


def test_predictions_come_if_they_are_asked_for(store: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 2"])
        memory.train(["v1.fact.a", "v1.fact.b"], passes=3)
    with in_memory(store) as agent:
        assert "predictions" not in agent.ok(ACCESS, key="v1.fact.a")
    with in_memory(store, name="another") as agent:
        (predicted,) = agent.ok(ACCESS, key="v1.fact.a", predictions=3)["predictions"]
    assert predicted["key"] == "v1.fact.b"
    assert 0 < predicted["probability"] <= 1


def test_what_an_atom_depends_on_has_changed_is_a_reason_to_review_it(agent: Agent) -> None:
    edge = {"source": "v1.fact.desk", "target": "v1.fact.office", "type": "depends_on"}
    agent.ok("session_checkpoint", atoms=["v1.fact.desk = 12", "v1.fact.office = Berlin"], edges=[edge])
    assert "stale" not in agent.ok(ACCESS, key="v1.fact.desk")
    agent.ok("session_checkpoint", atoms=["v1.fact.office = Hamburg"])
    (reason,) = agent.ok(ACCESS, key="v1.fact.desk")["stale"]
    assert "v1.fact.office" in reason


def test_of_a_key_that_is_not_there_the_nearest_are_named(reader: Agent) -> None:
    error = reader.error(ACCESS, key="v1.fact.ofice")
    assert error["code"] == "not_found"
    assert "v1.fact.office" in error["message"]


def test_a_tombstoned_atom_is_said_to_be_one(reader: Agent) -> None:
    error = reader.error(ACCESS, key="v1.fact.gone")
    assert error["code"] == "not_found"
    assert "tombstoned" in error["message"]


def test_a_forgotten_atom_is_said_to_be_one(reader: Agent) -> None:
    error = reader.error(ACCESS, key="v1.fact.erased")
    assert error["code"] == "forgotten"
    assert "private" not in str(error)


def test_what_is_no_key_is_refused_with_what_was_probably_meant(reader: Agent) -> None:
    error = reader.error(ACCESS, key="hub_corrections")
    assert error["code"] == "name_invalid"
    assert "v1.hub.corrections" in error["message"]


def test_for_what_is_no_key_the_keys_that_a_search_finds_are_named(reader: Agent) -> None:
    error = reader.error(ACCESS, key="the_office_in_hamburg")
    assert error["code"] == "name_invalid"
    assert ". Near it: v1.fact.office" in error["message"]
    assert "Near it" not in reader.error(ACCESS, key="xylophone")["message"]


# -- all of a kind -----------------------------------------------------------------------------------------------------


def test_a_list_is_by_key_a_hundred_at_a_time_and_says_how_many_there_are(reader: Agent) -> None:
    seen: list[str] = []
    offset, pages = 0, 0
    while True:
        page = reader.ok(LIST, prefix="v1.item.", offset=offset)
        seen += [atom["key"] for atom in page["atoms"]]
        pages += 1
        assert page["total"] == COUNT
        assert page["truncated"] == ("nextOffset" in page)
        if not page["truncated"]:
            break
        assert len(page["atoms"]) == 100
        offset = page["nextOffset"]
    assert pages == 3
    assert seen == [f"v1.item.n{i:03}" for i in range(COUNT)]


def test_limit_and_offset_of_a_list_are_taken(reader: Agent) -> None:
    page = reader.ok(LIST, prefix="v1.item.n1", limit=3, offset=2)
    assert [atom["key"] for atom in page["atoms"]] == ["v1.item.n102", "v1.item.n103", "v1.item.n104"]
    assert (page["total"], page["nextOffset"]) == (100, 5)
    assert len(reader.ok(LIST, limit=1000)["atoms"]) == COUNT + 3
    beyond = reader.ok(LIST, offset=10_000)
    assert (beyond["atoms"], beyond["truncated"]) == ([], False)


def test_a_list_shows_the_beginning_of_a_value_and_leaves_out_what_is_not_in_use(reader: Agent) -> None:
    atoms = {atom["key"]: atom for atom in reader.ok(LIST, prefix="v1.fact.")["atoms"]}
    assert set(atoms) == {"v1.fact.desk", "v1.fact.long", "v1.fact.office"}
    long = atoms["v1.fact.long"]
    assert (long["value"], long["truncated"], long["length"]) == (LONG[:240], True, len(LONG))


def test_a_prefix_that_nothing_has_is_an_empty_list(reader: Agent) -> None:
    page = reader.ok(LIST, prefix="v1.nothing.")
    assert (page["atoms"], "remark" in page) == ([], False)


@pytest.mark.parametrize("prefix", ["fact", "fact.", "item.n1"])
def test_for_a_prefix_that_no_key_begins_with_the_right_one_is_told(reader: Agent, prefix: str) -> None:
    page = reader.ok(LIST, prefix=prefix)
    assert page["atoms"] == []
    assert page["remark"].endswith(f"try the prefix v1.{prefix.strip('.')}.")
    assert "remark" not in reader.ok(LIST, prefix=prefix, offset=1)


def test_a_row_of_a_list_has_no_id_and_a_time_that_as_of_takes(reader: Agent) -> None:
    (row,) = reader.ok(LIST, prefix="v1.fact.desk")["atoms"]
    assert set(row) == {"key", "value", "seq", "recordedAt", "actor"}
    assert reader.ok(ACCESS, key=row["key"], asOf=row["recordedAt"])["seq"] == row["seq"]


# -- what was ----------------------------------------------------------------------------------------------------------


def test_a_history_is_oldest_first_with_who_wrote_it(reader: Agent) -> None:
    past = reader.ok(HISTORY, key="v1.fact.office")
    assert [(one["kind"], one["value"], one["actor"]) for one in past["versions"]] == [
        ("put", "Berlin", "ada"),
        ("put", "Hamburg", "ada"),
    ]
    assert past["versions"][0]["validTo"] == "2024-01-01T00:00:00Z"
    assert past["truncated"] is False


def test_a_history_can_be_asked_as_of_for_a_time_and_for_the_newest_only(reader: Agent) -> None:
    first, second = reader.ok(HISTORY, key="v1.fact.office")["versions"]
    assert reader.ok(HISTORY, key="v1.fact.office", asOf=first["seq"])["versions"] == [first]
    assert reader.ok(HISTORY, key="v1.fact.office", validAt="2030-01-01")["versions"] == [second]
    newest = reader.ok(HISTORY, key="v1.fact.office", limit=1)
    assert (newest["versions"], newest["truncated"]) == ([second], True)


def test_a_history_tells_of_tombstones_and_of_gaps(reader: Agent) -> None:
    assert [one["kind"] for one in reader.ok(HISTORY, key="v1.fact.gone")["versions"]] == ["put", "tombstone"]
    (gap,) = reader.ok(HISTORY, key="v1.fact.erased")["versions"]
    assert (gap["kind"], "value" in gap) == ("gap", False)


def test_a_history_marks_the_version_that_an_undo_took_back(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", model="none") as memory:
        memory.checkpoint(["v1.fact.pay = Stripe"])
        memory.checkpoint(["v1.fact.pay = Adyen"])
        undone = memory.undo()
    assert undone.seqs is not None
    with in_memory(tmp_path / "store") as agent:
        versions = agent.ok(HISTORY, key="v1.fact.pay")["versions"]
    assert [(one["value"], one.get("takenBackBy")) for one in versions] == [
        ("Stripe", None),
        ("Adyen", undone.seqs.start),
        ("Stripe", None),
    ]


def test_the_history_of_what_never_was_names_the_nearest(reader: Agent) -> None:
    error = reader.error(HISTORY, key="v1.fact.ofice")
    assert error["code"] == "not_found"
    assert "v1.fact.office" in error["message"]


def test_a_time_in_words_is_taken_and_told(agent: Agent) -> None:
    agent.ok("session_checkpoint", atoms=["v1.fact.a = one"])
    found, note = agent.call(ACCESS, key="v1.fact.a", asOf="today").content
    assert isinstance(found, TextContent)
    assert isinstance(note, TextContent)
    assert json.loads(found.text)["value"] == "one"
    assert re.fullmatch(r"note: asOf was read as \d{4}-\d\d-\d\dT[\d:.]+Z", note.text)
    refused = agent.error(ACCESS, key="v1.fact.a", validAt="someday")
    assert refused["message"] == "validAt must be a time such as 2026-03-01T12:00:00Z, 2 weeks ago or last monday"
    assert "v1.fact.a" in agent.error(ACCESS, key="v1.fact.a", asOf="2 weeks ago")["message"]


def test_a_surface_whose_document_demands_iso_8601_refuses_words() -> None:
    times = TypeAdapter[str](IsoTime)
    assert times.validate_python("2026-03-01T12:00:00Z")
    with pytest.raises(ValidationError, match="ISO 8601"):
        times.validate_python("yesterday")
