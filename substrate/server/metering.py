"""Metering: how often each tool was called, how often it failed, and how long it took. In memory, nothing of content.

Durations are counted in buckets whose bounds grow by a sixteenth: a percentile is right to 4 %, whatever the number of
calls, and a tool takes 8 KiB at most. It counts from when a call has come in to when its reply is ready, a person's
answer to a question included.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Final

__all__ = ["Meter"]

_BITS: Final = 4
_STEPS: Final = 1 << _BITS
_PERCENTILES: Final = {"p50": 50, "p95": 95, "p99": 99}
_NS_PER_MS: Final = 1e6


class _Counts:
    __slots__ = ("buckets", "count", "errors", "least", "most", "total")

    def __init__(self) -> None:
        self.count = self.errors = self.total = self.most = 0
        self.least = 1 << 63
        self.buckets: dict[int, int] = {}


class Meter:
    """Safe to share between threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._tools: dict[str, _Counts] = {}

    def count(self, tool: str, nanoseconds: int, *, failed: bool) -> None:
        """A call of this tool has ended."""
        shift = max(nanoseconds.bit_length() - 1 - _BITS, 0)
        bucket = (shift << _BITS) + (nanoseconds >> shift)
        with self._guard:
            counts = self._tools.get(tool)
            if counts is None:
                counts = self._tools[tool] = _Counts()
            counts.count += 1
            counts.errors += failed
            counts.total += nanoseconds
            counts.most = max(counts.most, nanoseconds)
            counts.least = min(counts.least, nanoseconds)
            buckets = counts.buckets
            buckets[bucket] = buckets.get(bucket, 0) + 1

    def read(self) -> Mapping[str, Mapping[str, float]]:
        """By tool: count, errors, and in milliseconds avg, min, max, p50, p95, p99."""
        with self._guard:
            return {tool: _told(counts) for tool, counts in self._tools.items()}

    def reset(self) -> None:
        """Begin anew."""
        with self._guard:
            self._tools.clear()


def _told(counts: _Counts) -> dict[str, float]:
    told: dict[str, float] = {
        "count": counts.count,
        "errors": counts.errors,
        "avg": counts.total / counts.count / _NS_PER_MS,
        "min": counts.least / _NS_PER_MS,
        "max": counts.most / _NS_PER_MS,
    }
    rows = sorted(counts.buckets.items())
    for word, percent in _PERCENTILES.items():
        wanted, seen = -(-counts.count * percent // 100), 0
        for bucket, times in rows:
            seen += times
            if seen >= wanted:
                told[word] = min(max(_middle(bucket), counts.least), counts.most) / _NS_PER_MS
                break
    return told


def _middle(bucket: int) -> float:
    """Of a bucket's bounds, in nanoseconds."""
    shift = max((bucket >> _BITS) - 1, 0)
    low = (bucket - (shift << _BITS)) << shift
    return low + ((1 << shift) - 1) / 2
