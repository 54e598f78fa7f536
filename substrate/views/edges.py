"""The view of edges: what is stated between atoms, in both directions, now and before.

    links      atom id (16), direction (1), type, 0, other id (16) -> edge id (16), seq (8), kind (1), and of an edge
               that is stated its confidence (8), if it says one. The first bit of the kind: it speaks of windows
    statements edge id (16), seq (8) -> kind (1), source (16), target (16), type: every statement of every edge. Of one
               that was erased just the kind: a gap
    cards      atom id (16) -> how many edges it has; see views/cards.py
    joins      block of seqs (8) -> the statements as rows of fixed width, and which atoms are parts of which; see
               views/joins.py

A link stays when its edge is taken back, so that the past can be read; its kind says so. Of an edge that was forgotten
as a whole nothing stays: its bodies are erased, and the forget entry lists its id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from substrate.codec import decode_body, read_forget
from substrate.kv.api import ReadTransaction, WriteTransaction, behind
from substrate.log.replay import Logged
from substrate.log.tables import CARDS, JOINS, LINKS, STATEMENTS, read_seq, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, Kind
from substrate.schema import is_id, is_share, is_stated
from substrate.values.edges import RENAMED_TO, SUPERSEDES
from substrate.views.cards import CardChanges
from substrate.views.joins import PART, drop_joins, gap_row, join_row, type_number, write_joins

__all__ = [
    "LOOKS",
    "Around",
    "EdgeView",
    "Link",
    "WeighedLink",
    "edges_around",
    "edges_touching",
    "ever_linked",
    "find_link",
    "find_links",
    "has_links",
    "is_linked",
    "links_around",
    "links_ever",
    "links_of",
    "some_links",
    "stated_again",
    "statement_at",
    "statements_of",
    "took_a_place",
]

OUT: Final = b">"
IN: Final = b"<"
_ROW: Final = Struct(">16sQB")
_WEIGHED_ROW: Final = Struct(">16sQBd")
_TIMED: Final = 0x80
"""Set in the kind of a row: whether the edge holds at a time, only its body says."""
_KIND: Final = 0x7F
_KIND_AT: Final = _ROW.size - 1
_LINKS_END: Final = b"\x7f"
"""Behind an atom: where its links end. Both directions are less."""
_STATEMENT: Final = Struct(">B16s16s")
_WINDOWS: Final = b'"windows"'
_TOOK_PLACES: Final = tuple(
    (side + kind.encode() + b"\x00", side + kind.encode() + b"\x01")
    for side, kind in ((OUT, SUPERSEDES), (IN, RENAMED_TO))
)
"""Where the edges of an atom stand that say whose place it took."""
LOOKS: Final = 4
"""Edges that are looked at for each that may be given: those taken back, or stated later, take time too."""
_KINDS: Final = {int(kind): kind for kind in (Kind.EDGE, Kind.UNEDGE)}
_STATED: Final = Kind.EDGE
_EDGE: Final = int(Kind.EDGE)
_OUT: Final = OUT[0]
_new: Final = tuple.__new__


class Link(NamedTuple):
    """One version of an edge: UNEDGE means taken back. A tuple: hundreds are read for one answer, and most dropped."""

    edge: bytes
    seq: int
    kind: Kind
    source: bytes
    target: bytes
    type: str


class EdgeView:
    """See the module."""

    name = "edges"
    version = 3
    tables: Sequence[str] = (LINKS, STATEMENTS, CARDS, JOINS)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""
        links: list[tuple[Link, bytes]] = []
        gaps: list[bytes] = []
        joins: list[bytes] = []
        numbers: dict[str, int] = {}
        for entry in entries:
            kind = entry.kind
            if kind is Kind.PUT:
                if entry.body is not None and (whole := _whole(entry)) is not None:
                    joins.append(join_row(entry.seq, entry.subject, entry.subject, whole, kind, PART))
            elif kind is Kind.EDGE or kind is Kind.UNEDGE:
                if entry.body is None:
                    gaps.append(entry.subject + seq_key(entry.seq) + bytes([kind]))
                    joins.append(gap_row(entry.seq, entry.subject, kind))
                elif (stated := _stated(entry, entry.body)) is not None:
                    link, row, windows = stated
                    links.append((link, row))
                    number = numbers.get(link.type)
                    if number is None:
                        number = numbers[link.type] = type_number(link.type)
                    joins.append(join_row(link.seq, link.edge, link.source, link.target, kind, number, windows))
            elif kind is Kind.FORGET:
                _flush(transaction, links, gaps, joins)
                _forget(transaction, entry)
        _flush(transaction, links, gaps, joins)


def _whole(entry: Logged) -> bytes | None:
    """The atom that this version says its own to be a part of."""
    whole = entry.read()[0].get("parent")
    return bytes.fromhex(whole) if is_id(whole) else None


def _stated(entry: Logged, body: bytes) -> tuple[Link, bytes, Json] | None:
    """What an entry states, its row of links, and its windows.

    None if its ends or type, in a log from elsewhere, can be of no edge.
    """
    said = decode_body(body)
    if not is_stated(said):
        return None
    source, target = bytes.fromhex(str(said["source"])), bytes.fromhex(str(said["target"]))
    link = Link(entry.subject, entry.seq, entry.kind, source, target, str(said["type"]))
    # What does not fit the schema has no windows; the others need not be checked to know it.
    is_timed = _WINDOWS in body
    row = _row_of(link, said.get("confidence"), is_timed=is_timed)
    return link, row, entry.read()[0].get("windows") if is_timed else None


def _row_of(link: Link, share: Json, *, is_timed: bool) -> bytes:
    """The row of links of a statement. `share`: what it says about how sure it is, be that a share or not."""
    if link.kind is not Kind.EDGE:
        return _ROW.pack(link.edge, link.seq, link.kind)
    number = _EDGE | _TIMED if is_timed else _EDGE
    if is_share(share):
        return _WEIGHED_ROW.pack(link.edge, link.seq, number, share)
    return _ROW.pack(link.edge, link.seq, number)


def _says_stated(row: bytes | None) -> bool:
    """Whether a row of links is of an edge that is stated."""
    return row is not None and row[_KIND_AT] & _KIND == _EDGE


def _flush(
    transaction: WriteTransaction, links: list[tuple[Link, bytes]], gaps: list[bytes], joins: list[bytes]
) -> None:
    """Write what was taken in so far, at once."""
    statements = [(gap[:-1], gap[-1:]) for gap in gaps]
    rows: dict[bytes, bytes] = {}
    latest: dict[bytes, Link] = {}
    changes = CardChanges()
    for link, row in links:
        out, into = _keys(link)
        rows[out] = rows[into] = row
        latest[out] = link
        statement = _STATEMENT.pack(link.kind, link.source, link.target) + link.type.encode()
        statements.append((link.edge + seq_key(link.seq), statement))
        changes.state(link.source, link.type, link.target, link.kind)
    for link, before in zip(latest.values(), transaction.get_many(LINKS, list(latest)), strict=True):
        change = (link.kind is Kind.EDGE) - _says_stated(before)
        if change:
            changes.live(link.source, link.target, change)
    if rows:
        transaction.put_many(LINKS, sorted(rows.items()))
        changes.write(transaction)
    if statements:
        transaction.put_many(STATEMENTS, sorted(statements))
    if joins:
        write_joins(transaction, joins)
    links.clear()
    gaps.clear()
    joins.clear()


def _keys(link: Link) -> tuple[bytes, bytes]:
    kind = link.type.encode() + b"\x00"
    return link.source + OUT + kind + link.target, link.target + IN + kind + link.source


def _forget(transaction: WriteTransaction, entry: Logged) -> None:
    erased, _, edges = read_forget(entry.body)
    changes = CardChanges()
    gaps: dict[int, bytes] = {}
    dropped = set(erased)  # versions of an atom among them: what they are parts of is not kept either
    for subject in edges:
        for link in list(statements_of(transaction, subject)):
            transaction.delete(STATEMENTS, subject + seq_key(link.seq))
            dropped.add(link.seq)
            if link.type:
                _drop_link(transaction, link, changes)
                changes.state(link.source, link.type, link.target, link.kind, -1)
    for seq in erased:
        key = entry.subject + seq_key(seq)
        row = transaction.get(STATEMENTS, key)
        if row is not None:
            gaps[seq] = gap_row(seq, entry.subject, _KINDS[row[0]])
            if len(row) > 1:
                transaction.put(STATEMENTS, key, row[:1])
                number, source, target = _STATEMENT.unpack_from(row)
                kind = row[_STATEMENT.size :].decode("utf-8", "replace")
                changes.state(source, kind, target, _KINDS[number], -1)
                _blank(transaction, Link(entry.subject, seq, _KINDS[number], source, target, kind))
    changes.write(transaction)
    drop_joins(transaction, dropped, gaps)


def _blank(transaction: WriteTransaction, link: Link) -> None:
    """What an erased statement said does not stay in its links. They are those of another, unless a log is forged."""
    for key in _keys(link):
        row = transaction.get(LINKS, key)
        if row is not None and _says_stated(row) and _ROW.unpack_from(row)[:2] == (link.edge, link.seq):
            transaction.put(LINKS, key, _ROW.pack(link.edge, link.seq, _EDGE | _TIMED))


def _drop_link(transaction: WriteTransaction, link: Link, changes: CardChanges) -> None:
    """Nothing stays of an edge that was forgotten as a whole."""
    out, into = _keys(link)
    if _says_stated(transaction.get(LINKS, out)):
        changes.live(link.source, link.target, -1)
    transaction.delete(LINKS, out)
    transaction.delete(LINKS, into)


def find_link(transaction: ReadTransaction, source: bytes, kind: str, target: bytes) -> Link | None:
    """The latest version of the edge of this type between two atoms."""
    return find_links(transaction, (source,), kind, target)[0]


def find_links(transaction: ReadTransaction, sources: Sequence[bytes], kind: str, target: bytes) -> list[Link | None]:
    """The latest version of the edge of this type from each of these atoms to one, read at once."""
    end = OUT + kind.encode() + b"\x00" + target
    found: list[Link | None] = []
    for source, row in zip(sources, transaction.get_many(LINKS, [source + end for source in sources]), strict=True):
        if row is None:
            found.append(None)
        else:
            edge, seq, number = _ROW.unpack_from(row)
            found.append(Link(edge, seq, _KINDS[number & _KIND], source, target, kind))
    return found


def links_of(
    transaction: ReadTransaction, atom: bytes, *, out: bool, kind: str | None = None, upto: int | None = None
) -> Iterator[Link]:
    """The edges from (`out`) or to an atom as they were after seq `upto`, those taken back left out."""
    prefix = _links_prefix(atom, kind, out=out)
    for key, row in transaction.scan(LINKS, prefix, behind(prefix)):
        link = _link_at(transaction, key, row, upto)
        if link is not None:
            yield link


def links_ever(transaction: ReadTransaction, atom: bytes, kind: str) -> Iterator[Link]:
    """The edges of a type from an atom, as they were last stated; those taken back among them."""
    prefix = _links_prefix(atom, kind, out=True)
    for key, row in transaction.scan(LINKS, prefix, behind(prefix)):
        edge, seq, number = _ROW.unpack_from(row)
        yield Link(edge, seq, _KINDS[number & _KIND], atom, key[-ID_BYTES:], kind)


def took_a_place(transaction: ReadTransaction, atom: bytes) -> bool:
    """Whether an atom ever was said to supersede another, or got its name by a rename, and that was not erased."""
    return any(any(transaction.scan(LINKS, atom + start, atom + stop, limit=1)) for start, stop in _TOOK_PLACES)


def some_links(  # noqa: PLR0913
    transaction: ReadTransaction,
    atom: bytes,
    most: int,
    *,
    out: bool,
    kind: str | None = None,
    upto: int | None = None,
) -> tuple[list[Link], bool]:
    """The first `most` that `links_of` gives, and whether there may be more.

    `LOOKS` times as many edges are looked at, those that are left out among them, however many the atom has.
    """
    prefix, looks = _links_prefix(atom, kind, out=out), LOOKS * most
    found: list[Link] = []
    for place, (key, row) in enumerate(transaction.scan(LINKS, prefix, behind(prefix), limit=looks + 1)):
        link = _link_at(transaction, key, row, upto) if place < looks else None
        if place == looks or (link is not None and len(found) == most):
            return found, True
        if link is not None:
            found.append(link)
    return found, False


def _links_prefix(atom: bytes, kind: str | None, *, out: bool) -> bytes:
    return atom + (OUT if out else IN) + (b"" if kind is None else kind.encode() + b"\x00")


def _link_at(transaction: ReadTransaction, key: bytes, row: bytes, upto: int | None) -> Link | None:
    """The edge of a row as it was after seq `upto`; None if it was not stated then, or taken back."""
    edge, seq, number = _ROW.unpack_from(row)
    if upto is not None and seq > upto:
        link = statement_at(transaction, edge, upto)
        return link if link is not None and link.type and link.kind is Kind.EDGE else None
    return _stated_at(key, edge, seq) if number & _KIND == _EDGE else None


def _stated_at(key: bytes, edge: bytes, seq: int) -> Link:
    """The edge at a key, stated at a seq. Not by its class: one call of a walk makes hundreds, in half the time."""
    atom, other, kind = key[:ID_BYTES], key[-ID_BYTES:], _type_in(key[ID_BYTES + 1 : -ID_BYTES - 1])
    if key[ID_BYTES] == _OUT:
        return _new(Link, (edge, seq, _STATED, atom, other, kind))
    return _new(Link, (edge, seq, _STATED, other, atom, kind))


@lru_cache(maxsize=1024)  # few types stand in hundreds of keys
def _type_in(key: bytes) -> str:
    return key.decode("utf-8", "replace")


WeighedLink: TypeAlias = tuple[Link, float | None]
"""An edge and its confidence, which is 1 where none is said. None: only its body says that, and whether it holds."""


class Around(NamedTuple):
    """An edge of an atom as a path needs it: it meets hundreds, and goes along a few. They sort as walks take them.

    That is in the order of types, and of each type the edge stated last first.
    """

    type: bytes
    turned: int
    """Its seq, below zero."""
    other: bytes
    key: bytes
    edge: bytes
    always: bool
    """Whether it holds at all times; else its body says when."""

    @property
    def leads_out(self) -> bool:
        """Whether it leads from the atom, or to it."""
        return self.key[ID_BYTES] == _OUT

    def link(self) -> Link:
        """All of it."""
        return _stated_at(self.key, self.edge, -self.turned)


def edges_around(transaction: ReadTransaction, atom: bytes, most: int) -> list[Around] | None:
    """The edges from and to an atom, those taken back left out, in one scan; None if there are more than `most`."""
    rows = list(transaction.scan(LINKS, atom, atom + _LINKS_END, limit=most + 1))
    if len(rows) > most:
        return None
    found = []
    for key, row in rows:
        edge, seq, number = _ROW.unpack_from(row)
        if number & _KIND == _EDGE:
            kind, other = key[ID_BYTES + 1 : -ID_BYTES - 1], key[-ID_BYTES:]
            found.append(_new(Around, (kind, -seq, other, key, edge, number == _EDGE)))
    return found


def links_around(transaction: ReadTransaction, atom: bytes, most: int) -> list[WeighedLink] | None:
    """The same, with all that is known of each."""
    rows = list(transaction.scan(LINKS, atom, atom + _LINKS_END, limit=most + 1))
    if len(rows) > most:
        return None
    found: list[WeighedLink] = []
    for key, row in rows:
        edge, seq, number = _ROW.unpack_from(row)
        if number == _EDGE:
            share = 1.0 if len(row) == _ROW.size else _WEIGHED_ROW.unpack(row)[3]
            found.append((_stated_at(key, edge, seq), share))
        elif number & _KIND == _EDGE:
            found.append((_stated_at(key, edge, seq), None))
    return found


def has_links(transaction: ReadTransaction, atom: bytes, kind: str, *, out: bool) -> bool:
    """Whether some edge of this type, taken back or not, leads from (`out`) or to an atom."""
    prefix = _links_prefix(atom, kind, out=out)
    return next(transaction.scan(LINKS, prefix, behind(prefix), limit=1), None) is not None


def is_linked(transaction: ReadTransaction, atom: bytes) -> bool:
    """Whether some edge, taken back or not, has this end."""
    return next(transaction.scan(LINKS, atom, behind(atom), limit=1), None) is not None


def edges_touching(transaction: ReadTransaction, atom: bytes) -> list[bytes]:
    """The ids of all edges, taken back or not, that have this end."""
    rows = transaction.scan(LINKS, atom, behind(atom))
    return list(dict.fromkeys(row[:ID_BYTES] for _, row in rows))


def ever_linked(transaction: ReadTransaction, atom: bytes, kind: str | None = None) -> Iterator[bytes]:
    """The other ends of all edges, taken back or not, that have this end; one as often as it has such edges."""
    prefixes = (atom,) if kind is None else (_links_prefix(atom, kind, out=out) for out in (True, False))
    for prefix in prefixes:
        for key, _ in transaction.scan(LINKS, prefix, behind(prefix)):
            yield key[-ID_BYTES:]


def statement_at(transaction: ReadTransaction, edge: bytes, upto: int) -> Link | None:
    """The latest statement of an edge after seq `upto`; without a type if it was erased."""
    return next(statements_of(transaction, edge, upto), None)


def stated_again(transaction: ReadTransaction) -> Iterator[list[Link]]:
    """The statements, latest first, of each edge that has several."""
    last, count = b"", 0
    for key, _ in transaction.scan(STATEMENTS):
        edge = key[:ID_BYTES]
        count = count + 1 if edge == last else 1
        last = edge
        if count == 2:  # noqa: PLR2004 - several
            yield list(statements_of(transaction, edge))


def statements_of(transaction: ReadTransaction, edge: bytes, upto: int | None = None) -> Iterator[Link]:
    """The statements of an edge, latest first, none after seq `upto`. One without a type was erased."""
    stop = behind(edge) if upto is None else edge + seq_key(upto + 1)
    for key, row in transaction.scan(STATEMENTS, edge, stop, reverse=True):
        seq = read_seq(key[ID_BYTES:])
        if len(row) == 1:
            yield Link(edge, seq, _KINDS[row[0]], b"", b"", "")
        else:
            number, source, target = _STATEMENT.unpack_from(row)
            yield Link(edge, seq, _KINDS[number], source, target, row[_STATEMENT.size :].decode("utf-8", "replace"))
