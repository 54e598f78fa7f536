"""What is to be reviewed when something it depends on has changed: said by access, listed by stale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.clock import ManualClock
from substrate.errors import NotFound, SchemaInvalid
from substrate.memory import Memory, open_memory
from tests.days import day
from tests.scale import rounds

CHAIN = [f"v1.fact.{word}" for word in ("root", "one", "two", "three", "four", "five")]


def edge(source: str, target: str, kind: str = "depends_on", **fields: object) -> dict[str, object]:
    return {"source": source, "type": kind, "target": target, **fields}


def stale(memory: Memory) -> list[str]:
    return [item.name for item in memory.stale()]


@pytest.fixture
def chain(memory: Memory) -> Memory:
    """Five atoms in a row, each of which depends on the one before; the first on the root."""
    memory.checkpoint([f"{name} = as it was" for name in CHAIN])
    memory.checkpoint(edges=[edge(source, target) for target, source in pairwise(CHAIN)])
    return memory


def test_a_chain_of_five_is_marked_whole_when_its_root_changes(chain: Memory) -> None:
    assert stale(chain) == []
    (seq,) = chain.checkpoint(["v1.fact.root = another thing"]).seqs
    assert stale(chain) == sorted(CHAIN[1:])
    five = next(item for item in chain.stale() if item.name == "v1.fact.five")
    (because,) = five.because
    assert (because.name, because.change, because.seq) == ("v1.fact.root", "changed", seq)
    assert because.path == tuple(reversed(CHAIN))
    (said,) = chain.access("v1.fact.two").stale
    assert said == f"v1.fact.root changed (entry {seq}), by way of v1.fact.one"
    assert chain.access("v1.fact.root").stale == ()


def test_reviewing_the_middle_clears_just_that_one(chain: Memory, clock: ManualClock) -> None:
    clock.advance(1_000_000)
    chain.checkpoint(["v1.fact.root = another thing"])
    clock.advance(1_000_000)
    assert chain.checkpoint(["v1.fact.two = as it was"]).confirmed
    assert stale(chain) == sorted(set(CHAIN[1:]) - {"v1.fact.two"})
    assert [why.name for why in chain.stale(prefix="v1.fact.three")[0].because] == ["v1.fact.root"]


def test_what_depends_on_a_reviewed_atom_hears_of_it_only_if_it_really_changed(
    chain: Memory, clock: ManualClock
) -> None:
    clock.advance(1_000_000)
    chain.checkpoint(["v1.fact.two = otherwise"])
    assert stale(chain) == ["v1.fact.five", "v1.fact.four", "v1.fact.three"]
    clock.advance(1_000_000)
    chain.checkpoint(["v1.fact.five = as it was", "v1.fact.four = as it was", "v1.fact.three = as it was"])
    assert stale(chain) == []
    chain.checkpoint([{"name": "v1.fact.two", "value": "otherwise", "confidence": 0.9}])
    assert stale(chain) == []


def test_what_goes_back_to_what_it_said_asks_for_no_review(chain: Memory) -> None:
    chain.checkpoint(["v1.fact.root = another thing"])
    assert stale(chain)
    chain.checkpoint(["v1.fact.root = as it was"])
    assert stale(chain) == []


def test_recording_an_atom_anew_and_stating_its_edge_again_clear_it(chain: Memory, clock: ManualClock) -> None:
    clock.advance(1_000_000)
    chain.checkpoint(["v1.fact.root = another thing"])
    clock.advance(1_000_000)
    chain.checkpoint(["v1.fact.five = said anew"])
    assert "v1.fact.five" not in stale(chain)
    chain.checkpoint(edges=[edge("v1.fact.one", "v1.fact.root", confidence=0.5)])
    assert stale(chain) == []  # every way leads over that edge


def test_saying_an_edge_again_as_it_is_clears_too(chain: Memory, clock: ManualClock) -> None:
    clock.advance(1_000_000)
    chain.checkpoint(["v1.fact.root = another thing"])
    clock.advance(1_000_000)
    chain.checkpoint(edges=[edge("v1.fact.one", "v1.fact.root")])
    assert stale(chain) == []


def test_a_deleted_root_is_said_to_be_absent(chain: Memory) -> None:
    (seq,) = chain.checkpoint(tombstones=["v1.fact.root"]).seqs
    assert chain.access("v1.fact.one").stale == (f"v1.fact.root is absent: it was tombstoned (entry {seq})",)
    assert stale(chain) == sorted(CHAIN[1:])
    with pytest.raises(NotFound, match="tombstoned"):
        chain.access("v1.fact.root")
    chain.checkpoint(["v1.fact.root = as it was"])
    assert stale(chain) == []


def test_a_revival_with_another_value_is_a_change(chain: Memory) -> None:
    chain.checkpoint(tombstones=["v1.fact.root"])
    (seq,) = chain.checkpoint(["v1.fact.root = back again"]).seqs
    assert chain.access("v1.fact.one").stale == (f"v1.fact.root changed (entry {seq})",)


def test_what_was_forgotten_in_its_current_version_is_said_to_be_absent(chain: Memory) -> None:
    chain.checkpoint([{"name": "v1.fact.root", "value": "in confidence", "source": "a letter"}])
    chain.forget(source="a letter")
    (because,) = chain.stale(prefix="v1.fact.one")[0].because
    assert because.change == "forgotten"
    assert "is absent: what it said was forgotten" in because.reason


def test_of_an_atom_forgotten_by_name_nothing_is_said(chain: Memory) -> None:
    chain.forget("v1.fact.root")
    assert stale(chain) == []  # the edge that led there is erased with it


def test_a_superseded_root_is_a_change_once_its_superseder_is_there(chain: Memory) -> None:
    chain.checkpoint(edges=[edge("v1.fact.new_root", "v1.fact.root", "supersedes")])
    assert stale(chain) == []
    (seq,) = chain.checkpoint(["v1.fact.new_root = another thing"]).seqs
    assert chain.access("v1.fact.one").stale == (f"v1.fact.root was superseded (entry {seq})",)
    chain.checkpoint(["v1.fact.one = said with that in mind"])
    assert "v1.fact.one" not in stale(chain)
    chain.checkpoint(edges=[edge("v1.fact.new_root", "v1.fact.root", "supersedes", confidence=0.7)])
    assert "v1.fact.one" not in stale(chain)


def test_atoms_out_of_use_or_superseded_are_not_listed(chain: Memory) -> None:
    chain.checkpoint(["v1.fact.root = another thing", "v1.fact.new = 1"], tombstones=["v1.fact.five"])
    chain.checkpoint(edges=[edge("v1.fact.new", "v1.fact.four", "supersedes")])
    assert stale(chain) == ["v1.fact.one", "v1.fact.three", "v1.fact.two"]


def test_behind_an_atom_out_of_use_nothing_is_depended_on(chain: Memory, clock: ManualClock) -> None:
    chain.checkpoint(tombstones=["v1.fact.one"])
    clock.advance(1_000_000)
    chain.checkpoint([f"{name} = as it was" for name in CHAIN[2:]])
    assert stale(chain) == []
    chain.checkpoint(["v1.fact.root = another thing"])
    assert stale(chain) == []


def test_a_dependency_that_appears_has_not_changed_until_it_does(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1"], edges=[edge("v1.fact.a", "v1.fact.later", "derived_from")])
    memory.checkpoint(["v1.fact.later = first"])
    assert stale(memory) == []
    memory.checkpoint(["v1.fact.later = second"])
    assert stale(memory) == ["v1.fact.a"]


def test_one_checkpoint_is_one_act_whatever_the_order_in_it(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 1"], edges=[edge("v1.fact.a", "v1.fact.b")])
    memory.checkpoint(["v1.fact.a = 2", "v1.fact.b = 2"])
    assert stale(memory) == []


def test_circles_end(memory: Memory) -> None:
    names = ["v1.fact.a", "v1.fact.b", "v1.fact.c"]
    memory.checkpoint(
        [f"{name} = 1" for name in names],
        edges=[edge(source, target) for source, target in zip(names, [*names[1:], names[0]], strict=True)],
    )
    memory.checkpoint(["v1.fact.a = 2"])
    assert stale(memory) == ["v1.fact.b", "v1.fact.c"]
    memory.checkpoint(edges=[edge("v1.fact.a", "v1.fact.a")])
    assert memory.access("v1.fact.a").stale == ()


def test_an_edge_taken_back_or_out_of_its_window_depends_on_nothing(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint(
        ["v1.fact.a = 1", "v1.fact.b = 1", "v1.fact.c = 1"],
        edges=[edge("v1.fact.a", "v1.fact.c"), edge("v1.fact.b", "v1.fact.c", valid_to=day(1))],
    )
    memory.checkpoint(unedges=[edge("v1.fact.a", "v1.fact.c")])
    clock.advance(10**15)
    memory.checkpoint(["v1.fact.c = 2"])
    assert stale(memory) == []


def test_other_types_of_edges_are_no_dependencies(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 1"], edges=[edge("v1.fact.a", "v1.fact.b", "references")])
    memory.checkpoint(["v1.fact.b = 2"])
    assert stale(memory) == []


def test_the_newest_statement_counts_on_the_way_that_is_oldest(memory: Memory) -> None:
    """Two ways lead from a to z; one was stated after z changed. The other still asks for a review."""
    memory.checkpoint(
        ["v1.fact.a = 1", "v1.fact.b = 1", "v1.fact.z = 1"],
        edges=[edge("v1.fact.a", "v1.fact.b"), edge("v1.fact.b", "v1.fact.z")],
    )
    memory.checkpoint(["v1.fact.z = 2"])
    memory.checkpoint(edges=[edge("v1.fact.a", "v1.fact.z")])
    (because,) = memory.stale(prefix="v1.fact.a")[0].because
    assert because.path == ("v1.fact.a", "v1.fact.b", "v1.fact.z")


def test_pages_go_on_and_odd_input_is_refused(chain: Memory) -> None:
    chain.checkpoint(["v1.fact.root = another thing"])
    first = chain.stale(limit=2)
    then = chain.stale(limit=10, after=first.next)
    assert [item.name for item in (*first, *then)] == sorted(CHAIN[1:])
    assert then.next is None
    assert chain.stale(prefix="v1.goal.") == chain.stale(prefix="v1.fact.zzz")
    assert "v1.fact.root changed" in repr(first)
    assert first.to_dict()["items"][0]["because"][0]["change"] == "changed"  # type: ignore[index]
    with pytest.raises(SchemaInvalid):
        chain.stale(prefix=7)  # type: ignore[arg-type]


def test_reads_of_the_past_say_nothing_of_it_and_proofs_come_with_it(chain: Memory) -> None:
    (seq,) = chain.checkpoint(["v1.fact.root = another thing"]).seqs
    assert chain.access("v1.fact.one", as_of=seq).stale == ()
    proven = chain.access("v1.fact.one", proof=True)
    assert proven.proof is not None
    assert proven.stale
    assert proven.to_dict()["stale"] == list(proven.stale)
    assert "stale" not in chain.access("v1.fact.root").to_dict()


# -- against a naive model ---------------------------------------------------------------------------------------------

NAMES = [f"v1.fact.{letter}" for letter in "abcd"]


@dataclass
class Naive:
    """Every act has a number; all paths are tried."""

    values: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)
    edges: dict[tuple[str, str], int] = field(default_factory=dict)

    def value(self, name: str, at: int | None = None) -> str | None:
        known = [value for act, value in self.values.get(name, []) if at is None or act <= at]
        return known[-1] if known else None

    def changed(self, name: str, since: int) -> bool:
        history = self.values.get(name, [])
        if not history:
            return False
        before = self.value(name, since) if history[0][0] <= since else history[0][1]
        return before != self.value(name)

    def paths(self, name: str, over: tuple[str, ...], newest: int) -> set[str]:
        found = set()
        for (source, target), act in self.edges.items():
            if source == name and target not in over:
                since = max(newest, act)
                if self.changed(target, since):
                    found.add(target)
                if self.value(target) is not None:
                    found |= self.paths(target, (*over, target), since)
        return found

    def stale(self) -> dict[str, set[str]]:
        found = {}
        for name in NAMES:
            if self.value(name) is not None and (why := self.paths(name, (name,), self.said[name])):
                found[name] = why
        return found


acts = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(NAMES), st.sampled_from("xyz")),
    st.tuples(st.just("edge"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("unedge"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("tombstone"), st.sampled_from(NAMES), st.just("")),
)


def perform(memory: Memory, model: Naive, number: int, act: tuple[str, str, str]) -> None:
    what, name, other = act
    if what == "put":
        memory.checkpoint([f"{name} = {other}"])
        if model.value(name) != other:
            model.values.setdefault(name, []).append((number, other))
        model.said[name] = number
    elif what == "edge":
        memory.checkpoint(edges=[edge(name, other)])
        model.edges[name, other] = number
    elif what == "unedge" and (name, other) in model.edges:
        memory.checkpoint(unedges=[edge(name, other)])
        del model.edges[name, other]
    elif what == "tombstone" and model.value(name) is not None:
        memory.checkpoint(tombstones=[name])
        model.values[name].append((number, None))


@settings(max_examples=rounds(24, 1200))
@given(st.lists(acts, max_size=16))
def test_it_is_what_a_naive_model_says(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("stale")
    clock, model = ManualClock(), Naive()
    with open_memory(folder / "store", home=folder / "home", clock=clock) as memory:
        for number, act in enumerate(done):
            clock.advance(1_000_000)
            perform(memory, model, number, act)
        found = {item.name: {why.name for why in item.because} for item in memory.stale()}
        assert found == model.stale()


def test_the_naive_model_tells_a_change_from_none() -> None:
    model = Naive({"v1.fact.a": [(0, "x")], "v1.fact.b": [(0, "x"), (2, "y")]}, {"v1.fact.a": 0, "v1.fact.b": 2})
    model.edges["v1.fact.a", "v1.fact.b"] = 1
    assert model.stale() == {"v1.fact.a": {"v1.fact.b"}}
    model.said["v1.fact.a"] = 3
    assert model.stale() == {}


def test_a_chain_longer_than_the_bound_is_followed_so_far(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("substrate.atoms.stale.MOST_EDGES", 3)
    names = [f"v1.fact.n{number}" for number in range(6)]
    memory.checkpoint([f"{name} = 1" for name in names])
    memory.checkpoint(edges=[edge(source, target) for target, source in pairwise(names)])
    memory.checkpoint([f"{names[0]} = 2"])
    assert stale(memory) == names[1:4]


Reopen = Callable[..., Memory]


def test_another_process_and_a_rebuild_say_the_same(chain: Memory, reopen: Reopen) -> None:
    chain.checkpoint(["v1.fact.root = another thing"])
    before = chain.stale()
    assert reopen(read_only=True).stale() == before
    chain.rebuild()
    assert chain.stale() == before
