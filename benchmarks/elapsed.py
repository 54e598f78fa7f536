"""How long a benchmark has been running, and saying so on the way."""

from __future__ import annotations

import sys
import time

__all__ = ["elapsed", "say"]

_BEGAN = time.monotonic()


def elapsed() -> float:
    """Seconds since the benchmark was started."""
    return time.monotonic() - _BEGAN


def say(text: str) -> None:
    """Tell what is being done, on standard error."""
    print(f"[{elapsed():6.0f} s] {text}", file=sys.stderr, flush=True)
