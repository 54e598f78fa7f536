"""A table of strings, its columns as wide as they must be."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["print_columns"]


def print_columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print it: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    for row in (headings, ["-" * width for width in widths], *rows):
        cells = zip(row, widths, strict=True)
        print("  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(cells)))
