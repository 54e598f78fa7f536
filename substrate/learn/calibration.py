"""How right the parts of the model were about a session: what their weights are learnt from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from substrate.kv.api import ReadTransaction
from substrate.learn.forecast import Forecaster
from substrate.learn.mixture import Explained, Parts, explain, improved, question_of, weights_of
from substrate.log.decode import stored_entry
from substrate.log.tables import ENTRIES, seq_key
from substrate.views.atoms import first_version
from substrate.views.learned.episodes import episodes_seen
from substrate.views.learned.mixing import mixing_row, read_mixing
from substrate.views.learned.sessions import HOLE
from substrate.views.traces import Trace

if TYPE_CHECKING:
    from substrate.search.objective import Match

__all__ = ["Judge", "calibrates", "moved_weights"]

_ALL: Final = 300
_SOME: Final = 1000
_EVERY: Final = ((_ALL, 1), (_SOME, 8))
_LATER: Final = 32
"""Of the first 300 sessions all calibrate, then every 8th, and from 1,000 on every 32nd: by then little moves."""
_STEPS: Final = 12
"""Accesses of one session that are predicted to see who is right: of a long one not all, but spread over it."""
_NEEDED: Final = 10_000
"""Atoms that a session needs as a whole. A server's session may go on for weeks: it is judged by its first ones."""


def calibrates(transaction: ReadTransaction, ahead: int = 0) -> bool:
    """Whether the next session but `ahead` is one that calibrates."""
    number = episodes_seen(transaction) + ahead
    every = next((every for upto, every in _EVERY if number < upto), _LATER)
    return number % every == 0


class Judge:
    """Judges the parts by one session, before it is learnt. What a session needs as a whole is known at its end."""

    def __init__(self) -> None:
        self.explained: dict[str, list[Explained]] = {}
        self._needed: dict[bytes, None] = {}
        self._waiting: dict[str, tuple[Parts, Mapping[str, float], Collection[bytes]]] = {}

    def begin(self, forecaster: Forecaster, domain: bytes, objective: str, match: Match | None) -> None:
        """Keep what is said of the session when nothing is open yet."""
        self._keep(forecaster, "need0", forecaster.before(domain), ())
        if objective:
            self._keep(forecaster, "goal0", forecaster.before(domain, objective, match), ())

    def follow(self, forecaster: Forecaster, opened: Sequence[bytes], items: Sequence[bytes], domain: bytes) -> None:
        """After `opened` came `items`: judge what would have been said of each."""
        sequence = [item for item in (*opened, *items) if item != HOLE]
        for item in items:
            if item != HOLE and len(self._needed) < _NEEDED:
                self._needed[item] = None
        start = max(1, len(sequence) - sum(item != HOLE for item in items))
        places = range(start, len(sequence))
        for at in places[:: max(1, -(-len(places) // _STEPS))]:
            parts = forecaster.after(sequence[:at], domain)
            seen = set(sequence[:at])
            self._judge(question_of("next", len(seen)), forecaster, parts, [sequence[at]])
            if at == 1:
                whole = forecaster.after(sequence[:1], domain, whole=True)
                self._keep(forecaster, "need1", whole, seen)
            if sequence[at] not in seen:
                self._judge(question_of("new", len(seen)), forecaster, parts, [sequence[at]])

    def end(self, transaction: ReadTransaction, began: int) -> None:
        """The session, which began then, is over: judge what was said at its beginning by all that it needed.

        An atom that was recorded later cannot have been foreseen; to find it now by its words would be no merit.
        """
        foreseeable = [item for item in self._needed if _was_there(transaction, item, began)]
        for question, (parts, weights, gone) in self._waiting.items():
            self._take(question, explain(parts, weights, [item for item in foreseeable if item not in gone]))
        self._waiting.clear()

    def _keep(self, forecaster: Forecaster, question: str, parts: Parts, gone: Collection[bytes]) -> None:
        self._waiting[question] = parts, forecaster.weights(question), gone

    def _judge(self, question: str, forecaster: Forecaster, parts: Parts, targets: Sequence[bytes]) -> None:
        self._take(question, explain(parts, forecaster.weights(question), targets))

    def _take(self, question: str, explained: Explained | None) -> None:
        if explained is not None:
            self.explained.setdefault(question, []).append(explained)


def moved_weights(transaction: ReadTransaction, judges: Sequence[Judge]) -> list[Trace]:
    """The rows of weights after what these found, one session after another."""
    moved: dict[str, dict[str, float]] = {}
    for judge in judges:
        for question, several in judge.explained.items():
            weights = moved.get(question) or weights_of(question, read_mixing(transaction, question))
            moved[question] = improved(weights, _together(several))
    return [mixing_row(question, weights) for question, weights in moved.items()]


def _was_there(transaction: ReadTransaction, subject: bytes, time: int) -> bool:
    """Whether an atom was recorded before a time."""
    first = first_version(transaction, subject)
    return first is not None and stored_entry(first, transaction.get(ENTRIES, seq_key(first))).time < time


def _together(several: Sequence[Explained]) -> Explained:
    shares: dict[str, float] = {}
    for explained in several:
        for part, share in explained.shares.items():
            shares[part] = shares.get(part, 0.0) + share
    return Explained(shares, sum(explained.targets for explained in several))
