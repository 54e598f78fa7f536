"""The verbs that judge: conflicts, which lists what contradicts each other, and resolve, which settles it."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Table
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verbs.save import saved_answer
from substrate.commands import calls

if TYPE_CHECKING:
    from substrate.values.conflicts import Conflict

__all__ = ["conflicts", "resolve"]


def conflicts(given: Namespace, _: Output) -> Answer:
    """Print pairs of atoms that contradict each other."""
    with reading(given) as memory:
        found = memory.conflicts(given.name, limit=given.limit, offset=given.offset, ingested=given.ingested)
    hints = [] if found.items else ["there are no open conflicts"]
    if found.items:
        hints.append("to settle one: substrate resolve FIRST SECOND, with --keep NAME if only one of them is right")
    if found.more:
        hints.append(f"there is more: --offset {given.offset + len(found.items)}")
    columns = ("=first", "=second", "kind", "reason")
    return Answer(found.to_dict(), (Table(columns, [_row(item) for item in found]),), tuple(hints))


def _row(conflict: Conflict) -> tuple[str, str, str, str]:
    return conflict.first.name, conflict.second.name, conflict.kind, conflict.reason


def resolve(given: Namespace, _: Output) -> Answer:
    """Settle a conflict."""
    with writing(given) as memory:
        saved = calls.resolve(memory, given)
    if given.keep is None:
        told = f"{given.first} and {given.second} are both right"
    else:
        other = given.second if given.keep == given.first else given.first
        told = f"{given.keep} supersedes {other}"
    return saved_answer(saved, [("resolved", told)])
