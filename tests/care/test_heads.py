"""heads and growth: what was signed, told one by one and as an overview."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.clock import ManualClock
from substrate.errors import InputError, SchemaInvalid, TooLarge
from substrate.memory import Memory, open_memory
from tests.scale import rounds

A, B = "v1.fact.a", "v1.fact.b"
HOUR = 3_600_000_000


def sizes(memory: Memory) -> list[int]:
    return [head.size for head in memory.heads(limit=1000)]


def test_heads_come_newest_first_with_what_each_added(memory: Memory) -> None:
    memory.checkpoint([f"{A} = 1", f"{B} = 2"], edges=[{"source": A, "type": "needs", "target": B}])
    memory.checkpoint(tombstones=[B])
    heads = memory.heads()
    assert [(head.size, head.since, dict(head.added)) for head in heads] == [
        (5, 4, {"tombstone": 1}),
        (4, 1, {"put": 2, "edge": 1}),
        (1, 0, {"key": 1}),
    ]
    assert heads[0].root == memory.head().head.root
    assert heads[0].recorded_at == memory.history(B)[-1].recorded_at
    assert memory.list(as_of=heads[1].seq).items[0].value == "1"
    assert "put" in repr(heads)
    assert heads[0].to_dict()["root"] == memory.head().head.root.hex()


def test_heads_come_in_pages_without_one_twice_or_missing(memory: Memory) -> None:
    for number in range(7):
        memory.checkpoint([f"{A} = {number}"])
    seen, before = [], None
    while True:
        page = memory.heads(before=before, limit=3)
        seen += [(head.size, head.since) for head in page]
        if page.next is None:
            break
        before = page.next
    assert seen == [(size, size - 1) for size in range(8, 0, -1)]
    assert not memory.heads(before=0)
    assert not memory.heads(before=1)


def test_odd_questions_are_refused_in_words(memory: Memory) -> None:
    for wrong in ({"before": -1}, {"before": True}, {"before": "x"}, {"before": 2**64}):
        with pytest.raises(SchemaInvalid, match="size of a head"):
            memory.heads(**wrong)  # type: ignore[arg-type]
    for limit in (0, True, None):
        with pytest.raises(InputError, match="limit"):
            memory.heads(limit=limit)  # type: ignore[arg-type]
    with pytest.raises(TooLarge):
        memory.heads(limit=1001)
    with pytest.raises(InputError, match="time, entries"):
        memory.growth(by="day")
    with pytest.raises(InputError, match="swap them"):
        memory.growth("2030-01-01", "2020-01-01")
    with pytest.raises(InputError, match="has 1 entries"):
        memory.growth(0, 9)


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Twenty heads: some alone in their hour, some in a burst, of one to four entries."""
    folder = tmp_path_factory.mktemp("grown")
    clock = ManualClock()
    memory = open_memory(folder / "store", home=folder / "home", clock=clock)
    for number in range(20):
        clock.advance(3 if 5 <= number < 12 else (1 + number % 3) * HOUR)
        memory.checkpoint([f"v1.fact.n{number}.{each} = {number}" for each in range(1 + number % 4)])
    return memory


@settings(max_examples=rounds(24, 1200))
@given(
    st.integers(-1, 48),
    st.integers(-1, 48),
    st.integers(1, 60),
    st.sampled_from(["time", "entries"]),
)
def test_an_overview_takes_in_every_head_of_its_stretch_once(
    grown: Memory, start: int, stop: int, parts: int, by: str
) -> None:
    start, stop = sorted((start, stop))
    growth = grown.growth(start, stop, parts=parts, by=by)
    signed = sizes(grown)[::-1]
    inside = [size for size in signed if start + 1 < size <= stop + 1]
    assert len(growth) <= parts
    assert [size for size in inside if size in {part.size for part in growth}] == [part.size for part in growth]
    assert [inside[0], inside[-1]] == [growth[0].first, growth[-1].size] if inside else not growth
    before = max((size for size in signed if size <= start + 1), default=0)
    for part in growth:
        assert part.since == before < part.first <= part.size
        assert part.first == min(size for size in inside if size > before)
        assert part.started_at <= part.recorded_at
        before = part.size


def test_parts_are_equal_in_time_or_in_entries(grown: Memory) -> None:
    whole = grown.growth(parts=10)
    width = (whole.stop - whole.start) / 10
    for part in whole:
        assert part.recorded_at - part.started_at <= width
    assert any(part.first != part.size for part in whole), "the burst is one mark in time"
    by_entry = grown.growth(parts=1000, by="entries")
    assert [part.size for part in by_entry] == sizes(grown)[::-1], "and apart by entries"
    burst = next(part for part in whole if part.first != part.size)
    near = grown.growth(burst.started_at - timedelta(microseconds=1), burst.recorded_at, parts=1000)
    assert [part.size for part in near] == [s for s in sizes(grown)[::-1] if burst.first <= s <= burst.size]


def test_a_stretch_of_time_without_a_head_is_empty(grown: Memory) -> None:
    first = grown.growth().start
    assert not grown.growth(first + timedelta(minutes=1), first + timedelta(minutes=2))
    assert not grown.growth("1980-01-01", "1990-01-01")
    assert len(grown.growth("1980-01-01", None, parts=1)) == 1
    assert grown.growth(str(grown.pin(1))).first == 0


def test_of_many_changes_the_last_are_told_and_the_rest_is_counted(grown: Memory) -> None:
    every = grown.diff(-1)
    assert every.left_out is None
    assert "left_out" not in every.to_dict()
    last = grown.diff(-1, limit=7)
    assert last.items == every.items[-7:]
    assert last.left_out == len(every) - 7
    assert grown.diff(-1, limit=1000) == every
    few = grown.diff(-1, limit=2, prefix="v1.fact.n3.")
    assert [change.name for change in few] == ["v1.fact.n3.2", "v1.fact.n3.3"]
    with pytest.raises(InputError, match="limit"):
        grown.diff(-1, limit=0)


def test_growth_counts_atoms_and_bytes_as_they_were(grown: Memory) -> None:
    growth = grown.growth(parts=1000, by="entries")
    assert [part.atoms for part in growth] == [len(grown.list(as_of=part.size - 1, limit=1000)) for part in growth]
    held = [part.bytes or 0 for part in growth]
    assert held == sorted(held)
    assert held[0] > 0
    assert {(part.atoms, part.bytes) for part in grown.growth(counts=False)} == {(None, None)}


def test_growth_ends_where_stats_are(memory: Memory) -> None:
    memory.checkpoint([f"{A} = 1", f"{B} = 2", "v1.fact.c = 3"])
    memory.checkpoint(tombstones=[B])
    memory.checkpoint([f"{B} = 4", f"{A} = 5"])
    before = memory.growth(parts=1)[0]
    assert before.atoms == memory.stats().atoms == 3
    memory.forget(B)
    after = memory.growth(parts=1)[0]
    assert after.atoms == memory.stats().atoms == 2
