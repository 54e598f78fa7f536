"""Noticing that someone wrote to a store, or that it learnt something, be it by another process: twice a second.

What it looks at is the size of the log, how many sessions were observed, which adds nothing to the log, and whether
another copy of the store is ahead. That takes some microseconds and no lock. There is one thread for each open memory
that widgets show.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Pulse", "follow"]

Moved: TypeAlias = Callable[[int | None], None]
"""Told the log's size when it has changed, and again when something else did: what was learnt, or a copy's lead.

None when the store can be read no more, after which nothing is told.
"""

_Seen: TypeAlias = tuple[int, int, bool]
"""Entries, sessions observed, whether another copy is ahead."""
_LOG = logging.getLogger(__name__)
_SECONDS = 0.5
_PATIENCE_S = 10.0
_NOTHING = (-1, -1, False)
_PULSES: WeakKeyDictionary[Memory, Pulse] = WeakKeyDictionary()
_GUARD = threading.Lock()


def follow(memory: Memory, moved: Moved) -> Callable[[], None]:
    """From now on `moved` is told, in a thread, how far the log has got. The answer ends that."""
    with _GUARD:
        pulse = _PULSES.get(memory)
        if pulse is None or not pulse.add(moved):
            pulse = _PULSES[memory] = Pulse(memory)
            pulse.add(moved)
    return lambda: pulse.drop(moved)


@atexit.register
def _end() -> None:
    """Python kills threads like these when it ends. One that is killed with its lock held keeps all who want it."""
    for pulse in list(_PULSES.values()):
        pulse.end()


class Pulse:
    """Looks at one store for all who follow it, until none is left or the store is closed."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._guard = threading.Lock()
        self._told: dict[Moved, _Seen | None] = {}
        """Who follows, and how things were when each was told last."""
        self._over = False
        self._soon = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, moved: Moved) -> bool:
        """Whether it is followed from now on; False if this pulse has ended. The first word comes at once."""
        with self._guard:
            if self._over:
                return False
            self._told[moved] = _NOTHING
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="substrate-pulse", daemon=True)
                self._thread.start()
        self._soon.set()
        return True

    def drop(self, moved: Moved) -> None:
        """It follows no more."""
        with self._guard:
            self._told.pop(moved, None)
            self._over = self._over or not self._told
        self._soon.set()

    def end(self) -> None:
        """Nobody is told any more, and its thread has ended, unless the store keeps it for very long."""
        with self._guard:
            self._over = True
        self._soon.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while not self._over:
            self._soon.clear()
            try:
                memory = self._memory
                seen: _Seen | None = (memory.head().head.size, memory.observed(), memory.behind is not None)
            except Exception:  # noqa: BLE001 - closed, erased, a broken disk: whoever looks at it is told
                seen = None
            self._tell(seen)
            self._soon.wait(_SECONDS)

    def _tell(self, seen: _Seen | None) -> None:
        size = None if seen is None else seen[0]
        with self._guard:
            self._over = self._over or seen is None
            followers = [moved for moved, told in self._told.items() if told != seen]
            self._told |= dict.fromkeys(followers, seen)
        for moved in followers:
            try:
                moved(size)
            except Exception:  # noqa: BLE001 - one that cannot hear it must not keep it from the others
                _LOG.exception("the store moved to %s, and one who follows it could not be told", size)
