"""The verb observe: take in sessions of the past, or of programs that do their own reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from substrate.atoms.domains import domain_of, read_domain
from substrate.atoms.moments import read_time, snapshot_of
from substrate.atoms.resolve import read_end
from substrate.errors import InputError, NotFound, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.learn.calibration import Judge, calibrates
from substrate.learn.forecast import Forecaster
from substrate.learn.labels import read_label, read_objective
from substrate.learn.write_sessions import find_items, newest_time, write_sessions
from substrate.limits import LIMITS, check_size
from substrate.log.log import Log
from substrate.messages import Item, Message
from substrate.search.lazy import LazySearch
from substrate.values.predictions import Observed
from substrate.values.progress import Progress
from substrate.values.saved import Refused
from substrate.views.learned.sessions import HOLE, Heard

if TYPE_CHECKING:
    from substrate.search.objective import Match

__all__ = ["SessionInput", "observe", "read_sessions"]

SessionInput: TypeAlias = Mapping[str, object]
"""`items` (names or ids in the order of access); as far as known `at`, `objective`, `domain`, `session`."""
_FIELDS: Final = frozenset({"items", "at", "objective", "domain", "session"})
_MOST: Final = 64
"""Sessions that are written in one transaction."""


class _Given(NamedTuple):
    """A checked session."""

    items: tuple[str, ...]
    at: int
    objective: str
    domain: str | None
    session: str | None


def read_sessions(
    sequence: Iterable[str] | Iterable[SessionInput], said: Mapping[str, object]
) -> Sequence[SessionInput] | Iterable[SessionInput]:
    """What `observe` is given, as sessions: many of them, or the names of one with what is `said` of it.

    Of an iterator the first item is drawn, not all. SchemaInvalid if it is neither.
    """
    if isinstance(sequence, str | bytes | Mapping) or not isinstance(sequence, Iterable):
        raise SchemaInvalid("observe takes the names of one session as a list, or a list of sessions")
    given = iter(sequence)
    first: list[Any] = list(islice(given, 1))
    if first and isinstance(first[0], Mapping):
        if any(value is not None for value in said.values()):
            raise SchemaInvalid("of many sessions each says its own at, objective, domain and session")
        many: Any = sequence if isinstance(sequence, Sequence) else chain(first, given)
        return many  # type: ignore[no-any-return]
    items = [*first, *islice(given, LIMITS["checkpoint_items"])]
    return [{"items": items, **said}] if items else []


def observe(
    log: Log,
    sessions: Sequence[SessionInput] | Iterable[SessionInput],
    *,
    actor: str | None,
    search: LazySearch,
    progress: Progress | None = None,
) -> Observed:
    """See `Memory.observe`."""
    done = accesses = 0
    skipped: list[Refused] = []
    waiting = iter(sessions)
    total = len(sessions) if isinstance(sessions, Sequence) else 0
    # The first ones in small steps: what is learnt of the first helps to judge the second.
    while portion := list(islice(waiting, min(_MOST, max(1, done)))):
        with log.snapshot() as transaction:
            newest = newest_time(transaction, log.clock)
        given = [_read(one, Item("sessions", done + i, ": "), log.clock.now(), newest) for i, one in enumerate(portion)]
        accesses += _take(log, given, done, actor, search, skipped)
        done += len(portion)
        if progress is not None:
            progress(done, max(done, total))
    if not done:
        raise InputError("nothing to observe: give the names of what was accessed, in order")
    return Observed(done, accesses, tuple(skipped))


def _read(one: SessionInput, where: str, now: int, newest: int) -> _Given:
    """`newest` is when it was, if it does not say: now, or later if the clock has stepped back since."""
    if not isinstance(one, Mapping) or not one.keys() <= _FIELDS or "items" not in one:
        raise SchemaInvalid(where, f"a session is a mapping with items, and {', '.join(sorted(_FIELDS - {'items'}))}")
    items, given = one["items"], one.get("at")
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise SchemaInvalid(where, "items is a list of names")
    names = tuple(islice(items, LIMITS["checkpoint_items"] + 1))
    check_size(Message(where, "items"), len(names), "checkpoint_items", "names")
    try:
        at = newest if given is None else read_time(given, "at")
        session = read_label(one.get("session"), "session")
        objective, domain = read_objective(one.get("objective")), read_domain(one.get("domain"))
        checked = tuple(read_end(name, "an item") for name in names)
    except InputError as error:
        error.args = (Message(where, error.message),)
        raise
    if given is not None and at > now:
        raise InputError(where, "at lies in the future")
    return _Given(checked, at, objective, domain, session)


def _take(  # noqa: PLR0913, PLR0917
    log: Log, given: Sequence[_Given], first: int, actor: str | None, search: LazySearch, skipped: list[Refused]
) -> int:
    """Judge the model by a portion of sessions, then write them down; how many accesses there were."""
    found: dict[str, Match] = {}
    heard: list[Heard] = []
    judges: list[Judge] = []
    with log.snapshot() as transaction:
        judged = [calibrates(transaction, ahead) for ahead in range(len(given))]
    for one, is_judged in zip(given, judged, strict=True):
        if is_judged and one.objective and one.objective not in found:
            # To embed it may take a moment: that is done outside of any transaction.
            found[one.objective] = search.match(one.objective, log)
    with log.snapshot() as transaction:
        forecaster = Forecaster(snapshot_of(transaction, log.clock))
        for i, (one, is_judged) in enumerate(zip(given, judged, strict=True)):
            items = find_items(transaction, one.items, Message(Item("sessions", first + i, "."), "items"), skipped)
            domain = _domain(transaction, one, Item("sessions", first + i, ": "))
            session = Heard(items, one.at, domain, one.objective, 1, one.session, actor)
            heard.append(session)
            if is_judged:
                judge = Judge()
                judge.begin(forecaster, session.domain, one.objective, found.get(one.objective))
                judge.follow(forecaster, (), items, session.domain)
                judge.end(transaction, one.at)
                judges.append(judge)
    write_sessions(log, heard, judges, live=False)
    return sum(item != HOLE for one in heard for item in one.items)


def _domain(transaction: ReadTransaction, one: _Given, where: str) -> bytes:
    try:
        return domain_of(transaction, one.domain)
    except NotFound as error:
        raise NotFound(where, error.message) from None
