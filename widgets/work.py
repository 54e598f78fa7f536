"""Work that would hold the kernel up, done in a thread of its own.

1. Of each kind of work only the latest that was asked for is done: who types on does not wait for what was before.
2. Kinds are done one after another, in the order in which they were first asked for: a widget needs one thread.
3. The thread ends when nothing is left to do, and another begins with the next work: no thread waits for nothing.
4. Work that raises is logged, and the next is done.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Work", "Worker"]

Work: TypeAlias = Callable[[], None]

_LOG = logging.getLogger(__name__)


class Worker:
    """Does one thing at a time. Who wants to tell of an error does so in the work."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._changed = threading.Condition()
        self._waiting: dict[str, Work] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, kind: str, work: Work) -> None:
        """Do it soon, in place of what waits under the same kind. Returns at once."""
        with self._changed:
            if self._closed:
                return
            self._waiting[kind] = work
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def is_latest(self, kind: str) -> bool:
        """Whether nothing newer of this kind waits: what is worked out in vain need not be shown."""
        with self._changed:
            return kind not in self._waiting and not self._closed

    def wait(self, seconds: float) -> bool:
        """Until nothing is left to do, or for so long; whether nothing is."""
        with self._changed:
            return self._changed.wait_for(lambda: self._thread is None, seconds)

    def close(self) -> None:
        """Do nothing more; what is being done is done to its end."""
        with self._changed:
            self._closed = True
            self._waiting.clear()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._thread = None
                    self._changed.notify_all()
                    return
                work = self._waiting.pop(next(iter(self._waiting)))
            try:
                work()
            except Exception:  # noqa: BLE001 - whatever it is: or nothing would ever be done again
                _LOG.exception("%s goes on with what is next", self._name)
