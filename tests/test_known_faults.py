"""Seven faults of a known memory server's model, each as a test that ours must pass."""

from __future__ import annotations

from uuid import UUID

import pytest

from substrate.clock import ManualClock
from substrate.log.tables import SESSIONS
from substrate.memory import Memory
from substrate.values.times import from_microseconds
from substrate.views.learned.counts import ATOM, read_cells
from tests.stories import NAMES, rows_of

A, B, C, D, E, F = NAMES
DAY = 86_400 * 1_000_000
HALF_LIFE = 720 * DAY


@pytest.fixture
def lettered(memory: Memory) -> Memory:
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    return memory


def said(memory: Memory, context: str | list[str] | None = None, **options: object) -> dict[str, float]:
    return {one.name: one.probability for one in memory.predict(context, k=50, floor=0, **options)}  # type: ignore[arg-type]


def amounts(memory: Memory, source: str, clock: ManualClock) -> dict[str, float]:
    """How often each came right after a source, as of now."""
    names = {UUID(atom.id).bytes: atom.name for atom in memory.list(limit=1000, superseded=True)}
    with memory._store.log.snapshot() as transaction:
        row = read_cells(transaction, ATOM, next(at for at, name in names.items() if name == source), clock.now())
        assert row is not None
        return {names[target]: first * row.scale for target, first, _ in row.cells if first}


def test_fault_1_what_was_trained_changes_how_a_session_opens_and_that_is_not_what_is_newest(lettered: Memory) -> None:
    lettered.observe([{"items": [C, D], "objective": "clean the house"}] * 3)
    before = said(lettered, objective="clean the house")
    lettered.train([A, B], 3, objective="clean the house")
    after = said(lettered, objective="clean the house")
    assert after[A] > before.get(A, 0)
    assert after[B] > before.get(B, 0)
    lettered.checkpoint([f"v1.fact.new_{i} = of today" for i in range(20)])
    assert set(list(said(lettered))[:4]) == {A, B, C, D}


def test_fault_2_an_update_does_not_bring_old_mass_back_to_life(lettered: Memory, clock: ManualClock) -> None:
    lettered.observe([{"items": [A, B]}] * 16)
    clock.advance(4 * HALF_LIFE)
    assert amounts(lettered, A, clock)[B] == pytest.approx(1, rel=1e-3)
    lettered.observe([A, C])
    lettered.observe([A, B])
    assert amounts(lettered, A, clock) == pytest.approx({B: 2, C: 1}, rel=1e-3)


def test_fault_3_the_half_life_does_not_grow_with_what_was_learnt(lettered: Memory, clock: ManualClock) -> None:
    for _ in range(40):
        lettered.train([A, B], 3)
    lettered.train([C, D])
    before = amounts(lettered, A, clock)[B], amounts(lettered, C, clock)[D]
    clock.advance(HALF_LIFE)
    assert amounts(lettered, A, clock)[B] == pytest.approx(before[0] / 2)
    assert amounts(lettered, C, clock)[D] == pytest.approx(before[1] / 2)


def test_fault_4_cramming_is_not_rewarded(lettered: Memory, clock: ManualClock) -> None:
    for step in range(5):  # one a second, and one a day: of the latter those of the last days weigh no less
        lettered.observe([A, B], at=from_microseconds(clock.now() - step * 1_000_000))
        lettered.observe([C, D], at=from_microseconds(clock.now() - step * DAY))
    crammed, spaced = amounts(lettered, A, clock)[B], amounts(lettered, C, clock)[D]
    assert crammed == pytest.approx(5, rel=1e-2)
    assert spaced == pytest.approx(5, rel=1e-2)


def test_fault_5_what_continues_counts_no_more_than_what_ends_and_an_old_context_does_not_outvote_now(
    lettered: Memory, clock: ManualClock
) -> None:
    lettered.observe([{"items": [A, B, C, D]}, {"items": [A, E]}])
    assert amounts(lettered, A, clock) == pytest.approx({B: 1, E: 1}, rel=1e-3)
    clock.advance(10 * HALF_LIFE)
    lettered.observe([{"items": [B, F]}] * 2)
    now = said(lettered, [A, B])
    assert max(now, key=now.__getitem__) == F
    assert 1 - sum(now.values()) > 0.05  # there is always something that nobody has seen yet


def test_fault_6_what_one_client_does_is_no_context_of_another_and_to_ask_is_no_access(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B]}, {"items": [C, D]}] * 3)
    with lettered.session(observe=False) as one, lettered.session(observe=False) as two:
        one.access(A)
        two.access(C)
        assert one.predict()[0].name == B
        assert two.predict()[0].name == D
        assert (one.accesses, two.accesses) == (1, 1)
    before = rows_of(lettered, (SESSIONS,))
    said(lettered, objective="anything")
    lettered._client.recorder.flush()
    assert rows_of(lettered, (SESSIONS,)) == before


def test_fault_7_what_is_tombstoned_does_not_count_in_any_sum(lettered: Memory, clock: ManualClock) -> None:
    lettered.observe([{"items": [A, B]}] * 5 + [{"items": [A, C]}])
    before = lettered.predict(A, k=5, floor=0)
    lettered.checkpoint(tombstones=[B])
    assert amounts(lettered, A, clock) == pytest.approx({C: 1}, rel=1e-3)
    after = {one.name: one for one in lettered.predict(A, k=5, floor=0)}
    assert after.keys() == {C}
    was = next(one for one in before if one.name == C)
    assert after[C].parts["next"] == pytest.approx(was.parts["next"] * 7 / 2, abs=1e-3)  # of one and one more, not of 6
