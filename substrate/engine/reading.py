"""Reading atoms and edges out of a snapshot: by name or id, as of a seq, as valid at a time. What the verbs share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

from substrate.clock import Clock
from substrate.codec import decode_body
from substrate.engine.likeness import or_near
from substrate.engine.moments import Moment, Time, read_time, seq_at
from substrate.errors import Forgotten, NotFound, StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.heads import map_salt
from substrate.log.identity import atom_id
from substrate.log.prove import find_record, opened, prove_name, prove_recorded
from substrate.log.stored import stored_entry
from substrate.log.tables import BODIES, ENTRIES, seq_key
from substrate.model import Atom, Edge, Window, from_microseconds, id_text, to_microseconds
from substrate.names import check_name
from substrate.proof.bundle import Bundle
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.proof.hashes import map_key
from substrate.views.atoms import Gap, VersionRow, find_name, gap_of, gaps_of, versions_of
from substrate.views.edges import Link, links_of
from substrate.views.traces import confirmation_of, expected_name

__all__ = [
    "Body",
    "End",
    "Moments",
    "VersionFound",
    "atom_of",
    "bodies_of",
    "body_of",
    "edge_from",
    "edge_of",
    "end_of",
    "find_subject",
    "holding",
    "is_live",
    "joined_to",
    "kind_of",
    "moments_of",
    "name_of",
    "refused",
    "require_bodies",
    "require_body",
    "resolve",
    "sources_of",
    "stated",
    "superseders",
    "time_of",
]

_ID: Final = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
_SUPERSEDES: Final = "supersedes"
_FEW: Final = 20
"""Edges of a hub that are looked at to see what it is joined to."""


@dataclass(frozen=True, slots=True)
class Moments:
    """What a read is of: `upto` a seq (None: now), `valid_at` a time in microseconds (None: any).

    `at` is when windows of `supersedes` edges are looked at: the time asked about, else that of `as_of`, else now.
    """

    upto: int | None
    valid_at: int | None
    at: int


def moments_of(
    transaction: ReadTransaction, clock: Clock, as_of: Moment | None, valid_at: Time | None, field: str = "as_of"
) -> Moments:
    """What a caller asks for. InputError if it is no moment of this log, or no time."""
    upto = seq_at(transaction, as_of, field)
    if valid_at is not None:
        time = read_time(valid_at, "valid_at")
        return Moments(upto, time, time)
    if upto is None:
        return Moments(None, None, clock.now())
    at = to_microseconds(as_of) if isinstance(as_of, datetime) else time_of(transaction, max(upto, 0))
    return Moments(upto, None, at)


class Body(NamedTuple):
    """The members of an entry's body, and when the entry was recorded."""

    members: Mapping[str, Json]
    time: int


VersionFound: TypeAlias = tuple[VersionRow, Body]
"""A version, and what it says."""


@dataclass(frozen=True, slots=True)
class End:
    """The atom at one end of an edge: its id, its name (the id, if nobody knows it), and whether it was there."""

    id: str
    name: str
    there: bool


def body_of(transaction: ReadTransaction, seq: int) -> Body | None:
    """What an entry says, checked against its commitment; None if it was erased."""
    return bodies_of(transaction, (seq,))[0]


def bodies_of(transaction: ReadTransaction, seqs: Sequence[int]) -> list[Body | None]:
    """What each of many entries says, read at once, each checked against its commitment; None where it was erased."""
    keys = [seq_key(seq) for seq in seqs]
    rows = zip(seqs, transaction.get_many(ENTRIES, keys), transaction.get_many(BODIES, keys), strict=True)
    found: list[Body | None] = []
    for seq, data, row in rows:
        entry = stored_entry(seq, data)
        opening = opened(seq, entry, row)
        found.append(None if opening is None else Body(decode_body(opening.body), entry.time))
    return found


def require_body(transaction: ReadTransaction, seq: int) -> Body:
    """What an entry says that was not erased. StoreDamaged if it is gone."""
    return require_bodies(transaction, (seq,))[0]


def require_bodies(transaction: ReadTransaction, seqs: Sequence[int]) -> list[Body]:
    """The same of many entries, read at once."""
    found = []
    for seq, body in zip(seqs, bodies_of(transaction, seqs), strict=True):
        if body is None:
            raise StoreDamaged(f"the body of entry {seq} is gone without a forget entry; run fsck")
        found.append(body)
    return found


def kind_of(transaction: ReadTransaction, seq: int) -> Kind:
    """What an entry does, whether its body is there or not."""
    return stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).kind


def time_of(transaction: ReadTransaction, seq: int) -> int:
    """When an entry was recorded."""
    return stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).time


# -- which atom --------------------------------------------------------------------------------------------------------


def find_subject(transaction: ReadTransaction, name: str) -> bytes:
    """The id that the atom of this name or id has, or will have."""
    if _ID.fullmatch(name):
        return UUID(name).bytes
    row = find_name(transaction, name)
    if row is not None:
        return row.subject
    return atom_id(map_key(map_salt(transaction), name), find_record(transaction, name))


