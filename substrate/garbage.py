"""No search for cyclic garbage while documents are taken in.

A checkpoint of documents makes some hundred thousand objects that stay until it is written. Python looks through them
again and again for cycles, and finds none: a twelfth of all the time. What is dropped is freed at once all the same.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["uncollected"]

_lock = Lock()
_blocks: list[bool] = []
"""One for each block that is in work, in any thread; the first says whether there was collection before it."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector of this process, for all its threads, until the last such block ends.

    Whoever has it off keeps it off. Use it for work that has a bound: cycles that others drop stay so long.
    """
    with _lock:
        _blocks.append(gc.isenabled() if not _blocks else _blocks[0])
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _blocks.pop() and not _blocks:
                gc.enable()
