"""Edges out of a snapshot: which hold at a moment, what they say, and which atoms they join."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from substrate.atoms.bodies import Body, body_of
from substrate.codec import decode_body, read_body
from substrate.kv.api import ReadTransaction
from substrate.log.identity import id_text
from substrate.log.tables import BODIES, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.schema import is_name, is_share
from substrate.snapshot import Snapshot
from substrate.values.edges import Edge, Window
from substrate.values.times import from_microseconds
from substrate.veil import bare, hidden_in
from substrate.views.atoms import find_name, is_in_use, latest_version, versions_of
from substrate.views.cards import card_of
from substrate.views.edges import Around, Link, WeighedLink, edges_around, some_links
from substrate.views.traces import confirmation_of, expected_name

__all__ = [
    "End",
    "edge_from",
    "edge_of",
    "end_of",
    "holding",
    "holding_around",
    "holds_at",
    "is_hidden_name",
    "is_lasting",
    "is_live",
    "is_tombstoned",
    "joined_to",
    "live_sources",
    "stated",
    "times_of",
    "weighed",
    "windows_of",
]


_WINDOWS: Final = b'"windows"'
"""Stands in every body that has windows; most have none, and need not be decoded to know."""
_CONFIDENCE: Final = b'"confidence"'
"""Stands in every body that says how sure it is."""
_SAYS_SHARE: Final = re.compile(rb'\{(?:"(?:actor|cited)":"[^"\\]*",)*"confidence":(0(?:\.[0-9]+)?|1(?:\.0)?)[,}]')
"""How a body begins that says so before all but short texts: its number is read without decoding the rest."""
_FEW: Final = 20
"""Edges of a hub that are looked at to see what it is joined to."""
_READ: Final = 200
"""Links that are read to choose these from. Links lie in the order of ids, which another store draws otherwise."""


@dataclass(frozen=True, slots=True)
class End:
    """The atom at one end of an edge: its id, its name (the id, if nobody knows it), and whether it was there."""

    id: str
    name: str
    there: bool


def is_live(transaction: ReadTransaction, subject: bytes, upto: int | None) -> bool:
    """Whether the atom was in use after seq `upto` (None: is)."""
    return is_in_use(transaction, subject, upto)


def is_tombstoned(transaction: ReadTransaction, subject: bytes) -> bool:
    """Whether the atom was recorded and is out of use. One that nobody has recorded yet is not."""
    version = latest_version(transaction, subject)
    return version is not None and version.kind is not Kind.PUT


def holding(snapshot: Snapshot, links: Sequence[Link]) -> Sequence[Link]:
    """Those of the edges that hold at these moments. Bodies are read at once, and not checked against the log."""
    closed = _not_holding(snapshot, [link.seq for link in links])
    return [link for link in links if link.seq not in closed] if closed else links


def _not_holding(snapshot: Snapshot, seqs: Sequence[int]) -> set[int]:
    """Those of the statements at these seqs that do not hold: mostly none. As `holding`."""
    rows = snapshot.transaction.get_many(BODIES, [seq_key(seq) for seq in seqs])
    for row in rows:
        if row is None or _WINDOWS in row:
            break
    else:
        return set()
    return {seq for seq, row in zip(seqs, rows, strict=True) if row is None or not _holds(row, snapshot)}


def is_lasting(transaction: ReadTransaction, seqs: Sequence[int]) -> bool:
    """Whether the statements at these seqs hold whenever one asks: none was erased, or is about some time."""
    rows = transaction.get_many(BODIES, [seq_key(seq) for seq in seqs])
    return all(row is not None and _WINDOWS not in row for row in rows)


def _holds(row: bytes, snapshot: Snapshot) -> bool:
    return _WINDOWS not in row or _open_at(_edge_body(row), snapshot.at)


def holding_around(snapshot: Snapshot, around: Sequence[Around]) -> Sequence[Around]:
    """The same, of edges as they lie around an atom. Bodies are read where it is not known yet whether they hold."""
    # Whoever may not see a body may not know what it says.
    sees_all = hidden_in(snapshot.transaction) is None
    unread = [-one.turned for one in around if not (one.always and sees_all)]
    closed = _not_holding(snapshot, unread) if unread else ()
    return [one for one in around if -one.turned not in closed] if closed else around


def weighed(snapshot: Snapshot, links: Sequence[WeighedLink]) -> Iterator[tuple[Link, float]]:
    """Those of the edges that hold, with the confidence of each. Bodies are read where that is not known yet."""
    if hidden_in(snapshot.transaction) is not None:  # as in `holding_around`
        links = [(link, None) for link, _ in links]
    unread = [seq_key(link.seq) for link, share in links if share is None]
    rows = iter(snapshot.transaction.get_many(BODIES, unread) if unread else ())
    for link, share in links:
        if share is not None:
            yield link, share
        elif (row := next(rows)) is not None and _holds(row, snapshot):
            yield link, _share_in(row)


def _share_in(row: bytes) -> float:
    """The confidence that a body says; 1 if it says none."""
    said = row.count(_CONFIDENCE)
    if said == 0:
        return 1.0
    plain = _SAYS_SHARE.match(row, SALT_BYTES) if said == 1 else None
    if plain is not None:
        return float(plain[1])
    share = decode_body(row[SALT_BYTES:]).get("confidence")
    return float(share) if is_share(share) else 1.0


def holds_at(snapshot: Snapshot, seq: int) -> bool:
    """Whether an edge holds at these moments, by the statement at this seq. As `holding`, of one."""
    row = snapshot.transaction.get(BODIES, seq_key(seq))
    return row is not None and _open_at(_edge_body(row), snapshot.at)


def times_of(transaction: ReadTransaction, seq: int) -> Iterator[int]:
    """When an edge begins and ceases to hold, by the statement at this seq."""
    row = transaction.get(BODIES, seq_key(seq))
    windows = None if row is None else _edge_body(row).members.get("windows")
    for ends in windows if isinstance(windows, list) else ():
        yield from (time for time in ends if isinstance(time, int)) if isinstance(ends, list) else ()


def _edge_body(row: bytes) -> Body:
    members, damage = read_body(Kind.EDGE, row[SALT_BYTES:])
    return Body(members, 0, damage)


def live_sources(snapshot: Snapshot, links: Sequence[Link]) -> Iterator[bytes]:
    """The atoms in use that these edges come from, as far as the edges hold. They are not checked against the log."""
    for link in holding(snapshot, links) if links else ():
        if is_live(snapshot.transaction, link.source, snapshot.upto):
            yield link.source


def stated(snapshot: Snapshot, links: Iterable[Link]) -> Iterator[tuple[Link, Body]]:
    """The same with what they say, checked against the log, one by one as they are asked for."""
    for link in links:
        body = body_of(snapshot.transaction, link.seq)
        if body is not None and _open_at(body, snapshot.at):
            yield link, body


def joined_to(snapshot: Snapshot, subject: bytes, cut: dict[bytes, None]) -> Iterator[bytes]:
    """The atoms at the other ends of an atom's edges, some out and some in, that hold at these moments.

    Of each type those stated last come first: the same data gives the same ones in every store, up to `_READ` edges.
    Of a hub no more are looked at than `some_links` does, those that were taken back or stated later among them. If
    these leave fewer than are wanted, others may hold: then the atom is noted in `cut`.
    """
    if not card_of(snapshot.transaction, subject).statements:
        return
    around = edges_around(snapshot.transaction, subject, _READ) if snapshot.upto is None else None
    if around is not None:  # all of them, read at once
        around.sort()
        for out in (True, False):
            yield from (
                one.other for one in holding_around(snapshot, [it for it in around if it.leads_out is out][:_FEW])
            )
        return
    for out in (True, False):
        links, has_more = some_links(snapshot.transaction, subject, _READ, out=out, upto=snapshot.upto)
        if has_more and len(links) < _FEW:
            cut[subject] = None
        links.sort(key=lambda link: (link.type, -link.seq))
        for link in holding(snapshot, links[:_FEW]):
            yield link.target if out else link.source


def _open_at(body: Body, at: int) -> bool:
    """Whether one of an edge's windows contains the time; without windows, or if it is damaged, it always holds."""
    windows = body.members.get("windows")
    if not isinstance(windows, list) or not windows:
        return True
    for ends in windows:
        start, end = ends if isinstance(ends, list) else (None, None)
        if (not isinstance(start, int) or start <= at) and (not isinstance(end, int) or at < end):
            return True
    return False


