"""Forgetting a whole with its parts: a document and its chunks, in all versions, and entities known by it alone.

What goes is looked for again after it went: chunks that were recorded meanwhile go too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Final, NamedTuple

from substrate.atoms.meant.near_names import or_near
from substrate.atoms.resolve import find_subject, name_of
from substrate.documents.naming import DOCUMENT, chunk_prefix
from substrate.entities.orphans import mentioned_by, unmentioned
from substrate.errors import NotFound
from substrate.forget.forget import forget
from substrate.forget.select import Selection
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored_entry
from substrate.log.log import Log
from substrate.log.tables import ENTRIES, seq_key
from substrate.values.progress import Progress
from substrate.values.saved import Forgot
from substrate.views.atoms import names, versions_of
from substrate.views.edges import edges_touching
from substrate.views.words import NONE, beside

__all__ = ["forget_whole", "parts_of"]

_ROUNDS: Final = 5


def forget_whole(log: Log, selection: Selection, *, dry_run: bool, progress: Progress | None = None) -> Forgot:
    """See `Memory.forget`. The selection names the whole alone. NotFound if there is neither it nor a part of it."""
    (whole,) = selection.names
    with log.snapshot() as transaction:
        everything = _all_of(transaction, whole)
        if not everything.subjects:
            raise NotFound(f"there is no {whole}: nothing was forgotten{or_near(transaction, whole)}")
    forgot = _forget(log, everything, dry_run=dry_run, progress=progress)
    for _ in range(_ROUNDS if not dry_run else 0):
        with log.snapshot() as transaction:
            everything = _all_of(transaction, whole)
        if not everything.subjects:
            break
        forgot = _sum(forgot, _forget(log, everything, dry_run=False, progress=progress))
    return forgot


class _Everything(NamedTuple):
    """What goes with a whole, in the order in which it goes; and which entities stay, with the reason."""

    subjects: tuple[bytes, ...]
    kept: Mapping[str, str]


def _forget(log: Log, everything: _Everything, *, dry_run: bool, progress: Progress | None) -> Forgot:
    named = Selection(tuple(subject.hex() for subject in everything.subjects))
    return replace(forget(log, named, dry_run=dry_run, progress=progress), kept=everything.kept)


def parts_of(transaction: ReadTransaction, whole: bytes, name: str | None) -> Iterator[bytes]:
    """The ids of the atoms that are or were parts of an atom, and of their parts; some twice."""
    found: set[bytes] = set()
    waiting = [whole]
    while waiting:
        for seq in beside(transaction, waiting.pop(), NONE, after=True):
            part = stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).subject
            if part not in found and part != whole:
                found.add(part)
                waiting.append(part)
    yield from found
    # Chunks whose last version somebody saved without a parent are parts by their name.
    if name is not None and name.startswith(DOCUMENT):
        yield from (row.subject for row in names(transaction, chunk_prefix(name)))


def _all_of(transaction: ReadTransaction, whole: str) -> _Everything:
    """The entities that nothing else speaks of, the parts, and last the whole: who is interrupted can begin again."""
    subject = find_subject(transaction, whole)
    name = whole if "." in whole else name_of(transaction, subject)
    known = dict.fromkeys((*parts_of(transaction, subject, name), subject))
    there = [
        one
        for one in known
        if next(versions_of(transaction, one), None) is not None or edges_touching(transaction, one)
    ]
    orphans = unmentioned(transaction, mentioned_by(transaction, there), there)
    return _Everything((*orphans.unmentioned, *there), dict(orphans.kept))


def _sum(one: Forgot, two: Forgot) -> Forgot:
    """What both erased."""
    added = {
        field.name: getattr(one, field.name) + getattr(two, field.name)
        for field in fields(Forgot)
        if field.name not in ("dry_run", "compacted", "kept")
    }
    return replace(two, **added, kept={**one.kept, **two.kept})
