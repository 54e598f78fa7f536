"""What the verbs that learn, predict and open a session answer, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from substrate.messages import render
from substrate.notebook.display.atoms import prediction_rows
from substrate.notebook.display.markup import ROWS, Child, Markup, badge, bar, footer, h, name, stored, table
from substrate.notebook.display.style import page
from substrate.notebook.spelling import WORDS, counted

if TYPE_CHECKING:
    from substrate.values.opening import Opening, OpeningAtom
    from substrate.values.predictions import Predictions, Trained

__all__ = ["opening", "predictions", "trained"]


def predictions(result: Predictions) -> str:
    """What is likely, as bars."""
    rows = prediction_rows(result.items)
    after = [" after ", [[name(one), " "] for one in result.context[-5:]]] if result.context else None
    return page(
        "probably needed next" if rows else "nothing is likely enough to be said",
        table((), rows),
        footer(
            f"… {len(result.items) - ROWS:,} more: .to_df() has all" if len(result.items) > ROWS else "",
            *(f"left out: {one.name or one.item}: {one.reason}" for one in result.skipped),
        ),
        beside=after,
    )


def trained(result: Trained) -> str:
    """What was learnt, in its order."""
    path: list[Child] = [[" → " if at else "", name(one)] for at, one in enumerate(result.learnt[:ROWS])]
    return page(
        f"learnt {counted(len(result.learnt), 'atom')}" if result.learnt else "nothing was learnt",
        h("div", path) if path else None,
        footer(
            f"… {len(result.learnt) - ROWS:,} more: .learnt has all" if len(result.learnt) > ROWS else "",
            f"{result.passes} passes are the most; {result.clamped_from} were given" if result.clamped_from else "",
            *(f"skipped: {one.name or one.item}: {one.reason}" for one in result.skipped),
        ),
        beside=[
            f"{counted(result.passes, 'pass', 'passes')}, entry {result.seq}" if result.learnt else None,
            [", for ", stored(result.objective, 200)] if result.objective else None,
        ],
    )


def opening(result: Opening) -> str:
    """The opening of a session: its budget, its sections, and what it lacks."""
    share = result.tokens / result.max_tokens
    conflicts = [
        [badge("conflict"), name(one.first), " / ", name(one.second), ": ", h("bdi", one.reason)]
        for one in result.conflicting_facts
    ]
    absent = [
        [name(one.name), ": ", one.why, [" (needed by ", name(one.needed_by), ")"] if one.needed_by else None]
        for one in result.absent
    ]
    return page(
        stored(result.objective, 300) if result.objective else "opening of a session",
        [_section(word, getattr(result, word)) for word in ("goals", "constraints", "preferences", "atoms")],
        _lines("conflicts", conflicts),
        _lines("absent", absent),
        None
        if len(result) and not result.remark
        else h("div", render(result.remark, WORDS) or "nothing is known that would help"),
        footer(
            f"left out: {result.left_out.text()}" if result.left_out.to_dict() else "",
            f"matched by words only: {result.meaning}" if result.meaning else "",
            f"not embedded yet, so matched by words only: {result.lag:,}" if result.lag else "",
            "for a prompt: .text()",
        ),
        beside=bar(share, f"{result.tokens:,} of {result.max_tokens:,} tokens"),
    )


def _section(word: str, atoms: tuple[OpeningAtom, ...]) -> Markup | None:
    if not atoms:
        return None
    rows = [_atom(one) for one in atoms[:ROWS]]
    more = f"… {len(atoms) - ROWS:,} more: .to_df() has all" if len(atoms) > ROWS else ""
    return h("div", h("div", word, css="ss-section"), h("div", table((), rows), css="ss-even"), footer(more))


def _atom(one: OpeningAtom) -> list[Child]:
    evidence = None if one.evidence is None else bar(one.evidence, f"evidence {one.evidence:.2f}")
    short = f"beginning of {one.shortened:,} characters" if one.shortened else ""
    about = h("div", "about ", h("bdi", ", ".join(one.entities)), css="ss-faint") if one.entities else None
    newer = h("div", badge("outdated"), "newer: ", name(one.newer)) if one.newer else None
    stale = [badge("to be reviewed"), h("bdi", one.stale)] if one.stale else None
    return [
        [h("div", name(one.name)), about, h("div", stored(one.value)), newer, h("div", stale) if stale else None],
        [evidence, h("div", h("bdi", one.why or ""), " ", short, css="ss-faint")],
    ]


def _lines(title: str, lines: Sequence[Sequence[Child]]) -> Child:
    if not lines:
        return None
    return [h("div", title, css="ss-section"), [h("div", line) for line in lines]]
