"""A thread that embeds when it is woken: after a quiet second, until nobody wakes it, or until it is closed.

1. A wake is never lost: one that comes while the work ends is seen before the thread rests.
2. Whoever waits can hurry it, and hears when a round of the work has ended, or that it is closed.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import Final

__all__ = ["IDLE_S", "Background", "Stopped"]

QUIET_S: Final = 1.0
"""For what comes next to come: a burst becomes one window, and a short script ends without loading a model."""
IDLE_S: Final = 30.0
"""After which the thread ends, if nobody saved or searched."""


class Stopped(Exception):
    """The work ends here; what is written stays."""


class Background:
    """One thread at a time. Safe to share between threads."""

    def __init__(self, name: str, work: Callable[[], None], at_exit: Callable[[], None]) -> None:
        """`work` is one round; it may raise Stopped, nothing else. `at_exit` is to call `close`."""
        self._name = name
        self._work = work
        self._at_exit = at_exit
        self._woken = threading.Event()
        self._hurry = threading.Event()
        self._rested = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self.stopping = threading.Event()

    @property
    def has_rested(self) -> bool:
        """Whether a round has ended, and no other has begun since."""
        return self._rested.is_set()

    def wake(self, *, hurry: bool = False) -> None:
        """There may be something to do. Returns at once. `hurry`: without the quiet second."""
        if hurry:
            self._hurry.set()
        with self._guard:
            self._woken.set()
            if self._thread is None and not self.stopping.is_set():
                self._thread = threading.Thread(target=self._follow, name=self._name, daemon=True)
                self._thread.start()
                # A thread that runs native code while the interpreter goes down can take the process with it.
                atexit.register(self._at_exit)

    def run(self, seconds: float) -> bool:
        """Whether a round ended within so many seconds; it may have begun before. Also True if it is closed."""
        self._rested.clear()
        self.wake(hurry=True)
        return self.stopping.is_set() or self._rested.wait(seconds)

    def unhurry(self) -> None:
        """Nobody waits any more."""
        if not self.stopping.is_set():
            self._hurry.clear()

    def check(self) -> None:
        """Raise Stopped if it is closed."""
        if self.stopping.is_set():
            raise Stopped

    def stop(self) -> None:
        """Begin to end it. Returns at once."""
        for event in (self.stopping, self._woken, self._hurry, self._rested):
            event.set()

    def close(self) -> None:
        """End it, and wait for that."""
        self.stop()
        with self._guard:
            thread, self._thread = self._thread, None
        if thread is not None:
            atexit.unregister(self._at_exit)
            thread.join()

    def _follow(self) -> None:
        while not self.stopping.is_set():
            if not self._woken.wait(IDLE_S) and self._rests():
                return
            self._hurry.wait(QUIET_S)
            self._woken.clear()
            self._rested.clear()
            try:
                self._work()
            except Stopped:
                return
            finally:
                self.unhurry()
                self._rested.set()

    def _rests(self) -> bool:
        """Whether the thread may end: nobody woke it. The next to do so starts another one."""
        with self._guard:
            if self._woken.is_set() or self._thread is not threading.current_thread():
                return False
            self._thread = None
            atexit.unregister(self._at_exit)
            return True