def edge_of(snapshot: Snapshot, link: Link, ends: dict[bytes, End]) -> Edge | None:
    """The edge that this statement is; None if it does not hold at `moments.valid_at`, or was erased.

    `ends` keeps what was found out about atoms, from one edge to the next of the same moments.
    """
    body = body_of(snapshot.transaction, link.seq)
    if body is None or (snapshot.valid_at is not None and not _open_at(body, snapshot.valid_at)):
        return None
    return edge_from(snapshot, link, body, ends)


def edge_from(snapshot: Snapshot, link: Link, body: Body, ends: dict[bytes, End]) -> Edge:
    """The edge that this statement is, of which the body is known."""
    get = body.members.get
    for subject in (link.source, link.target):
        if subject not in ends:
            ends[subject] = end_of(snapshot.transaction, subject, snapshot.upto)
    source, target = ends[link.source], ends[link.target]
    confirmed = confirmation_of(snapshot.transaction, link.edge, link.seq) if snapshot.upto is None else None
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
        cited=None if is_hidden_name(snapshot.transaction, get("cited")) else get("cited"),  # type: ignore[arg-type]
        origin=get("origin"),  # type: ignore[arg-type]
        actor=get("actor"),  # type: ignore[arg-type]
        session=get("session"),  # type: ignore[arg-type]
        windows=windows_of(body),
        confirmed_at=None if confirmed is None else from_microseconds(confirmed.time),
        dangling=tuple(word for word, end in (("source", source), ("target", target)) if not end.there),
        damaged=body.damage,
    )


def windows_of(body: Body) -> tuple[Window, ...]:
    """When the edge holds that this says; none: always."""
    windows = body.members.get("windows")
    return tuple(Window(*_pair(window)) for window in windows) if isinstance(windows, list) else ()


def is_hidden_name(transaction: ReadTransaction, said: Json) -> bool:
    """Whether this is the name of an atom that whoever asks may not see: a visible edge may cite a hidden chunk."""
    hidden = hidden_in(transaction)
    if hidden is None or not isinstance(said, str) or not is_name(said):
        return False
    row = find_name(bare(transaction), said)
    return hidden.hides_name(said) or (row is not None and row.subject in hidden.atoms)


def end_of(transaction: ReadTransaction, subject: bytes, upto: int | None) -> End:
    """The atom at an end of an edge, as it was known after seq `upto` (None: is)."""
    there, name = False, None
    for version in versions_of(transaction, subject):
        there = there or upto is None or version.seq <= upto
        name = name or version.name
        if there and name is not None:
            name = name if is_name(name) else None
            break
    said = id_text(subject)
    return End(said, name or expected_name(transaction, subject) or said, there)


def _pair(ends: Json) -> list[datetime | None]:
    return [from_microseconds(end) if isinstance(end, int) else None for end in ends] if isinstance(ends, list) else []
