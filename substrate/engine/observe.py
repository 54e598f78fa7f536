"""The verb observe: take in sessions of the past, or of programs that do their own reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from substrate.engine.calibration import Judge, calibrates
from substrate.engine.forecasting import Forecaster, Match
from substrate.engine.intake import read_end
from substrate.engine.moments import read_time
from substrate.engine.observing import (
    domain_of,
    find_items,
    newest_time,
    read_domain,
    read_label,
    read_objective,
    write_sessions,
)
from substrate.engine.progress import Progress
from substrate.errors import InputError, NotFound, SchemaInvalid, TooLarge
from substrate.kv.api import ReadTransaction
from substrate.learned import Observed
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import Refused
from substrate.views.sessions import HOLE, Heard

__all__ = ["SessionInput", "observe"]

SessionInput: TypeAlias = Mapping[str, object]
"""`items` (names or ids in the order of access); as far as known `at`, `objective`, `domain`, `session`."""
Matching: TypeAlias = Callable[[str], Match | None]
"""How an objective is searched for; it may take a moment, so that is prepared outside of any transaction."""

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


def observe(
    log: Log,
    sessions: Iterable[SessionInput],
    *,
    actor: str | None,
    matching: Matching,
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
        given = [_read(one, f"sessions[{done + i}]", log.clock.now(), newest) for i, one in enumerate(portion)]
        accesses += _take(log, given, done, actor, matching, skipped)
        done += len(portion)
        if progress is not None:
            progress(done, max(done, total))
    if not done:
        raise InputError("nothing to observe: give the names of what was accessed, in order")
    return Observed(done, accesses, tuple(skipped))


def _read(one: SessionInput, where: str, now: int, newest: int) -> _Given:
    """`newest` is when it was, if it does not say: now, or later if the clock has stepped back since."""
    if not isinstance(one, Mapping) or not one.keys() <= _FIELDS or "items" not in one:
        raise SchemaInvalid(f"{where}: a session is a mapping with items, and {', '.join(sorted(_FIELDS - {'items'}))}")
    items, given = one["items"], one.get("at")
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise SchemaInvalid(f"{where}: items is a list of names")
    names = tuple(islice(items, LIMITS["checkpoint_items"] + 1))
    if len(names) > LIMITS["checkpoint_items"]:
        raise TooLarge(f"{where}: items", len(names), LIMITS["checkpoint_items"], "names")
    try:
        at = newest if given is None else read_time(given, "at")
        session = read_label(one.get("session"), "session")
        objective, domain = read_objective(one.get("objective")), read_domain(one.get("domain"))
        checked = tuple(read_end(name, "an item") for name in names)
    except InputError as error:
        error.args = (f"{where}: {error}",)
        raise
    if given is not None and at > now:
        raise InputError(f"{where}: at lies in the future")
    return _Given(checked, at, objective, domain, session)


def _take(  # noqa: PLR0913, PLR0917
    log: Log, given: Sequence[_Given], first: int, actor: str | None, matching: Matching, skipped: list[Refused]
) -> int:
    """Judge the model by a portion of sessions, then write them down; how many accesses there were."""
    found: dict[str, Match | None] = {}
    heard: list[Heard] = []
    judges: list[Judge] = []
    with log.snapshot() as transaction:
        judged = [calibrates(transaction, ahead) for ahead in range(len(given))]
    for one, is_judged in zip(given, judged, strict=True):
        if is_judged and one.objective and one.objective not in found:
            found[one.objective] = matching(one.objective)
    with log.snapshot() as transaction:
        forecaster = Forecaster(transaction, log)
        for i, (one, is_judged) in enumerate(zip(given, judged, strict=True)):
            where = f"sessions[{first + i}]"
            items = find_items(transaction, one.items, where + ".items", skipped)
            domain = _domain(transaction, one, where)
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
        raise NotFound(f"{where}: {error}") from None
