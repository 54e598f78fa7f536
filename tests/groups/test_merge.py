"""The verb merge: one atom in the place of several, and the way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from substrate.clock import ManualClock
from substrate.errors import Conflict, Denied, InputError, NotFound, SchemaInvalid
from substrate.groups.merge import joined
from substrate.memory import Memory
from substrate.values.relations import Merged
from substrate.values.times import from_microseconds

BINS = "The bins go out on Tuesday evening"
WASTE = "On Tuesday evening the bins go out"


@pytest.fixture
def notes(memory: Memory) -> Memory:
    memory.checkpoint(
        [
            {"name": "v1.note.bins", "value": BINS, "tags": ["home"], "source": "a talk", "attrs": {"room": "yard"}},
            {"name": "v1.note.waste", "value": WASTE, "tags": ["week"], "entities": ["Council"], "source": "a letter"},
            "v1.fact.rent = The rent is due on the first",
        ]
    )
    return memory


def hits(memory: Memory, query: str = "when do the bins go out", **asked: object) -> list[str]:
    return [hit.atom.name for hit in memory.search(query, **asked)]  # type: ignore[arg-type]


def merged(memory: Memory) -> Merged:
    return memory.merge(["v1.note.bins", "v1.note.waste"], "v1.note.bin_day")


def test_one_atom_says_what_all_say_and_has_their_fields(notes: Memory) -> None:
    made = merged(notes)
    atom = notes.access("v1.note.bin_day").atom
    assert atom.id == made.id
    assert sorted(atom.value.split("\n\n")) == sorted([BINS, WASTE])
    assert (atom.tags, atom.entities, set((atom.source or "").split("; "))) == (
        ("home", "week"),
        ("Council",),
        {"a talk", "a letter"},
    )
    ids = sorted(notes.access(name).atom.id for name in ("v1.note.bins", "v1.note.waste"))
    assert atom.attrs == {"room": "yard", "consolidated_from": ids}
    edges = {(edge.type, edge.target) for edge in notes.edges("v1.note.bin_day", direction="out")}
    assert edges == {
        (kind, name) for kind in ("supersedes", "consolidated_from") for name in ("v1.note.bins", "v1.note.waste")
    }


def test_originals_leave_searches_and_stay_readable(notes: Memory) -> None:
    merged(notes)
    assert hits(notes) == ["v1.note.bin_day"]
    assert notes.access("v1.note.bins").atom.superseded_by == ("v1.note.bin_day",)
    assert notes.groups().total == 0


def test_a_time_before_sees_the_originals(notes: Memory, clock: ManualClock) -> None:
    before = notes.head().head.size - 1
    clock.advance(60_000_000)
    time = clock.now()
    clock.advance(60_000_000)
    merged(notes)
    assert sorted(hits(notes, as_of=before)) == ["v1.note.bins", "v1.note.waste"]
    assert sorted(hits(notes, valid_at=from_microseconds(time))) == ["v1.note.bins", "v1.note.waste"]


def test_it_is_one_checkpoint_and_no_conflict_with_its_own_members(notes: Memory) -> None:
    heads = len(notes.heads())
    made = merged(notes)
    assert len(notes.heads()) == heads + 1
    assert made.seqs is not None
    assert len(made.seqs) == 5
    assert notes.conflicts().items == ()


def test_what_was_learnt_of_the_originals_counts_for_it(notes: Memory) -> None:
    for _ in range(3):
        notes.observe(["v1.fact.rent", "v1.note.bins"])
    merged(notes)
    assert "v1.note.bin_day" in [found.name for found in notes.predict("v1.fact.rent")]


def test_it_can_be_taken_back(notes: Memory) -> None:
    found = hits(notes)
    merged(notes)
    back = notes.merge("v1.note.bin_day", back=True)
    assert (back.taken_back, sorted(back.members)) == (True, ["v1.note.bins", "v1.note.waste"])
    assert hits(notes) == found
    assert notes.access("v1.note.bins").atom.superseded_by == ()
    with pytest.raises(NotFound):
        notes.merge("v1.note.bin_day", back=True)
    with pytest.raises(NotFound):
        notes.merge("v1.fact.rent", back=True)


def test_undo_takes_it_back_too(notes: Memory) -> None:
    found = hits(notes)
    merged(notes)
    notes.undo()
    assert hits(notes) == found


def test_a_dry_run_writes_nothing(notes: Memory) -> None:
    head = notes.head()
    (group,) = notes.groups()
    would = notes.merge(group.id, dry_run=True)
    assert (would.dry_run, sorted(would.members), would.tags) == (
        True,
        ["v1.note.bins", "v1.note.waste"],
        ("home", "week"),
    )
    assert notes.head() == head


def test_a_group_that_changed_since_it_was_shown_is_a_conflict(notes: Memory) -> None:
    (group,) = notes.groups()
    notes.checkpoint(["v1.note.waste = Waste is collected on Friday"])
    head = notes.head()
    with pytest.raises(Conflict, match="changed since"):
        notes.merge(group.id)
    assert notes.head() == head


def test_a_group_is_found_by_its_id_also_where_nobody_saw_it(notes: Memory, reopen: Callable[..., Memory]) -> None:
    (group,) = notes.groups()
    notes.close()
    made = reopen().merge(group.id)
    assert sorted(made.members) == ["v1.note.bins", "v1.note.waste"]
    assert made.name.startswith("v1.note.")


def test_what_another_writer_changed_is_a_conflict(notes: Memory) -> None:
    (group,) = notes.groups()
    seen = {member.name: member.seq for member in group.members}
    notes.checkpoint(["v1.note.waste = On Tuesday evening the bins go out, says the council"])
    with pytest.raises(Conflict, match="changed since"):
        notes.merge(["v1.note.bins", "v1.note.waste"], expect=seen)
    merged(notes)
    with pytest.raises(Conflict, match="superseded already"):
        notes.merge(["v1.note.bins", "v1.fact.rent"])


def test_what_cannot_be_merged_is_refused(notes: Memory) -> None:
    notes.checkpoint(tombstones=["v1.fact.rent"])
    bins = notes.access("v1.note.bins").atom.id
    for wrong, error in (
        (["v1.note.bins"], InputError),
        (["v1.note.bins", "v1.note.bins"], InputError),
        (["v1.note.bins", bins], InputError),
        (["v1.note.bins", "v1.fact.rent"], NotFound),
        (["v1.note.bins", "v1.note.none"], NotFound),
        ([f"v1.note.n{at}" for at in range(101)], InputError),
        (7, SchemaInvalid),
        ([7, 8], SchemaInvalid),
        ("f54a49fc-180d-5b83-a1e7-f0fa682bcbcf", NotFound),
    ):
        with pytest.raises(error):
            notes.merge(wrong)  # type: ignore[arg-type]
    with pytest.raises(Conflict, match="taken already"):
        notes.merge(["v1.note.bins", "v1.note.waste"], "v1.note.bins")
    with pytest.raises(Denied):
        notes.merge(["v1.note.bins", "v1.note.waste"], surface="cortexgraph")


def test_texts_that_say_no_more_are_not_repeated() -> None:
    assert joined(["the bins go out", "On Tuesday the bins go out", "on tuesday the bins go out"]) == (
        "On Tuesday the bins go out"
    )
    assert joined(["a cat", "a dog"]) == "a cat\n\na dog"
