"""The view of arcs: what a store has learnt of what is needed after what. Rows are in `counts.py` and `episodes.py`.

It follows from train entries and from the traces of sessions, in the order in which both were written, and by the same
steps. An atom that is tombstoned or forgotten leaves it altogether: rows, columns, sums, episodes. One that comes back
begins anew. One that is tombstoned since it was renamed stays: the atom with its new name inherits it. `supersedes`
edges change nothing here: what an atom that took another's place inherits is seen when rows are read, so that to take
the edge back gives it back.

What erases a train entry, or a whole session, makes the model be learnt anew from what is left: slow, rare and exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from substrate.codec import read_forget
from substrate.errors import StoreDamaged
from substrate.kv.api import WriteTransaction
from substrate.log.replay import BATCH, Logged, TraceRow, replay, replay_into
from substrate.log.tables import ARCS, ARRIVALS, ENTRIES, EPISODES, SESSIONS, USES, seq_key
from substrate.proof.entry import Kind
from substrate.schema import RENAMED
from substrate.views.learned.counts import ATOM, PARTS, START, Counts
from substrate.views.learned.episodes import TAIL, Episodes
from substrate.views.learned.sessions import HOLE, KEY_BYTES, TRAINED, Heard, read_session, read_training

__all__ = ["ArcView"]

_REACH: Final = 10
"""Steps over which an arc is learnt."""
_MOST: Final = 8
"""How often one session, or part of one, can be counted for the same arc: a loop must not outweigh a year of work."""
_TAUGHT: Final = 512
"""Accesses of one session from which arcs are learnt; the others count as use. So a loop that runs for hours, and is
written down in many parts, does not either."""
_FLUSH: Final = 500
"""Sessions that are learnt before rows are written: memory does not grow with a batch."""


class ArcView:
    """See the module."""

    name = "arcs"
    version = 1
    tables: Sequence[str] = (ARCS, ARRIVALS, EPISODES, USES)
    trace = SESSIONS

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""
        learner: _Learner | None = None
        for entry in entries:
            if entry.kind not in (Kind.TRAIN, Kind.TOMBSTONE, Kind.FORGET):
                continue
            learner = learner or _Learner(transaction)
            if entry.kind is Kind.TOMBSTONE:
                if not entry.read()[0].get(RENAMED):
                    learner.remove(entry.subject)
            elif entry.kind is Kind.FORGET:
                self._forget(transaction, learner, entry)
            elif entry.body is not None and (heard := read_training(entry.body, entry.time)) is not None:
                learner.episodes.learnt(entry.seq)
                learner.learn(heard, seq_key(entry.seq) + TRAINED)
        if learner is not None:
            learner.flush()

    def observe(self, transaction: WriteTransaction, rows: Sequence[TraceRow]) -> None:
        """Sessions were written down: learn those that are new. If one was erased, all is learnt anew."""
        if any(row is None for _, row in rows):
            self._learn_anew(transaction, transaction.count(ENTRIES))
            return
        learner = _Learner(transaction)
        for count, (key, row) in enumerate(sorted(rows), 1):
            if key > learner.episodes.last and row is not None:  # one that was rewritten was learnt before
                learner.episodes.last = key
                heard = _sound(key, row)
                if heard is not None:
                    learner.learn(heard, key)
            if count % _FLUSH == 0:
                learner.flush()
        learner.flush()

    def _forget(self, transaction: WriteTransaction, learner: _Learner, entry: Logged) -> None:
        erased, key, _ = read_forget(entry.body)
        if any(map(learner.episodes.was_learnt, erased)):
            learner.flush()
            self._learn_anew(transaction, entry.seq)
        if key is not None:
            learner.remove(entry.subject)

    def _learn_anew(self, transaction: WriteTransaction, size: int) -> None:
        for table in self.tables:
            for key in [key for key, _ in transaction.scan(table)]:
                transaction.delete(table, key)
        for start in range(0, size, BATCH):
            replay_into(transaction, self, transaction, replay(transaction, start, min(start + BATCH, size)))


class _Learner:
    """Takes in sessions, one by one. Writes when it is told to."""

    def __init__(self, transaction: WriteTransaction) -> None:
        self.episodes = Episodes(transaction)
        self._counts = Counts(transaction)

    def flush(self) -> None:
        """Write what was learnt."""
        self._counts.flush()
        self.episodes.flush()

    def remove(self, subject: bytes) -> None:
        """An atom is out of use."""
        self._counts.remove(subject)
        self.episodes.remove(subject)

    def learn(self, heard: Heard, trace: bytes) -> None:
        """A session, a part of one, or a training."""
        known = None if heard.continues is None else self.episodes.find(heard.continues)
        tail = known[1].tail if known is not None else () if heard.after is None else (heard.after,)
        before = frozenset(() if known is None else known[1].items)
        domains = (HOLE,) if heard.domain == HOLE else (HOLE, heard.domain)
        left = max(0, _TAUGHT - (0 if known is None else known[1].accesses))
        self._follow(heard._replace(items=heard.items[:left]), tail, domains, begins=known is None)
        met = Counter(item for item in heard.items if item != HOLE)
        fresh = [item for item in met if item not in before]
        for domain in domains:
            self._counts.use(domain, fresh, heard.time, 1, begins=known is None)
        for item, times in met.items():
            self._counts.touch(item, times, heard.time)
        if known is None:  # what a training came after is no part of its episode
            self.episodes.add(heard, fresh, heard.items[-TAIL:], heard.continues or trace)
        else:
            self.episodes.extend(*known, len(heard.items), fresh, (*tail, *heard.items)[-TAIL:])

    def _follow(self, heard: Heard, tail: Sequence[bytes], domains: Sequence[bytes], *, begins: bool) -> None:
        """Arcs to every item of this part from what came up to ten steps before it, and from the start if that did."""
        items = (*tail, *heard.items)
        before = len(tail) if begins else 0  # of a part that goes on, the tail belongs to the session
        # Each source that reaches into this part, also if all that it reaches is a hole: rows take note of the time.
        steps: dict[bytes, dict[bytes, tuple[int, int]]] = {ATOM + item: {} for item in tail if item != HOLE}
        if begins or len(tail) < _REACH:
            steps |= {START + domain: {} for domain in domains}
        for at in range(len(tail), len(items)):
            target = items[at]
            if target == HOLE:
                continue
            for back in range(1, min(_REACH, at) + 1):
                source = items[at - back]
                if source != HOLE and (source != target or back == 1):
                    _step(steps.setdefault(ATOM + source, {}), target, back, itself=source == target)
            place = at - before + 1
            if place <= _REACH:
                for domain in domains:
                    _step(steps[START + domain], target, place)
        times = Counter(ATOM + item for item in heard.items if item != HOLE)
        times.update({START + domain: 1 for domain in domains if begins})
        for source in {**steps, **times}:
            self._counts.follow(source, steps.get(source, {}), heard.time, times[source], heard.weight)


def _sound(key: bytes, row: bytes) -> Heard | None:
    """What a trace says. They are not proven: one that is malformed must not keep all else from being made anew."""
    try:
        return read_session(row) if len(key) == KEY_BYTES else None
    except StoreDamaged:
        return None


def _step(row: dict[bytes, tuple[int, int]], target: bytes, back: int, *, itself: bool = False) -> None:
    first, second = row.get(target, (0, 0))
    more = 0 if itself else PARTS // back
    row[target] = min(_MOST, first + (back == 1)), min(_MOST * PARTS, second + more)
