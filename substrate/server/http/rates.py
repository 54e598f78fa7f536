"""How often a token may call: as many calls a minute as it has, some at once, then as they come free."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

__all__ = ["Rates"]

_MINUTE_S: Final = 60.0
_MOST: Final = 10_000
"""Tokens that are kept in mind; one that has not called for a minute is as if it had never called."""


class Rates:
    """Safe to share between threads. In memory: a restart lets everyone begin again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}
        """By token: how many calls it has left, and when that was so."""

    def take(self, token: str, rate: int) -> float:
        """Count a call of a token that has `rate` a minute. 0: it may go on; else in how many seconds it may."""
        now = self._clock()
        with self._guard:
            left, at = self._left.get(token, (float(rate), now))
            left = min(float(rate), left + (now - at) * rate / _MINUTE_S)
            if left < 1:
                self._left[token] = left, now
                return (1 - left) * _MINUTE_S / rate
            if len(self._left) >= _MOST:
                self._left = {one: row for one, row in self._left.items() if now - row[1] < _MINUTE_S}
            self._left[token] = left - 1, now
            return 0.0
