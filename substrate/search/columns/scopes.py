"""Masks put together, and how much they hold: kept for the next search, which mostly has the same scope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.search.columns.documents import Documents, Mask, extent_of

__all__ = ["all_of", "extent_within"]

_KEPT: Final = 8
"""Masks of one state of the store that are kept. With a million atoms, each takes a megabyte."""


def all_of(documents: Documents, masks: Sequence[Mask]) -> Mask:
    """The versions that every one of these masks has. If none of them can be written to, nor can this."""
    first, *others = masks
    if not others:
        return first
    lasting = not any(mask.flags.writeable for mask in masks)
    kept: dict[tuple[int, ...], tuple[Sequence[Mask], Mask]] = documents.once("all of", dict)
    key = tuple(map(id, masks))  # as long as they are kept here, no other mask has one of these
    known = kept.get(key) if lasting else None
    if known is not None:
        return known[1]
    found = first & others[0]
    for mask in others[1:]:
        found &= mask
    if lasting:
        found.flags.writeable = False
        if len(kept) >= _KEPT:
            kept.clear()
        kept[key] = masks, found
    return found


def extent_within(documents: Documents, mask: Mask) -> tuple[int, int]:
    """How many versions a mask has, and how many words these have."""
    if mask is documents.now:
        return documents.extent
    kept: dict[int, tuple[Mask, tuple[int, int]]] = documents.once("extents", dict)
    known = kept.get(id(mask))
    if known is not None:
        return known[1]
    extent = extent_of(documents.length, mask)
    if not mask.flags.writeable:
        if len(kept) >= _KEPT:
            kept.clear()
        kept[id(mask)] = mask, extent
    return extent
