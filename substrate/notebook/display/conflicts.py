"""Atoms that contradict each other, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.notebook.display.markup import footer, h, name, stored, table, when
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.conflicts import Conflicts

__all__ = ["conflicts"]

_PAIRS = 20
"""Pairs that an output shows, each with both values."""


def conflicts(result: Conflicts) -> str:
    """Pairs that contradict each other, side by side."""
    rows = [
        [
            [h("div", name(one.first.name)), stored(one.first.value)],
            [h("div", name(one.second.name)), stored(one.second.value)],
            h("bdi", one.reason),
            when(one.found_at),
        ]
        for one in result.items[:_PAIRS]
    ]
    left = len(result.items) - _PAIRS
    return page(
        counted(len(result.items), "open conflict") if result.items else "there are no open conflicts",
        table(("first", "second", "why", "found"), rows),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            "there is more: --offset" if result.more else "",
            "to settle one: %memory resolve FIRST SECOND [--keep NAME]" if result.items else "",
        ),
    )
