"""The view of edges: what is stated between atoms, in both directions, now and before.

    links      atom id (16), direction (1), type, 0, other id (16) -> edge id (16), seq (8), kind (1)
    statements edge id (16), seq (8) -> kind (1), source (16), target (16), type: every statement of every edge. Of one
               that was erased just the kind: a gap

A link stays when its edge is taken back, so that the past can be read; its kind says so. Of an edge that was forgotten
as a whole nothing stays: its bodies are erased, and the forget entry lists its id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Final, NamedTuple

from substrate.codec import decode_body, read_forget
from substrate.kv.api import ReadTransaction, WriteTransaction, behind
from substrate.log.replay import Logged
from substrate.log.tables import LINKS, STATEMENTS, read_seq, seq_key
from substrate.proof.entry import ID_BYTES, Kind
from substrate.schema import is_stated

__all__ = [
    "EdgeView",
    "Link",
    "all_links",
    "edges_touching",
    "ever_linked",
    "find_link",
    "find_links",
    "is_linked",
    "links_around",
    "links_of",
    "statement_at",
    "statements_of",
]

OUT: Final = b">"
IN: Final = b"<"
_ROW: Final = Struct(">16sQB")
_STATEMENT: Final = Struct(">B16s16s")
_KINDS: Final = {int(kind): kind for kind in (Kind.EDGE, Kind.UNEDGE)}


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
    version = 1
    tables: Sequence[str] = (LINKS, STATEMENTS)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""
        for entry in entries:
            if entry.kind in (Kind.EDGE, Kind.UNEDGE):
                if entry.body is None:
                    transaction.put(STATEMENTS, entry.subject + seq_key(entry.seq), bytes([entry.kind]))
                elif (link := _link(entry, entry.body)) is not None:
                    _write(transaction, link)
            elif entry.kind is Kind.FORGET:
                _forget(transaction, entry)


def _link(entry: Logged, body: bytes) -> Link | None:
    """What an entry states; None if its ends or its type, in a log from elsewhere, cannot be those of an edge."""
    members = decode_body(body)
    if not is_stated(members):
        return None
    source, target, kind = str(members["source"]), str(members["target"]), str(members["type"])
    return Link(entry.subject, entry.seq, entry.kind, bytes.fromhex(source), bytes.fromhex(target), kind)


def _write(transaction: WriteTransaction, link: Link) -> None:
    row = _ROW.pack(link.edge, link.seq, link.kind)
    for key in _keys(link):
        transaction.put(LINKS, key, row)
    statement = _STATEMENT.pack(link.kind, link.source, link.target) + link.type.encode()
    transaction.put(STATEMENTS, link.edge + seq_key(link.seq), statement)


def _keys(link: Link) -> tuple[bytes, bytes]:
    kind = link.type.encode() + b"\x00"
    return link.source + OUT + kind + link.target, link.target + IN + kind + link.source


def _forget(transaction: WriteTransaction, entry: Logged) -> None:
    erased, _, edges = read_forget(entry.body)
    for subject in edges:
        for link in list(statements_of(transaction, subject)):
            transaction.delete(STATEMENTS, subject + seq_key(link.seq))
            for key in _keys(link) if link.type else ():
                transaction.delete(LINKS, key)
    for seq in erased:
        key = entry.subject + seq_key(seq)
        row = transaction.get(STATEMENTS, key)
        if row is not None:
            transaction.put(STATEMENTS, key, row[:1])


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
            edge, seq, number = _ROW.unpack(row)
            found.append(Link(edge, seq, _KINDS[number], source, target, kind))
    return found


def links_of(
    transaction: ReadTransaction, atom: bytes, *, out: bool, kind: str | None = None, upto: int | None = None
) -> Iterator[Link]:
    """The edges from (`out`) or to an atom as they were after seq `upto`, those taken back left out."""
    prefix = atom + (OUT if out else IN) + (b"" if kind is None else kind.encode() + b"\x00")
    for key, row in transaction.scan(LINKS, prefix, behind(prefix)):
        edge, seq, number = _ROW.unpack(row)
        other, name = key[-ID_BYTES:], key[ID_BYTES + 1 : -ID_BYTES - 1].decode("utf-8", "replace")
        link = Link(edge, seq, _KINDS[number], atom if out else other, other if out else atom, name)
        if upto is not None and link.seq > upto:
            earlier = statement_at(transaction, edge, upto)
            if earlier is None or not earlier.type:
                continue
            link = earlier
        if link.kind is Kind.EDGE:
            yield link


def links_around(transaction: ReadTransaction, atom: bytes, most: int) -> list[Link] | None:
    """The edges from and to an atom, those taken back left out, in one scan; None if there are more than `most`."""
    rows = list(transaction.scan(LINKS, atom, behind(atom), limit=most + 1))
    if len(rows) > most:
        return None
    found = []
    for key, row in rows:
        edge, seq, number = _ROW.unpack(row)
        if number == Kind.EDGE:
            other, kind = key[-ID_BYTES:], key[ID_BYTES + 1 : -ID_BYTES - 1].decode("utf-8", "replace")
            ends = (atom, other) if key[ID_BYTES : ID_BYTES + 1] == OUT else (other, atom)
            found.append(Link(edge, seq, Kind.EDGE, *ends, kind))
    return found


def is_linked(transaction: ReadTransaction, atom: bytes) -> bool:
    """Whether some edge, taken back or not, has this end."""
    return next(transaction.scan(LINKS, atom, behind(atom), limit=1), None) is not None


def edges_touching(transaction: ReadTransaction, atom: bytes) -> list[bytes]:
    """The ids of all edges, taken back or not, that have this end."""
    rows = transaction.scan(LINKS, atom, behind(atom))
    return list(dict.fromkeys(_ROW.unpack(row)[0] for _, row in rows))


def ever_linked(transaction: ReadTransaction, atom: bytes) -> Iterator[bytes]:
    """The other ends of all edges, taken back or not, that have this end; one as often as it has such edges."""
    for key, _ in transaction.scan(LINKS, atom, behind(atom)):
        yield key[-ID_BYTES:]


def all_links(transaction: ReadTransaction) -> Iterator[Link]:
    """Every edge that is stated and not taken back, once."""
    for key, row in transaction.scan(LINKS):
        edge, seq, number = _ROW.unpack(row)
        if key[ID_BYTES : ID_BYTES + 1] == OUT and number == Kind.EDGE:
            kind = key[ID_BYTES + 1 : -ID_BYTES - 1].decode("utf-8", "replace")
            yield Link(edge, seq, Kind.EDGE, key[:ID_BYTES], key[-ID_BYTES:], kind)


def statement_at(transaction: ReadTransaction, edge: bytes, upto: int) -> Link | None:
    """The latest statement of an edge after seq `upto`; without a type if it was erased."""
    return next(statements_of(transaction, edge, upto), None)


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
