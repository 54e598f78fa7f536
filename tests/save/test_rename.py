"""The verb rename: what an atom says goes on under another name, and the old name leads there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.errors import Conflict, Forgotten, InputError, ItemsRefused, NameInvalid, NotFound, TooLarge
from substrate.limits import LIMITS
from substrate.memory import Memory
from substrate.proof.verify import Verifier
from tests.leftovers import traces_of

OLD, NEW = "v1.note.provider_adyen", "v1.decision.payment_provider"


@pytest.fixture
def noted(memory: Memory) -> Memory:
    memory.checkpoint(
        [
            {"name": OLD, "value": "the provider is Adyen", "tags": ["money"], "source": "call", "attrs": {"a": 1}},
            "v1.fact.currency = EUR",
            "v1.goal.launch = In March",
        ],
        edges=[
            {"source": OLD, "type": "depends_on", "target": "v1.fact.currency", "confidence": 0.5},
            {"source": "v1.goal.launch", "type": "depends_on", "target": OLD},
        ],
    )
    return memory


def edges(memory: Memory, name: str) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.type, edge.target) for edge in memory.edges(name)}


def test_value_fields_and_edges_go_on_under_the_new_name_in_one_checkpoint(noted: Memory) -> None:
    before = noted.head().head.size
    saved = noted.rename(OLD, NEW)
    assert (saved.recorded, saved.tombstoned, saved.head.head.size - before) == ((NEW,), (OLD,), 7)
    atom = noted.access(NEW).atom
    assert (atom.value, atom.tags, atom.source, atom.attrs) == ("the provider is Adyen", ("money",), "call", {"a": 1})
    assert edges(noted, NEW) == {
        (NEW, "depends_on", "v1.fact.currency"),
        ("v1.goal.launch", "depends_on", NEW),
        (OLD, "renamed_to", NEW),
    }
    (edge,) = noted.edges("v1.fact.currency")
    assert edge.confidence == 0.5
    assert OLD not in [one.name for one in noted.list()]
    hits = [hit.name for hit in noted.search("Adyen")]
    assert (hits[0], OLD in hits) == (NEW, False)
    (match,) = noted.which(OLD)
    assert (match.name, match.reason) == (NEW, "its earlier name")


def test_the_old_name_answers_with_the_new_one_and_as_of_then_with_itself(noted: Memory) -> None:
    size = noted.head().head.size
    noted.rename(OLD, NEW)
    noted.rename(NEW, "v1.fact.provider")
    for name in (OLD, NEW):
        answer = noted.access(name, proof=True)
        assert (answer.name, answer.renamed_from) == ("v1.fact.provider", name)
        assert answer.to_dict()["renamed_from"] == name
        assert noted.access(name, valid_at="2020-01-01").name == "v1.fact.provider"
    assert noted.access(OLD, as_of=size - 1).name == OLD
    assert noted.access("v1.fact.provider").renamed_from is None
    assert {atom.name for atom in noted.list(valid_at="2020-01-01")} & {OLD, NEW} == set()


def test_what_was_true_before_the_present_value_stays_with_the_old_name(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.fact.price", "value": "10"}])
    memory.checkpoint([{"name": "v1.fact.price", "value": "12", "valid_from": "2026-04-01"}])
    memory.rename("v1.fact.price", "v1.fact.cost")
    assert memory.access("v1.fact.price", valid_at="2026-03-01").value == "10"
    assert memory.access("v1.fact.price", valid_at="2026-05-01").name == "v1.fact.cost"
    with pytest.raises(NotFound):
        memory.access("v1.fact.cost", valid_at="2026-03-01")


def test_proofs_made_before_stay_valid(noted: Memory) -> None:
    proof = noted.access(OLD, proof=True).proof
    assert proof is not None
    key = noted.key()
    noted.rename(OLD, NEW)
    assert Verifier(key=key).verify(proof.to_json()).trusted


@pytest.mark.parametrize("forgotten", [OLD, NEW])
def test_forgetting_either_name_erases_both(noted: Memory, forgotten: str) -> None:
    noted.rename(OLD, NEW)
    assert noted.forget([forgotten], dry_run=True).atoms == 2
    assert noted.forget([forgotten]).atoms == 2
    for name in (OLD, NEW):
        with pytest.raises(Forgotten):
            noted.access(name)
    assert not [hit for hit in noted.search("Adyen") if "Adyen" in hit.value]


def undone(memory: Memory, first: str, second: str, _: str) -> None:
    memory.rename(first, second)
    memory.undo()


def undone_and_renamed_otherwise(memory: Memory, first: str, second: str, third: str) -> None:
    undone(memory, first, second, third)
    memory.rename(first, third)


def undone_and_renamed_again(memory: Memory, first: str, second: str, third: str) -> None:
    undone(memory, first, second, third)
    memory.rename(first, second)
    assert memory.access(first).name == second


def undone_and_said_otherwise(memory: Memory, first: str, second: str, third: str) -> None:
    undone(memory, first, second, third)
    memory.checkpoint([f"{first} = moved", f"{second} = somebody else"])


def renamed_back(memory: Memory, first: str, second: str, _: str) -> None:
    memory.rename(first, second)
    memory.rename(second, first)


def renamed_on(memory: Memory, first: str, second: str, third: str) -> None:
    memory.rename(first, second)
    memory.checkpoint([f"{second} = moved since"])  # the first name and the third never say the same
    memory.rename(second, third)


@pytest.mark.parametrize("by_id", [False, True])
@pytest.mark.parametrize(
    ("happens", "count"),
    [
        (undone, 2),
        (undone_and_renamed_otherwise, 3),
        (undone_and_renamed_again, 2),
        (undone_and_said_otherwise, 2),
        (renamed_back, 2),
        (renamed_on, 3),
    ],
)
def test_forgetting_any_name_leaves_the_text_nowhere_whatever_became_of_the_rename(
    memory: Memory, store: Path, happens: Callable[[Memory, str, str, str], None], count: int, *, by_id: bool
) -> None:
    memory.checkpoint(["v1.fact.kept = stays"])
    for at in range(count):
        names = [f"v1.person.{word}_{at}" for word in ("jane", "jr", "roe")]
        canary = f"canaryelmstreet{at}"
        before = memory.checkpoint([f"{names[0]} = lives at {canary}"]).seqs
        happens(memory, *names)
        assert traces_of(canary, store)
        key = next(one.atom.id for one in memory.history(names[at]) if one.atom) if by_id else names[at]
        others = {name for name in names[:count] if name != names[at]}
        assert set(memory.forget([key], dry_run=True).renamed) == others
        told = memory.forget([key])
        assert (set(told.renamed), told.atoms, told.compacted) == (others, count, True)
        assert traces_of(canary, store) == []
        for name in names[:count]:
            assert not [one for one in memory.history(name) if one.atom]
            for seq in range(before.start, memory.head().head.size):
                with pytest.raises((Forgotten, NotFound)):
                    memory.access(name, as_of=seq)
    assert memory.access("v1.fact.kept").value == "stays"


@pytest.mark.parametrize("by", ["session", "actor"])
def test_what_is_forgotten_by_who_said_it_goes_under_its_new_name_too(memory: Memory, by: str) -> None:
    memory.checkpoint([f"{OLD} = the provider is Adyen"], **{by: "bob"})  # type: ignore[arg-type]
    memory.rename(OLD, NEW)
    assert memory.forget(**{by: "bob"}).atoms == 2  # type: ignore[arg-type]
    assert not memory.search("Adyen").items


def test_what_is_forgotten_by_its_seqs_goes_under_its_new_names_too_and_nothing_else_of_them(
    memory: Memory, store: Path
) -> None:
    seqs = memory.checkpoint([f"{OLD} = lives at canaryelmstreet"]).seqs
    memory.rename(OLD, NEW)
    memory.checkpoint([f"{NEW} = moved since", "v1.fact.other = lives at elm street too"])
    assert memory.forget(seqs=seqs, dry_run=True).renamed == (NEW,)
    assert memory.forget(seqs=seqs).renamed == (NEW,)
    assert traces_of("canaryelmstreet", store) == []
    assert memory.access(NEW).value == "moved since"
    assert memory.access("v1.fact.other").value == "lives at elm street too"


def test_many_renames_of_one_atom_take_a_few_entries_each(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.n0 = Adyen", "v1.fact.beside = b"])
    memory.checkpoint(edges=[{"source": "v1.fact.n0", "type": "references", "target": "v1.fact.beside"}])
    before = memory.head().head.size
    for at in range(20):
        memory.rename(f"v1.fact.n{at}", f"v1.fact.n{at + 1}")
    assert memory.head().head.size - before == 20 * 5  # put, tombstone, renamed_to; the edge, taken back and stated
    assert memory.access("v1.fact.n0").name == "v1.fact.n20"
    memory.rename("v1.fact.n20", "v1.fact.n7")
    memory.rename("v1.fact.n7", "v1.fact.last")
    assert {memory.access(f"v1.fact.n{at}").name for at in range(21)} == {"v1.fact.last"}
    assert memory.forget(["v1.fact.n3"]).atoms == 22


def test_what_was_learnt_of_the_old_one_counts_for_the_new_one(memory: Memory) -> None:
    """No edge joins them: nothing but what was learnt speaks for either."""
    memory.checkpoint([f"{OLD} = Adyen", "v1.fact.before = b", "v1.fact.after = a"])
    memory.observe([{"items": ["v1.fact.before", OLD, "v1.fact.after"]}] * 5)

    def foreseen(name: str) -> list[str]:
        return [one.name for one in memory.predict([name])]

    memory.rename(OLD, NEW)
    for _ in range(2):
        assert NEW in foreseen("v1.fact.before")
        assert "v1.fact.after" in foreseen(NEW)
        memory.rebuild()
    memory.undo()
    assert OLD in foreseen("v1.fact.before")
    assert "v1.fact.after" in foreseen(OLD)
    memory.undo()
    memory.forget([NEW])
    assert foreseen("v1.fact.before") == ["v1.fact.after"]


def test_a_rename_can_go_back(noted: Memory) -> None:
    noted.rename(OLD, NEW)
    noted.rename(NEW, OLD)
    assert (noted.access(OLD).renamed_from, noted.access(NEW).name) == (None, OLD)
    assert (NEW, "renamed_to", OLD) in edges(noted, OLD)
    assert len(edges(noted, OLD)) == 3


def test_a_name_that_is_or_was_another_atoms_is_refused_and_so_are_others(noted: Memory) -> None:
    noted.checkpoint(tombstones=["v1.goal.launch"])
    size = noted.head().head.size
    for new, error, why in [
        ("v1.fact.currency", Conflict, "in use already"),
        ("v1.goal.launch", Conflict, "another atom, which is out of use"),
        (OLD, InputError, "has that name already"),
        ("v1.chunk.a.b", InputError, "cannot be renamed"),
        ("v1.fact.a$b", ItemsRefused, "new name cannot hold"),
        ("my note", InputError, "not a valid name"),
    ]:
        with pytest.raises(error, match=why):
            noted.rename(OLD, new)
    with pytest.raises(NotFound):
        noted.rename("v1.goal.launch", "v1.goal.other")
    assert noted.head().head.size == size


def test_nobody_else_can_say_that_an_atom_was_renamed(noted: Memory) -> None:
    for kind, ends in [("renamed_to", (OLD, NEW)), ("renamed_from", (NEW, OLD)), ("Renamed to", (OLD, NEW))]:
        with pytest.raises(ItemsRefused, match="with a rename only"):
            noted.checkpoint(edges=[{"source": ends[0], "type": kind, "target": ends[1]}])


def test_a_renamed_text_said_again_is_confirmed_under_its_new_name(memory: Memory) -> None:
    first = memory.remember("the provider is Adyen")
    memory.rename(first.name, NEW)
    assert memory.remember("the provider is Adyen").confirmed == (NEW,)


def test_more_edges_than_a_checkpoint_takes_are_told_with_a_way_out(
    noted: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, "checkpoint_items", 6)
    with pytest.raises(TooLarge, match=r"the rename of .* with its edges, has 7 items.*: record the new name"):
        noted.rename(OLD, NEW)
    assert noted.access(OLD).value == "the provider is Adyen"


def test_a_read_before_the_rename_and_a_history_name_the_old_name(memory: Memory) -> None:
    """Also over two renames; a read before the first version names none."""
    memory.checkpoint(["v1.note.other = x"])
    memory.checkpoint(["v1.note.old = the text"])
    memory.rename("v1.note.old", "v1.note.newer")
    between = memory.head().head.size - 1
    memory.rename("v1.note.newer", "v1.note.newest")
    for moment, name in ((2, "v1.note.old"), (between, "v1.note.newer")):
        with pytest.raises(NotFound, match=rf"It had the name {name} then: ask for that name"):
            memory.access("v1.note.newest", as_of=moment)
        assert memory.access(name, as_of=moment).value == "the text"
    with pytest.raises(NotFound) as never:
        memory.access("v1.note.newest", as_of=1)
    assert "had the name" not in str(never.value)
    remark = "renamed; earlier versions are in the history of v1.note.newer"
    history = memory.history("v1.note.newest")
    assert (history.remarks, repr(history).endswith(f"({remark})")) == ((remark,), True)
    assert memory.history("v1.note.old").remarks == ()


def test_a_free_text_as_the_new_name_suggests_a_name_of_the_same_type(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.vat = 19"])
    with pytest.raises(NameInvalid, match=r"'VAT rate' is not a valid name. Use v1.fact.vat_rate$"):
        memory.rename("v1.fact.vat", "VAT rate")
    with pytest.raises(NameInvalid, match=r"Use v1.note.rate$"):
        memory.rename("v1.fact.vat", "v1_note.rate")
