"""Every version of a log as columns in memory, and the masks over them: what is current, what was, what held when.

1. Columns are indexed by seq. They grow behind what is published; what is published is never written to. A forget
   changes the past: it is written into a copy.
2. `Columns.at` follows the log to just the snapshot it is given. That it is the log whose columns are here, it sees by
   the signed head of the size that they have: another history has other bytes there.
3. The masks say what `atoms/validity.py` says of each atom, of all atoms at once; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from substrate.ciphers import CIPHERTEXT
from substrate.codec import decode_body
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.tables import BODIES, POSTINGS, seq_key
from substrate.messages import FSCK
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.schema import UNDOES
from substrate.search.columns.ids import Ids, ids_of
from substrate.search.columns.versions import Chains
from substrate.veil import bare, hidden_in
from substrate.views.follow import Trail, erased_between, latest_head
from substrate.views.turns import STANDING, TURN
from substrate.views.words import (
    BLOCK,
    ERASED,
    MOST_UNDONE,
    NONE,
    ROW,
    UNDOES_SHIFT,
    Field,
    document_rows,
    posting_heads,
    posting_keys,
    split_postings,
)

__all__ = ["Columns", "Documents", "Mask", "extent_of"]

Mask = NDArray[np.bool_]
"""Of each seq, whether it is meant."""
_Made = TypeVar("_Made")

_DTYPE: Final = np.dtype(
    [
        ("subject_high", "<u8"),
        ("subject_low", "<u8"),
        ("kind", "u1"),
        ("flags", "u1"),
        ("speaker", "<u2"),
        ("length", "<u4"),
        ("time", "<i8"),
        ("occurred", "<i8"),
        ("valid_from", "<i8"),
        ("valid_to", "<i8"),
        ("value", "<u8"),
    ]
)
_NAMES: Final = tuple(_DTYPE.names or ())
_BLANKED: Final = {
    "speaker": 0,
    "length": 0,
    "occurred": NONE,
    "valid_from": NONE,
    "valid_to": NONE,
    "value": 0,
    "flags": ERASED,
    "undone": 0,
}
"""What the row of an erased version does not say any more."""
_CIPHERTEXT: Final = CIPHERTEXT[:-1].encode()
_FIRST_ROOM: Final = 1024
_PORTION: Final = 1 << 16
_AT_ONCE: Final = 128


@dataclass(frozen=True, eq=False)
class Documents:
    """The versions of one snapshot. Arrays are indexed by seq and read only; `kind` 0: the entry is no version."""

    size: int
    kind: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    speaker: NDArray[np.uint16]
    length: NDArray[np.uint32]
    time: NDArray[np.int64]
    occurred: NDArray[np.int64]
    valid_from: NDArray[np.int64]
    valid_to: NDArray[np.int64]
    value: NDArray[np.uint64]
    subject_high: NDArray[np.uint64]
    subject_low: NDArray[np.uint64]
    undone: NDArray[np.uint32]
    """How many of the versions of its atom before it each version took back."""
    before: NDArray[np.int64]
    """The version of the same atom that came before; -1 if none did."""
    followers: NDArray[np.int64]
    """The seqs that have one before, in order."""

    @cached_property
    def _kept(self) -> dict[str, Any]:
        return {}

    def once(self, what: str, make: Callable[[], _Made]) -> _Made:
        """What is made of the postings of this snapshot, kept for the next search: what most searches need."""
        if what not in self._kept:
            self._kept[what] = make()
        made: _Made = self._kept[what]
        return made

    @property
    def whole(self) -> Documents:
        """All versions there are, if these are just what one client may see."""
        whole: Documents = vars(self).get("unveiled", self)
        return whole

    def without(self, hidden: Mask, earlier: Documents | None = None) -> Documents:
        """The same as one sees them who may not know of some atoms: as if their entries were no versions.

        `earlier`: what this gave for the same atoms, of versions before; it is carried on if these begin with them.
        """
        if earlier is not None and len(hidden) <= earlier.size <= self.size and self.history is earlier.whole.history:
            return self._without_as(earlier)
        stays = np.ones(self.size, np.bool_)
        np.logical_not(hidden, out=stays[: len(hidden)])
        veiled = replace(self, kind=self.kind * stays, flags=self.flags * stays)
        now = self.now & stays  # of an atom all versions are hidden, or none
        now.flags.writeable = False
        vars(veiled).update(unveiled=self, said=self.said & stays, when=self.when, now=now)
        return veiled

    def _without_as(self, earlier: Documents) -> Documents:
        """What is new here is hidden from nobody."""
        fresh = slice(earlier.size, None)
        kind, flags = (
            np.concatenate([known, new[fresh]])
            for known, new in ((earlier.kind, self.kind), (earlier.flags, self.flags))
        )
        veiled = replace(self, kind=kind, flags=flags)
        said = np.concatenate([earlier.said, self.said[fresh]])
        vars(veiled).update(unveiled=self, said=said, when=self.when)
        veiled.take_over(earlier)
        return veiled

    @cached_property
    def history(self) -> object:
        """Of two with the same one, the longer begins with the versions of the other, as they are there."""
        return object()

    def subject(self, seq: int) -> bytes:
        """The id of the atom that this is a version of."""
        high: int = self.subject_high.item(seq)
        low: int = self.subject_low.item(seq)
        return high.to_bytes(8, "little") + low.to_bytes(8, "little")  # as they lie in memory

    def subjects(self, seqs: NDArray[np.int64]) -> list[bytes]:
        """The ids of the atoms that these are versions of."""
        return self.ids(seqs).listed()

    def ids(self, seqs: NDArray[np.int64]) -> Ids:
        """The same as arrays."""
        return Ids(self.subject_high[seqs], self.subject_low[seqs])

    @cached_property
    def said(self) -> Mask:
        """Versions that say something: not tombstones, not erased."""
        return _said(vars(self), slice(None))

    @cached_property
    def when(self) -> NDArray[np.int64]:
        """When it happened or, if that is not said, from when it holds or when it was recorded."""
        return _when(vars(self), slice(None))

    def take_over(self, earlier: Documents) -> None:
        """Carry on what was worked out of the versions of `earlier`, with which these begin. Nothing is read anew."""
        known, own = vars(earlier), vars(self)
        own["history"] = earlier.history
        fresh = self.followers[np.searchsorted(self.followers, earlier.size) :]
        replaced = self.before[fresh]
        if "now" in known:
            now = np.empty(self.size, np.bool_)
            now[: earlier.size] = earlier.now
            now[earlier.size :] = self.said[earlier.size :]
            now[replaced] = False
            now.flags.writeable = False
            own["now"] = now
        if "extent" in known and "now" in own:
            gone = replaced[replaced < earlier.size]
            gone = gone[earlier.now[gone]]
            (versions, length), added = earlier.extent, extent_of(self.length[earlier.size :], now[earlier.size :])
            lost = int(self.length[gone].sum(dtype=np.int64))
            own["extent"] = versions + added[0] - len(gone), length + added[1] - lost
        tombstones = Kind.TOMBSTONE in self.kind[earlier.size :] or Kind.TOMBSTONE in self.kind[replaced]
        if "ended" in known and not tombstones:
            own["ended"] = earlier.ended

    def in_use(self, upto: int | None = None) -> Mask:
        """Versions that say something, the superseded ones too, of atoms that were in use after seq `upto`.

        Not those that an undo took back.
        """
        stop = self.size if upto is None else max(0, min(upto + 1, self.size))
        in_use = self.said.copy()
        in_use[stop:] = False
        in_use[self._taken_back(stop)] = False
        ended = np.flatnonzero(self._last(stop) & ~self.said)
        while ended.size:
            in_use[ended] = False
            ended = self.before[ended]
            ended = ended[ended >= 0]
        return in_use

    def stated(self, upto: int | None = None, within: Mask | None = None) -> Mask:
        """The same, of each statement its last version: versions that say one value in a row are one statement.

        `within`: its last version among these. A filter may leave out the last one of all, and not the statement.
        """
        stated = self.in_use(upto)
        if within is not None:
            return self._last_of_each(stated & within)
        again = self.followers[stated[self.followers]]
        earlier = self._earlier[again]
        stated[earlier[(earlier >= 0) & (self.value[again] == self.value[earlier])]] = False
        return stated

    def _last_of_each(self, versions: Mask) -> Mask:
        """Of these versions, the last of each statement. Versions in between may be missing."""
        again = self.followers[versions[self.followers]]
        value, earlier = self.value[again], self._earlier[again]
        while (same := (earlier >= 0) & (value == self.value[earlier])).any():
            value, earlier = value[same], earlier[same]
            versions[earlier] = False
            earlier = self._earlier[earlier]
        return versions

    def of_atoms(self, subjects: Sequence[bytes]) -> Mask:
        """The versions of these atoms."""
        return self.of_ids(ids_of(subjects))

    def of_ids(self, ids: Ids) -> Mask:
        """The same, of ids in arrays."""
        mask: Mask = Ids(self.subject_high, self.subject_low).are_in(ids) & (self.kind != 0)
        return mask

    @cached_property
    def now(self) -> Mask:
        """`current()`, worked out once. Read only."""
        now = self._said_last(self.size)
        now.flags.writeable = False
        return now

    @cached_property
    def standing(self) -> NDArray[np.int64]:
        """What the user asked for in conversations for good; seqs in order."""
        return np.flatnonzero(self.flags & STANDING)

    @cached_property
    def speaks(self) -> bool:
        """Whether any version is a turn of a conversation."""
        return bool((self.flags & TURN).any())

    @cached_property
    def ended(self) -> NDArray[np.int64]:
        """What atoms that are out of use said last; seqs in order. Not of those whose last words were erased.

        Nor of those of which all was taken back by an undo.
        """
        ended = np.flatnonzero(self._last(self.size) & (self.kind == Kind.TOMBSTONE))
        said = self._earlier[ended]
        stone = (self.kind == Kind.TOMBSTONE) & (self.flags & ERASED == 0)
        while (again := (said >= 0) & stone[said]).any():  # what an undo took out of use again
            said[again] = self._earlier[said[again]]
        said = np.sort(said[said >= 0])
        return said[self.said[said]]

    @cached_property
    def spoken(self) -> Mask:
        """The last version of each atom that says something, be the atom in use or not."""
        spoken = self.now.copy()
        waiting = np.flatnonzero(self._last(self.size) & ~self.said)
        while waiting.size:
            waiting = self.before[waiting]
            waiting = waiting[waiting >= 0]
            said = self.said[waiting]
            spoken[waiting[said]] = True
            waiting = waiting[~said]
        return spoken

    @cached_property
    def extent(self) -> tuple[int, int]:
        """How many versions are current, and how many words they have."""
        return extent_of(self.length, self.now)

    def current(self, upto: int | None = None, valid_at: int | None = None) -> Mask:
        """The version of each atom that answers: as known after seq `upto`, as valid at a time in microseconds.

        Atoms out of use have none, nor do those of which what would answer was erased. Whether another atom supersedes
        it by an edge is not seen here.
        """
        stop = self.size if upto is None else max(0, min(upto + 1, self.size))
        if valid_at is not None:
            return self._valid(stop, valid_at)
        return self.now if stop == self.size else self._said_last(stop)

    def last(self, upto: int | None = None) -> Mask:
        """The last version of each atom after seq `upto`, be it a tombstone."""
        return self._last(self.size if upto is None else max(0, min(upto + 1, self.size)))

    def _last(self, stop: int) -> Mask:
        last = np.zeros(self.size, np.bool_)
        last[:stop] = self.kind[:stop] != 0
        followers = self.followers[: np.searchsorted(self.followers, stop)]
        last[self.before[followers]] = False
        return last

    def _said_last(self, stop: int) -> Mask:
        return self._last(stop) & self.said

    @cached_property
    def _earlier(self) -> NDArray[np.int64]:
        """The version before each, passing over those that were taken back; -1 if there is none."""
        seqs = np.flatnonzero(self.undone)
        if not seqs.size:
            return self.before
        earlier = self.before.copy()
        left = self.undone[seqs].astype(np.int64)
        at = seqs
        while at.size:
            at, left = at[more := (left > 0) & (earlier[at] >= 0)], left[more] - 1
            earlier[at] = self.before[earlier[at]]
        # A tombstone that took back all there was before it ended nothing.
        stones = seqs[self.kind[seqs] == Kind.TOMBSTONE]
        ended = np.zeros(self.size, np.bool_)
        while (empty := stones[(earlier[stones] < 0) & ~ended[stones]]).size:
            ended[empty] = True
            after = self.followers[ended[earlier[self.followers]] & (earlier[self.followers] >= 0)]
            earlier[after] = -1
        return earlier

    def _taken_back(self, stop: int) -> list[int]:
        """Versions before seq `stop` that an undo before it took back."""
        gone: set[int] = set()
        seqs = np.flatnonzero(self.undone[:stop])[::-1]
        for seq, count in zip(seqs.tolist(), self.undone[seqs].tolist(), strict=True):
            at = seq
            for _ in range(0 if seq in gone else count):  # one that is taken back takes back nothing any more
                at = self.before.item(at)
                if at < 0:
                    break
                gone.add(at)
        return list(gone)

    @cached_property
    def _first(self) -> NDArray[np.int64]:
        """Of each version the first of those that say its value in a row: these are one statement, refined."""
        first = np.arange(self.size)
        seqs, before = self.followers, self._earlier[self.followers]
        refining = (before >= 0) & self.said[seqs] & self.said[before] & (self.value[seqs] == self.value[before])
        seqs = seqs[refining]
        first[seqs] = before[refining]
        while True:  # each round doubles the distance
            further = first[first[seqs]]
            if np.array_equal(further, first[seqs]):
                return first
            first[seqs] = further

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        """From when each version holds; NONE, the earliest there is: from ever."""
        since = np.full(self.size, NONE)
        origin = self._first[self.followers]
        since[self.followers] = np.where(self._earlier[origin] >= 0, self.time[origin], NONE)
        start = np.where(self.occurred != NONE, self.occurred, since)
        return np.where(self.valid_from != NONE, self.valid_from, start)

    def _holds(self, seqs: NDArray[np.int64] | slice, at: int) -> Mask:
        end = self.valid_to[seqs]
        held: Mask = (self._start[seqs] <= at) & ((end == NONE) | (at < end))
        return held

    def _valid(self, stop: int, at: int) -> Mask:
        """As `version_at` does it, for all atoms in step: from the latest back, until one answers or ends it."""
        last = self._last(stop)
        answers = last & self.said & self._holds(slice(None), at)
        waiting = np.flatnonzero(last & ~answers)
        while waiting.size:
            said = self.said[waiting]
            held = said & self._holds(waiting, at)
            answers[waiting[held]] = True
            tombstoned = self.kind[waiting] == Kind.TOMBSTONE
            occurred = self.occurred[waiting]
            until = np.where(tombstoned & (occurred != NONE), occurred, self.time[waiting])
            ended = ~said & (until <= at)  # out of use by then; or what was erased may have held
            waiting = self._earlier[self._first[waiting[~held & ~ended]]]
            waiting = waiting[waiting >= 0]
        return answers


def _said(columns: Mapping[str, NDArray[Any]], where: slice) -> Mask:
    said: Mask = (columns["kind"][where] == Kind.PUT) & (columns["flags"][where] & ERASED == 0)
    return said


def _when(columns: Mapping[str, NDArray[Any]], where: slice) -> NDArray[np.int64]:
    occurred, start = columns["occurred"][where], columns["valid_from"][where]
    said = np.where(occurred != NONE, occurred, start)
    return np.where(said != NONE, said, columns["time"][where])


_DERIVED: Final[Mapping[str, tuple[Any, Callable[[Mapping[str, NDArray[Any]], slice], NDArray[Any]]]]] = {
    "said": (np.bool_, _said),
    "when": (np.int64, _when),
}
"""What of each version follows from its row alone: worked out once, as columns of their own."""


def extent_of(length: NDArray[np.uint32], mask: Mask) -> tuple[int, int]:
    """How many versions the mask has, and how many words they have. By portions: large arrays are dear to come by."""
    portions = (slice(at, at + _PORTION) for at in range(0, len(mask), _PORTION))
    words = sum(int((length[at] * mask[at]).sum(dtype=np.int64)) for at in portions)
    return int(np.count_nonzero(mask)), words


class Columns:
    """The columns of one open memory. Safe to share between threads."""

    _columns: dict[str, NDArray[Any]]
    _latest: Documents | None
    _forgot: int
    """The last entry that came with one that blanked what had been published without it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._unlocked: Columns | None = None
        """Those of snapshots in which encrypted domains are text: who judges sessions reads what lies on disk."""
        self._begin()

    def at(self, transaction: ReadTransaction) -> Documents:
        """The versions of just this snapshot. Reads what is new since the last call. StoreDamaged.

        Those that the caller may not see are none in it. What is kept here is shared, and has all.
        """
        size, _ = latest_head(transaction)
        below = bare(transaction)
        documents = self._of(below).all_at(below, size)
        hidden = hidden_in(transaction)
        if hidden is None:
            return documents
        return hidden.once(documents, lambda before: documents.without(hidden.versions, before))

    def all_at(self, transaction: ReadTransaction, size: int) -> Documents:
        """The versions of a snapshot of this size, whoever asks. It is of the kind that these columns are of."""
        with self._lock:
            return self._at(transaction, size)

    def _of(self, transaction: ReadTransaction) -> Columns:
        """The columns of the kind of snapshot that this is."""
        if getattr(transaction, "stored", None) is None:
            return self
        with self._lock:
            if self._unlocked is None:
                self._unlocked = Columns()
            return self._unlocked

    def _at(self, transaction: ReadTransaction, size: int) -> Documents:
        if self._latest is None or not self._trail.leads_to(transaction) or size <= self._forgot:
            # Another log, or a snapshot from before something was blanked: these are not its columns.
            self._begin()
        elif size < self._latest.size:
            return self._documents(size)
        elif size == self._latest.size:
            return self._latest
        try:
            self._follow(transaction, size)
        except BaseException:  # an interrupt too: what was taken in by half would be taken in twice
            self._begin()
            raise
        before, self._latest = self._latest, self._documents(size)
        if before is not None and self._forgot < before.size:
            self._latest.take_over(before)
        return self._latest

    def _begin(self) -> None:
        self._trail = Trail()
        self._latest = None
        self._forgot = -1
        self._columns = {name: np.zeros(_FIRST_ROOM, _DTYPE[name]) for name in _NAMES}
        self._columns["undone"] = np.zeros(_FIRST_ROOM, np.uint32)
        self._columns |= {name: np.zeros(_FIRST_ROOM, kind) for name, (kind, _) in _DERIVED.items()}
        self._chains = Chains()

    def _documents(self, size: int) -> Documents:
        arrays = {name: column[:size] for name, column in self._columns.items()}
        before, followers = self._chains.arrays(size)
        for array in (*arrays.values(), before, followers):
            array.flags.writeable = False
        derived = {name: arrays.pop(name) for name in _DERIVED}
        documents = Documents(size, **arrays, before=before, followers=followers)
        vars(documents).update(derived)  # where they would be kept once they are worked out
        return documents

    def _follow(self, transaction: ReadTransaction, size: int) -> None:
        """Take in the entries that are new. What was forgotten by one of them is blanked in a copy."""
        start = 0 if self._latest is None else self._latest.size
        self._make_room(start, size)
        columns = self._columns
        for first, data in _portions(transaction, start):
            rows = np.frombuffer(data, _DTYPE)
            skipped = max(0, start - first)
            if first + len(rows) > size:
                raise StoreDamaged("table documents has rows beyond the last entry; run ", FSCK)
            for name in _NAMES:
                columns[name][first + skipped : first + len(rows)] = rows[name][skipped:]
        encrypted = _encrypted(transaction, start, size)
        columns["kind"][encrypted] = 0  # who has no key has no version of it
        columns["undone"][start:size] = _undone(transaction, columns["flags"][start:size], start)
        self._derive(columns, slice(start, size))
        self._chains.extend(start, size, columns["kind"], columns["subject_high"], columns["subject_low"])
        if start:
            self._blank(transaction, start, size)
        self._trail.follow(transaction)

    @staticmethod
    def _derive(columns: dict[str, NDArray[Any]], where: slice) -> None:
        for name, (_, work_out) in _DERIVED.items():
            columns[name][where] = work_out(columns, where)

    def _make_room(self, used: int, size: int) -> None:
        room = len(self._columns["kind"])
        if size > room:
            for name, column in self._columns.items():
                larger = np.zeros(max(2 * room, size + size // 4), column.dtype)
                larger[:used] = column[:used]
                self._columns[name] = larger

    def _blank(self, transaction: ReadTransaction, start: int, stop: int) -> None:
        """Let the forget entries of start..stop have erased what they erased before `start`."""
        seqs = erased_between(transaction, start, stop)
        erased = np.array([seq for seq in seqs if seq < start], np.int64)
        erased = erased[self._columns["kind"][erased] != 0]  # statements of edges are erased too
        if erased.size:
            self._forgot = stop - 1
            for name, blank in _BLANKED.items():
                column = self._columns[name].copy()
                column[erased] = blank
                self._columns[name] = column
            self._columns |= {name: self._columns[name].copy() for name in _DERIVED}
            self._derive(self._columns, slice(0, stop))


def _undone(transaction: ReadTransaction, flags: NDArray[np.uint8], start: int) -> NDArray[np.uint32]:
    """How many versions each took back, of rows with these flags from seq `start` on. Of many, the body says it."""
    undone = (flags >> UNDOES_SHIFT).astype(np.uint32)
    for at in np.flatnonzero(undone == MOST_UNDONE).tolist():
        body = transaction.get(BODIES, seq_key(start + at))
        count = None if body is None else decode_body(body[SALT_BYTES:]).get(UNDOES)
        undone[at] = min(count, start + at) if isinstance(count, int) else MOST_UNDONE
    return undone


def _encrypted(transaction: ReadTransaction, start: int, size: int) -> NDArray[np.int64]:
    """The seqs from `start` on of what is encrypted, and was not decrypted for this snapshot."""
    heads = posting_heads(size, start // BLOCK)
    rows = transaction.get_many(POSTINGS, posting_keys(Field.UNDER, _CIPHERTEXT, size, start // BLOCK))
    seqs = [np.empty(0, np.int64)]
    for (first, _), row in zip(heads, rows, strict=True):
        if row is not None:
            seqs.append(np.frombuffer(split_postings(row)[0], "<u2").astype(np.int64) + first)
    found = np.concatenate(seqs)
    return found[found >= start]


def _portions(transaction: ReadTransaction, start: int) -> Iterator[tuple[int, bytes]]:
    """First seq and rows of many groups of seqs, one after the other: so many as the processor has at hand at once."""
    begun, following = 0, -1
    parts: list[bytes] = []
    for first, rows in document_rows(transaction, start):
        if first != following or len(parts) == _AT_ONCE:
            if parts:
                yield begun, b"".join(parts)
            begun, parts = first, []
        parts.append(rows)
        # After a group that ends early, the next one does not go on where it ends.
        following = first + len(rows) // ROW.size
    if parts:
        yield begun, b"".join(parts)
