"""Hits of a search, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.notebook.display.markup import (
    ROWS,
    Child,
    badge,
    bar,
    chip,
    footer,
    h,
    marked,
    name,
    stored,
    table,
    when,
)
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.hits import Found, Hit, Matches

__all__ = ["found", "matches"]

_SNIPPET = 600


def found(result: Found) -> str:
    """Hits with score, name, passage and reasons."""
    best = max([1.0, *(hit.score for hit in result.items)])  # a score may be above 1, where several reasons add up
    rows = [_hit(hit, best) for hit in result.items[:ROWS]]
    left = len(result.items) - ROWS
    return page(
        counted(len(result.items), "atom") if result.items else "nothing was found",
        table((), rows),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            "there is more behind the limit: --limit, or --offset" if result.more else "",
            *result.remarks,
        ),
        beside=["for ", stored(result.query, 200)] if result.query else None,
    )


def _hit(hit: Hit, best: float) -> list[Child]:
    passage = marked(hit.snippet, hit.marks) if len(hit.snippet) <= _SNIPPET else stored(hit.snippet, _SNIPPET)
    parts = [chip(f"{part} {added:+.2f}") for part, added in hit.parts.items()]
    words = chip(f"matched: {', '.join(hit.matched)}") if hit.matched else None
    time = hit.atom.occurred_at or hit.atom.valid_from or hit.atom.recorded_at
    return [
        bar(hit.score / best, f"{hit.score:.2f}"),
        [
            h("div", None if hit.current else badge("earlier"), name(hit.name), "  ", when(time)),
            h("div", badge("outdated"), "newer: ", name(hit.newer)) if hit.newer is not None else None,
            h("div", badge("in conflict"), "a person says this, an agent says ", name(hit.disputed))
            if hit.disputed is not None
            else None,
            h("div", "about ", h("bdi", ", ".join(hit.atom.about)), css="ss-faint") if hit.atom.about else None,
            h("div", passage),
            h("div", parts, words),
            h("div", h("bdi", "by way of ", "; ".join(hit.via), css="ss-faint")) if hit.via else None,
        ],
    ]


def matches(result: Matches) -> str:
    """The atom that is meant, or those that may be, each with how like it is and why."""
    rows: list[list[Child]] = [
        [bar(match.score, f"{match.score:.2f}"), name(match.name), h("span", match.reason, css="ss-faint")]
        for match in result.items
    ]
    headings = {"exact": "this one is meant", "close": "it is not clear which one is meant"}
    return page(headings.get(result.verdict, "nothing is called so, or nearly so"), table((), rows))
