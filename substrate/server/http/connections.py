"""Connections over HTTP: how many are open, for how long they may keep the server waiting, and which one has to go.

1. All clients are on this machine, so an address tells nobody apart. A connection is *known* from the moment that a
   request on it was let in (with the token, where one is asked for); before, it is a stranger's.
2. There are never more than `most_connections()`, which leaves descriptors for the store. Where another one has no
   room, the stranger that has waited longest is cut off; then the known one that has rested longest. A call under way
   is not. So strangers take no room from those who have the token, however many they are.
3. A request has a time for its head and a time for its body, and an answer has a time to be taken. A connection that
   stays behind is cut off, whatever trickles in.
"""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterable
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["REST_S", "Connection", "accepted_at_once", "cut_off_strangers", "most_connections"]

REST_S: Final = 15.0
"""For the head of a request: from the first moment of a connection, or from the answer to the request before."""
_BODY_S: Final = 60.0
"""From a request's head to the end of its body, which is 16 MiB at most and comes from this machine."""
_TAKE_S: Final = 60.0
"""For a client to take something of an answer that waits for it."""
_MOST: Final = 256
_LEAST: Final = 8


def most_connections() -> int:
    """How many connections there may be: a third of the descriptors that this process may have, and 256 at most."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    share = _MOST if soft == resource.RLIM_INFINITY else soft // 3
    return max(_LEAST, min(_MOST, share))


def accepted_at_once() -> int:
    """How many connections are taken before the first of them is looked at: few, since each has a descriptor."""
    return most_connections() // 4


class Connection(H11Protocol):
    """A connection of uvicorn's that keeps to the rules above. An application finds it in the state of its scope."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(*arguments, **options)
        self.app_state = {**self.app_state, "connection": self}
        self.known = False
        self._waits_for: tuple[float, object] | None = None
        """Of the client: how long for what, and in which request. None while it is the client that waits."""
        self._since = 0.0
        self._waiting: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    # -- as asyncio and uvicorn call it ------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it, and cut another one off if there is no room for both."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > most_connections():
            others = (other for other in self.connections if isinstance(other, Connection) and other is not self)
            (_longest_idle(others) or self).cut_off()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        for timer in (self._waiting, self._taking):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take the next bytes. They end a wait only if they complete what is waited for."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """The client does not take its answer: it has some time to begin."""
        super().pause_writing()
        self._taking = self.loop.call_later(_TAKE_S, self.cut_off)

    def resume_writing(self) -> None:
        """The client has taken enough of it."""
        super().resume_writing()
        if self._taking is not None:
            self._taking.cancel()

    # -- rules -------------------------------------------------------------------------------------------------------

    def is_idle(self) -> bool:
        """Whether nothing is lost by ending it: a stranger's, or one that rests between two requests."""
        return not self.known or (self._waits_for is not None and self._waits_for[0] == REST_S)

    def rank(self) -> tuple[bool, float]:
        """Of several that are idle the least has to go."""
        return self.known, self._since

    def cut_off(self) -> None:
        """End it at once. What it has not taken is not waited for: that could take for ever."""
        self.connections.discard(self)  # it is gone for all who count, though its descriptor is closed a moment later
        self.transport.abort()

    def _watch(self) -> None:
        """See what the client is waited for; from the moment that this changes, the time runs."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            waits_for: tuple[float, object] | None = (REST_S, cycle)
        else:
            waits_for = (_BODY_S, cycle) if cycle.more_body else None
        if waits_for == self._waits_for and self._waiting is not None:
            return
        self._waits_for, self._since = waits_for, self.loop.time()
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = None if waits_for is None else self.loop.call_later(waits_for[0], self.cut_off)


def cut_off_strangers(connections: Iterable[object]) -> int:
    """Cut off all that nobody is known by, since descriptors are needed for something else. How many these were."""
    strangers = [one for one in connections if isinstance(one, Connection) and not one.known]
    for stranger in strangers:
        stranger.cut_off()
    return len(strangers)


def _longest_idle(connections: Iterable[Connection]) -> Connection | None:
    return min((one for one in connections if one.is_idle()), key=Connection.rank, default=None)
