"""Writing sessions down: traces, and the weights that moved by them. What observing and recording share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.atoms.bodies import time_of
from substrate.atoms.links import is_live
from substrate.atoms.meant.near_names import MOST_SUGGESTED, or_near
from substrate.atoms.moments import last_seq
from substrate.atoms.resolve import find_subject
from substrate.clock import Clock
from substrate.errors import Forgotten, NotFound
from substrate.kv.api import ReadTransaction
from substrate.learn.calibration import Judge, moved_weights
from substrate.log.append import Decision
from substrate.log.heads import place_of, require_head
from substrate.log.log import Log
from substrate.log.tables import SESSIONS
from substrate.messages import Message
from substrate.values.saved import Refused
from substrate.views.atoms import gap_of, gaps_of, latest_version
from substrate.views.learned.counts import HALF_LIFE
from substrate.views.learned.objectives import erase_objectives
from substrate.views.learned.sessions import HOLE, Heard, all_sessions, next_key, read_session, session_row
from substrate.views.traces import Trace

__all__ = ["drop_malformed_sessions", "find_items", "newest_time", "write_sessions"]

_UNKNOWN: Final = "there is no such atom; record it first"


def find_items(
    transaction: ReadTransaction, names: Sequence[str], where: str, skipped: list[Refused]
) -> tuple[bytes, ...]:
    """The ids of atoms, given by name or id; a HOLE for each that is not in use, which `skipped` then tells of."""
    known: dict[str, bytes] = {}
    for place, name in enumerate(names):
        if name in known:
            continue
        subject = find_subject(transaction, name)
        known[name] = subject if is_live(transaction, subject, None) else HOLE
        if known[name] == HOLE:
            code, reason = _why_not(transaction, name, subject)
            if reason == _UNKNOWN and len(skipped) < MOST_SUGGESTED:
                reason += or_near(transaction, name)
            skipped.append(Refused(Message(where, f"[{place}]"), code, reason, name))
    return tuple(known[name] for name in names)


def _why_not(transaction: ReadTransaction, name: str, subject: bytes) -> tuple[str, str]:
    """The code and the reason."""
    by_id = gap_of(transaction, subject) is not None
    if not by_id and latest_version(transaction, subject) is not None:
        return NotFound.code, "it was tombstoned; to have it in use again, record it"
    if by_id or gaps_of(transaction, place_of(transaction, name)):
        return Forgotten.code, "it was forgotten"
    return NotFound.code, _UNKNOWN


def write_sessions(log: Log, heard: Sequence[Heard], judges: Sequence[Judge] = (), *, live: bool) -> list[bytes]:
    """Write sessions down, all or none. What is out of use by now is a hole.

    Returns for each the key that its next part goes on from. `live`: they end now. Time never steps back for them,
    whatever the clock does.
    """
    keys: list[bytes] = []

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        size = require_head(transaction).head.size
        known: dict[bytes, bool] = {}
        stamp = _stamp(time, _last_time(transaction)) if live else 0
        rows: list[Trace] = []
        for ahead, one in enumerate(heard):
            for item in {*one.items, one.domain} - known.keys():
                known[item] = item != HOLE and is_live(transaction, item, None)
            items = tuple(item if known[item] else HOLE for item in one.items)
            domain = one.domain if known[one.domain] else HOLE
            key, goes_on = next_key(transaction, size, ahead), one.continues if _goes_on(transaction, one) else None
            kept = one._replace(items=items, domain=domain, time=stamp if live else one.time, continues=goes_on)
            rows.append((SESSIONS, key, session_row(kept)))
            keys.append(goes_on or key)
        return Decision((), rows + moved_weights(transaction, judges))

    log.decide(plan)
    return keys


def drop_malformed_sessions(log: Log) -> None:
    """Delete rows of sessions that cannot be read: nobody can tell what they say, and fsck would go on about them."""

    def plan(transaction: ReadTransaction, _: int) -> Decision:
        malformed = [key for key, heard in all_sessions(transaction) if heard is None]
        rows: list[Trace] = [(SESSIONS, key, None) for key in malformed]
        return Decision((), [*rows, *erase_objectives(transaction, malformed)])

    with log.snapshot() as transaction:
        malformed = any(heard is None for _, heard in all_sessions(transaction))
    if malformed:
        log.decide(plan)


def newest_time(transaction: ReadTransaction, clock: Clock) -> int:
    """Now, as far as this store knows: if the clock stepped back, the time of what was written last."""
    return max(clock.now(), time_of(transaction, last_seq(transaction)), _last_time(transaction))


def _goes_on(transaction: ReadTransaction, one: Heard) -> bool:
    """Whether the row is there that a part goes on from: it may be forgotten, and another one have its key."""
    row = None if one.continues is None else transaction.get(SESSIONS, one.continues)
    if row is None:
        return False
    earlier = read_session(row)
    return (earlier.session, earlier.actor, earlier.objective) == (one.session, one.actor, one.objective)


def _stamp(time: int, last: int) -> int:
    """When a session ends that ends now: never before the one before it, and not more than a half-life after it.

    A clock that is wrong by decades must not make all that was learnt count for nothing. After a long silence the
    model ages by what has passed when it is read.
    """
    return max(last, min(time, last + HALF_LIFE)) if last else time


def _last_time(transaction: ReadTransaction) -> int:
    return next((read_session(row).time for _, row in transaction.scan(SESSIONS, reverse=True, limit=1)), 0)
