"""The view of atoms: which version a name is at, which versions an atom has, and what was forgotten.

    atoms      name -> id (16), seq (8), kind (1), characters of the value (4): the latest version of every name that
               is not forgotten
    counts     type, or domain and type -> how many of these there are; see views/counts.py
    versions   id (16), seq (8) -> kind (1), name: every version. Of one that was erased, a gap: kind, 0, seq of the
               forget entry (8)
    gaps       map key (32), seq of the forget entry (8) -> seqs of the versions (8 each): names that were forgotten
    forgotten  id (16) -> seq of the forget entry (8), map key (32): the same by id

A replay meets entries whose bodies are gone, where the first pass met them whole and erased them later. Both must end
in the same rows: an erased version is a gap once its forget entry is met, and a forgotten name leaves nothing but its
gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Final, NamedTuple

from substrate.codec import decode_body, read_forget
from substrate.kv.api import ReadTransaction, WriteTransaction, behind, kept_by
from substrate.log.replay import Logged
from substrate.log.tables import ATOMS, COUNTS, FORGOTTEN, GAPS, VERSIONS, name_key, read_seq, seq_key
from substrate.proof.entry import ID_BYTES, Kind
from substrate.views.counts import Changes

__all__ = [
    "AtomView",
    "Gap",
    "LatestVersions",
    "VersionRow",
    "count_atoms",
    "find_name",
    "find_names",
    "first_version",
    "gap_of",
    "gaps_at",
    "gaps_of",
    "is_in_use",
    "latest_version",
    "names",
    "names_before",
    "uses_over_time",
    "versions_of",
]

_ROW: Final = Struct(">16sQBI")
_KEY_BYTES: Final = 32
_MOST: Final = 2**32 - 1
_NO_NAME: Final = b"\x00"
_VERSIONS_END: Final = b"\xff" * 9
"""Behind an atom: where its versions end. No seq is as long."""
_KINDS: Final = {int(kind): kind for kind in (Kind.PUT, Kind.TOMBSTONE)}


class VersionRow(NamedTuple):
    """One version of an atom. `name` None: its body was erased, by the entry `forgotten_by`.

    A tuple: hundreds are read for one answer, and most dropped.
    """

    subject: bytes
    seq: int
    kind: Kind
    name: str | None
    forgotten_by: int | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """A name that was forgotten: by which entry, and which versions it had."""

    seq: int
    versions: tuple[int, ...]

    def covers(self, upto: int) -> bool:
        """Whether the name was there after seq `upto`, and has been forgotten since."""
        return bool(self.versions) and self.versions[0] <= upto < self.seq


class AtomView:
    """See the module."""

    name = "atoms"
    version = 2
    tables: Sequence[str] = (ATOMS, VERSIONS, GAPS, FORGOTTEN, COUNTS)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""
        atoms: dict[bytes, bytes] = {}
        versions: list[tuple[bytes, bytes]] = []
        for entry in entries:
            kind = entry.kind
            if kind is Kind.PUT or kind is Kind.TOMBSTONE:
                name = _NO_NAME if entry.body is None else _name(entry, entry.body)
                if name is None:
                    continue
                versions.append((entry.subject + seq_key(entry.seq), bytes([kind]) + name))
                if entry.body is not None:
                    atoms[name] = _ROW.pack(entry.subject, entry.seq, kind, _characters(entry))
            elif kind is Kind.FORGET:
                _flush(transaction, atoms, versions)
                _forget(transaction, entry)
        _flush(transaction, atoms, versions)


def _name(entry: Logged, body: bytes) -> bytes | None:
    """The name as it is kept; None if the body, in a log from elsewhere, holds none that a row can have.

    One that is not of the grammar gets its rows all the same, so that its atom can be found and forgotten.
    """
    if entry.name is not None:
        return entry.name.encode()
    members, damage = entry.read()
    return name_key((members if damage is None else decode_body(body)).get("name"))


def _characters(entry: Logged) -> int:
    """How long the value is; 0 of a tombstone, and of a body that does not fit the schema."""
    if entry.kind is not Kind.PUT:
        return 0
    value = entry.read()[0].get("value")
    return min(len(value), _MOST) if isinstance(value, str) else 0


def _flush(transaction: WriteTransaction, atoms: dict[bytes, bytes], versions: list[tuple[bytes, bytes]]) -> None:
    items = sorted(atoms.items())
    changes = Changes()
    before = transaction.get_many(ATOMS, [name for name, _ in items])
    for (name, row), was in zip(items, before, strict=True):
        _count(changes, name, row)
        if was is not None:
            _count(changes, name, was, times=-1)
    changes.write(transaction)
    transaction.put_many(ATOMS, items)
    transaction.put_many(VERSIONS, sorted(versions))
    atoms.clear()
    versions.clear()


def _count(changes: Changes, name: bytes, row: bytes, times: int = 1) -> None:
    _, _, kind, characters = _ROW.unpack(row)
    changes.add(name.decode(), live=kind == Kind.PUT, characters=characters, times=times)


def _forget(transaction: WriteTransaction, entry: Logged) -> None:
    erased, key, _ = read_forget(entry.body)
    known = list(versions_of(transaction, entry.subject))
    if key is not None:
        changes = Changes()
        for version in known:
            transaction.delete(VERSIONS, entry.subject + seq_key(version.seq))
            if version.name is not None:
                name = version.name.encode()
                row = transaction.get(ATOMS, name)
                if row is not None and row.startswith(entry.subject):
                    transaction.delete(ATOMS, name)
                    _count(changes, name, row, times=-1)
        changes.write(transaction)
        seqs = sorted(version.seq for version in known)
        transaction.put(GAPS, key + seq_key(entry.seq), b"".join(map(seq_key, seqs)))
        transaction.put(FORGOTTEN, entry.subject, seq_key(entry.seq) + key)
        return
    for version in known:
        if version.seq in erased:
            row_key = entry.subject + seq_key(version.seq)
            transaction.put(VERSIONS, row_key, bytes([version.kind, 0]) + seq_key(entry.seq))


def count_atoms(transaction: ReadTransaction, subjects: Iterable[bytes]) -> dict[bytes, list[int]]:
    """What these atoms add to the rows of counts, by key."""
    changes = Changes()
    latest = (latest_version(transaction, subject) for subject in subjects)
    wanted = [version.name.encode() for version in latest if version is not None and version.name is not None]
    for name, row in zip(wanted, transaction.get_many(ATOMS, wanted), strict=True):
        if row is not None:
            _count(changes, name, row)
    return changes.by_key()


def find_name(transaction: ReadTransaction, name: str) -> VersionRow | None:
    """The latest version of a name; None if it is not there (never was, or was forgotten)."""
    row = transaction.get(ATOMS, name.encode())
    if row is None:
        return None
    subject, seq, kind, _ = _ROW.unpack(row)
    return VersionRow(subject, seq, _KINDS[kind], name)


def find_names(transaction: ReadTransaction, wanted: Sequence[str]) -> list[VersionRow | None]:
    """The latest version of each name, read at once."""
    versions: list[VersionRow | None] = []
    for name, row in zip(wanted, transaction.get_many(ATOMS, [name.encode() for name in wanted]), strict=True):
        if row is None:
            versions.append(None)
        else:
            subject, seq, kind, _ = _ROW.unpack(row)
            versions.append(VersionRow(subject, seq, _KINDS[kind], name))
    return versions


def names(
    transaction: ReadTransaction, prefix: str, after: str | None = None, *, limit: int | None = None
) -> Iterator[VersionRow]:
    """The latest version of every name with this prefix, in the order of their UTF-8, from behind `after` on.

    At most `limit`: who wants one alone says so, and no more is read.
    """
    start = prefix.encode()
    stop = behind(start)
    first = start if after is None else max(start, after.encode() + b"\x00")
    for key, row in transaction.scan(ATOMS, first, stop, limit=limit):
        subject, seq, kind, _ = _ROW.unpack(row)
        yield VersionRow(subject, seq, _KINDS[kind], key.decode())


def names_before(transaction: ReadTransaction, name: str) -> Iterator[VersionRow]:
    """The latest version of every name that comes before this one, the nearest first."""
    for key, row in transaction.scan(ATOMS, b"", name.encode(), reverse=True):
        subject, seq, kind, _ = _ROW.unpack(row)
        yield VersionRow(subject, seq, _KINDS[kind], key.decode())


def versions_of(transaction: ReadTransaction, subject: bytes, *, upto: int | None = None) -> Iterator[VersionRow]:
    """The versions of an atom, latest first; none after seq `upto`."""
    stop = subject + (_VERSIONS_END if upto is None else seq_key(upto + 1))
    for key, row in transaction.scan(VERSIONS, subject, stop, reverse=True):
        yield _version(subject, key, row)


def version_names(transaction: ReadTransaction, versions: Iterable[tuple[bytes, int]]) -> list[str | None]:
    """The name of each of these versions, given as atom and seq, read at once; None where its body was erased."""
    rows = transaction.get_many(VERSIONS, [subject + seq_key(seq) for subject, seq in versions])
    return [row[1:].decode() if row is not None and row[1] else None for row in rows]


def latest_version(transaction: ReadTransaction, subject: bytes, upto: int | None = None) -> VersionRow | None:
    """The first that `versions_of` gives: the last version of an atom after seq `upto` (None: of all)."""
    stop = subject + (_VERSIONS_END if upto is None else seq_key(upto + 1))
    for key, row in transaction.scan(VERSIONS, subject, stop, reverse=True, limit=1):
        return _version(subject, key, row)
    return None


class LatestVersions:
    """Those that a transaction sees, each read once for one state of the store, whoever asks.

    Forecasts and openings ask for the same hundreds again and again.
    """

    def __init__(self, transaction: ReadTransaction) -> None:
        self._transaction = transaction
        self._known: dict[bytes, VersionRow | None] = kept_by(transaction, "latest versions")

    def of(self, subject: bytes) -> VersionRow | None:
        """As `latest_version`."""
        if subject not in self._known:
            self._known[subject] = latest_version(self._transaction, subject)
        return self._known[subject]

    def is_live(self, subject: bytes) -> bool:
        """Whether an atom is in use."""
        version = self.of(subject)
        return version is not None and version.kind is Kind.PUT


def _version(subject: bytes, key: bytes, row: bytes) -> VersionRow:
    seq, kind = read_seq(key[ID_BYTES:]), _KINDS[row[0]]
    if row[1]:
        return VersionRow(subject, seq, kind, row[1:].decode())
    return VersionRow(subject, seq, kind, None, read_seq(row[2:10]))


def is_in_use(transaction: ReadTransaction, subject: bytes, upto: int | None = None) -> bool:
    """Whether the last version of an atom after seq `upto` (None: of all) is there, and no tombstone."""
    stop = subject + (_VERSIONS_END if upto is None else seq_key(upto + 1))
    for _, row in transaction.scan(VERSIONS, subject, stop, reverse=True, limit=1):
        return row[0] == Kind.PUT
    return False


def uses_over_time(transaction: ReadTransaction) -> Iterator[tuple[int, int]]:
    """Where an atom came into use (seq, 1) or left it (seq, -1), atom by atom; not of those that were forgotten."""
    subject, live = b"", False
    for key, row in transaction.scan(VERSIONS):
        if key[:ID_BYTES] != subject:
            subject, live = key[:ID_BYTES], False
        if live != (row[0] == Kind.PUT):
            live = not live
            yield read_seq(key[ID_BYTES:]), 1 if live else -1


def first_version(transaction: ReadTransaction, subject: bytes) -> int | None:
    """The seq of an atom's first version that is known; None if there is none."""
    return next(
        (read_seq(key[ID_BYTES:]) for key, _ in transaction.scan(VERSIONS, subject, behind(subject), limit=1)), None
    )


def gaps_of(transaction: ReadTransaction, key: bytes) -> list[Gap]:
    """What was forgotten under a map key, in order."""
    return [_gap(at, row) for at, row in transaction.scan(GAPS, key, behind(key))]


def gap_of(transaction: ReadTransaction, subject: bytes) -> Gap | None:
    """What is left of the atom with this id, if it was forgotten."""
    row = transaction.get(FORGOTTEN, subject)
    if row is None:
        return None
    at = row[8:] + row[:8]
    return _gap(at, transaction.get(GAPS, at) or b"")


def gaps_at(transaction: ReadTransaction, upto: int) -> Iterator[Gap]:
    """Names that were there after seq `upto`, tombstoned perhaps, and have been forgotten since."""
    for at, row in transaction.scan(GAPS):
        if row and read_seq(row[:8]) <= upto < read_seq(at[_KEY_BYTES:]):
            yield _gap(at, row)


def _gap(at: bytes, row: bytes) -> Gap:
    return Gap(read_seq(at[_KEY_BYTES:]), tuple(read_seq(row[i : i + 8]) for i in range(0, len(row), 8)))
