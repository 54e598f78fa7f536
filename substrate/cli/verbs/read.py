"""The verbs that read: access, list, edges, history, diff. None of them writes anything."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import substrate
from substrate.cli.answer import Answer, Raw, Sheet, Table, titled
from substrate.cli.output import Output
from substrate.cli.stores import check_hint, reading
from substrate.commands import calls
from substrate.commands.files import write_text
from substrate.errors import Forgotten, InputError
from substrate.text.quote import as_command, as_word, is_seen

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.proof.bundle import Bundle
    from substrate.values.atoms import Access, Atom, Listing, Version
    from substrate.values.edges import Edge

__all__ = ["access", "diff", "edges", "history", "list_atoms"]

_PAGE = 1000
"""As many atoms as one call of the engine gives."""


def when(time: datetime | None) -> str | None:
    """A time as text, in UTC and to the second."""
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ")


# -- access ------------------------------------------------------------------------------------------------------


def access(given: Namespace, output: Output) -> Answer:
    """Print one atom."""
    if given.proof == "-" and given.json:
        raise InputError("--json prints the proof with the rest: leave out the - of --proof, or give a file")
    with reading(given) as memory:
        try:
            found = memory.access(
                given.name,
                as_of=given.as_of,
                valid_at=given.valid_at,
                proof=given.proof is not None,
                predictions=given.predictions,
            )
        except Forgotten as error:
            if isinstance(error.proof, substrate.Bundle) and given.proof is not None:
                output.show(_proven(error.proof, given.proof, given))
            raise
    if found.proof is not None and given.proof == "-":
        return _proven(found.proof, "-", given)
    hints = _proven(found.proof, given.proof, given).hints if found.proof is not None else ()
    if not output.on_terminal and found.atom.superseded_by:
        hints += (f"superseded by {', '.join(found.atom.superseded_by)}",)
    if not output.on_terminal:  # there the sheet says it
        hints += tuple(f"{label}: {said}" for label, said in _told_beside(found) if said is not None)
    return Answer(found.to_dict(), (Sheet(found.name, found.value, _facts(found)),), hints)


def _told_beside(found: Access) -> list[tuple[str, str | None]]:
    """What else who reads it should know now."""
    following = ", ".join(f"{item.name} {item.probability:.0%}" for item in found.predictions)
    renamed = None if found.renamed_from is None else f"{found.renamed_from} was renamed to {found.name}"
    return [
        ("renamed", renamed),
        ("to be reviewed", "; ".join(found.stale) or None),
        ("needed next", following or None),
    ]


def _proven(proof: Bundle, to: str, given: Namespace) -> Answer:
    """The proof on standard output, or in its file."""
    if to == "-":
        return Answer({}, (Raw(proof.to_json()),))
    write_text(to, proof.to_json(), "the proof")
    return Answer(hints=(f"the proof that it is {proof.claim} is in {to}; {check_hint(given, to)}",))


def _facts(found: Access) -> list[tuple[str, object]]:
    atom = found.atom
    return [
        ("tags", ", ".join(atom.tags) or None),
        ("entities", ", ".join(atom.entities) or None),
        ("confidence", atom.confidence),
        ("source", atom.source),
        ("origin", atom.origin),
        ("actor", atom.actor),
        ("session", atom.session),
        ("occurred", when(atom.occurred_at)),
        ("valid from", when(atom.valid_from)),
        ("valid to", when(atom.valid_to)),
        ("superseded by", ", ".join(atom.superseded_by) or None),
        *_told_beside(found),
        ("recorded", f"{when(atom.recorded_at)}, seq {atom.seq}"),
        ("confirmed", when(atom.confirmed_at)),
        ("id", atom.id),
    ]


# -- list --------------------------------------------------------------------------------------------------------


def list_atoms(given: Namespace, output: Output) -> Answer:
    """Print atoms by name."""
    with reading(given) as memory:
        pages = _pages(memory, given)
        if given.all and not (output.json or output.on_terminal):
            # Page by page, so that it starts at once and a million atoms need no more memory than a thousand.
            for page in pages:
                output.show(Answer({}, (_listed(page.items, given, output),)))
            return Answer()
        items: list[Atom] = []
        last: Listing | None = None
        for last in pages:
            items += last.items
        unknown = "" if items else calls.unknown_types(memory, given.type)
    following = None if last is None else last.next
    document: dict[str, object] = {"items": [_document(atom, given) for atom in items]}
    if following:
        document["next"] = following
    if last is not None and last.forgotten:
        document["forgotten"] = last.forgotten
    hints = []
    if following:
        hints.append(f"there are more: --after {as_word(following)} continues, --all lists all")
    if not items:
        if unknown:
            hints.append(unknown)
        elif given.type or given.tag or given.domain:
            hints.append("there is no such atom")
        else:
            hints.append("no atom has such a name" if given.prefix else "there are no atoms")
    if last is not None and last.forgotten:
        hints.append(f"{last.forgotten} atoms of that time have been forgotten since")
    return Answer(document, (_listed(items, given, output),) if items else (), tuple(hints))


def _pages(memory: Memory, given: Namespace) -> Iterator[Listing]:
    """As many pages as --limit or --all ask for."""
    left, after, offset = given.limit, given.after, given.offset
    while True:
        page = memory.list(
            given.prefix,
            limit=_PAGE if given.all else min(left, _PAGE),
            offset=offset,
            after=after,
            type=given.type or None,
            tags=given.tag or (),
            domain=given.domain or None,
            tombstoned=given.tombstoned,
            superseded=given.superseded,
            as_of=given.as_of,
            valid_at=given.valid_at,
        )
        yield page
        left -= len(page.items)
        after, offset = page.next, 0
        if after is None or (left <= 0 and not given.all):
            return


def _document(atom: Atom, given: Namespace) -> object:
    return atom.name if given.names else atom.to_dict()


def _listed(atoms: list[Atom] | tuple[Atom, ...], given: Namespace, output: Output) -> Raw | Table:
    if given.names:
        return Raw("".join(f"{atom.name if is_seen(atom.name) else atom.id}\n" for atom in atoms))
    return Table(
        ("name", "~value", "=seq", "=recorded", "state"),
        [(atom.name, _value(atom, output), atom.seq, when(atom.recorded_at), _state(atom)) for atom in atoms],
    )


def _value(atom: Atom, output: Output) -> str:
    """What it says; to a person also where a text comes from, as names of chunks are digests, or whom it is about."""
    if output.on_terminal and atom.origin == "ingested" and atom.source:
        return f"[{atom.source}] {atom.value}"
    if output.on_terminal and atom.about:
        return f"(about {', '.join(atom.about)}) {atom.value}"
    return atom.value


def _state(atom: Atom) -> str | None:
    if atom.damaged is not None:
        return f"damaged: {atom.damaged}"
    if atom.tombstoned:
        return "tombstoned" if atom.reason is None else f"tombstoned: {atom.reason}"
    return f"superseded by {', '.join(atom.superseded_by)}" if atom.superseded_by else None


# -- edges -------------------------------------------------------------------------------------------------------


def edges(given: Namespace, output: Output) -> Answer:
    """Print the edges of an atom."""
    with reading(given) as memory:
        found = calls.edges(memory, given)
    titles = found.titles if output.on_terminal else {}
    rows = [
        (
            titled(edge.source, titles),
            edge.type,
            titled(edge.target, titles),
            edge.seq,
            _windows(edge),
            _dangling(edge),
            edge.id,
        )
        for edge in found
    ]
    hints = []
    if found.more:
        hints.append(f"there are more: --offset {given.offset + len(found)}")
    if not rows:
        hints.append("it has no such edges")
    table = Table(("source", "type", "target", "=seq", "holds", "state", "?id"), rows)
    return Answer({"items": [], **found.to_dict()}, (table,) if rows else (), tuple(hints))


def _dangling(edge: Edge) -> str | None:
    return f"dangling {', '.join(edge.dangling)}" if edge.dangling else None


def _windows(edge: Edge) -> str | None:
    """When it holds; nothing for always."""
    return ", ".join(f"{when(window.start) or ''}..{when(window.end) or ''}" for window in edge.windows) or None


# -- history and diff --------------------------------------------------------------------------------------------


def history(given: Namespace, _: Output) -> Answer:
    """Print the versions of an atom."""
    with reading(given) as memory:
        found = memory.history(given.name, as_of=given.as_of, valid_at=given.valid_at, limit=given.limit)
    rows = [
        (
            version.seq,
            when(version.recorded_at),
            version.kind,
            version.actor,
            _told(version),
            _valid(version),
        )
        for version in found
    ]
    table = Table(("=seq", "=recorded", "=kind", "actor", "~value", "holds"), rows)
    hints = ["there are older ones: --limit N, or --as-of"] if found.more else []
    if found.renamed_from is not None:
        hints.append(f"renamed; earlier versions: {as_command('substrate', 'history', found.renamed_from)}")
    return Answer({"items": [], **found.to_dict()}, (table,) if rows else (), tuple(hints))


def _valid(version: Version) -> str | None:
    """When it holds, where that is said; or that it never did."""
    if version.taken_back_by is not None:
        return f"never: undone by entry {version.taken_back_by}"
    atom = version.atom
    if atom is None or (atom.valid_from is None and atom.valid_to is None):
        return None
    return f"{when(atom.valid_from) or ''}..{when(atom.valid_to) or ''}"


def _told(version: Version) -> str | None:
    if version.atom is not None:
        return version.atom.value
    if version.reason is not None:
        return f"({version.reason})"
    return None if version.forgotten_by is None else f"(forgotten by entry {version.forgotten_by})"


def diff(given: Namespace, _: Output) -> Answer:
    """Print what changed between two moments."""
    with reading(given) as memory:
        found = memory.diff(given.start, given.stop, prefix=given.prefix, valid_at=given.valid_at, limit=given.limit)
    rows = [(change.kind, change.name or change.id, change.said_before, change.said_after) for change in found]
    hints = () if rows else (f"nothing changed after entry {found.start} up to entry {found.stop}",)
    if found.left_out:
        hints = (f"these are the latest; {found.left_out:,} changes before them are left out",)
    table = Table(("=change", "name", "~before", "~after"), rows)
    return Answer({"items": [], **found.to_dict()}, (table,) if rows else (), hints)
