"""How the log grew, as HTML: its heads one by one, and an overview of many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.notebook.display.markup import ROWS, Child, bar, footer, h, table, when
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.growth import Grown, Growth, HeadAt, Heads

__all__ = ["growth", "heads"]


def heads(result: Heads) -> str:
    """A row for each head, the newest first."""
    left = len(result.items) - ROWS
    return page(
        counted(len(result.items), "signed head") if result.items else "there are no such heads",
        table(("size", "recorded", "added", "root"), [_head(one) for one in result.items[:ROWS]]),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            f"there are older ones: before={result.next}" if result.next is not None else "",
        ),
        beside=h("bdi", result.items[0].origin) if result.items else None,
    )


def _head(head: HeadAt) -> list[Child]:
    added = ", ".join(f"{count:,} {kind}" for kind, count in head.added.items())
    root = h("span", head.root.hex()[:16], css="ss-name", title=head.root.hex())
    return [f"{head.size:,}", when(head.recorded_at), added, root]


def growth(result: Growth) -> str:
    """A row for each stretch, with its share of the largest."""
    most = max((one.entries for one in result.items), default=1) or 1
    left = len(result.items) - ROWS
    added = sum(one.entries for one in result.items)
    return page(
        f"{counted(added, 'entry', 'entries')} added" if result.items else "nothing was added",
        table(("added", "from", "to", "size"), [_grown(one, most) for one in result.items[-ROWS:]]),
        footer(f"… {left:,} earlier: .to_df() has all" if left > 0 else ""),
        beside=["from ", when(result.start), " to ", when(result.stop), h("bdi", f", in equal parts of {result.by}")],
    )


def _grown(one: Grown, most: int) -> list[Child]:
    return [bar(one.entries / most, f"{one.entries:,}"), when(one.started_at), when(one.recorded_at), f"{one.size:,}"]
