"""A sweep takes only what one surface wrote and nobody used; it erases nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from substrate.clock import ManualClock
from substrate.errors import InputError
from substrate.fading import sweep as sweeping
from substrate.memory import Memory
from substrate.search.columns.authors import Authors
from tests.days import DAY

AGENT = "mcp:cortexgraph:tester"


@pytest.fixture
def notes(memory: Memory, clock: ManualClock) -> Memory:
    """Old notes of the agent, of another surface and of a person; one new note."""
    agent = memory.client(AGENT)
    for text in ("tea is green", "tea is black", "tea is white"):
        agent.remember(text, "note", strength=1.0)
    agent.touch("v1.note.tea_white")
    memory.client("mcp:atoms:tester").remember("coffee is brown", "note")
    memory.remember("cocoa is sweet", "note")
    memory.client(AGENT).checkpoint([{"name": "v1.note.kept", "value": "kept", "tags": ["status:promoted"]}])
    clock.time += 60 * DAY
    agent.remember("milk is new", "note")
    return agent


def names(memory: Memory, status: str = "active") -> set[str]:
    return {one.name.removeprefix("v1.note.") for one in memory.fading(status=status)}


def test_a_sweep_takes_faded_notes_of_its_own_surface_and_nothing_else(notes: Memory) -> None:
    would = notes.sweep(dry_run=True)
    assert {one.name for one in would} == {"v1.note.tea_green", "v1.note.tea_black"}
    assert (would.total, would.dry_run, would.surface) == (2, True, "cortexgraph")
    assert 0 < would.score_sum < 0.1
    before = notes.head()
    assert notes.sweep(dry_run=True) == would
    assert notes.head() == before
    assert notes.sweep().total == 2
    assert names(notes) == {"tea_white", "coffee_brown", "cocoa_sweet", "milk_new"}
    assert names(notes, "promoted") == {"kept"}
    (old,) = [version for version in notes.history("v1.note.tea_green") if version.kind == "tombstone"]
    assert (old.reason, old.actor) == ("faded", AGENT)
    assert notes.sweep().total == 0


def test_a_sweep_by_type_or_name_would_take_the_others_too(notes: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: who wrote it is what decides."""
    monkeypatch.setattr(Authors, "written_by", lambda _, __, ___, ____, seqs: seqs)
    assert {one.name for one in notes.sweep(dry_run=True)} >= {"v1.note.coffee_brown", "v1.note.cocoa_sweet"}


def test_a_person_sweeps_what_agents_saved_and_not_what_was_said_again(memory: Memory, notes: Memory) -> None:
    memory.remember("tea is green", "note")
    assert [one.name for one in memory.sweep(dry_run=True)] == ["v1.note.tea_black"]
    assert memory.sweep(surface="atoms", dry_run=True)[0].name == "v1.note.coffee_brown"
    assert notes.sweep(surface="atoms", dry_run=True).surface == "cortexgraph"


def test_what_is_archived_is_listed_by_that_status_until_it_is_said_again(
    notes: Memory, reopen: Callable[..., Memory]
) -> None:
    assert notes.sweep(archive=True).archived
    assert names(notes, "archived") == {"tea_green", "tea_black"}
    assert {one.status for one in notes.fading(status="all")} == {"active", "promoted", "archived"}
    assert notes.fading("v1.note.tea_green")[0].status == "archived"
    notes.remember("tea is green", "note", strength=1.2)
    assert names(notes, "archived") == {"tea_black"}
    notes.checkpoint(tombstones=["v1.note.tea_green"])
    assert names(notes, "archived") == names(reopen(), "archived") == {"tea_black"}
    assert notes.fading("v1.note.tea_green")[0].status == "removed"
    notes.forget("v1.note.tea_black")
    assert names(notes, "archived") == set()


def test_the_lowest_scores_go_first_and_no_more_than_asked_for(notes: Memory, clock: ManualClock) -> None:
    notes.remember("rain is wet", "note", strength=2.0)
    clock.time += 200 * DAY
    swept = notes.sweep(limit=1)
    assert swept.total == 1
    assert swept[0].score <= min(one.score for one in notes.fading() if one.atom.actor == AGENT)
    for limit in (0, 10_001, True, "1"):
        with pytest.raises(InputError, match=r"1 to 10,000"):
            notes.sweep(limit=limit)  # type: ignore[arg-type]


def test_what_is_touched_meanwhile_is_looked_at_again(notes: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    real, touched = sweeping._tombstone, []

    def after_a_touch(*given: object) -> None:
        if not touched:
            touched.append(notes.touch("v1.note.tea_green"))
        real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(sweeping, "_tombstone", after_a_touch)
    assert [one.name for one in notes.sweep()] == ["v1.note.tea_black"]
    assert "tea_green" in names(notes)
