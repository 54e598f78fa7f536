"""HTML that cannot be broken out of: every text is escaped where it is put in, and only `Markup` is not.

Stored text goes through `stored`, which also keeps it by itself (`<bdi>`) and shows what would not be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from types import MappingProxyType
from typing import TypeAlias

from substrate.text.visible import as_number, visible

__all__ = [
    "ROWS",
    "Child",
    "Markup",
    "area",
    "badge",
    "bar",
    "chip",
    "facts",
    "footer",
    "h",
    "marked",
    "name",
    "stored",
    "table",
    "when",
]

ROWS = 50
"""Rows of a table that an output shows; `.to_df()` has all."""
_NO_TITLES: Mapping[str, str] = MappingProxyType({})
_LONG = 400
"""Characters of a value that are shown in a table."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child: TypeAlias = "Markup | str | Iterable[Child] | None"
"""What an element is filled with; a plain text is escaped, None is nothing."""


def h(tag: str, *children: Child, css: str = "", title: str = "", style: str = "") -> Markup:
    """An element. Attributes are escaped as texts are."""
    given = {"class": css, "title": visible(title, "\n\t", as_number), "style": style}
    attributes = "".join(f' {word}="{escape(said)}"' for word, said in given.items() if said)
    return Markup(f"<{tag}{attributes}>{_html(children)}</{tag}>")


def _html(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escape(visible(child, "\n\t", as_number))
    return "".join(_html(one) for one in child)


def stored(text: str, most: int = _LONG) -> Markup:
    """Stored text; of a long one the beginning, which is said."""
    if len(text) <= most:
        return h("bdi", text, css="ss-stored")
    cut = h("span", f" … the first {most:,} of {len(text):,} characters", css="ss-faint")
    return Markup(h("bdi", text[:most], css="ss-stored") + cut)


def marked(text: str, marks: Sequence[tuple[int, int]]) -> Markup:
    """Stored text with some of its places marked."""
    parts: list[Child] = []
    at = 0
    for start, end in marks:
        parts += [text[at:start], h("mark", text[start:end])]
        at = end
    return h("bdi", parts, text[at:], css="ss-stored")


def name(text: str, titles: Mapping[str, str] = _NO_TITLES) -> Markup:
    """The name of an atom. What has a title is shown by it; its name, a digest, is the tooltip."""
    return h("bdi", titles[text], title=text) if text in titles else h("bdi", text, css="ss-name")


def when(time: datetime | None) -> Markup:
    """A time to the minute, with its zone; exactly as a tooltip."""
    if time is None:
        return Markup("")
    return h("span", f"{time:%Y-%m-%d %H:%M} UTC", title=time.isoformat(), css="ss-when")


def chip(text: str, title: str = "") -> Markup:
    """A small label."""
    return h("bdi", text, css="ss-chip", title=title)


def badge(text: str, kind: str = "warn") -> Markup:
    """A label that stands out: good, warn or bad."""
    return h("span", text, css=f"ss-badge ss-{kind}")


def bar(share: float, label: str) -> Markup:
    """A share from 0 to 1, as a bar with a number beside it."""
    width = f"width:{100 * min(max(share, 0.0), 1.0):.0f}%"
    return h("span", h("span", h("span", style=width, css="ss-fill"), css="ss-bar"), " ", label, css="ss-share")


def area(corners: Iterable[tuple[float, float]]) -> Markup:
    """The area below a line through these corners, each in percent from the left and from the top."""
    shape = ",".join(f"{x:.2f}% {y:.1f}%" for x, y in ((0.0, 100.0), *corners, (100.0, 100.0)))
    return h("div", h("div", css="ss-area", style=f"clip-path:polygon({shape})"), css="ss-plot")


def table(columns: Sequence[str], rows: Iterable[Sequence[Child]]) -> Markup:
    """Rows under columns, without those columns in which nothing is said; without rows, nothing."""
    cells = [[_html(cell) for cell in row] for row in rows]
    if not cells:
        return Markup("")
    kept = [at for at in range(len(cells[0])) if any(row[at] for row in cells)]
    head = h("thead", h("tr", [h("th", columns[at]) for at in kept])) if columns else None
    body = [h("tr", [h("td", Markup(row[at])) for at in kept]) for row in cells]
    return h("table", head, h("tbody", body))


def facts(said: Mapping[str, Child]) -> Markup:
    """Labels and what they say, without those that say nothing."""
    rows = [[h("span", label, css="ss-faint"), value] for label, value in said.items() if _html(value)]
    return h("div", table((), rows), css="ss-facts") if rows else Markup("")


def footer(*lines: str) -> Markup:
    """What there is to know about the answer as a whole."""
    said = [line for line in lines if line]
    return h("div", [h("div", h("bdi", line)) for line in said], css="ss-foot") if said else Markup("")
