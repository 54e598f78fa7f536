"""What waits for a person, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.notebook.display.markup import Child, footer, h, name, stored, table, when
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.review.pending import Accepted, Declined, Proposal, Proposals

__all__ = ["accepted", "declined", "proposals"]

_SHOWN = 20
"""Proposals that an output shows, each with its texts."""


def proposals(result: Proposals) -> str:
    """What waits, with the text before and after."""
    rows = [
        [name(one.id), one.kind, _about(one), stored(one.value), "" if one.expires_at is None else when(one.expires_at)]
        for one in result.items[:_SHOWN]
    ]
    left = len(result.items) - _SHOWN
    return page(
        f"{counted(len(result.items), 'proposal')} for you to decide" if result.items else "nothing waits for you",
        table(("id", "kind", "about", "proposed text", "expires"), rows),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            "there is more: --limit" if result.more else "",
            "to decide: %memory pending --accept ID, or --decline ID" if result.items else "",
        ),
    )


def accepted(result: Accepted) -> str:
    """What came of it."""
    where = [] if result.domain is None else [" in ", name(result.domain), ", which is new" if result.created else ""]
    return page(f"accepted the {result.kind}", h("div", name(result.name), *where))


def declined(result: Declined) -> str:
    """What was declined."""
    return page(f"declined the {result.kind}", h("div", name(result.name or result.id)))


def _about(one: Proposal) -> Child:
    if one.name is not None:
        return [h("div", name(one.name)), stored(one.original) if one.original is not None else ""]
    near = [h("div", "near: ", name(match.name), f" ({match.reason})") for match in one.candidates]
    return [h("div", stored(one.domain or "")), *near]
