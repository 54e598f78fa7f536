"""Which stored nodes make up a root, an inclusion path or a consistency path (RFC 6962 sections 2.1 to 2.1.2).

A *node* is (level, index): the perfect subtree over leaves index << level .. (index + 1) << level. Only perfect
subtrees are stored; a hash of the answer is the fold of one or more of them, written here as a tuple of nodes, left to
right.
"""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Node", "Span", "consistency_spans", "cover", "inclusion_spans"]

Node: TypeAlias = tuple[int, int]
Span: TypeAlias = tuple[Node, ...]


def cover(start: int, end: int) -> Span:
    """The perfect subtrees over leaves start..end, left to right.

    `start` is 0 or the left edge of a subtree that a split of the tree makes, so that sizes fall from left to right.
    """
    nodes = []
    while start < end:
        level = (end - start).bit_length() - 1
        nodes.append((level, start >> level))
        start += 1 << level
    return tuple(nodes)


def inclusion_spans(index: int, size: int) -> list[Span]:
    """The path of leaf `index` in the tree of `size` leaves, leaf end first. Requires 0 <= index < size."""
    spans: list[Span] = []
    level, width = 0, size
    while width > 1:
        sibling = index ^ 1
        if sibling < width - 1:
            spans.append(((level, sibling),))
        elif sibling == width - 1:
            # The last node of a level is the only one that may be ragged.
            spans.append(cover(sibling << level, size))
        # else: no sibling at this level, the node rises as it is.
        index >>= 1
        width = (width + 1) >> 1
        level += 1
    return spans


def consistency_spans(old: int, new: int) -> list[Span]:
    """The path from the tree of `old` leaves to that of `new`. Requires 0 < old <= new."""
    spans: list[Span] = []
    start, end, whole = 0, new, True
    size = old
    while size != end - start:
        split = 1 << ((end - start - 1).bit_length() - 1)
        if size <= split:
            spans.append(cover(start + split, end))
            end = start + split
        else:
            spans.append(cover(start, start + split))
            start += split
            size -= split
            whole = False
    if not whole:
        spans.append(cover(start, end))
    spans.reverse()
    return spans
