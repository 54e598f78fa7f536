"""The seam between the verbs that show arcs and whoever learns them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from substrate.kv.api import ReadTransaction

__all__ = ["Arcs", "no_arcs"]

Arcs: TypeAlias = Callable[[ReadTransaction, bytes], Mapping[bytes, float]]
"""From the id of an atom to the atoms that tend to be needed after it: ids with the share, from 0 to 1, of all that was
learned to follow, the heaviest first, at most 32."""


def no_arcs(_: ReadTransaction, __: bytes) -> Mapping[bytes, float]:
    """Nothing was learned."""
    return {}
