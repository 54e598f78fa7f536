"""Columns that follow the store say the same as reading each atom by itself, after every step."""

from __future__ import annotations

import random

import pytest

from substrate.clock import ManualClock
from substrate.fading import columns
from substrate.memory import Memory
from substrate.save.authorship import written_by
from tests.days import DAY
from tests.scale import SEED

AGENT, OTHER = "mcp:cortexgraph:tester", "mcp:atoms:tester"


def step(memory: Memory, clock: ManualClock, draw: random.Random, number: int) -> None:
    """Something that happens in a store: a note, a touch of old and of new ones, a change, an end, a forget."""
    known = [one.name for one in memory.fading(limit=1000)]
    clients = [memory.client(AGENT), memory.client(AGENT), memory.client(OTHER), memory]
    client = draw.choice(clients)
    does = draw.randrange(9)
    if does <= 2 or len(known) < 4:
        client.remember(f"note {number} of the walk", strength=draw.choice([1.0, 1.5]))
    elif does == 3:
        client.checkpoint([f"v1.fact.plain_{number} = {number}"])
    elif does == 4:
        memory.touch(draw.sample(known, 3), boost=draw.random() < 0.5)
    elif does == 5:
        memory.checkpoint(tombstones=[draw.choice(known)])
    elif does == 6:
        client.checkpoint([{"name": draw.choice(known), "value": f"changed {number}"}])
    elif does == 7:
        one = draw.choice(known)
        client.checkpoint([{"name": one, "value": memory.fading(one)[0].atom.value}])  # said again
    else:
        memory.forget(draw.choice(known))
    clock.time += draw.randrange(12 * DAY)


@pytest.mark.parametrize("walk", ["a", "b"])
def test_scores_and_sweeps_follow_every_step(
    memory: Memory, clock: ManualClock, walk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one of the walks, the list of touched atoms begins again after every third."""
    monkeypatch.setattr(columns, "_MOST_CHANGES", {"a": 1000, "b": 3}[walk])
    draw = random.Random(SEED + walk)
    swept_once = False
    for number in range(45):
        step(memory, clock, draw, number)
        listed = memory.fading(limit=1000)
        single = memory.fading([one.name for one in listed]) if listed else ()
        for one, other in zip(listed, single, strict=True):
            assert (one.uses, one.strength, one.last_used) == (other.uses, other.strength, other.last_used)
            assert one.score == pytest.approx(other.score, abs=1e-12)
        assert [one.name for one in memory.fading(limit=3)] == [one.name for one in listed[:3]]
        below = [one for one in memory.fading(limit=1000, status="active") if one.score < 0.05]
        with memory._store.read() as snapshot:
            own = set(written_by(snapshot, "cortexgraph", [bytes.fromhex(one.id.replace("-", "")) for one in below]))
        swept = memory.sweep(dry_run=True)
        wanted = [one for one in below if bytes.fromhex(one.id.replace("-", "")) in own]
        assert (swept.total, [one.id for one in swept]) == (len(wanted), [one.id for one in wanted[:10]])
        swept_once |= swept.total > 0
    assert swept_once


def test_the_list_of_touched_atoms_does_not_grow_without_end(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_MOST_CHANGES", 3)
    memory.checkpoint(["v1.fact.a = one"])
    sizes = set()
    for _ in range(9):
        memory.touch("v1.fact.a")
        with memory._store.read() as snapshot:
            sizes.add(len(memory._store.fading._columns.at(snapshot.transaction).changes))
    assert max(sizes) == 3
