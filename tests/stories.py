"""Whatever may happen to what a store has learnt, in small: what hypothesis draws, and how it is done."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import strategies as st

from substrate.clock import ManualClock
from substrate.errors import ItemsRefused, NotFound
from substrate.learn.session import Session
from substrate.log.tables import ARCS, ARRIVALS, EPISODES, USES
from substrate.memory import Memory, open_memory
from substrate.values.times import from_microseconds

__all__ = ["LEARNT", "NAMES", "Step", "Story", "a_story", "rows_of", "steps", "stories"]

LEARNT = (ARCS, ARRIVALS, EPISODES, USES)
DAY = 86_400 * 1_000_000
NAMES = [f"v1.fact.{letter}" for letter in "abcdef"]
DOMAINS = ["v1.domain.shop", "v1.domain.home"]
OBJECTIVES = [None, "fix the login page", "ship the login release"]
WHO = ["ann", "bob", "cid"]

Step: TypeAlias = tuple[str, Any]
Rows: TypeAlias = dict[str, list[tuple[bytes, bytes]]]
names = st.sampled_from(NAMES)
lists = st.lists(names, min_size=1, max_size=14)
domains = st.sampled_from([None, None, *DOMAINS])
objectives = st.sampled_from(OBJECTIVES)


def steps() -> st.SearchStrategy[Step]:
    """One thing that happens. What teaches comes more often than what takes away."""
    observed = st.tuples(
        st.just("observe"), st.tuples(lists, st.integers(0, 3000), domains, objectives, st.sampled_from(WHO))
    )
    trained = st.tuples(st.just("train"), st.tuples(lists, st.integers(1, 3), domains, objectives))
    accessed = st.tuples(st.just("access"), st.tuples(st.sampled_from(WHO), lists))
    return st.one_of(
        observed,
        observed,
        trained,
        accessed,
        accessed,
        st.tuples(st.just("write down"), st.none()),
        st.tuples(st.just("end"), st.sampled_from(WHO)),
        st.tuples(st.just("train one"), st.tuples(st.sampled_from(WHO), names)),
        st.tuples(st.just("tombstone"), st.sampled_from(NAMES + DOMAINS)),
        st.tuples(st.just("revive"), st.sampled_from(NAMES + DOMAINS)),
        st.tuples(st.just("supersede"), st.tuples(names, names)),
        st.tuples(st.just("unedge"), st.tuples(names, names)),
        st.tuples(st.just("forget"), st.sampled_from(NAMES + DOMAINS)),
        st.tuples(st.just("forget session"), st.sampled_from(WHO)),
        st.tuples(st.just("forget actor"), st.just("me")),
        st.tuples(st.just("forget seqs"), st.integers(1, 30)),
        st.tuples(
            st.just("time passes"), st.sampled_from([1, DAY, 31 * 60_000_000, 800 * DAY, 40 * 365 * DAY, -900 * DAY])
        ),
    )


def stories(least: int = 3, most: int = 25) -> st.SearchStrategy[list[Step]]:
    """Several, one after another."""
    return st.lists(steps(), min_size=least, max_size=most)


class Story:
    """A store, and the sessions that are open in it. Nothing is written in the background."""

    def __init__(self, memory: Memory, clock: ManualClock) -> None:
        self.memory = memory
        self.clock = clock
        self.open: dict[str, Session] = {}
        memory.checkpoint([f"{name} = {name}" for name in NAMES + DOMAINS], actor="her")

    def tell(self, step: Step) -> None:
        """What cannot be done in this state is refused, and that is that."""
        what, how = step
        with suppress(ItemsRefused, NotFound):
            self._do(what, how)

    def _do(self, what: str, how: Any) -> None:  # noqa: C901, PLR0912 - a list of what there is
        memory = self.memory
        match what:
            case "observe":
                items, days, domain, objective, name = how
                at = from_microseconds(self.clock.now() - days * DAY)
                memory.observe(items, at=at, domain=domain, objective=objective, session=name)
            case "train":
                items, passes, domain, objective = how
                memory.train(items, passes, domain=domain, objective=objective)
            case "access":
                for item in how[1]:
                    with suppress(NotFound):
                        self.session(how[0]).access(item)
            case "train one":
                self.session(how[0]).train([how[1]])
            case "write down":
                memory._client.recorder.flush()
            case "end" if how in self.open:
                self.open.pop(how).close()
            case "tombstone":
                memory.checkpoint(tombstones=[how])
            case "revive":
                memory.checkpoint([f"{how} = {how} again"], actor="her")
            case "supersede":
                memory.checkpoint(edges=[{"source": how[0], "type": "supersedes", "target": how[1]}])
            case "unedge":
                memory.checkpoint(unedges=[{"source": how[0], "type": "supersedes", "target": how[1]}])
            case "forget":
                memory.forget(how)
            case "forget session":
                memory.forget(session=how)
            case "forget actor":
                memory.forget(actor=how)
            case "forget seqs":
                memory.forget(seqs=range(how, how + 2))
            case "time passes":
                self.clock.advance(how)

    def session(self, name: str) -> Session:
        """The session of this name; it begins, if it is not open."""
        if name not in self.open:
            number = WHO.index(name)
            domain = [None, *DOMAINS][number]
            try:
                self.open[name] = self.memory.session(OBJECTIVES[number], domain=domain, name=name)
            except NotFound:  # the domain is out of use
                self.open[name] = self.memory.session(OBJECTIVES[number], name=name)
        return self.open[name]


@contextmanager
def a_story() -> Iterator[Story]:
    """A new store in which nothing has happened yet."""
    with tempfile.TemporaryDirectory() as folder:
        clock = ManualClock()
        path, home = Path(folder, "store"), Path(folder, "home")
        with open_memory(path, home=home, clock=clock, actor="me", background=False, model="none") as memory:
            yield Story(memory, clock)


def rows_of(memory: Memory, tables: tuple[str, ...] = LEARNT) -> Rows:
    """All rows of these tables, as they are."""
    with memory._store.log.snapshot() as transaction:
        return {table: list(transaction.scan(table)) for table in tables}
