"""The view of words: which versions hold a term, and what of each version ranking and masks need. A version is a seq.

    postings   block of seqs (4), field (1), term -> n offsets in the block (2 each), n frequencies (1 each)
               the same with the block's first bit set -> the same, of the newest seqs alone
    documents  seq / 64 (8) -> a row of 64 bytes for each of these seqs, up to the last that is a version; see `ROW`
    places     id of a whole (16), position (8), seq (8) -> nothing

1. A term belongs to a *field*: the words of a version are one bag; the others are keywords, for filters. The rows of a
   block lie side by side, so a batch writes in one place, whatever its words are.
   The newest seqs, at most `NEWEST`, have rows of their own, behind all blocks: a note writes a few short rows on a
   few pages. Once there are that many, their rows are joined to those of the block. Where each posting is
   follows from the size of the log, however it was written.
2. Numbers in postings and documents are little-endian, as arrays in memory are; in keys big-endian, as keys compare.
3. Of an erased version a row of `documents` stays, with what its entry says in any case: atom, kind, time. Its terms
   are taken out of every row of its block, found by its offset: nobody knows any more which they were.
4. All rows follow from the log alone. A replay meets bodies that are gone where the first pass saw them erased later:
   both leave the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
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
    "NEWEST",
    "NONE",
    "POSTING_BYTES",
    "ROW",
    "ROWS",
    "UNDOES_SHIFT",
    "Field",
    "WordView",
    "beside",
    "block_of",
    "document_rows",
    "keyword_term",
    "parts_from",
    "posting_heads",
    "posting_keys",
    "split_postings",
    "undoing",
    "without_offsets",
]

BLOCK: Final = 1 << 13
"""Seqs whose postings lie side by side. An offset takes two bytes."""
POSTING_BYTES: Final = 3
"""Of an offset and a frequency."""
NEWEST: Final = 1 << 5
"""Seqs at the end of the log whose postings are not yet in the rows of their block. Counted within a block."""
_APART: Final = 1 << 31
"""The first bit of a block's number, in keys of the postings of its newest seqs."""
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
_PART: Final = Struct(">16xQQ")
_PARTS_END: Final = b"\xff" * 17
"""Behind a whole: where its parts end. No key of a part is as long."""
_ONE: Final = Struct("<HB")
_TWO: Final = Struct("<HHBB")
_PAIR: Final = 2
_MOST: Final = 255
_FEW: Final = 4
"""Versions up to which each is counted on its own: a Counter costs as much as counting six."""
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
    version = 4
    tables: Sequence[str] = (POSTINGS, DOCUMENTS, PLACES)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""
        if entries:
            self.take(transaction, entries, entries[0].seq, entries[-1].seq + 1)

    def take(self, transaction: WriteTransaction, entries: Iterable[Logged], start: int, stop: int) -> None:
        """Take in some of the entries from `start` up to `stop`; those before `start` were taken or left out before."""
        newest = stop - stop % BLOCK % NEWEST
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
                    block = seq // BLOCK if seq < newest else seq // BLOCK | _APART
                    posted = blocks.get(block)
                    if posted is None:
                        posted = blocks[block] = _posted()
                    length = _post(posted, seq % BLOCK, members)
                    if "parent" in members and (place := _place(members)) is not None:
                        posted[_PLACED][place].append(seq % BLOCK)
                        places.append((place + seq_key(seq), b""))
                rows[seq] = _row(entry, members, length)
            elif kind is Kind.FORGET:
                erased.update(read_forget(entry.body).erased)
        fresh: dict[bytes, bytes] = {}
        for block, posted in blocks.items():
            fresh |= _packed(block, posted)
        if start < newest:
            _join_newest(transaction, start // BLOCK, fresh)
        _write_postings(transaction, fresh)
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


def _packed(block: int, posted: _Posted) -> dict[bytes, bytes]:
    """What there is to add to rows, by key."""
    fresh: dict[bytes, bytes] = {}
    pairs: dict[tuple[int, ...], bytes] = {}
    for field, terms in posted.items():
        start = block.to_bytes(4, "big") + field
        for term, offsets in terms.items():
            key = start + (term.encode() if field == _WORD else term if isinstance(term, bytes) else fit(term).encode())
            if len(offsets) == 1:
                fresh[key] = _ONE.pack(offsets[0], 1)
            elif len(offsets) == _PAIR:  # of a document and its chunk: the same for all their words
                pair = tuple(offsets)
                row = pairs.get(pair)
                fresh[key] = pairs.setdefault(pair, _pack(offsets)) if row is None else row
            else:
                fresh[key] = _pack(offsets)
    return fresh


def _write_postings(transaction: WriteTransaction, fresh: Mapping[bytes, bytes]) -> None:
    """Add to the rows at these keys. Offsets are higher than those that are there."""
    keys = sorted(fresh)
    rows = transaction.get_many(POSTINGS, keys)
    transaction.put_many(
        POSTINGS,
        [
            (key, fresh[key] if there is None else _joined(there, fresh[key]))
            for key, there in zip(keys, rows, strict=True)
        ],
    )


def _join_newest(transaction: WriteTransaction, block: int, fresh: dict[bytes, bytes]) -> None:
    """Take the rows of what were the newest seqs, and put them before what there is to add to those of their block."""
    apart, start = (block | _APART).to_bytes(4, "big"), block.to_bytes(4, "big")
    for key, row in list(transaction.scan(POSTINGS, apart, behind(apart))):
        transaction.delete(POSTINGS, key)
        own = start + key[4:]
        fresh[own] = _joined(row, fresh[own]) if own in fresh else row


def _pack(offsets: Sequence[int]) -> bytes:
    """Offsets in order, each as often as its term occurs."""
    if len(offsets) == _PAIR and offsets[0] != offsets[1]:
        return _TWO.pack(*offsets, 1, 1)
    count = len(offsets)
    distinct = dict.fromkeys(offsets)
    if len(distinct) == count:
        return pack(f"<{count}H", *offsets) + b"\x01" * count
    often = list(map(offsets.count, distinct) if len(distinct) <= _FEW else Counter(offsets).values())
    frequencies = bytes(often if max(often) <= _MOST else [min(times, _MOST) for times in often])
    return pack(f"<{len(distinct)}H", *distinct) + frequencies


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
        _erase_postings(transaction, block.to_bytes(4, "big"), gone)
        _erase_postings(transaction, (block | _APART).to_bytes(4, "big"), gone)


def _erase_postings(transaction: WriteTransaction, start: bytes, gone: set[int]) -> None:
    """Take offsets out of every row that has them, of those of a block, or of its newest seqs."""
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
                transaction.delete(PLACES, key[5:] + seq_key(block_of(key) * BLOCK + offset))
    transaction.put_many(POSTINGS, kept)
    for key in emptied:
        transaction.delete(POSTINGS, key)


# -- reading -----------------------------------------------------------------------------------------------------------


def keyword_term(field: Field, text: str) -> bytes:
    """How a keyword stands in `postings`: tags and entities in one spelling, the others as they are."""
    return fit(keyword(text) if field in (Field.TAG, Field.ENTITY) else text).encode()


def posting_heads(size: int, first: int = 0) -> tuple[tuple[int, bytes], ...]:
    """Where postings of a log with so many entries lie, in the order of seqs, from the block `first` on.

    For each block, and behind the last for its newest seqs: the seq that offsets count from, and how keys begin.
    """
    return _heads(first, -(-size // BLOCK), BLOCK)


@lru_cache(maxsize=8)  # a search asks for each of its words
def _heads(first: int, end: int, block: int) -> tuple[tuple[int, bytes], ...]:
    if first >= end:
        return ()
    newest = (end - 1) * block, (end - 1 | _APART).to_bytes(4, "big")
    return (*((at * block, at.to_bytes(4, "big")) for at in range(first, end)), newest)


def posting_keys(field: Field, term: bytes, size: int, first: int = 0) -> list[bytes]:
    """The keys of a term: one for each of `posting_heads`."""
    end = field.value + term
    return [head + end for _, head in posting_heads(size, first)]


def block_of(key: bytes) -> int:
    """The block of seqs that a row of postings belongs to, by its key."""
    return int.from_bytes(key[:4], "big") & ~_APART


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
    cut = len(row) // POSTING_BYTES * 2
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
    for key, _ in transaction.scan(PLACES, start, whole + _PARTS_END):
        at, seq = _PART.unpack(key)
        yield at + NONE, seq


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
