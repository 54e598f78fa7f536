"""What is kept of one state of the store changes no opening: not after a write, nor as time goes on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given

from substrate.bootstrap.fit import Measure, cost_of, fit
from substrate.clock import ManualClock
from substrate.embed.tokens import ByteCounter, TokenCounter, token_counter
from substrate.memory import Memory
from substrate.values.opening import Opening
from tests.bootstrap.openings import LONG, names, opened
from tests.bootstrap.test_fit import drafts

A, B, C = "v1.fact.a", "v1.fact.b", "v1.fact.c"
HOUR = 3_600_000_000


def moment(clock: ManualClock, hours: int) -> str:
    return (datetime.fromtimestamp(clock.now() / 1e6, UTC) + timedelta(hours=hours)).isoformat()


def grounds(memory: Memory, name: str = A) -> dict[str, float]:
    """What backs an atom, in an opening that reads it anew, and in one that finds what the first one read."""
    once, again = opened(memory, {name: 0.5}), opened(memory, {name: 0.5})
    assert once == again
    return dict(once.atoms[0].grounds)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.checkpoint([f"{A} = {LONG}", f"{B} = {LONG} again", f"{C} = yes"])
    return memory


def test_a_reference_that_ends_counts_no_longer_though_nothing_was_written(filled: Memory, clock: ManualClock) -> None:
    window = {"start": moment(clock, -1), "end": moment(clock, 1)}
    filled.checkpoint(edges=[{"source": B, "type": "references", "target": A, "windows": [window]}])
    assert "referred" in grounds(filled)
    clock.advance(2 * HOUR)
    assert "referred" not in grounds(filled)


def test_a_rule_of_a_hub_that_ends_is_one_no_longer_though_nothing_was_written(
    filled: Memory, clock: ManualClock
) -> None:
    window = {"start": moment(clock, -1), "end": moment(clock, 1)}
    edge = {"source": A, "type": "member_of", "target": "v1.hub.goals", "windows": [window]}
    filled.checkpoint(["v1.hub.goals = What we want"], edges=[edge])
    assert [atom.name for atom in filled.bootstrap().goals] == [A]
    clock.advance(2 * HOUR)
    assert filled.bootstrap().goals == ()


def test_what_was_written_meanwhile_counts(filled: Memory) -> None:
    assert "referred" not in grounds(filled)
    filled.checkpoint(edges=[{"source": B, "type": "references", "target": A}])
    assert "referred" in grounds(filled)
    filled.checkpoint(tombstones=[B])
    assert "referred" not in grounds(filled)
    filled.checkpoint([f"{A} = Something else"])
    assert opened(filled, {A: 0.5}).atoms[0].value == "Something else"
    filled.forget(A)
    assert A not in names(opened(filled, {A: 0.5}))


@pytest.mark.parametrize("max_tokens", [100, 399, 400, 1200])
def test_what_an_atom_takes_is_what_its_json_takes(filled: Memory, max_tokens: int) -> None:
    odd = 'a "quoted"\ttext — with 漢字 and \\ signs'
    said = {"name": C, "value": odd, "tags": ["x y", "proposed"], "source": odd, "origin": "user", "confidence": 0.4}
    filled.checkpoint([said], edges=[{"source": B, "type": "references", "target": A}])
    measure = Measure(token_counter())
    for _ in range(2):
        for atom in opened(filled, {A: 0.5, B: 0.3, C: 0.2}, max_tokens=max_tokens):
            assert atom.tokens == cost_of(atom, measure)


@pytest.mark.parametrize("counter", [token_counter(), ByteCounter()], ids=lambda counter: counter.name)
@given(drafts)
def test_a_reply_that_is_added_up_takes_what_one_takes_that_is_written_out(
    counter: TokenCounter, draft: Opening
) -> None:
    measure = Measure(counter)
    if len({atom.name for atom in draft}) < len(draft):
        return
    costs = {atom.name: cost_of(atom, measure) for atom in draft}
    assert measure.whole(draft, costs) == measure.count(draft)
    weakest = [atom.name for atom in draft]
    assert fit(draft, weakest, measure, costs) == fit(draft, weakest, measure)
