"""How the log grew, as HTML: its heads one by one, and an overview of many, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from substrate.notebook.display.markup import ROWS, Child, Markup, area, bar, footer, h, table, when
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.growth import Grown, Growth, HeadAt, Heads

__all__ = ["growth", "heads"]

_FEW_DAYS: Final = 3
_HOUR: Final = timedelta(hours=1)
_KILO: Final = 1000
_CONTENT: Final = "of content"


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
    """A curve for each of entries, atoms and bytes, and a table with a row for each stretch."""
    about = h("bdi", f", in equal parts of {result.by}")
    beside = ["from ", when(result.start), " to ", when(result.stop), about]
    if not result.items:
        return page("nothing was added", beside=beside)
    most = max(one.entries for one in result.items) or 1
    left = len(result.items) - ROWS
    columns = ("added", "from", "to", "size", "atoms", "bytes")
    rows = table(columns, [_grown(one, most) for one in result.items[-ROWS:]])
    earlier = footer(f"… {left:,} earlier: .to_df() has all" if left > 0 else "")
    added = counted(sum(one.entries for one in result.items), "entry", "entries")
    return page(
        f"{added} added",
        h("div", _curves(result), css="ss-curves"),
        h("details", h("summary", "as a table"), rows, earlier),
        beside=beside,
    )


def _grown(one: Grown, most: int) -> list[Child]:
    counts = ["" if count is None else f"{count:,}" for count in (one.atoms, one.bytes)]
    return [
        bar(one.entries / most, f"{one.entries:,}"),
        when(one.started_at),
        when(one.recorded_at),
        f"{one.size:,}",
        *counts,
    ]


def _curves(result: Growth) -> list[Child]:
    low, high = (result.first, result.last) if result.by == "entries" else (_at(result.start), _at(result.stop))
    span = (high - low) or 1
    places = [((one.size - 1 if result.by == "entries" else _at(one.recorded_at)) - low) / span for one in result.items]
    ends = ("entry 0", f"entry {result.last:,}") if result.by == "entries" else _days(result.start, result.stop)
    curves: dict[str, list[int | None]] = {
        "entries in the log": [one.size for one in result.items],
        "atoms in use": [one.atoms for one in result.items],
        _CONTENT: [one.bytes for one in result.items],
    }
    return [
        _curve(label, places, [value for value in values if value is not None], ends)
        for label, values in curves.items()
        if None not in values
    ]


def _curve(label: str, places: Sequence[float], values: Sequence[int], ends: tuple[str, str]) -> Markup:
    """An area whose height is the value from its place on until the next; the scale begins at 0."""
    top = max(values) or 1
    corners, y = list[tuple[float, float]](), 100.0
    for place, value in zip(places, values, strict=True):
        x = 100 * min(max(place, 0.0), 1.0)
        height = 100 - 100 * value / top
        corners += [(x, y), (x, height)]
        y = height
    now = _amount(values[-1]) if label == _CONTENT else f"{values[-1]:,}"
    return h(
        "div",
        h("div", h("span", now, css="ss-title"), " ", label),
        area([*corners, (100.0, y)]),
        h("div", h("span", ends[0]), h("span", ends[1]), css="ss-ends"),
        css="ss-curve",
    )


def _at(time: datetime) -> float:
    return time.timestamp()


def _days(start: datetime, stop: datetime) -> tuple[str, str]:
    """Both ends of an axis, as finely as they differ."""
    form = "%Y-%m-%d" if (stop - start).days > _FEW_DAYS else "%Y-%m-%d %H:%M" if stop - start > _HOUR else "%H:%M:%S"
    return f"{start:{form}}", f"{stop:{form}}"


def _amount(count: int) -> str:
    """Bytes, in the unit that a person would say."""
    value, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while value >= _KILO and len(units) > 1:
        value /= _KILO
        units.pop(0)
    return f"{value:,.0f} {units[0]}" if units[0] == "B" else f"{value:,.1f} {units[0]}"
