"""What was saved and what was forgotten, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.notebook.display.markup import Child, badge, facts, footer, h, name
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.saved import Forgot, Remembered, Saved, Undone

__all__ = ["forgot", "remembered", "saved", "undone"]

_SHOWN = 20
_TEXT = 500
"""Characters of what is remembered: all of it was just typed."""


def remembered(result: Remembered) -> str:
    """The atom that says the text, and what to do if another name is wanted."""
    clashes: Child = [
        h("div", badge("conflict"), name(one.second), ": ", h("bdi", one.reason)) for one in result.conflicts
    ]
    return page(
        "known already: it is confirmed" if result.confirmed else "remembered",
        facts({"name": name(result.name), "value": h("bdi", result.value[:_TEXT])}),
        clashes,
        footer("to settle a conflict: %memory resolve FIRST SECOND [--keep NAME]" if result.conflicts else ""),
    )


def saved(result: Saved) -> str:
    """What became of each item."""
    groups = {
        "recorded": result.recorded,
        "said again": result.confirmed,
        "out of use": result.tombstoned,
        "not there yet": result.dangling,
        "saved, but not checked for conflicts": result.unchecked,
    }
    changed = len(result.recorded) + len(result.tombstoned) + len(result.edges) + len(result.unedged)
    edges = [f"{len(result.edges):,} stated"] if result.edges else []
    edges += [f"{len(result.unedged):,} taken back"] if result.unedged else []
    clashes: Child = [
        h("div", badge("conflict"), name(one.first), " / ", name(one.second), ": ", h("bdi", one.reason))
        for one in result.conflicts[:_SHOWN]
    ]
    refused: Child = [
        h("div", badge("refused", "bad"), h("bdi", f"{one.item}: {one.reason}")) for one in result.refused
    ]
    return page(
        f"saved {counted(changed, 'change')}" if changed else "nothing new: it was said before",
        facts({**{word: _names(names) for word, names in groups.items()}, "edges": ", ".join(edges)}),
        clashes,
        refused,
        footer("to settle a conflict: %memory resolve FIRST SECOND [--keep NAME]" if result.conflicts else ""),
        beside=f"log of {counted(result.head.head.size, 'entry', 'entries')}, root {result.head.head.root.hex()[:12]}",
    )


def undone(result: Undone) -> str:
    """What was taken back, or would be."""
    groups = {
        "out of use": result.tombstoned,
        "as before": result.restored,
        "in use again": result.revived,
        "edges taken back": result.unedged,
        "edges as before": result.edges,
    }
    return page(
        "would be taken back" if result.dry_run else "taken back",
        facts({word: _names(names) for word, names in groups.items()}),
        footer(*calls.what_was_undone(result, "%memory"), "" if result.dry_run else "to do it again: %memory undo"),
        beside=badge("dry run", "plain") if result.dry_run else None,
    )


def _names(names: tuple[str, ...]) -> Child:
    if not names:
        return None
    more = f" … and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return [[[", " if at else "", name(one)] for at, one in enumerate(names[:_SHOWN])], more]


def forgot(result: Forgot) -> str:
    """What was erased, or would be."""
    counts = ("atoms", "versions", "edges", "traces", "sessions", "trainings")
    lasts = "backups and exports made before still hold it; they are yours to delete"
    owed = "the bytes are still in the store's file, since others were reading: memory.compact() takes them out"
    found = any(getattr(result, word) for word in counts) or result.tombstoned
    done = "would be erased" if result.dry_run else "erased for good"
    return page(
        done if found else "there is nothing to erase",
        facts(
            {
                **{word: f"{getattr(result, word):,}" for word in counts if getattr(result, word)},
                "out of use": _names(result.tombstoned),
                "still named in the code of": _names(result.mentioned_by),
                "still in the vault": _names(result.vault_notes),
                "stays, since others speak of it": _names(tuple(result.kept)),
                "forget entries": calls.in_ranges(result.seqs),
            }
        ),
        footer("" if result.dry_run else lasts, owed if not (result.dry_run or result.compacted) else ""),
        beside=badge("dry run", "plain") if result.dry_run else None,
    )