def resolve(transaction: ReadTransaction, name: str, upto: int | None = None, *, suggests: bool = True) -> VersionRow:
    """The version that the atom of this name or id was at after seq `upto` (None: is at); also a tombstone or gap.

    NotFound if it was not there, with names that are near it, if it `suggests` any; Forgotten, with proof, if it was
    and has been forgotten as a whole. NameInvalid.
    """
    if isinstance(name, str) and _ID.fullmatch(name):
        subject = UUID(name).bytes
        name = f"atom {UUID(name)}"
        gap = gap_of(transaction, subject)
        gaps = [] if gap is None else [gap]
    else:
        name = check_name(name)
        found = find_name(transaction, name)
        if found is not None and (upto is None or found.seq <= upto):
            return found
        subject = b"" if found is None else found.subject
        gaps = gaps_of(transaction, map_key(map_salt(transaction), name))
    if subject:
        for version in versions_of(transaction, subject, upto=upto):
            return version
    for gap in reversed(gaps):
        if upto is None or gap.covers(upto) or upto >= gap.seq:
            proof = _proof_of(transaction, name, gap)
            raise Forgotten(f"{name} was forgotten by entry {gap.seq}; what it said is erased for good", proof)
    when = "" if upto is None else f" as of entry {upto}" if upto >= 0 else ": nothing had been recorded by then"
    raise NotFound(f"there is no {name}{when}{or_near(transaction, name) if suggests and not subject else ''}")


def _proof_of(transaction: ReadTransaction, name: str, gap: Gap) -> Bundle:
    """That a name is forgotten; or, if it has been recorded again since or is not known, that it once was."""
    record = find_record(transaction, name) if "." in name else None
    if record is not None and record.seq == gap.seq:
        return prove_name(transaction, name)
    return prove_recorded(transaction, gap.seq)


def refused(transaction: ReadTransaction, version: VersionRow) -> Forgotten:
    """The error for a version that was erased while its atom stays, with the proof of it."""
    name = name_of(transaction, version.subject) or f"atom {UUID(bytes=version.subject)}"
    by = version.forgotten_by
    if by is None:
        raise StoreDamaged(f"version {version.seq} lost its body without a forget entry; run fsck")
    proof = prove_recorded(transaction, by)
    return Forgotten(f"version {version.seq} of {name} was forgotten by entry {by}; what it said is erased", proof)


def name_of(transaction: ReadTransaction, subject: bytes) -> str | None:
    """The name of the atom with this id; of one that edges wait for too. None if nobody knows it (any more)."""
    for version in versions_of(transaction, subject):
        if version.name is not None:
            return version.name
    return expected_name(transaction, subject)


# -- what it says ------------------------------------------------------------------------------------------------------


def _time(members: Mapping[str, Json], field: str) -> datetime | None:
    time = members.get(field)
    return from_microseconds(time) if isinstance(time, int) else None


def _uuid(text: Json) -> str | None:
    return id_text(bytes.fromhex(text)) if isinstance(text, str) else None


def atom_of(  # noqa: PLR0913
    transaction: ReadTransaction,
    version: VersionRow,
    body: Body,
    moments: Moments,
    *,
    tombstoned: bool = False,
    superseded_by: tuple[str, ...] | None = None,
) -> Atom:
    """The atom that this version is, as it was seen at these moments. `superseded_by`: if the caller knows it."""
    members = body.members
    confirmed = None
    if moments.upto is None:
        confirmed = confirmation_of(transaction, version.subject, version.seq)
    get = members.get
    return Atom(
        # What is read here was checked field by field when it was saved, and against its commitment just now.
        name=get("name"),  # type: ignore[arg-type]
        value=get("value"),  # type: ignore[arg-type]
        id=id_text(version.subject),
        seq=version.seq,
        recorded_at=from_microseconds(body.time),
        tags=tuple(get("tags") or ()),  # type: ignore[arg-type]
        entities=tuple(get("entities") or ()),  # type: ignore[arg-type]
        confidence=get("confidence"),  # type: ignore[arg-type]
        source=get("source"),  # type: ignore[arg-type]
        origin=get("origin"),  # type: ignore[arg-type]
        actor=get("actor"),  # type: ignore[arg-type]
        session=get("session"),  # type: ignore[arg-type]
        occurred_at=_time(members, "occurred_at"),
        valid_from=_time(members, "valid_from"),
        valid_to=_time(members, "valid_to"),
        parent=_uuid(get("parent")),
        position=get("position"),  # type: ignore[arg-type]
        attrs=get("attrs") or {},  # type: ignore[arg-type]
        tombstoned=tombstoned,
        confirmed_at=None if confirmed is None else from_microseconds(confirmed.time),
        superseded_by=superseders(transaction, version.subject, moments) if superseded_by is None else superseded_by,
    )


def is_live(transaction: ReadTransaction, subject: bytes, upto: int | None) -> bool:
    """Whether the atom was in use after seq `upto` (None: is)."""
    for version in versions_of(transaction, subject, upto=upto):
        return version.kind is Kind.PUT
    return False


