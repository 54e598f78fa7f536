"""The verbs that find: search, which. They write nothing but the vectors of what is new, if that is little."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Facts, Table
from substrate.cli.exits import Exit
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verbs.models import MODEL_WAIT_S
from substrate.commands import calls
from substrate.errors import SubstrateError

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.hits import Found, Hit

__all__ = ["cues", "search", "which"]

_FEW = 500
"""Versions that are embedded on the way, in some seconds. Of more it is said that `index` does it."""


def search(given: Namespace, output: Output) -> Answer:
    """Print the hits of a search."""
    with reading(given) as memory:
        found = _found(memory, given)
        unknown = "" if found.items else calls.unknown_types(memory, given.type)
    if not given.words and 0 < found.lag <= _FEW:
        found = _indexed(given, output) or found
    columns = ("=score", "=name", "text", *(["why"] if given.why else []))
    rows = [_row(hit, why=given.why) for hit in found]
    return Answer(found.to_dict(), (Table(columns, rows),), (*_hints(found, given), *((unknown,) if unknown else ())))


def which(given: Namespace, _: Output) -> Answer:
    """Print the atom that a text means, or those that it may mean."""
    with reading(given) as memory:
        found = memory.which(" ".join(given.text), given.kind)
    rows = [(match.name, f"{match.score:.2f}", match.reason, match.id) for match in found]
    if found.verdict == "exact":
        return Answer(found.to_dict(), (Table(("name", "=score", "reason", "?id"), rows),))
    hint = "no exact match: choose one of these" if rows else "no atom has this name or a similar one"
    table = Table(("name", "=score", "reason", "?id"), rows)
    return Answer(found.to_dict(), (table,) if rows else (), (hint,), exit=Exit.NOT_FOUND)


def cues(given: Namespace, _: Output) -> Answer:
    """Print what the wording of a message asks of memory."""
    from substrate.transcripts.cues import cues_of  # noqa: PLC0415 - its tables take a moment

    found = cues_of(" ".join(given.text))  # it needs no store
    said = [("advice", found.advice), ("keep", f"{found.keep:.2f}"), ("recall", f"{found.recall:.2f}")]
    more = [("type", found.type), ("query", found.query or None)]
    why = [(kind, ", ".join(phrases)) for kind, phrases in found.phrases.items()]
    return Answer(found.to_dict(), (Facts([*said, *more, *why]),))


def _found(memory: Memory, given: Namespace) -> Found:
    return calls.search(memory, given, " ".join(given.query), limit=given.limit, wait=MODEL_WAIT_S)


def _indexed(given: Namespace, output: Output) -> Found | None:
    """Search again when the few versions that are new are embedded; None if they cannot be."""
    try:
        with writing(given) as memory:
            if memory.model().waiting > _FEW:
                return None
            with output.progress("embedding") as progress:
                memory.index(progress)
            return _found(memory, given)
    except SubstrateError:  # what was found without it is an answer too
        return None


def _row(hit: Hit, *, why: bool) -> tuple[object, ...]:
    text = " ".join(hit.snippet.split())
    if hit.atom.origin == "ingested" and hit.atom.source:
        text = f"[{hit.atom.source}] {text}"  # the name of a chunk says nothing about where it stands
    if hit.atom.about:
        text = f"(about {', '.join(hit.atom.about)}) {text}"
    if hit.newer is not None:
        text = f"(newer: {hit.newer}) {text}"
    if hit.disputed is not None:
        text = f"({hit.in_dispute}) {text}"
    row: tuple[object, ...] = (f"{hit.score:.2f}", hit.name, text if hit.current else f"(earlier) {text}")
    if not why:
        return row
    words = f"; words: {', '.join(hit.matched)}" if hit.matched else ""
    return (*row, hit.why + words)


def _hints(found: Found, given: Namespace) -> list[str]:
    hints = []
    if not found.items:
        hints.append("nothing was found")
    hints += [word for word in found.remarks if not (given.words and word.startswith("searched by words"))]
    if found.lag and not found.meaning and not given.words:  # else its reason says what to type
        hints.append("to embed them: substrate index")
    if found.more:
        hints.append(f"there is more: --offset {given.offset + len(found.items)}")
    return hints
