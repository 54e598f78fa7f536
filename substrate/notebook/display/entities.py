"""Entities as pages: the directory, and the names in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.notebook.display.markup import ROWS, footer, h, name, stored, table
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.entities import EntityPage, ExtractedEntities

__all__ = ["directory", "extracted"]


def directory(result: EntityPage) -> str:
    """Entities by name, with how many atoms mention each."""
    rows = [
        [
            [h("div", stored(one.name)), h("div", stored(", ".join(one.aliases))) if one.aliases else None],
            stored(one.type or ""),
            f"{one.mentions:,}",
            name(one.atom),
        ]
        for one in result.items[:ROWS]
    ]
    left = len(result.items) - ROWS
    return page(
        counted(len(result.items), "entity", "entities") if result.items else "there are no such entities",
        table(("name", "type", "mentions", "atom"), rows),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            f"there is more: after={result.next!r}" if result.next else "",
        ),
    )


def extracted(result: ExtractedEntities) -> str:
    """The names in a text, and what each was recognised by."""
    rows = [[stored(one.name), one.kind] for one in result.items]
    return page(
        counted(len(result.items), "name") if result.items else "there is no name in it",
        table(("name", "kind"), rows),
        footer(f"… and {result.more:,} more in the text" if result.more else ""),
    )
