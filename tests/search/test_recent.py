"""What was recorded last: newest first, in use, filtered as a search is, at any moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import substrate
from substrate.errors import InputError, NotFound, TooLarge
from substrate.memory import Memory
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
