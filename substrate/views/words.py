"""The view of words: which versions hold a term, and what of each version ranking and masks need. A version is a seq.

    postings   block of seqs (4), field (1), term -> n offsets in the block (2 each), n frequencies (1 each)
    documents  seq / 64 (8) -> a row of 64 bytes for each of these seqs, up to the last that is a version; see `ROW`
    places     id of a whole (16), position (8), seq (8) -> nothing

1. A term belongs to a *field*: the words of a version are one bag; the others are keywords, for filters. The rows of a
   block lie side by side, so a batch writes in one place, whatever its words are.
2. Numbers in postings and documents are little-endian, as arrays in memory are; in keys big-endian, as keys compare.
3. Of an erased version a row of `documents` stays, with what its entry says in any case: atom, kind, time. Its terms
   are taken out of every row of its block, found by its offset: nobody knows any more which they were.
4. All rows follow from the log alone. A replay meets bodies that are gone where the first pass saw them erased later:
   both leave the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from hashlib import blake2b
from struct import Struct, pack, unpack_from
from typing import Any, Final, TypeAlias

from substrate.ciphers import is_ciphertext
from substrate.codec import read_forget
from substrate.kv.api import ReadTransaction, WriteTransaction, behind
from substrate.log.replay import Logged
from substrate.log.tables import DOCUMENTS, PLACES, POSTINGS, read_seq, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, Kind
from substrate.schema import UNDOES
from substrate.text.terms import document_words, fit, keyword
from substrate.views.turns import NO_TURN, turn_of

__all__ = [
    "BLOCK",
    "ERASED",
    "MOST_UNDONE",
    "NONE",
    "ROW",
    "ROWS",
    "UNDOES_SHIFT",
    "Field",
    "WordView",
    "beside",
    "document_rows",
    "keyword_term",
    "parts_from",
    "posting_keys",
    "split_postings",
    "undoing",
    "without_offsets",
]

BLOCK: Final = 1 << 13
"""Seqs whose postings lie side by side. An offset takes two bytes."""
ROWS: Final = 64
"""Seqs whose rows of `documents` are one value."""
ROW: Final = Struct("<16sBBHIqqqq8s")
"""Atom id; kind (0: no version); flags; speaker; length; time; occurred_at, valid_from, valid_to (or NONE); hash of
value. What a version is in a conversation is a part of the flags, and who speaks a number: see `turns.py`."""
NONE: Final = -(2**63)
"""A time that is not given. Earlier than all: what holds from no time on, holds from ever."""
ERASED: Final = 1
"""Flag: the version was forgotten."""
UNDOES_SHIFT: Final = 6
"""The last two bits of the flags: how many of the versions before it took back. They never held."""
MOST_UNDONE: Final = 3
"""So many or more: its body says how many."""
_FLAGS: Final = ID_BYTES + 1
"""Where in a row they are."""
_LAST: Final = 2**63 - 1
_ABSENT: Final = bytes(ROW.size)
_HASH_BYTES: Final = 8
_PLACE: Final = Struct(">16sQ")
_ONE: Final = Struct("<HB")
_TWO: Final = Struct("<HHBB")
_PAIR: Final = 2
_MOST: Final = 255
_KINDS: Final = (Kind.PUT, Kind.TOMBSTONE)


class Field(Enum):
    """What a term is a term of."""

    WORD = b"w"
    UNDER = b"n"
    """Every beginning of the name that a dot follows: `v1`, `v1.fact`, `v1.fact.project` of v1.fact.project.x."""
    TAG = b"t"
    ENTITY = b"e"
    SOURCE = b"s"
    ORIGIN = b"o"
    ACTOR = b"a"
    SESSION = b"i"
    PLACE = b"p"
    """Id of the whole and position: so that whoever erases a version finds its row in `places`."""


# As bytes: members of an Enum are slow keys.
_WORD, _UNDER, _PLACED = Field.WORD.value, Field.UNDER.value, Field.PLACE.value
_FIELDS: Final = tuple(field.value for field in Field)
_LISTED: Final = (("tags", Field.TAG.value), ("entities", Field.ENTITY.value))
_EXACT: Final = tuple((field.name.lower(), field.value) for field in Field if field.value in b"soai")


class WordView:
    """See the module."""

    name = "words"
    version = 3
    tables: Sequence[str] = (POSTINGS, DOCUMENTS, PLACES)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""
        blocks: dict[int, _Posted] = {}
        rows: dict[int, bytes] = {}
        places: list[tuple[bytes, bytes]] = []
        erased: set[int] = set()
        for entry in entries:
            seq, kind = entry.seq, entry.kind
            if kind in _KINDS:
                if entry.body is None:
                    rows[seq] = _erased_row(entry.subject, kind, entry.time)
                    continue
                members, damage = entry.read()
                length = 0
                if kind is Kind.PUT and damage is None:
                    posted = blocks.get(seq // BLOCK)
                    if posted is None:
                        posted = blocks[seq // BLOCK] = _posted()
                    length = _post(posted, seq % BLOCK, members)
                    if "parent" in members and (place := _place(members)) is not None:
                        posted[_PLACED][place].append(seq % BLOCK)
                        places.append((place + seq_key(seq), b""))
                rows[seq] = _row(entry, members, length)
            elif kind is Kind.FORGET:
                erased.update(read_forget(entry.body).erased)
        for block, posted in blocks.items():
            _write_postings(transaction, block, posted)
        _write_rows(transaction, rows)
        transaction.put_many(PLACES, sorted(places))
        if erased:
            # After all: a forget erases what came before it, wherever in the batch that was.
            _erase(transaction, erased)


# -- taking in ---------------------------------------------------------------------------------------------------------


_Posted: TypeAlias = dict[bytes, defaultdict[Any, list[int]]]
"""By field and term (a text; of a place bytes), the offsets of the versions that have it, once per occurrence."""


def _posted() -> _Posted:
    return {field: defaultdict(list) for field in _FIELDS}


def _post(posted: _Posted, offset: int, members: Mapping[str, Json]) -> int:
    """Add the terms of a version; how many words it has. This is most of what a checkpoint costs: plain and short."""
    name = str(members.get("name"))
    listed: list[list[str]] = []
    for member, field in _LISTED:
        said = members.get(member)
        texts = [text for text in said if isinstance(text, str)] if isinstance(said, list) else []
        listed.append(texts)
        for text in {keyword(text) for text in texts} if texts else ():
            posted[field][text].append(offset)
    value = str(members.get("value"))
    terms, length = ([], 0) if is_ciphertext(name, value) else document_words(name, value, *listed)
    for offsets in map(posted[_WORD].__getitem__, terms):
        offsets.append(offset)
    dot = name.find(".")
    while dot >= 0:
        posted[_UNDER][name[:dot]].append(offset)
        dot = name.find(".", dot + 1)
    for member, field in _EXACT:
        if member in members and isinstance(said := members[member], str):
            posted[field][said].append(offset)
    return length


def _write_postings(transaction: WriteTransaction, block: int, posted: _Posted) -> None:
    """Add to the rows of a block. Offsets are higher than those that are there."""
    fresh: dict[bytes, bytes] = {}
    for field, terms in posted.items():
        start = block.to_bytes(4, "big") + field
        for term, offsets in terms.items():
            key = start + (term.encode() if field == _WORD else term if isinstance(term, bytes) else fit(term).encode())
            fresh[key] = _ONE.pack(offsets[0], 1) if len(offsets) == 1 else _pack(offsets)
    keys = sorted(fresh)
    rows = transaction.get_many(POSTINGS, keys)
    transaction.put_many(
        POSTINGS,
        [
            (key, fresh[key] if there is None else _joined(there, fresh[key]))
            for key, there in zip(keys, rows, strict=True)
        ],
    )


def _pack(offsets: Sequence[int]) -> bytes:
    """Offsets in order, each as often as its term occurs."""
    if len(offsets) == _PAIR and offsets[0] != offsets[1]:  # as of most words of a document and its chunk
        return _TWO.pack(*offsets, 1, 1)
    count = len(offsets)
    if len(set(offsets)) == count:
        return pack(f"<{count}H", *offsets) + b"\x01" * count
    counted = Counter(offsets)
    often = counted.values()
    frequencies = bytes(often if max(often) <= _MOST else [min(times, _MOST) for times in often])
    return pack(f"<{len(counted)}H", *counted) + frequencies


def _joined(first: bytes, then: bytes) -> bytes:
    cut, end = len(first) // 3 * 2, len(then) // 3 * 2
    return b"".join((first[:cut], then[:end], first[cut:], then[end:]))


def _row(entry: Logged, members: Mapping[str, Json], length: int) -> bytes:
    get = members.get
    value = get("value")
    flags, speaker = turn_of(members) if entry.kind is Kind.PUT else NO_TURN
    undone = get(UNDOES)
    if isinstance(undone, int):
        flags |= min(undone, MOST_UNDONE) << UNDOES_SHIFT
    return ROW.pack(
        entry.subject,
        entry.kind,
        flags,
        speaker,
        min(length, 0xFFFF_FFFF),
        entry.time,
        _time(get("occurred_at")),
        _time(get("valid_from")),
        _time(get("valid_to")),
        blake2b(value.encode(), digest_size=_HASH_BYTES).digest() if isinstance(value, str) else b"",
    )


def _erased_row(subject: bytes, kind: int, time: int) -> bytes:
    return ROW.pack(subject, kind, ERASED, 0, 0, time, NONE, NONE, NONE, b"")


def _time(said: Json) -> int:
    return NONE if not isinstance(said, int) else min(max(said, NONE + 1), _LAST)


def _place(members: Mapping[str, Json]) -> bytes | None:
    """Where in `places` a version belongs, if it says of what it is a part, and where in it."""
    parent, position = members.get("parent"), members.get("position")
    if not isinstance(parent, str) or not isinstance(position, int) or not NONE <= position <= _LAST:
        return None
    try:
        whole = bytes.fromhex(parent)
    except ValueError:
        return None
    return _PLACE.pack(whole, position - NONE) if len(whole) == ID_BYTES else None


def _write_rows(transaction: WriteTransaction, rows: Mapping[int, bytes]) -> None:
    """Set rows of `documents`, of versions that come after those that have theirs."""
    groups: dict[int, dict[int, bytes]] = {}
    for seq, row in rows.items():
        groups.setdefault(seq // ROWS, {})[seq % ROWS] = row
    keys = [seq_key(group) for group in groups]
    items = []
    for key, added, there in zip(keys, groups.values(), transaction.get_many(DOCUMENTS, keys), strict=True):
        parts = [b"" if there is None else there]
        at = len(parts[0]) // ROW.size
        for offset, row in added.items():
            parts += [_ABSENT] * (offset - at)
            parts.append(row)
            at = offset + 1
        items.append((key, b"".join(parts)))
    transaction.put_many(DOCUMENTS, items)


# -- erasing -----------------------------------------------------------------------------------------------------------


def _erase(transaction: WriteTransaction, seqs: set[int]) -> None:
    """Blank the rows of versions, and take out their terms. Seqs of edges, and of what is blank already, are passed."""
    offsets: dict[int, set[int]] = {}
    groups = sorted({seq // ROWS for seq in seqs})
    keys = [seq_key(group) for group in groups]
    changed = []
    for group, key, there in zip(groups, keys, transaction.get_many(DOCUMENTS, keys), strict=True):
        rows = bytearray(there or b"")
        before = bytes(rows)
        for at in range(0, len(rows), ROW.size):
            seq = group * ROWS + at // ROW.size
            subject, kind, flags, _, _, time, *_ = ROW.unpack_from(rows, at)
            if seq in seqs and kind and not flags & ERASED:
                rows[at : at + ROW.size] = _erased_row(subject, kind, time)
                if kind == Kind.PUT:
                    offsets.setdefault(seq // BLOCK, set()).add(seq % BLOCK)
        if rows != before:
            changed.append((key, bytes(rows)))
    transaction.put_many(DOCUMENTS, changed)
    for block, gone in offsets.items():
        _erase_postings(transaction, block, gone)


def _erase_postings(transaction: WriteTransaction, block: int, gone: set[int]) -> None:
    """Take offsets out of every row of a block that has them."""
    start = block.to_bytes(4, "big")
    kept: list[tuple[bytes, bytes]] = []
    emptied: list[bytes] = []
    for key, row in transaction.scan(POSTINGS, start, behind(start)):
        count = len(row) // 3
        offsets = unpack_from(f"<{count}H", row)
        if gone.isdisjoint(offsets):
            continue
        left = [i for i, offset in enumerate(offsets) if offset not in gone]
        if left:
            frequencies = bytes([row[2 * count + i] for i in left])
            kept.append((key, pack(f"<{len(left)}H", *(offsets[i] for i in left)) + frequencies))
        else:
            emptied.append(key)
        if key[4:5] == _PLACED:
            for offset in gone.intersection(offsets):
                transaction.delete(PLACES, key[5:] + seq_key(block * BLOCK + offset))
    transaction.put_many(POSTINGS, kept)
    for key in emptied:
        transaction.delete(POSTINGS, key)


# -- reading -----------------------------------------------------------------------------------------------------------


def keyword_term(field: Field, text: str) -> bytes:
    """How a keyword stands in `postings`: tags and entities in one spelling, the others as they are."""
    return fit(keyword(text) if field in (Field.TAG, Field.ENTITY) else text).encode()


def posting_keys(field: Field, term: bytes, size: int, first: int = 0) -> list[bytes]:
    """The keys of a term in each block of a log with so many entries, in order, from the block `first` on."""
    end = field.value + term
    return [block.to_bytes(4, "big") + end for block in range(first, -(-size // BLOCK))]


def without_offsets(row: bytes, gone: frozenset[int]) -> bytes | None:
    """A row of postings without these versions of its block; None if no other is left."""
    count = len(row) // 3
    offsets = unpack_from(f"<{count}H", row)
    if gone.isdisjoint(offsets):
        return row
    left = [place for place, offset in enumerate(offsets) if offset not in gone]
    frequencies = row[2 * count :]
    kept = pack(f"<{len(left)}H", *(offsets[place] for place in left))
    return kept + bytes(frequencies[place] for place in left) if left else None


def split_postings(row: bytes) -> tuple[bytes, bytes]:
    """Offsets in the block, two bytes each; frequencies, one byte each."""
    cut = len(row) // 3 * 2
    return row[:cut], row[cut:]


def document_rows(transaction: ReadTransaction, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """First seq and rows of each group of seqs, from the one of `start` on. Zeros, or no row: no version."""
    for key, rows in transaction.scan(DOCUMENTS, seq_key(start // ROWS)):
        yield read_seq(key) * ROWS, rows


def undoing(transaction: ReadTransaction) -> Iterator[bytes]:
    """The atoms of which a version took back others; one as often as it has such versions."""
    for _, rows in document_rows(transaction):
        for place, flags in enumerate(rows[_FLAGS :: ROW.size]):
            if flags >> UNDOES_SHIFT:
                yield rows[place * ROW.size : place * ROW.size + ID_BYTES]


def parts_from(transaction: ReadTransaction, whole: bytes, position: int) -> Iterator[tuple[int, int]]:
    """Position and seq of the parts of a whole from a position on."""
    start = _PLACE.pack(whole, max(position, NONE) - NONE)
    for key, _ in transaction.scan(PLACES, start, behind(whole)):
        _, at = _PLACE.unpack_from(key)
        yield at + NONE, read_seq(key[_PLACE.size :])


def beside(
    transaction: ReadTransaction, whole: bytes, position: int, *, after: bool, limit: int | None = None
) -> Iterator[int]:
    """Seqs of the parts of a whole behind (`after`) or before a position, the nearest first; up to `limit`."""
    if after:
        start, stop = _PLACE.pack(whole, position - NONE + 1), behind(whole)
    else:
        start, stop = whole, _PLACE.pack(whole, position - NONE)
    for key, _ in transaction.scan(PLACES, start, stop, reverse=not after, limit=limit):
        yield read_seq(key[_PLACE.size :])
