"""The view of claims: what the current version of each atom claims, found by what it is about.

    claims     `a`, atom id (16) -> seq (8), valid_from (8), valid_to (8), number of keys (1), keys (8 each), claim
               `k`, key (8), seq (8), atom id (16) -> nothing: who claims something about this, the newest last

Only current versions have rows, and only those whose value says something that can be compared (`substrate.claims`).
Another version, a tombstone or a forget takes the rows away; the row under `a` says which they are. A replay meets
bodies that are gone, which say nothing: what erased them took the claim away as well, and both end in the same rows.
An atom whose claim cannot be read by a fault of our own claims nothing, live and in a replay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from substrate import claims
from substrate.ciphers import is_ciphertext
from substrate.claims.fault import FORESEEN, log_fault
from substrate.claims.silent import is_silent
from substrate.codec import read_forget
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction, WriteTransaction, behind
from substrate.log.replay import Logged
from substrate.log.tables import CLAIMS, seq_key
from substrate.messages import FSCK, REBUILD
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, Kind

if TYPE_CHECKING:
    from substrate.claims import Claim

__all__ = ["ClaimView", "Held", "Kept", "claim_of", "claimants", "claims_of", "has_claims", "kept_claims", "window_of"]

_ATOM: Final = b"a"
_KEYED: Final = b"k"
_KEY_BYTES: Final = 8
_ROW: Final = Struct(">QqqB")
_TRUTH: Final = b'["truth"'
"""How a claim begins that something is so or not so."""
_EVER: Final = -(2**63)
_FOR_GOOD: Final = 2**63 - 1


class Held(NamedTuple):
    """What the version `seq` of an atom claims, and when that holds: from `start` until before `end`."""

    subject: bytes
    seq: int
    start: int
    end: int
    claim: Claim


class Kept(NamedTuple):
    """The keys by which the claim of the version `seq` of an atom meets those that could contradict it."""

    seq: int
    keys: Sequence[bytes]
    said: bytes
    """What it claims, without the name of the atom."""
    row: bytes

    def held(self, subject: bytes) -> Held:
        """All of it."""
        return _held(subject, self.row)


class ClaimView:
    """See the module."""

    name = "claims"
    version = 9
    """1: entities claimed something; 2: sentences were not read by their form; 3: names of `remember` counted; 4: what
    tells a change was not read as what holds since; 5: that nobody took over was; 6: the
    entities of an atom did not count; 7: headings and lines of lists of changes claimed something;
    8: `called`, `due`, `signed` and `extended` said nothing, and names were contradicted."""
    tables: Sequence[str] = (CLAIMS,)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""
        latest: dict[bytes, Logged | None] = {}
        for entry in entries:
            if entry.kind is Kind.PUT:
                latest[entry.subject] = entry
            elif entry.kind is Kind.TOMBSTONE or (entry.kind is Kind.FORGET and _is_whole(entry)):
                latest[entry.subject] = None
        _take_away(transaction, list(latest))
        rows: list[tuple[bytes, bytes]] = []
        for subject, last in latest.items():
            if last is not None and last.body is not None:
                members, damage = last.read()
                rows += _rows(subject, last.seq, members) if damage is None else []
        transaction.put_many(CLAIMS, sorted(rows))
        if any(latest.values()):
            claims.drop_cached()  # who compared them has had them; what is forgotten later shall not be left here


def _is_whole(entry: Logged) -> bool:
    return read_forget(entry.body).key is not None


def _take_away(transaction: WriteTransaction, subjects: Sequence[bytes]) -> None:
    rows = transaction.get_many(CLAIMS, [_ATOM + subject for subject in subjects])
    for subject, row in zip(subjects, rows, strict=True):
        if row is None:
            continue
        seq, _, _, count = _ROW.unpack_from(row)
        for i in range(_ROW.size, _ROW.size + count * _KEY_BYTES, _KEY_BYTES):
            transaction.delete(CLAIMS, _KEYED + row[i : i + _KEY_BYTES] + seq_key(seq) + subject)
        transaction.delete(CLAIMS, _ATOM + subject)


def _rows(subject: bytes, seq: int, members: Mapping[str, Json]) -> list[tuple[bytes, bytes]]:
    try:
        claim = claim_of(members)
        if claim is None:
            return []
        keys, packed = claims.keys_of(claim), claims.pack_claim(claim)
    except FORESEEN:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is: any text can be saved
        log_fault("reading a claim", error)
        return []
    row = _ROW.pack(seq, *window_of(members), len(keys)) + b"".join(keys) + packed
    return [(_ATOM + subject, row), *((_KEYED + key + seq_key(seq) + subject, b"") for key in keys)]


def claim_of(members: Mapping[str, Json], name: str | None = None) -> Claim | None:
    """What a body claims; None if nothing. A part of a whole, such as a passage or a turn of a talk, does not.

    `name`: the atom's, where the body does not say it yet.
    """
    if members.get("parent") is not None:
        return None
    name = name or str(members.get("name"))
    if is_silent(name):
        return None
    value = str(members.get("value"))
    listed = members.get("entities")
    entities = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else ()
    return None if is_ciphertext(name, value) else claims.read_claim(name, value, entities)


def window_of(members: Mapping[str, Json]) -> tuple[int, int]:
    """From when until when what a body says holds; from ever and for good where it does not say."""
    if "valid_from" not in members and "valid_to" not in members:
        return _EVER, _FOR_GOOD
    start, end = members.get("valid_from"), members.get("valid_to")
    held = start if isinstance(start, int) else _EVER, end if isinstance(end, int) else _FOR_GOOD
    return max(_EVER, min(held[0], _FOR_GOOD)), max(_EVER, min(held[1], _FOR_GOOD))


def has_claims(transaction: ReadTransaction) -> bool:
    """Whether any atom claims anything."""
    return transaction.any(CLAIMS)


def claimants(transaction: ReadTransaction, key: bytes, most: int) -> Iterator[bytes]:
    """The ids of the atoms with a claim under this key, the newest versions first, at most so many."""
    prefix = _KEYED + key
    for at, _ in transaction.scan(CLAIMS, prefix, behind(prefix), reverse=True, limit=most):
        yield at[-ID_BYTES:]


def claims_of(transaction: ReadTransaction, subjects: Sequence[bytes]) -> list[Held | None]:
    """What each atom claims; None if it is not in use, or claims nothing that can be compared."""
    rows = transaction.get_many(CLAIMS, [_ATOM + subject for subject in subjects])
    return [None if row is None else _held(subject, row) for subject, row in zip(subjects, rows, strict=True)]


def kept_claims(transaction: ReadTransaction, subjects: Sequence[bytes]) -> list[Kept | None]:
    """Of each atom the keys of what it claims: without reading that, one sees which have to be compared."""
    rows = transaction.get_many(CLAIMS, [_ATOM + subject for subject in subjects])
    return [None if row is None else _kept(row) for row in rows]


def _kept(row: bytes) -> Kept:
    seq, _, _, count = _ROW.unpack_from(row)
    end = _ROW.size + count * _KEY_BYTES
    keys = tuple(row[i : i + _KEY_BYTES] for i in range(_ROW.size, end, _KEY_BYTES))
    topic = row.find(b"],[", end)
    if row.startswith(_TRUTH, end):
        # So and not so are kept under different keys. They meet by what they are about, as it is written in the row.
        keys = (row[topic : row.find(b'],"', topic)],) if topic >= 0 else ()
    return Kept(seq, keys, row[max(topic, end) :], row)


def _held(subject: bytes, row: bytes) -> Held:
    try:
        seq, start, end, count = _ROW.unpack_from(row)
        return Held(subject, seq, start, end, claims.unpack_claim(row[_ROW.size + count * _KEY_BYTES :]))
    except (ValueError, OverflowError) as error:
        raise StoreDamaged(f"the claim of {subject.hex()} cannot be read; run ", FSCK, ", then ", REBUILD) from error
