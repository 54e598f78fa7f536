"""Row 23: the clock may step back, stand still or leap. Order is by seq; stamps never decrease; both agree."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest

from substrate.clock import ManualClock
from substrate.errors import InputError, NotFound
from substrate.memory import Memory
from substrate.values.times import from_microseconds

SECOND = 1_000_000
DAY = 86_400 * SECOND
YEAR = 365 * DAY
NAME = "v1.fact.a"
STEPS = [0, -1, -SECOND, -3600 * SECOND, -DAY, -30 * DAY, -YEAR, -10 * YEAR, 1, SECOND, DAY, YEAR, 100 * YEAR]
STEP_IDS = [f"{step / SECOND:+}s" for step in STEPS]


def versions(memory: Memory) -> list[tuple[int, datetime, str | None]]:
    return [(v.seq, v.recorded_at, v.atom and v.atom.value) for v in memory.history(NAME)]


def write_around(memory: Memory, clock: ManualClock, step: int) -> None:
    """Versions 0 to 2, then the clock's step, then versions 3 to 5."""
    for value in range(6):
        clock.advance(step if value == 3 else SECOND)
        memory.checkpoint([f"{NAME} = {value}"])


@pytest.mark.parametrize("step", STEPS, ids=STEP_IDS)
def test_order_is_by_seq_and_stamps_never_decrease(memory: Memory, clock: ManualClock, step: int) -> None:
    write_around(memory, clock, step)
    known = versions(memory)
    assert [value for _, _, value in known] == [str(value) for value in range(6)]
    assert all(one[0] < other[0] and one[1] <= other[1] for one, other in pairwise(known))
    assert memory.access(NAME).value == "5"
    memory.rebuild()
    assert versions(memory) == known


@pytest.mark.parametrize("step", STEPS, ids=STEP_IDS)
def test_as_of_a_time_is_as_of_the_last_seq_recorded_until_then(memory: Memory, clock: ManualClock, step: int) -> None:
    write_around(memory, clock, step)
    known = versions(memory)
    first = known[0][1]
    for _, moment, _ in known:
        last = [seq for seq, recorded, _ in known if recorded <= moment][-1]
        at_time, at_seq = memory.access(NAME, as_of=moment), memory.access(NAME, as_of=last)
        assert at_time.atom == at_seq.atom
        assert at_time.atom.seq == last
        assert memory.list(as_of=moment).items == memory.list(as_of=last).items
        assert memory.history(NAME, as_of=moment).items == memory.history(NAME, as_of=last).items
        assert memory.diff(first, moment).items == memory.diff(known[0][0], last).items
    with pytest.raises(NotFound):
        memory.access(NAME, as_of=first - timedelta(microseconds=1))
    assert memory.list(as_of=first - timedelta(days=1)).items == ()


@pytest.mark.parametrize("step", STEPS, ids=STEP_IDS)
def test_another_process_with_another_clock_reads_and_writes_in_the_same_order(
    reopen: Callable[..., Memory], clock: ManualClock, step: int
) -> None:
    first = reopen()
    write_around(first, clock, 0)
    clock.advance(step)
    second = reopen()
    second.checkpoint([f"{NAME} = other"])
    first.checkpoint([f"{NAME} = again"])
    known = versions(first)
    assert [value for *_, value in known[-2:]] == ["other", "again"]
    assert all(one[1] <= other[1] for one, other in pairwise(known))
    assert versions(second) == known


def test_a_clock_that_stands_still_gives_equal_stamps_and_the_last_one_answers(
    memory: Memory, clock: ManualClock
) -> None:
    for value in range(20):
        memory.checkpoint([f"{NAME} = {value}"])
    now = from_microseconds(clock.now())
    assert {recorded for _, recorded, _ in versions(memory)} == {now}
    assert memory.access(NAME, as_of=now).value == "19"
    seqs = [seq for seq, _, _ in versions(memory)]
    assert [memory.access(NAME, as_of=seq).value for seq in seqs] == [str(value) for value in range(20)]


@pytest.mark.parametrize("step", [-SECOND, -10 * YEAR])
def test_what_is_said_again_while_the_clock_is_behind_is_not_confirmed_before_it_was_recorded(
    memory: Memory, clock: ManualClock, step: int
) -> None:
    memory.checkpoint([f"{NAME} = x"])
    recorded = memory.access(NAME).atom.recorded_at
    clock.advance(step)
    memory.checkpoint([f"{NAME} = x"])
    confirmed = memory.access(NAME).atom.confirmed_at
    assert confirmed is not None
    assert confirmed >= recorded


@pytest.mark.parametrize("step", [-10 * YEAR, 0, YEAR])
def test_tombstones_and_edges_keep_their_order_too(memory: Memory, clock: ManualClock, step: int) -> None:
    edge = {"source": NAME, "type": "likes", "target": "v1.fact.b"}
    memory.checkpoint([f"{NAME} = x"], edges=[edge])
    clock.advance(step)
    memory.checkpoint(tombstones=[NAME], unedges=[edge])
    clock.advance(step)
    memory.checkpoint([f"{NAME} = y"], edges=[edge])
    assert [version.kind for version in memory.history(NAME)] == ["put", "tombstone", "put"]
    assert len(memory.edges(NAME)) == 1
    stamps = [stored.entry.time for stored in memory._store.log.entries()]
    assert stamps == sorted(stamps)


@pytest.mark.parametrize(
    "zone", [UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12)), timezone(timedelta(minutes=345))]
)
def test_a_time_means_the_same_in_every_zone(memory: Memory, clock: ManualClock, zone: timezone) -> None:
    write_around(memory, clock, DAY)
    for seq, recorded, value in versions(memory):
        moment = recorded.astimezone(zone)
        for spelled in (moment, moment.isoformat()):
            found = memory.access(NAME, as_of=spelled).atom
            assert (found.seq, found.value) == (seq, value)


def test_a_time_without_a_zone_is_utc(memory: Memory, clock: ManualClock) -> None:
    write_around(memory, clock, DAY)
    for seq, recorded, _ in versions(memory):
        for spelled in (recorded.replace(tzinfo=None), recorded.replace(tzinfo=None).isoformat()):
            assert memory.access(NAME, as_of=spelled).atom.seq == seq


def test_times_far_away_are_kept_exactly_and_what_is_no_time_is_refused(memory: Memory) -> None:
    far = [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)]
    memory.checkpoint([{"name": NAME, "value": "x", "occurred_at": far[0], "valid_from": far[0], "valid_to": far[1]}])
    atom = memory.access(NAME).atom
    assert [atom.occurred_at, atom.valid_from, atom.valid_to] == [far[0], far[0], far[1]]
    assert memory.access(NAME, valid_at=far[0]).value == "x"
    with pytest.raises(NotFound):
        memory.access(NAME, valid_at=far[1])
    for wrong in ("someday", "2026-13-01", "", float("nan"), 1.5, True):
        with pytest.raises(InputError):
            memory.access(NAME, valid_at=wrong)  # type: ignore[arg-type]
        with pytest.raises(InputError):
            memory.access(NAME, as_of=wrong)  # type: ignore[arg-type]
