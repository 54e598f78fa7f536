"""The verb groups: what says nearly the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.errors import Conflict, InputError, TooLarge
from substrate.memory import Memory
from tests.groups.planted import planted

Reopen = Callable[..., Memory]

NOTES = (
    "v1.note.bins = The bins go out on Tuesday evening",
    "v1.note.waste = On Tuesday evening the bins go out",
    "v1.fact.rent = The rent is due on the first",
    "v1.note.oysters = Ada is allergic to oysters",
)


@pytest.fixture
def notes(memory: Memory) -> Memory:
    memory.checkpoint(NOTES)
    return memory


def names(memory: Memory, **asked: object) -> list[list[str]]:
    return [sorted(member.name for member in group.members) for group in memory.groups(**asked)]  # type: ignore[arg-type]


def test_atoms_that_say_nearly_the_same_are_a_group(notes: Memory) -> None:
    (group,) = found = notes.groups()
    assert [member.name for member in group.members] == [
        member.name for member in sorted(group.members, key=lambda member: member.id)
    ]
    assert {member.name for member in group.members} == {"v1.note.bins", "v1.note.waste"}
    assert (group.cohesion, group.advice, group.by_words) == (1.0, "merge", True)
    assert (found.total, found.compared) == (1, 4)
    assert "semantic search is off" in found.meaning
    assert group.to_dict()["size"] == 2


def test_pairs_are_listed_if_they_are_asked_for(notes: Memory) -> None:
    found = notes.groups(pairs=True, threshold=0.88)
    assert [{pair.first.name, pair.second.name} for pair in found.pairs] == [{"v1.note.bins", "v1.note.waste"}]
    assert (len(found), found.total) == (0, 1)


def test_filters_hold(notes: Memory) -> None:
    notes.checkpoint([{"name": "v1.fact.bins", "value": "The bins go out on Tuesday evening", "tags": ["home"]}])
    assert names(notes) == [["v1.fact.bins", "v1.note.bins", "v1.note.waste"]]
    assert names(notes, type="note") == [["v1.note.bins", "v1.note.waste"]]
    assert names(notes, prefix="v1.note.b") == names(notes, tags="home") == []


def test_what_is_out_of_use_superseded_or_ingested_is_left_out(notes: Memory) -> None:
    notes.ingest("The bins go out on Tuesday evening", title="bins")
    notes.checkpoint(edges=[{"source": "v1.fact.rent", "type": "supersedes", "target": "v1.note.waste"}])
    assert names(notes) == []


def test_only_what_a_surface_wrote_is_compared_if_that_is_asked_for(notes: Memory) -> None:
    theirs = notes.client("mcp:cortexgraph:test")
    theirs.checkpoint(["v1.note.a = The bins go out on Tuesday evening", "v1.note.b = Tuesday evening: bins go out"])
    assert names(notes, surface="cortexgraph") == [["v1.note.a", "v1.note.b"]]
    assert names(notes, surface="hydramem") == []


@pytest.mark.parametrize(
    "asked",
    [{"threshold": 1.01}, {"threshold": -0.1}, {"threshold": True}, {"most": 1}, {"most": 101}, {"limit": 0}],
)
def test_what_cannot_be_asked_for_is_refused(notes: Memory, asked: dict[str, object]) -> None:
    with pytest.raises(InputError):
        notes.groups(**asked)  # type: ignore[arg-type]


def test_the_ends_of_what_can_be_asked_for_are_taken(notes: Memory) -> None:
    assert len(notes.groups(threshold=1, most=100, limit=1000)) == 1
    assert notes.groups(threshold=0, most=2).total >= 1
    with pytest.raises(TooLarge):
        notes.groups(limit=1001)


def test_ids_are_equal_in_another_process(notes: Memory, store: Path, home: Path) -> None:
    ids = [group.id for group in notes.groups()]
    code = (
        "import sys, substrate; memory = substrate.open(sys.argv[1], home=sys.argv[2], read_only=True); "
        "print(memory.groups()[0].id)"
    )
    other = subprocess.run(
        [sys.executable, "-c", code, str(store), str(home)], capture_output=True, text=True, check=True, timeout=300
    )
    assert other.stdout.split() == ids


@pytest.mark.usefixtures("cache")
def test_by_vectors_what_was_said_twice_is_found_and_nothing_else_is(
    reopen: Reopen, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = reopen(background=False)
    texts, pairs = planted()
    memory.checkpoint([f"v1.note.n{at} = {text}" for at, text in enumerate(texts)])
    assert "compared by rare words" in memory.groups().meaning
    memory.index()
    found = memory.groups(limit=1000)
    assert found.meaning == ""
    assert not any(group.by_words for group in found)
    grouped = {frozenset(int(member.name.removeprefix("v1.note.n")) for member in group.members) for group in found}
    assert len(grouped & pairs) >= 0.95 * max(len(pairs), len(grouped))
    memory.checkpoint(["v1.note.late = came late"])
    assert memory.groups().meaning.startswith("1 have no vector yet and were compared by rare words")
    monkeypatch.setattr("substrate.groups.groups._ALL_WITH_ALL", 2)
    assert memory.groups().meaning.startswith("1 have no vector yet and were not compared")


def test_of_many_groups_the_best_are_remembered(notes: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("substrate.groups.groups._SHOWN", 1)
    notes.checkpoint(
        ["v1.note.dog = The old dog sleeps by the warm stove", "v1.note.hound = The old dog sleeps by a stove"]
    )
    best, other = notes.groups(threshold=0.7)
    assert best.cohesion > other.cohesion
    notes.checkpoint(tombstones=[best.members[0].name])
    with pytest.raises(Conflict):  # it is remembered as it was shown
        notes.group(best.id)
