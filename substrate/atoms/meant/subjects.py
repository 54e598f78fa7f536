"""The atoms that a caller asks about, several at once: those that are there, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from substrate.atoms.meant.near_names import MOST_SUGGESTED, or_near
from substrate.atoms.resolve import find_subject, read_end, resolve
from substrate.errors import NotFound, SchemaInvalid, TooLarge
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.messages import AN_ATOM, ATOM
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.relations import Missing
from substrate.views.atoms import latest_version
from substrate.views.edges import is_linked

__all__ = ["Subjects", "find_asked", "read_names"]


class Subjects(NamedTuple):
    """The ids of those that are there, in the order asked, and the others."""

    subjects: tuple[bytes, ...]
    missing: tuple[Missing, ...]


def read_names(given: str | Iterable[str], field: str) -> tuple[str, ...]:
    """One name or id, or several. SchemaInvalid, NameInvalid; TooLarge if they are too many."""
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise SchemaInvalid(field, ": give the name or the id of ", AN_ATOM, ", or a list of them")
    most = LIMITS["names"]
    listed = (given,) if isinstance(given, str) else tuple(islice(given, most + 1))
    if not listed:
        raise SchemaInvalid(field, ": give the name or the id of at least one ", ATOM)
    if len(listed) > most:
        raise TooLarge(field, len(listed), most, "names")
    return tuple(dict.fromkeys(read_end(name, field) for name in listed))


def find_asked(snapshot: Snapshot, names: Iterable[str], *, expected: bool = False) -> Subjects:
    """The atoms of these names that were in use at the snapshot; with `expected` those that edges wait for too.

    If none is there: NotFound, or Forgotten with its proof, of the first.
    """
    subjects: dict[bytes, None] = {}
    missing: list[Missing] = []
    first: NotFound | None = None
    for name in names:
        try:
            subjects[_in_use(snapshot, name)] = None
        except NotFound as error:
            waited_for = find_subject(snapshot.transaction, name)
            if expected and error.code == NotFound.code and _is_expected(snapshot.transaction, waited_for):
                subjects[waited_for] = None
                continue
            told = error
            if len(missing) < MOST_SUGGESTED and _is_unknown(snapshot.transaction, error, waited_for):
                told = NotFound(error.message, or_near(snapshot.transaction, name))
            first = first or told
            missing.append(Missing(name, str(told)))
    if first is not None and not subjects:
        raise first
    return Subjects(tuple(subjects), tuple(missing))


def _in_use(snapshot: Snapshot, name: str) -> bytes:
    version = resolve(snapshot.transaction, name, snapshot.upto, asked=snapshot.asked, suggests=False)
    if version.kind is Kind.TOMBSTONE:
        raise NotFound(f"there is no {name}: it was tombstoned by entry {version.seq}; its history shows what it was")
    return version.subject


def _is_unknown(transaction: ReadTransaction, error: NotFound, subject: bytes) -> bool:
    """Whether it never was there: neither forgotten, nor out of use, nor of a later time."""
    return error.code == NotFound.code and latest_version(transaction, subject) is None


def _is_expected(transaction: ReadTransaction, subject: bytes) -> bool:
    """Whether it never was there, and edges point to it."""
    return latest_version(transaction, subject) is None and is_linked(transaction, subject)
