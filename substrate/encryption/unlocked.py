"""The domains that this process has unlocked: their keys, and the tables of what was decrypted with them.

1. Keys and texts are in memory, never in a file. `lock` drops both; so does the end of the process.
2. The tables follow the log with each snapshot. They are made again when something of them was forgotten, or when the
   domains that are unlocked change. A domain that was forgotten is locked: its key is gone.
3. What does not open (changed, or put there from another atom) is counted. An atom of which an earlier version opened
   is damaged from there on: its earlier text is not the current one. Any other is left as it is on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from threading import RLock
from typing import NamedTuple

from substrate.ciphers import CIPHERTEXT, DomainKey, decrypt, is_ciphertext
from substrate.codec import decode_body, encode_body, read_body, read_forget
from substrate.embed.texts import text_of
from substrate.encryption.domains import EncryptedDomain
from substrate.encryption.union import COVERED, Union
from substrate.errors import InputError, StoreDamaged
from substrate.kv.api import ReadTransaction, behind
from substrate.kv.memory import MemoryStore, MemoryTransaction
from substrate.log.replay import Logged, replay
from substrate.log.tables import (
    ATOMS,
    BODIES,
    COUNTS,
    DOMAIN_KEYS,
    ENTRIES,
    FORGOTTEN,
    GAPS,
    VERSIONS,
    read_seq,
    seq_key,
)
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, SALT_BYTES, Kind, encode_entry
from substrate.proof.hashes import commitment
from substrate.veil import Veiled, bare, hidden_in
from substrate.views.atoms import AtomView, find_names
from substrate.views.vectors import is_embedded
from substrate.views.words import WordView

__all__ = ["Opened", "UnlockedDomains"]

_NO_SALT = bytes(SALT_BYTES)
_PORTION = 1000
_OPAQUE = CIPHERTEXT.encode()
_OF_CALL = ("actor", "session", "origin")
"""What an encrypted save says inside alone. Outside, it is of whoever saved a ciphertext as it is."""


class Opened(NamedTuple):
    """An unlocked domain: its row when it was unlocked, and its key."""

    domain: EncryptedDomain
    key: DomainKey


class UnlockedDomains:
    """Of one open store. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._opened: dict[bytes, Opened] = {}
        self._tables: _Tables | None = None

    @property
    def is_any(self) -> bool:
        """Whether any domain is unlocked."""
        return bool(self._opened)

    def unlock(self, domain: EncryptedDomain, key: DomainKey) -> None:
        """From the next snapshot on its atoms are there as text."""
        with self._lock:
            self._opened = {**self._opened, domain.subject: Opened(domain, key)}
            self._tables = None

    def lock(self, subject: bytes) -> bool:
        """Drop key and texts of a domain; whether it was unlocked."""
        with self._lock:
            was = subject in self._opened
            self._opened = {at: opened for at, opened in self._opened.items() if at != subject}
            self._tables = None
        return was

    def check_locked(self) -> None:
        """InputError if a domain is unlocked. For what saves as text whatever names it is given."""
        for opened in self._opened.values():
            raise InputError(f"{opened.domain.name} is unlocked, and an import saves as text: lock it first")

    def key(self, subject: bytes) -> DomainKey | None:
        """The key of the domain whose atom has this id; None if it is locked."""
        opened = self._opened.get(subject)
        return None if opened is None else opened.key

    def key_of(self, opaque: str) -> DomainKey | None:
        """The key of the domain that an opaque name is in; None if it is locked."""
        domain = self.domain_of(opaque[len(CIPHERTEXT) :].partition(".")[0])
        return None if domain is None else self.key(domain)

    def domain_of(self, key_id: str) -> bytes | None:
        """The id of the atom of the unlocked domain whose key has this id, as hex; None if there is none."""
        return next((at for at, opened in self._opened.items() if opened.key.id.hex() == key_id), None)

    def cover(self, transaction: ReadTransaction) -> ReadTransaction | None:
        """The snapshot with what was decrypted; None if it is older than the one before: begin another."""
        hidden = hidden_in(transaction)
        if hidden is not None:  # a veil lies over all
            covered = self.cover(bare(transaction))
            return None if covered is None else Veiled(covered, hidden)
        if not self._opened:
            is_any = any(transaction.scan(ATOMS, _OPAQUE, behind(_OPAQUE), limit=1))
            return Union(transaction, None, frozenset()) if is_any else transaction
        with self._lock:
            gone = [at for at, one in self._opened.items() if transaction.get(DOMAIN_KEYS, at) != one.domain.row]
            for at in gone:
                self.lock(at)
            if not self._opened:
                return self.cover(transaction)
            size = _size(transaction)
            tables = self._tables
            if tables is not None and tables.size > size:
                return None
            if tables is None or not tables.follow(transaction, size):
                tables = self._tables = _Tables({one.key.id.hex(): one.key for one in self._opened.values()})
                tables.begin(transaction, size)
            return tables.union(transaction)

    def opaque_name(self, transaction: ReadTransaction, subject: bytes) -> str | None:
        """The name that an atom which was decrypted has on disk; None of others. `transaction` is what was covered."""
        self.cover(transaction)
        tables = self._tables
        return None if tables is None else tables.opaque.get(subject)

    def seqs(self) -> frozenset[int]:
        """The versions that were decrypted, as of the last snapshot."""
        tables = self._tables
        return frozenset() if tables is None else tables.seqs

    def texts(self, seqs: Sequence[int]) -> dict[int, str | None]:
        """What is embedded for each of these versions; None for one that gets no vector. Locked ones are left out."""
        with self._lock:
            return {} if self._tables is None else self._tables.texts(seqs)

    def counts(self, transaction: ReadTransaction) -> tuple[int, int]:
        """How many atoms were decrypted, and how many versions did not open."""
        self.cover(transaction)
        tables = self._tables
        return (0, 0) if tables is None else (len(tables.opaque), tables.refused)

    def clashes(self, transaction: ReadTransaction) -> tuple[str, ...]:
        """The names of atoms that were decrypted, under which another atom is saved as text. In order."""
        self.cover(transaction)
        listed = [] if self._tables is None else sorted(set(self._tables.names.values()))
        found = find_names(bare(transaction), listed)
        return tuple(name for name, row in zip(listed, found, strict=True) if row is not None)


