"""How far atoms have faded, the curve of one, and what was touched, swept and promoted."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Final

from substrate.fading.decay import FORGET, PROMOTE, REVIEW
from substrate.notebook.display.markup import ROWS, Child, area, badge, bar, facts, footer, h, name, stored, table, when
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.review.fading import (
        FadingAtom,
        FadingAtoms,
        FadingCurve,
        FadingModel,
        Promoted,
        Swept,
        Touched,
    )

__all__ = ["curve", "fading", "promoted", "swept", "touched"]

_COLUMNS: Final = ("score", "", "uses", "last used", "atom")


def fading(result: FadingAtoms) -> str:
    """A row for each atom, with its score as a bar and what the score means."""
    left = result.total - len(result.items[:ROWS])
    return page(
        counted(result.total, "atom") if result.total else "no atoms",
        table(_COLUMNS, [_row(one) for one in result.items[:ROWS]]),
        footer(
            f"\u2026 {left:,} more: limit= and offset=" if left > 0 else "",
            f"scores by the {_model(result.model)}; their mean is {result.mean_score:.2f}" if result.total else "",
            "to see curves, and to review: memory.show_fading()" if result.total else "",
        ),
    )


def _row(one: FadingAtom) -> list[Child]:
    said = [h("div", name(one.name)), h("div", stored(one.atom.value))]
    return [bar(one.score, f"{one.score:.2f}"), _zone(one), f"{one.uses:,}", when(one.last_used), said]


def _zone(one: FadingAtom) -> Child:
    if one.status != "active":
        return badge(one.status, "plain")
    if one.score < FORGET:
        return badge("faded", "bad")
    if REVIEW[0] < one.score < REVIEW[1]:
        return badge("due", "warn")
    return badge("present", "good") if one.score >= PROMOTE else None


def _model(model: FadingModel) -> str:
    said = model.model.replace("_", " ")
    return said if model.half_life is None else f"{said}, half-life {model.half_life:g} days"


def curve(result: FadingCurve) -> str:
    """The curve as an area, and when the atom falls below each threshold."""
    faded = result.faded
    falls: list[list[Child]] = [[f"below {one.score}", when(one.time), one.means] for one in result.falls]
    return page(
        name(result.name),
        h("div", stored(faded.atom.value)),
        _picture(result),
        facts(
            {
                "score": [bar(faded.score, f"{faded.score:.2f}"), " ", _zone(faded)],
                "uses": f"{faded.uses:,}",
                "last used": when(faded.last_used),
                "falls": table((), falls) if falls else "it has fallen below every threshold",
            }
        ),
        footer(
            f"scores by the {_model(result.model)}", "to see it in detail, and to touch it: memory.show_fading(name)"
        ),
        beside=counted(len(result.uses), "touch", "touches"),
    )


def _picture(result: FadingCurve) -> Child:
    """Heights are roots of scores, so that low ones are told apart. The part to come ends at the right."""
    if len(result.items) < 2:  # noqa: PLR2004 - a curve has two ends
        return None
    first, last = result.items[0].time, result.items[-1].time
    most = max(1.0, *(point.score for point in result.items))
    at = [(point.time - first) / (last - first) for point in result.items]
    corners = [(100 * x, 100 - 100 * sqrt(point.score / most)) for x, point in zip(at, result.items, strict=True)]
    ends = h("div", [h("span", f"{time:%Y-%m-%d}") for time in (first, last)], css="ss-ends")
    now = f"from {first:%Y-%m-%d} to now, {result.now:%Y-%m-%d}, and on to {last:%Y-%m-%d} without further use"
    return h("div", area(corners), ends, css="ss-curve", title=now)


def swept(result: Swept) -> str:
    """What a sweep would take, or took: how many, and the first of them."""
    notes = counted(result.total, "note")
    done = "put away" if result.archived else "taken out of use"
    title = f"{notes} {'would be ' if result.dry_run else ''}{done}" if result.total else "nothing has faded that far"
    left = result.total - len(result.items)
    call = "memory.sweep(archive=True)" if result.archived else "memory.sweep()"
    return page(
        title,
        table(_COLUMNS, [_row(one) for one in result.items]),
        footer(
            f"\u2026 {left:,} more" if left > 0 else "",
            f"nothing is changed yet; to do it: {call}" if result.dry_run and result.total else "",
            "nothing is erased: history(name) still has them" if result.total and not result.dry_run else "",
        ),
        beside=badge("dry run", "plain") if result.dry_run else None,
    )


def touched(result: Touched) -> str:
    """The score of each before and after."""
    rows: Sequence[Sequence[Child]] = [
        [name(one.name), f"{one.before:.2f} \u2192 {one.after:.2f}", f"{one.uses:,}", f"{one.strength:.2f}"]
        for one in result.items[:ROWS]
    ]
    left = len(result.items) - len(rows)
    return page(
        f"{counted(len(result.items), 'atom')} touched",
        table(("atom", "score", "uses", "strength"), rows),
        footer(f"\u2026 {left:,} more: .to_df() has all" if left else ""),
    )


def promoted(result: Promoted) -> str:
    """Notes in the vault, or those that are worth it, each with the reason."""
    rows: list[list[Child]] = [
        [
            [h("div", name(one.name)), h("div", stored(one.faded.atom.value))],
            bar(one.faded.score, f"{one.faded.score:.2f}"),
            stored(one.reason),
            None if one.path is None else stored(one.path),
        ]
        for one in result.items[:ROWS]
    ]
    count = counted(len(result.items), "note")
    title = f"{count} {'would be ' if result.dry_run else ''}promoted" if rows else "no note is worth promoting yet"
    left = result.total - len(rows)
    return page(
        title,
        table(("note", "score", "why", "file in the vault"), rows),
        footer(f"\u2026 {left:,} more" if left > 0 else ""),
        beside=badge("dry run", "plain") if result.dry_run else None,
    )
