"""What a log is made of, taken in entry by entry and checked. fsck, rebuild and clone all look at it through here.

Checked: that entries decode and do not step back in time; that each body is the one its entry commits to; that just
those bodies are gone which forget entries erased; that each head has the root of its entries and is signed by just the
key then in force; that keys follow upon each other as rotations and restores say. Derived: the rows of the log tree,
the keys, and for each name its record in the map.

Noted, and not raised: an entry that does not fit the schema. It was signed, so the log is whole; who takes a log over
refuses it, fsck reports it, and a rebuild goes on.

A restore changes the origin: heads up to its entry carry the old one, heads from there on the new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias
from uuid import UUID

from substrate.clock import LAST_TIME
from substrate.codec import decode_body, decode_restored_from, decode_vkey, map_change, read_body
from substrate.errors import StoreDamaged
from substrate.log.decode import NOT_COMMITTED, is_committed, is_forgettable, stored, stored_entry
from substrate.log.tables import BODIES, ENTRIES, HEADS, name_key, seq_key
from substrate.log.tree import bag, grow
from substrate.proof.entry import SALT_BYTES, Entry, Kind
from substrate.proof.hashes import leaf_hash, map_key
from substrate.proof.head import Head, SignedHead
from substrate.proof.note import VerifierKey
from substrate.proof.record import State, encode_record

__all__ = ["Truth", "walk"]

Scan: TypeAlias = Callable[[str], Iterator[tuple[bytes, bytes]]]


def walk(scan: Scan) -> Iterator[tuple[bytes, bytes | None, bytes | None]]:
    """For each seq, from 0: the entry, its salt and body if there, and the head that was signed after it if one was."""
    bodies, heads = scan(BODIES), scan(HEADS)
    body, head = next(bodies, None), next(heads, None)
    for seq, (at, data) in enumerate(scan(ENTRIES)):
        if at != seq_key(seq):
            raise StoreDamaged(f"entry {seq} is missing")
        row = note = None
        if body is not None and body[0] == at:
            row, body = body[1], next(bodies, None)
        if head is not None and head[0] == seq_key(seq + 1):
            note, head = head[1], next(heads, None)
        yield data, row, note
    if body is not None or head is not None:
        raise StoreDamaged("there are bodies or heads beyond the last entry")


class Truth:
    """Call `take`, then `sign`, for each entry in order, and `close` at the end. StoreDamaged at the first fault.

    What it holds grows with the number of names and versions, not with their bodies.
    """

    def __init__(self, salt: bytes) -> None:
        self.size = 0
        self.heads = 0
        self.origin = ""
        self.keys: list[tuple[bytes, bytes]] = []
        self.records: dict[bytes, bytes] = {}
        self.misfits = 0
        """Entries that do not fit the schema."""
        self.first_misfit = ""
        """Which of them comes first, and what is wrong with it."""
        self.forgettable: UUID | None = None
        """What to forget to be rid of the first; None if that does not help, or would leave a log that proves nothing.
        """
        self.changed: UUID | None = None
        """What to forget to be rid of a body that its entry does not commit to, if that was the fault and helps."""
        self._salt = salt
        self._peaks: list[bytes] = []
        self._time = 0
        self._missing: set[int] = set()
        self._erased: set[int] = set()
        self._versions: dict[tuple[bytes, bytes], list[int]] = {}
        self._signers: list[VerifierKey] = []
        self._turning = False
        self._latest: Head | None = None

    @property
    def root(self) -> bytes:
        """The root over the entries taken in so far."""
        return bag(self._peaks)

    def take(self, data: bytes, row: bytes | None) -> bytes:
        """Take in the next entry, with salt and body unless they were erased. Its row of the log tree."""
        seq = self.size
        entry = stored_entry(seq, data)
        if entry.time < self._time:
            raise StoreDamaged(f"entry {seq} is older than the one before it")
        self._time = entry.time
        if entry.time > LAST_TIME:
            self._note(seq, entry, "its time is later than the year 9999", stays=True)
        if row is None:
            self._missing.add(seq)
        elif not is_committed(entry, row):
            self.changed = UUID(bytes=entry.subject) if is_forgettable(entry) else None
            raise StoreDamaged(f"the body of entry {seq} is {NOT_COMMITTED}")
        else:
            damage = read_body(entry.kind, row[SALT_BYTES:])[1]
            if damage is not None:
                self._note(seq, entry, damage, stays=_stays(entry.kind, row[SALT_BYTES:]))
            self._replay(seq, entry, row[SALT_BYTES:])
        self.size += 1
        return grow(self._peaks, seq, leaf_hash(data))

    def sign(self, note: bytes | None, *, check_signature: bool = True) -> None:
        """Take in the head that was signed right after the last entry taken in; None if there is none.

        Whether the signatures are true is always looked at where the key changes, elsewhere if asked to.
        """
        turning, self._turning = self._turning, False
        if note is None:
            if turning:  # without it nobody can follow from the old key to the new one
                raise StoreDamaged(f"the head at size {self.size:,} is missing")
            return
        self.heads += 1
        with stored(f"the head at size {self.size:,}"):
            signed = SignedHead.parse(note.decode())
        head = self._latest = signed.head
        if head.origin != self.origin or head.size != self.size:
            raise StoreDamaged(f"the head at size {self.size:,} is of another log or size")
        if head.root != self.root:
            raise StoreDamaged(f"the head at size {self.size:,} has another root than its entries")
        if check_signature or turning:
            signatures = signed.note.signatures
            if len(signatures) != len(self._signers) or not all(signed.signed_by(key) for key in self._signers):
                raise StoreDamaged(f"the head at size {self.size:,} is not signed by just the key then in force")
        del self._signers[:-1]  # from here on the new key signs alone

    def close(self, origin: str) -> Head:
        """That was all of the log of `origin`. Its latest head."""
        if self._latest is None or self._latest.size != self.size:
            raise StoreDamaged(f"no head covers the last of {self.size:,} entries")
        if origin != self.origin:
            raise StoreDamaged(f"the store says that it is {origin}, its keys and heads are of {self.origin}")
        if self._missing != self._erased:
            odd = min(self._missing ^ self._erased)
            lost = "is gone without a forget entry" if odd in self._missing else "is there in spite of its forget entry"
            raise StoreDamaged(f"the body of entry {odd} {lost}")
        return self._latest

    def check_schema(self) -> None:
        """StoreDamaged if an entry that was taken in does not fit the schema."""
        if self.misfits:
            more = f"; {self.misfits - 1:,} more do not fit either" if self.misfits > 1 else ""
            raise StoreDamaged(f"{self.first_misfit}{more}")

    def _note(self, seq: int, entry: Entry, what: str, *, stays: bool) -> None:
        self.misfits += 1
        if not self.first_misfit:
            subject = UUID(bytes=entry.subject)
            about = f"{entry.kind.name.lower()} of {subject}"
            self.first_misfit = f"entry {seq} ({about}) does not fit the schema: {what}"
            self.forgettable = None if stays else subject

    def _replay(self, seq: int, entry: Entry, body: bytes) -> None:
        """What the entry does to keys, map and erasures."""
        members = decode_body(body)
        if entry.kind is Kind.KEY:
            self._turn(seq, body)
        if entry.kind is Kind.FORGET:
            erased = members.get("erased")
            if isinstance(erased, list):
                self._erased.update(item for item in erased if isinstance(item, int))
        change = map_change(entry.kind, members)
        if change is None:
            return
        said, state = change
        key = said if isinstance(said, bytes) else map_key(self._salt, said)
        self.records[key] = encode_record(key, entry.subject, seq, state)
        if state is State.FORGOTTEN:
            if left := self._versions.pop((key, entry.subject), None):
                raise StoreDamaged(f"the body of entry {left[0]} is there, though entry {seq} forgot its name")
        else:
            self._versions.setdefault((key, entry.subject), []).append(seq)

    def _turn(self, seq: int, body: bytes) -> None:
        """A key entry: the first key of the log, a rotation, or a restore under a new origin."""
        vkey = decode_vkey(body)
        self.keys.append((seq_key(seq), vkey.encode()))
        with stored("a verifier key"):
            key = VerifierKey.parse(vkey)
        restored = decode_restored_from(body)
        if seq == 0 or key.name == self.origin:
            if restored is not None:
                raise StoreDamaged(f"entry {seq} says that the log was restored, but brings no new origin")
            # The head over a rotation is signed by the key before it as well; the very first by its own key.
            self._signers.append(key)
        else:
            if restored != (self.origin, seq, self.root):
                raise StoreDamaged(f"entry {seq} brings a key of another origin, {key.name}, and is not a restore")
            self._signers = [key]
        self.origin = key.name
        self._turning = True


def _stays(kind: Kind, body: bytes) -> bool:
    """Whether an entry that does not fit cannot be forgotten: the log rests on it, or no table lists its name."""
    if kind in (Kind.PUT, Kind.TOMBSTONE):
        return name_key(decode_body(body).get("name")) is None
    return kind in (Kind.KEY, Kind.FORGET)