class _Tables:
    """What was decrypted, up to a size of the log."""

    def __init__(self, keys: dict[str, DomainKey]) -> None:
        self._keys = keys
        self._store = MemoryStore([*COVERED, COUNTS, GAPS, FORGOTTEN])
        self._atoms, self._words = AtomView(), WordView()
        self._seqs: set[int] = set()
        self._frozen: frozenset[int] = frozenset()
        self.names: dict[bytes, str] = {}
        """The own name of each atom that was decrypted, by its id."""
        self.opaque: dict[bytes, str] = {}
        """The name on disk of each atom that was decrypted, by its id."""
        self.size = 0
        self.refused = 0

    def begin(self, transaction: ReadTransaction, size: int) -> None:
        """Take in all versions that the keys open. Found by name: the rest of the log is not read."""
        seqs: list[int] = []
        for key_id in self._keys:
            prefix = f"{CIPHERTEXT}{key_id}.".encode()
            for _, row in transaction.scan(ATOMS, prefix, behind(prefix)):
                subject = row[:ID_BYTES]
                seqs += [read_seq(at[ID_BYTES:]) for at, _ in transaction.scan(VERSIONS, subject, behind(subject))]
        seqs.sort()
        done = 0
        with self._store.write() as memory:
            for at in range(0, len(seqs), _PORTION):
                some = seqs[at : at + _PORTION]
                self._take(memory, _entries(transaction, some), done, some[-1] + 1)
                done = some[-1] + 1
            self._take(memory, (), done, size)
        self._end(size)

    def follow(self, transaction: ReadTransaction, size: int) -> bool:
        """Take in what is new. False if something of it was forgotten: then it has to be begun again."""
        if size == self.size:
            return True
        with self._store.write() as memory:
            while self.size < size:
                entries = replay(transaction, self.size, min(self.size + _PORTION, size))
                forgets = (read_forget(entry.body).erased for entry in entries if entry.kind is Kind.FORGET)
                if any(not self._seqs.isdisjoint(erased) for erased in forgets):
                    return False
                self._take(memory, entries, self.size, self.size + len(entries))
                self.size += len(entries)
        self._end(size)
        return True

    def union(self, transaction: ReadTransaction) -> Union:
        """The snapshot with these tables laid over it."""
        with self._store.read() as memory:
            return Union(transaction, memory, self._frozen)

    @property
    def seqs(self) -> frozenset[int]:
        """The versions that were decrypted."""
        return self._frozen

    def texts(self, seqs: Sequence[int]) -> dict[int, str | None]:
        """See `UnlockedDomains.texts`."""
        with self._store.read() as memory:
            bodies = memory.get_many(BODIES, [seq_key(seq) for seq in seqs])
        return {seq: _embedded(body[SALT_BYTES:]) for seq, body in zip(seqs, bodies, strict=True) if body is not None}

    def _end(self, size: int) -> None:
        self.size = size
        if len(self._frozen) != len(self._seqs):  # they only grow; a copy of them all after each entry would cost
            self._frozen = frozenset(self._seqs)

    def _take(self, memory: MemoryTransaction, entries: Iterable[Logged], start: int, stop: int) -> None:
        found = list(self._decrypted(entries))
        self._words.take(memory, found, start, stop)  # also of none: which seqs are the newest follows from the log
        if not found:
            return
        self._atoms.apply(memory, found)
        rows = [(seq_key(entry.seq), entry.body or b"", entry) for entry in found]
        memory.put_many(BODIES, [(at, _NO_SALT + body) for at, body, _ in rows])
        memory.put_many(
            ENTRIES,
            [
                (at, encode_entry(entry.kind, entry.subject, entry.time, commitment(_NO_SALT, body)))
                for at, body, entry in rows
            ],
        )
        self._seqs.update(entry.seq for entry in found)

    def _decrypted(self, entries: Iterable[Logged]) -> Iterator[Logged]:
        for entry in entries:
            if entry.body is None or entry.kind not in (Kind.PUT, Kind.TOMBSTONE):
                continue
            if entry.kind is Kind.TOMBSTONE:
                name = self.names.get(entry.subject)
                if name is not None:
                    members: dict[str, Json] = {**decode_body(entry.body), "name": name}
                    yield Logged(entry.seq, entry.kind, entry.subject, entry.time, encode_body(members))
                continue
            said = entry.read()[0]
            name, value = str(said.get("name")), str(said.get("value"))
            key = self._keys.get(name[len(CIPHERTEXT) :].partition(".")[0]) if is_ciphertext(name, value) else None
            known = self.names.get(entry.subject)
            if key is None and known is None:
                continue
            try:
                body = b"" if key is None else decrypt(key, entry.subject, value)
                inner, damage = read_body(Kind.PUT, body)
                if damage is not None:
                    raise StoreDamaged(damage)  # noqa: TRY301
            except StoreDamaged:
                self.refused += 1
                if known is not None:  # a body without a value does not fit the schema: all who read know what to say
                    yield Logged(entry.seq, entry.kind, entry.subject, entry.time, encode_body({"name": known}))
                continue
            self.names[entry.subject] = str(inner["name"])
            self.opaque[entry.subject] = name
            brought = {word: said[word] for word in _OF_CALL if word in said}
            if brought:  # by a caller who need not know the text: an older ciphertext can be saved again
                body = encode_body({**decode_body(body), **brought})
            yield Logged(entry.seq, entry.kind, entry.subject, entry.time, body)


def _embedded(body: bytes) -> str | None:
    said = decode_body(body)
    value = said.get("value")
    return text_of(str(said.get("name", "")), value) if isinstance(value, str) and is_embedded(body) else None


def _entries(transaction: ReadTransaction, seqs: list[int]) -> list[Logged]:
    return [entry for seq in seqs for entry in replay(transaction, seq, seq + 1)]


def _size(transaction: ReadTransaction) -> int:
    return next((read_seq(at) + 1 for at, _ in transaction.scan(ENTRIES, reverse=True, limit=1)), 0)
