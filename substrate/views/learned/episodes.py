"""Past sessions as they are compared with the one at hand: what each needed, and what for. The last 3,000 of them.

    episodes   b"n" -> number of the next one (8)
               b"e", number (8) -> domain (16), weight (1), time (8), key of its trace (12), how many accesses (4),
               counts of the terms, items and tail (2 each); then its atoms (16 each), hashes of its objective's terms
               (8 each), and the atoms that it accessed last (16 each, holes among them), from which a further part
               goes on
               b"s", key of a trace (12) -> number (8): which episode a part goes on from
               b"i", atom id (16) -> numbers (4 each): the episodes that needed it
               b"o", hash of a term (8) -> number (4) and first bytes of its domain (4): whose objective has the term
               b"c", domain (16) -> how many there are of the domain (4)
               b"w", domain (16) -> nothing: there was one of the domain
               b"t", seq (8) -> nothing: a train entry that was learnt
               b"l" -> key of the last trace that was learnt (12)

Numbers of episodes that are too old stay in rows until these are written the next time; who reads passes over them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from hashlib import blake2b
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import Any, Final, NamedTuple, cast

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction, WriteTransaction, behind, kept_by
from substrate.kv.decoded import Decoded, shared
from substrate.log.tables import EPISODES, SEQ_BYTES, read_seq, seq_key
from substrate.messages import FSCK, REBUILD
from substrate.proof.entry import ID_BYTES
from substrate.text.terms import query_terms
from substrate.views.learned.sessions import HOLE, TRAINED, Heard

__all__ = [
    "MOST",
    "TAIL",
    "Episode",
    "Episodes",
    "Needed",
    "episode_count",
    "episodes_beside",
    "episodes_for",
    "episodes_seen",
    "episodes_with",
    "needed_in",
    "numbers_of",
    "objective_terms",
    "of_domain",
    "oldest_trace",
    "traces_after",
    "trainings_in",
    "trainings_learnt",
]

MOST: Final = 3000
TAIL: Final = 10
_TERMS: Final = 64
"""Of an objective so many different ones count: a long one is a description, and its beginning says what it is."""
_SHORT: Final = 500
"""What is longer is read and compared each time: `kept_by` is for much that is small."""
_HASH_BYTES: Final = 8
_TAG_BYTES: Final = 4
_HEAD: Final = Struct(">16sBq12sIHHH")
_NUMBER: Final = Struct(">I")
_EPISODE_KEY: Final = Struct(">cQ").pack
_ID: Final = Struct("16s")
_HASH: Final = Struct("8s")
_PAIR: Final = Struct(">I4s")
_MOST_NUMBER: Final = 2**32 - 1
_MOST_ITEMS: Final = 2**16 - 1
"""Of one episode: no row can say more. Sessions are learnt in shorter ones; this holds for rows from elsewhere."""


class Episode(NamedTuple):
    """A past session."""

    domain: bytes
    weight: int
    time: int
    trace: bytes
    """The key of its (first) row of sessions; of a training its seq, and zeros."""
    accesses: int
    """How many there were so far, each time counted, holes too."""
    items: tuple[bytes, ...]
    terms: tuple[bytes, ...]
    tail: tuple[bytes, ...]

    def to_bytes(self) -> bytes:
        """As it is stored."""
        counts = len(self.terms), len(self.items), len(self.tail)
        head = _HEAD.pack(self.domain, self.weight, self.time, self.trace, self.accesses, *counts)
        return head + b"".join((*self.items, *self.terms, *self.tail))


class Needed(NamedTuple):
    """What a past session needed: its weight, how many terms its objective has, and its atoms."""

    weight: int
    terms: int
    items: tuple[bytes, ...]
    each: float
    """Its weight by the number of its atoms. Kept: every vote of a session asks for it, and a session has hundreds."""
    is_training: bool
    """Whether somebody said that these are needed."""

    def without(self, hidden: Container[bytes]) -> Needed | None:
        """The same as if these atoms were not there; None if it needed nothing besides."""
        items = tuple([item for item in self.items if item not in hidden])
        if len(items) == len(self.items):
            return self
        return self._replace(items=items, each=self.weight / len(items)) if items else None


_NOTHING: Final = Needed(1, 0, (), 1.0, is_training=False)


def objective_terms(objective: str) -> tuple[bytes, ...]:
    """What of an objective is compared."""
    terms = query_terms(objective)[:_TERMS] if objective.strip() else []
    return tuple(blake2b(term.term.encode(), digest_size=_HASH_BYTES).digest() for term in terms)


def _read(row: bytes) -> Episode:
    try:
        domain, weight, time, trace, accesses, terms, items, tail = _HEAD.unpack_from(row)
        at = _HEAD.size
        parts = []
        for count, layout in ((items, _ID), (terms, _HASH), (tail, _ID)):
            stop = at + count * layout.size
            parts.append(tuple(one for (one,) in layout.iter_unpack(row[at:stop])))
            at = stop
    except StructError as error:
        raise StoreDamaged(f"a row of episodes is malformed ({error!r}); run ", FSCK, ", or ", REBUILD) from None
    if at != len(row):
        raise StoreDamaged("a row of episodes is cut off; run ", FSCK, ", or ", REBUILD)
    return Episode(domain, weight, time, trace, accesses, *parts)


def _needed(row: bytes) -> Needed:
    """Of a row just what a vote needs: most that is read of episodes is this."""
    try:
        _, weight, _, trace, _, terms, items, _ = _HEAD.unpack_from(row)
        packed = row[_HEAD.size : _HEAD.size + items * ID_BYTES]
        needed = shared([item for (item,) in _ID.iter_unpack(packed)])
        return Needed(weight, terms, needed, weight / max(len(needed), 1), trace.endswith(TRAINED))
    except StructError as error:
        raise StoreDamaged(f"a row of episodes is malformed ({error!r}); run ", FSCK, ", or ", REBUILD) from None


_NEEDED: Final = Decoded(_needed, 2**20)


def _unpacked(layout: Struct, row: bytes | None) -> list[tuple[Any, ...]]:
    """A row of many alike."""
    return list(layout.iter_unpack(_many(layout, row)))


def _many(layout: Struct, row: bytes | None) -> bytes:
    """A row of many alike, as it lies there; empty if there is none. StoreDamaged if it cannot be one."""
    if row is not None and (not row or len(row) % layout.size):
        raise StoreDamaged("a row of episodes is malformed; run ", FSCK, ", or ", REBUILD)
    return row or b""


def _numbers(row: bytes) -> list[int]:
    return [number for (number,) in _unpacked(_NUMBER, row)]


_NUMBERS: Final = Decoded(_numbers, 2**20)


def _number(row: bytes | None) -> int:
    """A number that stands alone; 0 if there is none."""
    if row is not None and (len(row) != SEQ_BYTES or read_seq(row) >= _MOST_NUMBER):
        raise StoreDamaged("a row of episodes is malformed; run ", FSCK, ", or ", REBUILD)
    return 0 if row is None else read_seq(row)


def _next(transaction: ReadTransaction) -> int:
    return _number(transaction.get(EPISODES, b"n"))


def episodes_seen(transaction: ReadTransaction) -> int:
    """How many there have been, those that are too old among them."""
    return _next(transaction)


def trainings_learnt(transaction: ReadTransaction) -> int:
    """How many of them were trainings. Reads a row for each."""
    return sum(1 for _ in transaction.scan(EPISODES, b"t", behind(b"t")))


def trainings_in(transaction: ReadTransaction) -> frozenset[int]:
    """The numbers of those episodes that were trainings. Reads two rows for each, until the next write once."""
    kept = kept_by(transaction, "trainings in episodes")
    if "" not in kept:
        learnt = transaction.scan(EPISODES, b"t", behind(b"t"), reverse=True, limit=MOST)
        numbers = numbers_of(transaction, [key[1:] + TRAINED for key, _ in learnt])
        oldest = _next(transaction) - MOST
        kept[""] = frozenset(number for number in numbers if number is not None and number >= oldest)
    found: frozenset[int] = kept[""]
    return found


def episodes_beside(transaction: ReadTransaction, hidden: frozenset[bytes]) -> tuple[int, int]:
    """Of the last episodes, how many sessions and how many trainings say something beside these atoms.

    One of a domain among them, or that needed them alone, is left out. Reads a row for each, until the next write once.
    """
    kept = kept_by(transaction, "episodes beside")
    if hidden not in kept:
        kept[hidden] = _counted_beside(transaction, hidden)
    counted: tuple[int, int] = kept[hidden]
    return counted


def _counted_beside(transaction: ReadTransaction, hidden: Container[bytes]) -> tuple[int, int]:
    sessions = trainings = 0
    for _, row in transaction.scan(EPISODES, b"e", behind(b"e")):
        episode = _read(row)
        if episode.domain in hidden or (episode.items and all(item in hidden for item in episode.items)):
            continue
        is_training = episode.trace.endswith(TRAINED)
        sessions, trainings = sessions + (not is_training), trainings + is_training
    return sessions, trainings


def episode_count(transaction: ReadTransaction, domain: bytes = HOLE) -> int:
    """How many episodes there are; of a domain, or altogether."""
    if domain == HOLE:
        return min(_next(transaction), MOST)
    row = transaction.get(EPISODES, b"c" + domain)
    return 0 if row is None else int(_unpacked(_NUMBER, row)[0][0])


def episodes_with(transaction: ReadTransaction, items: Sequence[bytes]) -> list[list[int]]:
    """For each atom the numbers of the episodes that needed it, oldest first."""
    kept = kept_by(transaction, "episodes with atoms")
    missing = [item for item in items if item not in kept]
    found: dict[bytes, list[int]] = {}
    if missing:
        oldest = _next(transaction) - MOST
        keys = [b"i" + item for item in missing]
        for item, numbers in zip(missing, _NUMBERS.many(keys, transaction.get_many(EPISODES, keys), []), strict=True):
            found[item] = numbers if oldest <= 0 else [number for number in numbers if number >= oldest]
        kept.update({item: numbers for item, numbers in found.items() if len(numbers) <= _SHORT})
    return [found[item] if item in found else kept[item] for item in items]


def episodes_for(transaction: ReadTransaction, terms: Sequence[bytes], domain: bytes = HOLE) -> list[list[int]]:
    """For each term of an objective the numbers of the episodes that had it too; of a domain, or all."""
    oldest = _next(transaction) - MOST
    rows = transaction.get_many(EPISODES, [b"o" + term for term in terms])
    tag = domain[:_TAG_BYTES]
    every = domain == HOLE
    return [[n for n, of in _unpacked(_PAIR, row) if n >= oldest and (every or of == tag)] for row in rows]


def traces_after(transaction: ReadTransaction, trace: bytes) -> Iterator[bytes]:
    """The keys of the traces of all episodes that came after one, oldest first."""
    for key, _ in transaction.scan(EPISODES, b"s" + trace + b"\0", behind(b"s")):
        yield key[1:]


def oldest_trace(transaction: ReadTransaction) -> bytes:
    """The key of the first trace of the oldest episode; empty if there is none."""
    return next(traces_after(transaction, b""), b"")


def numbers_of(transaction: ReadTransaction, traces: Sequence[bytes]) -> list[int | None]:
    """For each key of a (first) trace the number of its episode; None if that is gone, or too old."""
    rows = transaction.get_many(EPISODES, [b"s" + trace for trace in traces])
    return [None if row is None else _number(row) for row in rows]


def of_domain(transaction: ReadTransaction, numbers: Sequence[int], domain: bytes) -> list[int]:
    """Those of these episodes that are of a domain."""
    rows = transaction.get_many(EPISODES, [b"e" + seq_key(number) for number in numbers])
    return [n for n, row in zip(numbers, rows, strict=True) if row is not None and row.startswith(domain)]


def needed_in(transaction: ReadTransaction, numbers: Sequence[int]) -> list[Needed]:
    """What the episodes of these numbers needed, in the order given."""
    kept = kept_by(transaction, "needed in episodes")
    known: list[Needed | None] = list(map(kept.get, numbers))
    if all(known):  # one that is known is never empty
        return cast("list[Needed]", known)
    missing = [number for number, one in zip(numbers, known, strict=True) if one is None]
    keys = [_EPISODE_KEY(b"e", number) for number in missing]
    found = dict(zip(missing, _NEEDED.many(keys, transaction.get_many(EPISODES, keys), _NOTHING), strict=True))
    kept.update({number: one for number, one in found.items() if len(one.items) <= _SHORT})
    return [found[number] if one is None else one for number, one in zip(numbers, known, strict=True)]


class Episodes:
    """Episodes to be added and changed, held until `flush`. One per transaction."""

    def __init__(self, transaction: WriteTransaction) -> None:
        self._transaction = transaction
        self._rows: dict[bytes, bytes | None] = {}

    def find(self, trace: bytes) -> tuple[int, Episode] | None:
        """The episode whose first trace has this key; None if there is none (any more)."""
        number = self._get(b"s" + trace)
        row = None if number is None else self._get(b"e" + number)
        return None if number is None or row is None else (_number(number), _read(row))

    def add(self, heard: Heard, items: Iterable[bytes], tail: Sequence[bytes], trace: bytes) -> None:
        """One more; the oldest goes, if there are too many."""
        number = _number(self._get(b"n"))
        self._rows[b"n"] = seq_key(number + 1)
        episode = Episode(
            heard.domain,
            heard.weight,
            heard.time,
            trace,
            len(heard.items),
            tuple(items)[:_MOST_ITEMS],
            objective_terms(heard.objective),
            tuple(tail),
        )
        self._put(number, episode)
        self._rows[b"s" + trace] = seq_key(number)
        self._join(number, episode.items)
        for term in episode.terms:
            self._append(b"o" + term, _PAIR, (number, heard.domain[:_TAG_BYTES]), number)
        self._count(heard.domain, 1)
        if heard.domain != HOLE:
            self._rows[b"w" + heard.domain] = b""
        self._expire(number - MOST)

    def extend(
        self, number: int, episode: Episode, accesses: int, items: Sequence[bytes], tail: Sequence[bytes]
    ) -> None:
        """An episode went on, by so many accesses: atoms that are new to it, and what it accessed last."""
        needed = (episode.items + tuple(items))[:_MOST_ITEMS]
        accesses = min(2**32 - 1, episode.accesses + accesses)
        self._put(number, episode._replace(accesses=accesses, items=needed, tail=tuple(tail)))
        self._join(number, items)

    @property
    def last(self) -> bytes:
        """The key of the last trace that was learnt."""
        return self._get(b"l") or b""

    @last.setter
    def last(self, key: bytes) -> None:
        self._rows[b"l"] = key

    def learnt(self, seq: int) -> None:
        """A train entry was learnt."""
        self._rows[b"t" + seq_key(seq)] = b""

    def was_learnt(self, seq: int) -> bool:
        """Whether it was."""
        return self._get(b"t" + seq_key(seq)) is not None

    def remove(self, subject: bytes) -> None:
        """Take an atom out of every episode; if it was a domain, they have none from now on."""
        for (number,) in _unpacked(_NUMBER, self._get(b"i" + subject)):
            row = self._get(b"e" + seq_key(number))
            if row is not None:
                episode = _read(row)
                items = tuple(item for item in episode.items if item != subject)
                tail = tuple(HOLE if item == subject else item for item in episode.tail)
                self._put(number, episode._replace(items=items, tail=tail))
        self._rows[b"i" + subject] = None
        if self._get(b"w" + subject) is not None:
            self._lose_domain(subject)

    def flush(self) -> None:
        """Write all that was changed."""
        for key, row in sorted(self._rows.items()):
            if row is None:
                self._transaction.delete(EPISODES, key)
            else:
                self._transaction.put(EPISODES, key, row)
        self._rows.clear()

    def _lose_domain(self, domain: bytes) -> None:
        """As if no session had been of it. Goes through all rows of terms: they name it for older episodes too."""
        tag, none = domain[:_TAG_BYTES], HOLE[:_TAG_BYTES]
        for key in self._keys(b"e"):
            row = self._get(key)
            if row is not None and row.startswith(domain):
                self._rows[key] = HOLE + row[ID_BYTES:]
        for key in self._keys(b"o"):
            row = self._get(key)
            if row is not None and tag in row:
                pairs = _unpacked(_PAIR, row)
                self._rows[key] = b"".join(_PAIR.pack(number, none if of == tag else of) for number, of in pairs)
        self._rows[b"c" + domain] = self._rows[b"w" + domain] = None

    def _keys(self, kind: bytes) -> set[bytes]:
        stored = {key for key, _ in self._transaction.scan(EPISODES, kind, behind(kind))}
        return stored | {key for key in self._rows if key.startswith(kind)}

    def _expire(self, number: int) -> None:
        row = self._get(b"e" + seq_key(number)) if number >= 0 else None
        if row is None:
            return
        episode = _read(row)
        self._rows[b"e" + seq_key(number)] = None
        self._rows[b"s" + episode.trace] = None
        self._count(episode.domain, -1)

    def _count(self, domain: bytes, change: int) -> None:
        if domain != HOLE:
            there = _unpacked(_NUMBER, self._get(b"c" + domain) or bytes(4))[0][0] + change
            self._rows[b"c" + domain] = _NUMBER.pack(min(there, _MOST_NUMBER)) if there > 0 else None

    def _join(self, number: int, items: Iterable[bytes]) -> None:
        for item in items:
            self._append(b"i" + item, _NUMBER, (number,), number)

    def _append(self, key: bytes, layout: Struct, row: tuple[object, ...], number: int) -> None:
        """Add to a row of numbers; those that are too old go, if it has many."""
        known = _many(layout, self._get(key))
        if len(known) >= MOST * layout.size or (len(known) and _NUMBER.unpack_from(known)[0] < number - 2 * MOST):
            known = b"".join(layout.pack(*one) for one in layout.iter_unpack(known) if one[0] > number - MOST)
        self._rows[key] = known + layout.pack(*row)

    def _put(self, number: int, episode: Episode) -> None:
        self._rows[b"e" + seq_key(number)] = episode.to_bytes()

    def _get(self, key: bytes) -> bytes | None:
        return self._rows[key] if key in self._rows else self._transaction.get(EPISODES, key)
