"""What a gardener did, as a diff that a person can review; its runs; and edges that look spurious."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.notebook.display.markup import ROWS, Child, badge, bar, footer, h, name, stored, table
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.review.garden import Proposed, Pruned, Tended, Tending

__all__ = ["pruned", "tended", "tending"]

_SIGNS = {"accepted": ("+ edge", "good"), "rejected": ("rejected", "bad"), "unsupported": ("unsupported", "plain")}
_ORDER = tuple(_SIGNS)


def tended(result: Tended) -> str:
    """The changes first: edges stated, atoms and edges taken out of use. Then what stays out, and why."""
    proposals = sorted(result.items, key=lambda one: _ORDER.index(one.verdict) if one.verdict in _SIGNS else 9)
    stated = [_proposal(one) for one in proposals if one.verdict == "accepted"]
    gone: list[list[Child]] = [
        [badge("\u2212 atom", "bad"), name(one), "nothing mentions it"] for one in result.tombstoned
    ]
    gone += [[badge("\u2212 edge", "bad"), stored(one), "its evidence is out of use"] for one in result.unedged]
    others = [_proposal(one) for one in proposals if one.verdict != "accepted"]
    rows = [*stated, *gone, *others]
    left = len(rows) - ROWS
    changes = len(stated) + len(gone)
    return page(
        counted(changes, "change") if changes else "nothing to change",
        table(("", "relation", "why"), rows[:ROWS]),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            f"{result.proposed:,} looked at; sessions {result.sessions_used:,} of {result.sessions:,}",
            f"to take it back: memory.tend(undo={result.run})" if result.seqs is not None else "",
        ),
        beside=badge("dry run", "plain") if result.dry_run else badge(f"run {result.run}", "plain"),
    )


def _proposal(one: Proposed) -> list[Child]:
    sign, tone = _SIGNS.get(one.verdict, (one.verdict, "plain"))
    why = [h("div", stored(one.reason))]
    if one.cited:
        why.append(h("div", name(one.cited)))
    relation = [name(one.source), f" {one.type} ", name(one.target)]
    return [badge(sign, tone), [h("div", relation), bar(one.score, f"{one.score:.2f}")], why]


def tending(result: Tending) -> str:
    """The runs, the last first."""
    rows: list[list[Child]] = [
        [
            str(one.run),
            name(one.domain),
            f"{one.time:%Y-%m-%d %H:%M} UTC",
            f"{one.accepted:,} of {one.proposed:,}",
            f"{one.tombstoned + one.unedged:,}",
            badge("undone", "plain") if one.undone else None,
        ]
        for one in result.items[:ROWS]
    ]
    return page(
        counted(result.runs, "run") if result.runs else "nobody has tended this yet",
        table(("run", "domain", "when", "stated", "taken out", ""), rows),
        footer("to take one back: memory.tend(undo=...)" if result.items else ""),
        beside=badge("at work", "good") if result.is_running else None,
    )


def pruned(result: Pruned) -> str:
    """Edges that look spurious, the worst first."""
    rows: list[list[Child]] = [
        [
            bar(one.score, f"{one.score:.2f}"),
            [name(one.source), f" {one.type} ", name(one.target)],
            badge("taken back", "plain") if one.removed else None,
        ]
        for one in result.items[:ROWS]
    ]
    auc = "" if result.auc is None else f", AUC {result.auc:.2f} of held-out edges"
    return page(
        counted(len(result.items), "edge") + " looks spurious" if result.items else "no edge looks spurious",
        table(("", "edge", ""), rows),
        footer(
            f"{result.method}{auc}; {result.edges:,} edges looked at",
            f"{result.left_out:,} more are above the threshold" if result.left_out else "",
        ),
    )
