"""The verbs about what memory is about: entities, extract. None of them writes anything."""

from __future__ import annotations

from argparse import Namespace

from substrate.cli.answer import Answer, Table
from substrate.cli.output import Output
from substrate.cli.stores import reading
from substrate.commands import calls
from substrate.text.quote import as_word

__all__ = ["entities", "extract"]


def entities(given: Namespace, _: Output) -> Answer:
    """Print the directory."""
    with reading(given) as memory:
        found = calls.entities(memory, given)
    rows = [
        (item.name, item.type, item.mentions, ", ".join(item.aliases) or None, item.atom if item.id else None)
        for item in found
    ]
    hints = [f"there are more: --by name --after {as_word(found.next)}"] if found.next else []
    if found.more:
        hints.append(f"there are {found.more:,} more: --offset {given.offset + len(rows)}")
    if any(item.id is None for item in found):
        hints.append("a name without an atom is in one text alone; it gets its atom with the second text")
    if not rows:
        hints.append("there are no such entities; substrate ingest finds those of a text")
    table = Table(("name", "type", "=mentions", "aliases", "atom"), rows)
    return Answer(found.to_dict(), (table,) if rows else (), tuple(hints))


def extract(given: Namespace, _: Output) -> Answer:
    """Print the names in a text."""
    from substrate.entities.extract import extract_entities  # noqa: PLC0415 - its lists of words take a moment

    found = extract_entities(" ".join(given.text))  # it needs no store
    hints = [f"and {found.more} more"] if found.more else []
    if not found:
        hints.append("there is no name in it")
    table = Table(("name", "kind"), [(item.name, item.kind) for item in found])
    return Answer(found.to_dict(), (table,) if found else (), tuple(hints))
