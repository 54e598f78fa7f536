"""What was recorded of a cell, and the trail that an atom comes from, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.notebook.display.atoms import cell_code
from substrate.notebook.display.markup import Child, badge, chip, facts, footer, h, name, stored, when
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted
from substrate.text.quote import as_word

if TYPE_CHECKING:
    from substrate.notebook.provenance.record import Recorded
    from substrate.notebook.provenance.sources import Step, Trail

__all__ = ["recorded", "trail"]

_SHOWN = 100


def recorded(result: Recorded) -> str:
    """The atom that a cell became."""
    return page(
        name(result.name),
        h("div", stored(result.value, 2000), css="ss-value"),
        facts({"derived from": [[name(one), " "] for one in result.derived_from]}),
        footer(f"where it comes from: %memory why {as_word(result.name)}"),
        beside=[chip(result.kind), "recorded" if result.is_new else "the same as before: confirmed"],
    )


def trail(result: Trail) -> str:
    """Each atom under the one that it led to."""
    left = len(result.items) - _SHOWN
    others = sum(not step.seen for step in result.items) - 1  # an atom that comes again is one atom
    return page(
        f"comes from {counted(others, 'atom')}" if others else "comes from nothing else",
        [_step(one) for one in result.items[:_SHOWN]],
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            "it goes on further: ask about one of these" if result.more else "",
        ),
    )


def _step(step: Step) -> Child:
    led = h("span", f"{step.by} ", css="ss-faint") if step.by else None
    if step.seen or step.recorded_at is None:
        said: Child = h("span", h("bdi", step.absent or "see above"), css="ss-faint")
    else:
        said = [
            badge(step.absent, "plain") if step.absent else None,
            [badge("to be reviewed"), stored("; ".join(step.stale))] if step.stale else None,
            h("div", stored(step.value)),
            h("div", when(step.recorded_at), " ", h("bdi", step.told), css="ss-faint"),
            cell_code(step.notebook),
        ]
    indent = f"margin:2px 0 6px {step.depth * 22}px"
    return h("div", led, name(step.name), " ", said, style=indent)
