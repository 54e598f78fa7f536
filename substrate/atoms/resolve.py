"""Which atom is meant by a name or an id, and which version of it; or why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from substrate.atoms.bodies import time_of
from substrate.atoms.meant.near_names import or_near
from substrate.atoms.renames import all_renamed_from
from substrate.errors import Forgotten, NotFound, SchemaInvalid, StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.heads import place_of
from substrate.log.prove import find_record, id_by_name, prove_name, prove_recorded
from substrate.log.tables import DOMAIN_KEYS
from substrate.messages import AN_ATOM, ATOM, FSCK, Hint, Message
from substrate.names import check_known_name
from substrate.proof.bundle import Bundle
from substrate.result import iso
from substrate.schema import is_name, is_time
from substrate.text.quote import if_needed
from substrate.values.times import from_microseconds
from substrate.veil import hidden_in
from substrate.views.atoms import (
    Gap,
    VersionRow,
    find_name,
    first_version,
    gap_of,
    gaps_of,
    latest_version,
    versions_of,
)
from substrate.views.traces import expected_name

__all__ = ["ATOM_ID", "find_subject", "name_of", "read_end", "read_ends", "refused", "resolve"]


ATOM_ID: Final = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
"""An id of an atom or edge as text, with dashes or without."""


def find_subject(transaction: ReadTransaction, name: str) -> bytes:
    """The id that the atom of this name or id has, or will have."""
    if ATOM_ID.fullmatch(name):
        return UUID(name).bytes
    row = find_name(transaction, name)
    if row is not None:
        return row.subject
    return id_by_name(transaction, name)


def resolve(
    transaction: ReadTransaction, name: str, upto: int | None = None, *, asked: int | None = None, suggests: bool = True
) -> VersionRow:
    """The version that the atom of this name or id was at after seq `upto` (None: is at); also a tombstone or gap.

    NotFound if it was not there, with names that are near it, if it `suggests` any, or with when it was first recorded,
    if that was later. `asked` is the time that was asked for, where one was. Forgotten, with proof, if it was
    and has been forgotten as a whole. NameInvalid.
    """
    if isinstance(name, str) and ATOM_ID.fullmatch(name):
        subject = UUID(name).bytes
        name = Message(ATOM, f" {UUID(name)}")
        gap = gap_of(transaction, subject)
        gaps = [] if gap is None else [gap]
    else:
        name = check_known_name(name)
        found = find_name(transaction, name)
        if found is not None and (upto is None or found.seq <= upto):
            return found
        subject = b"" if found is None else found.subject
        gaps = gaps_of(transaction, place_of(transaction, name))
    if subject:
        for version in versions_of(transaction, subject, upto=upto):
            return version
    for gap in reversed(gaps):
        if upto is None or gap.covers(upto) or upto >= gap.seq:
            proof = _proof_of(transaction, name, gap)
            told: list[str] = [name, f" was forgotten by entry {gap.seq}; what it said is erased for good"]
            # Encrypting forgets the text, too, and keeps it as ciphertext; of which name, only the domain's key tells.
            if hidden_in(transaction) is None and transaction.any(DOMAIN_KEYS):
                told.append(Hint("unlock_forgotten", ", unless it was encrypted: then read it with unlock()"))
            raise Forgotten(Message(*told), proof)
    when = "" if upto is None else _as_of(transaction, subject, upto, asked)
    near = or_near(transaction, name) if suggests and not subject else ""
    raise NotFound("there is no ", name, f"{when}{near}")


def _as_of(transaction: ReadTransaction, subject: bytes, upto: int, asked: int | None) -> str:
    """The moment at which an atom was not there, and when it came, if it did."""
    entry = f"entry {upto}" if upto >= 0 else ""
    if asked is None or not is_time(asked):  # its zone may take it out of the years that there are
        when = f" as of {entry or 'the beginning'}"
    else:
        when = f" as of {_told(asked)} ({entry or 'before the first entry'})"
    first = first_version(transaction, subject) if subject else None
    if first is not None:
        before = _called(transaction, subject, upto)
        then = "" if before is None else f". It had the name {if_needed(before)} then: ask for that name"
        return f"{when}: it was first recorded at {_told(time_of(transaction, first))} (entry {first}){then}"
    return when if upto >= 0 else f"{when}: nothing had been recorded by then"


def _called(transaction: ReadTransaction, subject: bytes, upto: int) -> str | None:
    """The name that an atom had as of `upto`, before it was renamed, once or several times; None if it had none."""
    for before in all_renamed_from(transaction, subject):
        if latest_version(transaction, before, upto) is not None:
            return name_of(transaction, before)
    return None


def _told(time: int) -> str:
    return iso(from_microseconds(time))


def _proof_of(transaction: ReadTransaction, name: str, gap: Gap) -> Bundle:
    """That a name is forgotten; or, if it has been recorded again since or is not known, that it once was."""
    record = find_record(transaction, name) if "." in name else None
    if record is not None and record.seq == gap.seq:
        return prove_name(transaction, name)
    return prove_recorded(transaction, gap.seq)


def refused(transaction: ReadTransaction, version: VersionRow) -> Forgotten:
    """The error for a version that was erased while its atom stays, with the proof of it."""
    name = name_of(transaction, version.subject) or Message(ATOM, f" {UUID(bytes=version.subject)}")
    by = version.forgotten_by
    if by is None:
        raise StoreDamaged(f"version {version.seq} lost its body without a forget entry; run ", FSCK)
    proof = prove_recorded(transaction, by)
    told = Message(f"version {version.seq} of ", name, f" was forgotten by entry {by}; what it said is erased")
    return Forgotten(told, proof)


def name_of(transaction: ReadTransaction, subject: bytes) -> str | None:
    """The name of the atom with this id; of one that edges wait for too. None if nobody knows it (any more).

    Also None of one that is not of the grammar, in a log from elsewhere: what is no name is not shown as one.
    """
    version = latest_version(transaction, subject)
    if version is not None and version.name is None:  # erased; an earlier one may still say it
        version = next((one for one in versions_of(transaction, subject) if one.name is not None), None)
    if version is not None and version.name is not None:
        return version.name if is_name(version.name) else None
    return expected_name(transaction, subject)


def read_end(text: object, field: str) -> str:
    """The name of an atom, or its id as 32 hexadecimal digits. InputError if it is neither."""
    if not isinstance(text, str):
        raise SchemaInvalid(field, " must be the name or the id of ", AN_ATOM)
    if "." in text:
        return check_known_name(text)
    try:
        return UUID(text).hex
    except ValueError:
        return check_known_name(text)


def read_ends(names: object, field: str) -> list[str]:
    """The same of one, or of several in their order. SchemaInvalid if it is neither."""
    if isinstance(names, str):
        return [read_end(names, field)]
    if not isinstance(names, Iterable) or isinstance(names, bytes | Mapping):
        raise SchemaInvalid(field, " is a name, or a list of names in the order of their access")
    return [read_end(name, field) for name in names]
