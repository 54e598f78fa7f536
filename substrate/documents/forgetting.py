"""Forgetting a whole with its parts: a document and its chunks, in all versions, and entities known by it alone.

What goes is looked for again after it went: chunks that were recorded meanwhile go too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Final, NamedTuple

from substrate.atoms.bodies import bodies_or_damage
from substrate.atoms.meant.near_names import or_near
from substrate.atoms.resolve import find_subject, name_of
from substrate.documents.naming import DOCUMENT, chunk_prefix
from substrate.documents.slots import attrs_of
from substrate.entities.orphans import mentioned_by, unmentioned
from substrate.errors import NotFound
from substrate.forget.forget import forget
from substrate.forget.select import Selection
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored_entry
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.log.tables import ENTRIES, seq_key
from substrate.proof.entry import Kind
from substrate.values.progress import Progress
from substrate.values.saved import Forgot
from substrate.views.atoms import latest_version, names, versions_of
from substrate.views.edges import edges_touching
from substrate.views.words import NONE, beside

__all__ = ["Parts", "forget_whole", "parts_of"]

_ROUNDS: Final = 5


def forget_whole(log: Log, selection: Selection, *, dry_run: bool, progress: Progress | None = None) -> Forgot:
    """See `Memory.forget`. The selection names the whole alone. NotFound if there is neither it nor a part of it."""
    (whole,) = selection.names
    with log.snapshot() as transaction:
        everything = _all_of(transaction, whole)
        if not everything.subjects:
            raise NotFound(f"there is no {whole}: nothing was forgotten{or_near(transaction, whole)}")
        everything = everything._replace(kept=_copies(transaction, whole) | everything.kept)
    forgot = _forget(log, everything, dry_run=dry_run, progress=progress)
    for _ in range(_ROUNDS if not dry_run else 0):
        with log.snapshot() as transaction:
            everything = _all_of(transaction, whole)
        if not everything.subjects:
            break
        forgot = _sum(forgot, _forget(log, everything, dry_run=False, progress=progress))
    return forgot


class _Everything(NamedTuple):
    """What goes with a whole, in the order in which it goes; and which parts and entities stay, with the reason."""

    subjects: tuple[bytes, ...]
    kept: dict[str, str]


def _forget(log: Log, everything: _Everything, *, dry_run: bool, progress: Progress | None) -> Forgot:
    named = Selection(tuple(subject.hex() for subject in everything.subjects))
    return replace(forget(log, named, dry_run=dry_run, progress=progress), kept=everything.kept)


class Parts(NamedTuple):
    """What goes with a whole, and what was called a part of it and stays, by name, with the reason."""

    subjects: tuple[bytes, ...]
    kept: Mapping[str, str]


def parts_of(transaction: ReadTransaction, whole: bytes, name: str | None) -> Parts:
    """The atoms that are parts of an atom, and of their parts.

    One statement that something is a part of this must not take it along: a document stays, and so does what was
    recorded as anything but a part. Chunks go by their names, also those that somebody saved without a parent.
    """
    found: dict[bytes, None] = {}
    if name is not None and name.startswith(DOCUMENT):
        found = dict.fromkeys(row.subject for row in names(transaction, chunk_prefix(name)))
    kept: dict[str, str] = {}
    waiting = [whole, *found]
    while waiting:
        above = waiting.pop()
        for seq in beside(transaction, above, NONE, after=True):
            part = stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).subject
            if part in found or part == whole:
                continue
            if why := _stays(transaction, part, above):
                kept[name_of(transaction, part) or id_text(part)] = why
            else:
                found[part] = None
                waiting.append(part)
    return Parts(tuple(found), kept)


def _stays(transaction: ReadTransaction, part: bytes, whole: bytes) -> str:
    """Why an atom that was once stated to be a part of another does not go with it; empty: it goes."""
    if (name_of(transaction, part) or "").startswith(DOCUMENT):
        return "it is a document by itself"
    puts = [version.seq for version in versions_of(transaction, part) if version.kind is Kind.PUT and version.name]
    found = bodies_or_damage(transaction, puts)
    bodies = (body.members for body in found if body is not None and body.damage is None)
    return "" if all(body.get("parent") == whole.hex() for body in bodies) else "it was recorded by itself, too"


def _all_of(transaction: ReadTransaction, whole: str) -> _Everything:
    """The entities that nothing else speaks of, the parts, and last the whole: who is interrupted can begin again."""
    subject = find_subject(transaction, whole)
    name = whole if "." in whole else name_of(transaction, subject)
    parts = parts_of(transaction, subject, name)
    known = (*parts.subjects, subject)
    there = [one for one in known if latest_version(transaction, one) is not None or edges_touching(transaction, one)]
    orphans = unmentioned(transaction, mentioned_by(transaction, there), there)
    return _Everything((*orphans.unmentioned, *there), {**parts.kept, **dict(orphans.kept)})


def _copies(transaction: ReadTransaction, whole: str) -> dict[str, str]:
    """Other documents that were made of the same bytes in any version, such as that of a file before it was moved."""
    subject = find_subject(transaction, whole)
    digests = _digests(transaction, subject)
    found: dict[str, str] = {}
    for row in names(transaction, DOCUMENT) if digests else ():
        if row.name is not None and row.subject != subject and digests & _digests(transaction, row.subject):
            state = "in use" if row.kind is Kind.PUT else "out of use"
            found[row.name] = f"it has the same text, and is {state}: forget it too, if the text is to go"
    return found


def _digests(transaction: ReadTransaction, document: bytes) -> set[object]:
    """The digests of the bytes that the versions of a document were made of; not of none."""
    puts = [version.seq for version in versions_of(transaction, document) if version.kind is Kind.PUT]
    said = (attrs_of(body) for body in bodies_or_damage(transaction, puts) if body is not None and body.damage is None)
    return {attrs["digest"] for attrs in said if isinstance(attrs.get("digest"), str) and attrs.get("bytes")}


def _sum(one: Forgot, two: Forgot) -> Forgot:
    """What both erased."""
    added = {
        field.name: getattr(one, field.name) + getattr(two, field.name)
        for field in fields(Forgot)
        if field.name not in ("dry_run", "compacted", "kept")
    }
    return replace(two, **added, kept={**one.kept, **two.kept})
