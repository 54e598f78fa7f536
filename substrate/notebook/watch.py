"""Showing, under each result, what will probably be needed next. Turned on and off by `%memory watch`."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING

from substrate.errors import SubstrateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from IPython.core.interactiveshell import InteractiveShell

    from substrate.memory import Memory

__all__ = ["Watch"]


class Watch:
    """What follows a shell's cells. Under each in which atoms were accessed, it shows what is likely to come next."""

    def __init__(self, shell: InteractiveShell, memory: Callable[[], Memory], limit: Callable[[], int]) -> None:
        """`memory` is the one that is open when it is asked for, `limit` how many atoms are shown."""
        self._shell, self._memory, self._limit = shell, memory, limit
        self._listening: AbstractContextManager[list[str]] | None = None
        self._accessed: list[str] = []
        self.is_on = False

    def turn(self, *, on: bool) -> None:
        """On from the next cell on, or off."""
        if on == self.is_on:
            return
        self.is_on = on
        change = self._shell.events.register if on else self._shell.events.unregister
        change("pre_run_cell", self._before)
        change("post_run_cell", self._after)
        if not on:
            self._stop()

    def _before(self, _info: object) -> None:
        self._stop()
        with suppress(SubstrateError):  # without a store there is nothing to watch
            self._listening = self._memory().accesses()
            self._accessed = self._listening.__enter__()

    def _after(self, _result: object) -> None:
        accessed = list(self._accessed)
        self._stop()
        if not accessed:
            return
        from IPython.display import display  # noqa: PLC0415 - it is there when a cell was run

        with suppress(SubstrateError):  # a cell that went well does not fail by what is shown below it
            likely = self._memory().predict(k=self._limit())
            if likely:
                display(likely)  # type: ignore[no-untyped-call]

    def _stop(self) -> None:
        listening, self._listening, self._accessed = self._listening, None, []
        if listening is not None:
            listening.__exit__(None, None, None)
