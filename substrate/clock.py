"""Time in microseconds since 1970 (UTC) that never steps back, and a clock for tests."""

from __future__ import annotations

import time
from typing import Final, Protocol

from substrate.errors import InputError

__all__ = ["FIRST_TIME", "LAST_TIME", "CheckedClock", "Clock", "ManualClock", "SystemClock"]

FIRST_TIME: Final = -62_135_596_800_000_000
LAST_TIME: Final = 253_402_300_799_999_999
"""The first and the last microsecond that a datetime can hold: of the years 1 and 9999."""


class Clock(Protocol):
    """Tells the time. Order in the log is by seq; time is only a label, so a wrong clock can mislabel, not reorder."""

    def now(self) -> int:
        """Microseconds since 1970, UTC; never less than a value returned before."""


class SystemClock:
    """The machine's clock, held still while it steps back."""

    def __init__(self) -> None:
        self._last = 0

    def now(self) -> int:
        """See Clock."""
        self._last = max(self._last, time.time_ns() // 1000)
        return self._last


class CheckedClock:
    """Another clock, of which a time before 1970 or after the year 9999 is an InputError: no entry can bear it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> int:
        """See Clock."""
        now = self._clock.now()
        if isinstance(now, bool) or not isinstance(now, int) or not 0 <= now <= LAST_TIME:
            raise InputError(
                f"the clock says {now!r}, which is not a time in microseconds since 1970: set it, or give another clock"
            )
        return now


class ManualClock:
    """A clock that moves only when told to, and may be told to step back: the log must cope."""

    def __init__(self, start: int = 1_700_000_000_000_000) -> None:
        self.time = start

    def now(self) -> int:
        """The time it was set to."""
        return self.time

    def advance(self, microseconds: int) -> None:
        """Move by so much; negative steps back."""
        self.time += microseconds
