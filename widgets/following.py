"""Noticing that someone wrote to a store, be it another process: the size of its log is looked at twice a second.

To look takes some microseconds and no lock. There is one thread for each open memory that widgets show.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from substrate.errors import SubstrateError

if TYPE_CHECKING:
    from substrate.engine.memory import Memory

__all__ = ["Pulse", "follow"]

Moved: TypeAlias = Callable[[int | None], None]
"""Told the log's size when it has changed; None when the store can be read no more, after which nothing is told."""

_SECONDS = 0.5
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


class Pulse:
    """Looks at one store for all who follow it, until none is left or the store is closed."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._guard = threading.Lock()
        self._followers: list[Moved] = []
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, moved: Moved) -> bool:
        """Whether it is followed from now on; False if this pulse has ended."""
        with self._guard:
            if self._over.is_set():
                return False
            self._followers.append(moved)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="substrate-pulse", daemon=True)
                self._thread.start()
        return True

    def drop(self, moved: Moved) -> None:
        """It follows no more."""
        with self._guard:
            self._followers = [other for other in self._followers if other != moved]
            if not self._followers:
                self._over.set()

    def _run(self) -> None:
        seen: int | None = -1
        while seen is not None and not self._over.wait(_SECONDS if seen >= 0 else 0):
            try:
                size: int | None = self._memory.head().head.size
            except SubstrateError:
                size = None
            if size != seen:
                seen = size
                self._tell(size)

    def _tell(self, size: int | None) -> None:
        with self._guard:
            followers = list(self._followers)
            if size is None:
                self._over.set()
        for moved in followers:
            moved(size)
