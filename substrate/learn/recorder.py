"""Recording: which atoms each session accesses, kept in memory at first, and written down in the background.

1. A read never waits for it: it adds to a list. What is in the list is written after two seconds, when a session is
   closed, and when the memory is. A process that is killed loses no more than that. No lock that a read takes is held
   while something is written.
2. A session belongs to one client. Those that are begun explicitly are told apart by the context of the caller (thread,
   task), the others are of the client's memory, and end when nothing was accessed for half an hour.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from substrate.atoms.links import is_live
from substrate.atoms.moments import snapshot_of
from substrate.atoms.resolve import find_subject
from substrate.errors import Busy, SubstrateError
from substrate.learn.calibration import Judge, calibrates
from substrate.learn.forecast import Forecaster
from substrate.learn.watch import is_watched
from substrate.learn.write_sessions import write_sessions
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.views.learned.sessions import HOLE, IDLE, Heard

if TYPE_CHECKING:
    from substrate.search.objective import Match

__all__ = ["OpenSession", "Recorder"]

_log = logging.getLogger(__name__)
_QUIET_S: Final = 2.0
_KEPT: Final = 256
_LONG: Final = LIMITS["checkpoint_items"]
"""Accesses after which a session that goes on is learnt as another one: an episode is read and written whole."""
_CURRENT: Final[ContextVar[tuple[tuple[Recorder, OpenSession], ...]]] = ContextVar("substrate_sessions", default=())


@dataclass(eq=False, slots=True)
class OpenSession:
    """A session that goes on."""

    objective: str = ""
    domain: bytes = HOLE
    domain_name: str | None = None
    name: str | None = None
    actor: str | None = None
    observed: bool = True
    match: Match | None = None
    opened: list[bytes] = field(default_factory=list)
    """What was accessed last: no more of it is ever compared."""
    accesses: int = 0
    waiting: list[bytes] = field(default_factory=list)
    key: bytes | None = None
    """Of its first row, from which the others go on."""
    written: int = 0
    began: int = 0
    last: int = 0
    judge: Judge | None = None
    guard: threading.Lock = field(default_factory=threading.Lock)
    """For the lists. Held for moments only."""
    writing: threading.Lock = field(default_factory=threading.Lock)
    """Who writes it down: its parts come one after another. Taken before the guard."""

    def opened_with(self, subject: bytes) -> list[bytes]:
        """What was accessed last, and this atom after it."""
        with self.guard:
            return [*self.opened, subject]


class Recorder:
    """The sessions of one client of an open memory. Safe to share between threads."""

    def __init__(
        self,
        log: Log,
        actor: str | None,
        name: str | None = None,
        *,
        observed: bool,
        background: bool,
    ) -> None:
        """`name`: that of sessions nobody begins.

        `observed`: whether anything is to be written down. Whether the store lets it is looked up each time.
        """
        self._log = log
        self._actor = actor
        self._name = name
        self._background = background
        self._guard = threading.Lock()
        self._observed = observed
        self._implicit = self._fresh()
        self._open: dict[int, OpenSession] = {}
        self._idle: list[OpenSession] = []
        self._timer: threading.Timer | None = None
        self._closed = False
        self._pid = os.getpid()

    # -- whose session ---------------------------------------------------------------------------------------------

    def explicit(self) -> OpenSession | None:
        """The session that the caller has entered; None if it is in none."""
        return next((session for recorder, session in reversed(_CURRENT.get()) if recorder is self), None)

    def current(self) -> OpenSession:
        """The session that the caller is in."""
        entered = self.explicit()
        if entered is not None:
            return entered
        now = self._log.clock.now()
        with self._guard:
            is_idle = bool(self._implicit.last) and now - self._implicit.last > IDLE
            if is_idle:
                self._idle.append(self._implicit)
                self._implicit = self._fresh()
            implicit = self._implicit
        if is_idle:
            self._soon()
        return implicit

    def begin(self, objective: str | None, domain: str | None, match: Match | None) -> None:
        """Outside of explicit sessions, one with this objective begins; the one before it is over, if it did anything.

        In an explicit one nothing begins: who opened it has said what it is for.
        """
        if self.explicit() is not None:
            return
        session = self._fresh()
        session.objective, session.last = objective or "", self._log.clock.now()
        session.match = match if self._observed else None
        with self._log.snapshot() as transaction:
            subject = HOLE if domain is None else find_subject(transaction, domain)
            if domain is not None and is_live(transaction, subject, None):
                session.domain, session.domain_name = subject, domain
        with self._guard:
            before, self._implicit = self._implicit, session
            if before.opened:
                self._idle.append(before)
        if before.opened:
            self._soon()

    def _fresh(self) -> OpenSession:
        """A session that nobody began."""
        return OpenSession(name=self._name, actor=self._actor, observed=self._observed)

    def enter(self, session: OpenSession) -> None:
        """From now on, what this caller accesses is of this session, until it leaves it."""
        _CURRENT.set((*_CURRENT.get(), (self, session)))

    def leave(self, session: OpenSession) -> None:
        """See `enter`. Each caller has a context of its own: several may be in one session, and leave in any order."""
        entered = list(_CURRENT.get())
        if (self, session) in entered:
            del entered[len(entered) - 1 - entered[::-1].index((self, session))]
            _CURRENT.set(tuple(entered))

    @contextmanager
    def within(self, session: OpenSession) -> Iterator[None]:
        """In the block, what this caller accesses is of this session."""
        self.enter(session)
        try:
            yield
        finally:
            self.leave(session)

    # -- what it accesses ------------------------------------------------------------------------------------------

    def note(self, session: OpenSession, subject: bytes) -> None:
        """An atom was accessed."""
        if self._closed:
            return
        with session.guard:
            session.opened.append(subject)
            session.accesses += 1
            if len(session.opened) > 2 * _KEPT + len(session.waiting):
                del session.opened[: -_KEPT - len(session.waiting)]
            session.last = self._log.clock.now()
            session.began = session.began or session.last
            if not session.observed:
                return
            session.waiting.append(subject)
        with self._guard:
            self._open[id(session)] = session
        self._soon()

    def flush(self) -> None:
        """Write down what waits, of all sessions; those that were idle for too long have ended."""
        if self._pid != os.getpid():
            return  # a fork has a copy of what waits; who it belongs to writes it
        now = self._log.clock.now()
        with self._guard:
            waiting = list(self._open.values())
            # Who began a session and never closed it has left it.
            left = [one for one in waiting if one is not self._implicit and not one.waiting and now - one.last > IDLE]
            idle = [*self._idle, *left]
        for session in idle:
            self.end(session)
        for session in waiting:
            self._write(session)

    def end_soon(self, session: OpenSession) -> None:
        """The session is over, and someone else writes: it is written down in the background, or at close."""
        with self._guard:
            self._idle.append(session)
        self._soon()

    def end(self, session: OpenSession) -> None:
        """The session is over: write down what waits, and what it showed of the model."""
        self._write(session)
        with session.guard:
            judge, session.judge = session.judge, None
        with self._guard:
            self._open.pop(id(session), None)
            self._idle = [other for other in self._idle if other is not session]
        if judge is not None and self._log.behind() is None:
            with self._log.snapshot() as transaction:
                judge.end(transaction, session.began)
            write_sessions(self._log, [], [judge], live=True)

    def close(self) -> None:
        """End all sessions. What cannot be written down is lost, and that is logged."""
        if self._pid != os.getpid():
            return
        with self._guard:
            self._closed = True
            timer, self._timer = self._timer, None
            ending = [*self._idle, *(session for session in self._open.values() if session not in self._idle)]
        if timer is not None:
            timer.cancel()
            atexit.unregister(self._close_quietly)
            if timer is not threading.current_thread() and timer.is_alive():
                timer.join()
        for session in ending:
            self._quietly(lambda session=session: self.end(session))  # type: ignore[misc]

    def _write(self, session: OpenSession) -> None:
        with session.writing:
            while True:
                with session.guard:
                    items, session.waiting = session.waiting[:_LONG], session.waiting[_LONG:]
                    before = session.opened[: len(session.opened) - len(session.waiting) - len(items)]
                if not items:
                    return
                try:
                    self._write_down(session, before, items)
                except BaseException:
                    with session.guard:
                        session.waiting = items + session.waiting
                    if session.judge is not None:
                        session.judge.explained.clear()  # it judges these again
                    raise

    def _write_down(self, session: OpenSession, before: list[bytes], items: list[bytes]) -> None:
        if self._log.behind() is not None:
            return  # a store that is behind is read, and not learnt from
        with self._log.snapshot() as transaction:
            if not is_watched(transaction):
                return
        if session.written + len(items) > _LONG:
            session.key, session.written = None, 0
        judge = self._judged(session, before, items)
        heard = Heard(
            tuple(items),
            0,
            session.domain,
            session.objective,
            1,
            session.name,
            session.actor,
            session.key,
        )
        (session.key,) = write_sessions(self._log, [heard], [] if judge is None else [judge], live=True)
        session.written += len(items)
        if judge is not None:
            judge.explained.clear()

    def _judged(self, session: OpenSession, before: list[bytes], items: list[bytes]) -> Judge | None:
        with self._log.snapshot() as transaction:
            snapshot = snapshot_of(transaction, self._log.clock)
            if not before and calibrates(transaction):
                session.judge = Judge()
                session.judge.begin(Forecaster(snapshot), session.domain, session.objective, session.match)
            if session.judge is not None:
                session.judge.follow(Forecaster(snapshot), before, items, session.domain)
        return session.judge

    # -- in the background -------------------------------------------------------------------------------------------

    def _soon(self) -> None:
        with self._guard:
            if self._timer is not None or self._closed or not self._background:
                return
            self._timer = threading.Timer(_QUIET_S, self._run)
            self._timer.name = "substrate-record"
            self._timer.daemon = True
            self._timer.start()
            atexit.register(self._close_quietly)

    def _run(self) -> None:
        again = False
        try:
            self.flush()
            again = True
        except Busy:  # someone else writes for long; what waits stays, and is tried again
            again = True
        except SubstrateError as error:
            _log.warning("what was accessed is not written down: %s", error)
        except Exception:  # noqa: BLE001 - the thread's word, which must not be lost
            _log.exception("what was accessed is not written down")
        finally:
            with self._guard:
                self._timer = None
                atexit.unregister(self._close_quietly)
                waits = bool(self._idle) or any(session.waiting for session in self._open.values())
            if again and waits:
                self._soon()

    def _close_quietly(self) -> None:
        self._quietly(self.close)

    def _quietly(self, work: Callable[[], None]) -> None:
        try:
            work()
        except SubstrateError as error:
            _log.warning("what was accessed is not written down: %s", error)
        except Exception:  # noqa: BLE001 - one session must not take the others with it, nor keep the store open
            _log.exception("what was accessed is not written down")