def superseders(transaction: ReadTransaction, subject: bytes, moments: Moments) -> tuple[str, ...]:
    """The names of the live atoms of which a live `supersedes` edge comes in."""
    sources = (link.source for link in sources_of(transaction, subject, _SUPERSEDES, moments))
    return tuple(sorted(name_of(transaction, source) or id_text(source) for source in sources))


def sources_of(transaction: ReadTransaction, subject: bytes, kind: str, moments: Moments) -> Iterator[Link]:
    """The edges of a type that come in from atoms in use, and that hold at these moments."""
    for link in links_of(transaction, subject, out=False, kind=kind, upto=moments.upto):
        body = body_of(transaction, link.seq)
        if body is not None and _open_at(body, moments.at) and is_live(transaction, link.source, moments.upto):
            yield link


def holding(transaction: ReadTransaction, links: Sequence[Link], moments: Moments) -> Iterator[Link]:
    """Those of the edges that hold at these moments. Bodies are read at once, and not checked against the log."""
    rows = transaction.get_many(BODIES, [seq_key(link.seq) for link in links])
    for link, row in zip(links, rows, strict=True):
        if row is not None and _open_at(Body(decode_body(row[SALT_BYTES:]), 0), moments.at):
            yield link


def stated(transaction: ReadTransaction, links: Iterable[Link], moments: Moments) -> Iterator[tuple[Link, Body]]:
    """The same with what they say, checked against the log, one by one as they are asked for."""
    for link in links:
        body = body_of(transaction, link.seq)
        if body is not None and _open_at(body, moments.at):
            yield link, body


def joined_to(transaction: ReadTransaction, subject: bytes, moments: Moments) -> Iterator[bytes]:
    """The atoms at the other ends of an atom's edges, some out and some in, that hold at these moments."""
    for out in (True, False):
        links = list(islice(links_of(transaction, subject, out=out, upto=moments.upto), _FEW))
        for link in holding(transaction, links, moments):
            yield link.target if out else link.source


def _open_at(body: Body, at: int) -> bool:
    """Whether one of an edge's windows contains the time; without windows it always holds."""
    windows = body.members.get("windows")
    if not isinstance(windows, list) or not windows:
        return True
    for ends in windows:
        start, end = ends if isinstance(ends, list) else (None, None)
        if (not isinstance(start, int) or start <= at) and (not isinstance(end, int) or at < end):
            return True
    return False


def edge_of(transaction: ReadTransaction, link: Link, moments: Moments, ends: dict[bytes, End]) -> Edge | None:
    """The edge that this statement is; None if it does not hold at `moments.valid_at`, or was erased.

    `ends` keeps what was found out about atoms, from one edge to the next of the same moments.
    """
    body = body_of(transaction, link.seq)
    if body is None or (moments.valid_at is not None and not _open_at(body, moments.valid_at)):
        return None
    return edge_from(transaction, link, body, moments, ends)


def edge_from(transaction: ReadTransaction, link: Link, body: Body, moments: Moments, ends: dict[bytes, End]) -> Edge:
    """The edge that this statement is, of which the body is known."""
    get = body.members.get
    for subject in (link.source, link.target):
        if subject not in ends:
            ends[subject] = end_of(transaction, subject, moments.upto)
    source, target = ends[link.source], ends[link.target]
    confirmed = confirmation_of(transaction, link.edge, link.seq) if moments.upto is None else None
    windows = get("windows")
    return Edge(
        source=source.name,
        type=link.type,
        target=target.name,
        id=id_text(link.edge),
        seq=link.seq,
        recorded_at=from_microseconds(body.time),
        source_id=source.id,
        target_id=target.id,
        label=get("label"),  # type: ignore[arg-type]
        confidence=get("confidence"),  # type: ignore[arg-type]
        attrs=get("attrs") or {},  # type: ignore[arg-type]
        cited=get("cited"),  # type: ignore[arg-type]
        origin=get("origin"),  # type: ignore[arg-type]
        actor=get("actor"),  # type: ignore[arg-type]
        session=get("session"),  # type: ignore[arg-type]
        windows=tuple(Window(*_pair(window)) for window in windows) if isinstance(windows, list) else (),
        confirmed_at=None if confirmed is None else from_microseconds(confirmed.time),
        dangling=tuple(word for word, end in (("source", source), ("target", target)) if not end.there),
    )


def end_of(transaction: ReadTransaction, subject: bytes, upto: int | None) -> End:
    """The atom at an end of an edge, as it was known after seq `upto` (None: is)."""
    there, name = False, None
    for version in versions_of(transaction, subject):
        there = there or upto is None or version.seq <= upto
        name = name or version.name
        if there and name is not None:
            break
    said = id_text(subject)
    return End(said, name or expected_name(transaction, subject) or said, there)


def _pair(ends: Json) -> list[datetime | None]:
    return [from_microseconds(end) if isinstance(end, int) else None for end in ends] if isinstance(ends, list) else []
