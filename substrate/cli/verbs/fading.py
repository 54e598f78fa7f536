"""The verbs of what fades and what stays: touch, fading, due, sweep, promote."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Facts, Table
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.commands import calls
from substrate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from substrate.values.review.fading import FadingAtom, FadingAtoms

__all__ = ["due", "fading", "promote", "sweep", "touch"]

_COLUMNS = ("=score", "=uses", "=strength", "=last used", "=status", "=name", "~value")


def touch(given: Namespace, _: Output) -> Answer:
    """Say that atoms were used."""
    if not given.names:
        raise InputError("nothing to touch: give names of atoms")
    with writing(given) as memory:
        touched = memory.touch(given.names, boost=given.boost)
    rows = [(one.name, f"{one.before:.3f}", f"{one.after:.3f}", one.uses, f"{one.strength:.2f}") for one in touched]
    columns = ("=name", "=before", "=after", "=uses", "=strength")
    return Answer(touched.to_dict(), (Table(columns, rows),), is_report=True)


def fading(given: Namespace, _: Output) -> Answer:
    """Show how far atoms have faded, or choose how they fade."""
    if given.model is not None or given.half_life is not None:
        with writing(given) as memory:
            chosen = memory.use_fading(given.model, given.half_life)
        facts = [("model", chosen.model), ("half-life in days", chosen.half_life)]
        return Answer(chosen.to_dict(), (Facts(facts, "good"),), is_report=True)
    with reading(given) as memory:
        found = calls.fading(memory, given)
    return _listed(found, given, "there are no atoms")


def due(given: Namespace, _: Output) -> Answer:
    """List what a review helps most."""
    with reading(given) as memory:
        found = memory.due(limit=given.limit, offset=given.offset)
    return _listed(found, given, "nothing is due")


def _listed(found: FadingAtoms, given: Namespace, none: str) -> Answer:
    hints = [] if found.items else [none]
    if found.more:
        hints.append(f"{found.total:,} in all; go on with --offset {given.offset + len(found.items)}")
    return Answer(found.to_dict(), (Table(_COLUMNS, _rows(found)),) if found.items else (), tuple(hints))


def _rows(items: Iterable[FadingAtom]) -> list[tuple[object, ...]]:
    return [
        (
            f"{one.score:.3f}",
            one.uses,
            f"{one.strength:.2f}",
            f"{one.last_used:%Y-%m-%d}",
            one.status,
            one.name,
            one.atom.value,
        )
        for one in items
    ]


def sweep(given: Namespace, _: Output) -> Answer:
    """Take faded notes out of use."""
    with (writing if given.yes else reading)(given) as memory:
        swept = memory.sweep(archive=given.archive, limit=given.limit, dry_run=not given.yes)
    done = "archived" if swept.archived else "swept"
    facts = [(f"would be {done}" if swept.dry_run else done, swept.total), ("sum of scores", round(swept.score_sum, 3))]
    hints = ["nothing has faded below 0.05"] if not swept.total else []
    if swept.dry_run and swept.total:
        hints.append("nothing was changed. Repeat with --yes to take the above out of use")
    table = (Table(_COLUMNS, _rows(swept)),) if swept.items else ()
    return Answer(swept.to_dict(), (Facts(facts), *table), tuple(hints), is_report=not swept.dry_run)


def promote(given: Namespace, _: Output) -> Answer:
    """Write notes to a vault."""
    with (reading if given.dry_run else writing)(given) as memory:
        promoted = memory.promote(given.name, vault=given.vault, force=given.force, dry_run=given.dry_run)
    rows = [(one.name, f"{one.faded.score:.3f}", one.reason, one.path or "") for one in promoted]
    hints = () if rows else ("no note is worth it yet",)
    columns = ("=name", "=score", "=reason", "=path")
    return Answer(promoted.to_dict(), (Table(columns, rows),) if rows else (), hints, is_report=not given.dry_run)
