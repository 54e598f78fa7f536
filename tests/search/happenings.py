# ruff: noqa: RUF001 - letters that look like others are what this is about
"""Whatever may happen to a store, in small: what hypothesis draws, and how it is done."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from substrate.clock import ManualClock
from substrate.errors import InputError, ItemsRefused, NotFound
from substrate.memory import Memory, open_memory
from substrate.values.times import from_microseconds

__all__ = ["START", "Happening", "a_store", "do", "few", "happenings", "times"]

DAY = 86_400 * 1_000_000
START = 1_700_000_000_000_000
NAMES = ["v1.fact.a", "v1.fact.a.b", "v1.fact.Ämter_buch", "v1.state.paymentProvider"]
TEXTS = ["red", "Red fish, blue fish", "the café is open", "two\nlines", "東京都庁", "x " * 300]
ACTORS = [None, "ann", "bob"]

Happening: TypeAlias = tuple[str, Any]
times = st.integers(-4, 8).map(lambda day: START + day * DAY)
names = st.sampled_from(NAMES)


def few(examples: int, *, shrink: bool = True) -> Callable[[Any], Any]:
    """This many examples; twins need no shrinking."""
    return settings(
        max_examples=examples,
        phases=[Phase.explicit, Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def atoms() -> st.SearchStrategy[dict[str, Any]]:
    said = {
        "tags": st.sampled_from([["Red"], ["ＲＥＤ", "blue"]]),
        "entities": st.just(["Ada Lovelace"]),
        "source": st.sampled_from(["book", "s" * 300]),
        "occurred_at": times.map(from_microseconds),
        "valid_from": times.map(from_microseconds),
        "valid_to": times.map(from_microseconds),
        "parent": names,
        "position": st.integers(0, 3),
    }
    given = st.fixed_dictionaries({"name": names, "value": st.sampled_from(TEXTS)}, optional=said)
    return given.filter(
        lambda atom: not {"valid_from", "valid_to"} <= atom.keys() or atom["valid_from"] < atom["valid_to"]
    )


def happenings(least: int = 3, most: int = 14, *, undo: bool = False) -> st.SearchStrategy[list[Happening]]:
    put = st.tuples(st.just("put"), st.tuples(st.lists(atoms(), min_size=1, max_size=3), st.sampled_from(ACTORS)))
    tombstone = st.tuples(st.just("tombstone"), st.tuples(names, st.none() | times.map(from_microseconds)))
    one = st.one_of(
        put,
        put,
        put,
        tombstone,
        st.tuples(st.just("edge"), st.tuples(names, names)),
        st.tuples(st.just("forget"), names),
        st.tuples(st.just("forget actor"), st.sampled_from(ACTORS[1:])),
        st.tuples(st.just("forget seqs"), st.integers(1, 20)),
        st.tuples(st.just("time passes"), st.sampled_from([1, DAY, 3 * DAY])),
        st.tuples(st.just("rebuild"), st.none()),
    )
    one = st.one_of(one, one, one, st.tuples(st.just("undo"), st.none())) if undo else one
    return st.lists(one, min_size=least, max_size=most)


@contextmanager
def a_store() -> Iterator[tuple[Memory, ManualClock]]:
    with tempfile.TemporaryDirectory() as folder:
        clock = ManualClock(START)
        with open_memory(Path(folder, "store"), home=Path(folder, "home"), clock=clock) as memory:
            yield memory, clock


def do(memory: Memory, clock: ManualClock, happening: Happening) -> None:
    """What cannot be done in this state is refused, and that is that."""
    what, how = happening
    with suppress(ItemsRefused, NotFound):
        match what:
            case "put":
                memory.checkpoint(how[0], actor=how[1])
            case "tombstone":
                memory.checkpoint(tombstones=[{"name": how[0], "occurred_at": how[1]}])
            case "edge":
                memory.checkpoint(edges=[{"source": how[0], "type": "likes", "target": how[1]}])
            case "forget":
                memory.forget(how)
            case "forget actor":
                memory.forget(actor=how)
            case "forget seqs":
                memory.forget(seqs=range(how, how + 2))
            case "time passes":
                clock.advance(how)
            case "rebuild":
                memory.rebuild()
            case "undo":
                with suppress(InputError):
                    memory.undo()


def done(happened: Sequence[Happening]) -> Iterator[Memory]:
    """The store after each of these."""
    with a_store() as (memory, clock):
        for happening in happened:
            do(memory, clock, happening)
            yield memory
