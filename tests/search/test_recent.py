"""What was recorded last: newest first, in use, filtered as a search is, at any moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import substrate
from substrate.errors import InputError, NotFound, TooLarge
from substrate.memory import Memory
from substrate.search.recent import newest
from tests.scale import rounds


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False) as memory:
        yield memory


def _names(memory: Memory, **filters: object) -> list[str]:
    return [hit.name for hit in memory.recent(**filters)]


def test_the_newest_comes_first_and_a_new_version_makes_new(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 2", "v1.goal.c = 3"])
    memory.checkpoint(["v1.fact.a = 4"])
    assert _names(memory) == ["v1.fact.a", "v1.goal.c", "v1.fact.b"]
    assert memory.recent(limit=1)[0].value == "4"


def test_what_is_out_of_use_is_left_out(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 2", "v1.fact.c = 3", "v1.fact.d = 4"])
    memory.checkpoint(edges=[{"source": "v1.fact.d", "type": "supersedes", "target": "v1.fact.b"}])
    memory.checkpoint(tombstones=["v1.fact.a"])
    memory.forget("v1.fact.c")
    assert _names(memory) == ["v1.fact.d"]


def test_filters_and_moments_hold_as_in_a_search(memory: Memory) -> None:
    first = memory.checkpoint([{"name": "v1.fact.a", "value": "old words", "tags": ["Red"]}]).seqs[-1]
    memory.checkpoint(["v1.fact.a = new words", "v1.goal.b = words", "v1.domain.house = the house"])
    memory.checkpoint(edges=[{"source": "v1.goal.b", "type": "member_of", "target": "v1.domain.house"}])
    assert _names(memory, type="goal") == ["v1.goal.b"]
    assert _names(memory, domain="house") == ["v1.goal.b"]
    assert _names(memory, tags="red") == []
    assert [hit.value for hit in memory.recent(tags="red", as_of=first)] == ["old words"]
    assert _names(memory, until="2001-01-01") == []
    with pytest.raises(NotFound):
        memory.recent(domain="nowhere")


def test_pages_follow_each_other(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.a{number} = {number}" for number in range(7)])
    whole = _names(memory, limit=100)
    assert _names(memory, limit=3) + _names(memory, limit=3, offset=3) + _names(memory, limit=3, offset=6) == whole
    assert memory.recent(limit=6).more
    assert not memory.recent(limit=7).more
    with pytest.raises(InputError):
        memory.recent(limit=0)
    with pytest.raises(TooLarge):
        memory.recent(limit=101)


@settings(max_examples=rounds(10, 400))
@given(st.lists(st.tuples(st.sampled_from("abcde"), st.booleans()), max_size=12), st.data())
def test_it_lists_what_a_list_of_that_moment_has_by_version(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, bool]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("recent")
    with substrate.open(folder / "store", home=folder / "home", background=False) as memory:
        live: set[str] = set()
        for number, (letter, put) in enumerate(steps):
            if put:
                memory.checkpoint([f"v1.fact.{letter} = {number}"])
                live.add(letter)
            elif letter in live:
                memory.checkpoint(tombstones=[f"v1.fact.{letter}"])
                live.discard(letter)
        as_of = data.draw(st.one_of(st.none(), st.integers(0, memory.head().head.size - 1)))
        listed = sorted(memory.list(as_of=as_of), key=lambda atom: -atom.seq)
        assert [(hit.name, hit.value) for hit in memory.recent(limit=100, as_of=as_of)] == [
            (atom.name, atom.value) for atom in listed
        ]


_SIZES = st.tuples(st.sampled_from([1, 1, 2, 10, 11, 14]), st.sampled_from([0, 0, 9]))


@pytest.mark.soak
@given(st.lists(_SIZES, min_size=1, max_size=9), st.integers(0, 2**60), st.sampled_from([1, 7, 1000]))
@settings(max_examples=rounds(15, 300), deadline=None)
def test_the_newest_are_told_from_those_that_many_others_came_with(
    tmp_path_factory: pytest.TempPathFactory, checkpoints: list[tuple[int, int]], chosen: int, count: int
) -> None:
    """Beside the definition: a checkpoint of more than ten atoms brought them, however many edges it has."""
    folder = tmp_path_factory.mktemp("newest")
    with substrate.open(folder / "store", home=folder / "home", model="none", background=False) as memory:
        own, brought = [], []
        for number, (atoms, edges) in enumerate(checkpoints):
            names = [f"v1.fact.n{number}_{at}" for at in range(atoms)]
            stated = [{"source": names[0], "type": "uses", "target": f"v1.fact.t{number}_{at}"} for at in range(edges)]
            seqs = memory.checkpoint([f"{name} = {name}" for name in names], edges=stated).seqs
            (own if atoms <= 10 else brought)[:0] = range(seqs.start, seqs.start + atoms)[::-1]
        with memory._store.log.snapshot() as transaction:
            documents = memory._store.index.documents(transaction)
            within = np.array([chosen >> seq % 60 & 1 for seq in range(documents.size)], np.bool_)
            for mask in (None, within):
                found = newest(transaction, documents, count, mask)
                meant = [[seq for seq in seqs if mask is None or mask[seq]] for seqs in (own, brought)]
                assert found.own.tolist() == meant[0][:count]
                assert found.brought.tolist()[:1] == meant[1][:1] or len(meant[0]) >= count
