"""Traces of sessions: what one client accessed, in order. Durable, not proven; the model of arcs is learnt from them.

    sessions   size of the log when it was written (8), number (4) -> length of the head (2), head, ids (16 each)

The head is JSON: when, how heavy, in which domain, with which objective, by whom; and which row it goes on from, if a
long session is written down in parts. An atom that was forgotten leaves a hole, so that what stood around it does not
move together. What a train entry says is the same, and is read into the same form.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import Final, NamedTuple

from substrate.codec import Draft, draft_other, read_body
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.heads import require_head
from substrate.log.tables import SEQ_BYTES, SESSIONS, read_seq, seq_key
from substrate.messages import FSCK, REBUILD
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, Kind
from substrate.schema import MOST_WEIGHT, is_time

__all__ = [
    "HOLE",
    "IDLE",
    "KEY_BYTES",
    "TRAINED",
    "Heard",
    "all_sessions",
    "check_sessions",
    "draft_training",
    "newest_sessions",
    "next_key",
    "read_session",
    "read_training",
    "session_row",
]

HOLE: Final = bytes(ID_BYTES)
"""In the place of an atom that was forgotten; as a domain: none."""
IDLE: Final = 30 * 60 * 1_000_000
"""Microseconds in which nothing is done after which a session that nobody closes has ended."""
_NEWEST: Final = 4000
"""Rows that are looked through for the last sessions, or for those of a domain: many may be of others."""
KEY_BYTES: Final = SEQ_BYTES + 4
TRAINED: Final = b"\xff" * 4
"""In the place of a trace's number: this was a train entry."""
_LENGTH: Final = Struct(">H")


class Heard(NamedTuple):
    """A session, or a part of one, as the model learns from it."""

    items: tuple[bytes, ...]
    """Ids of atoms in the order of access; HOLE where one was forgotten, or is out of use."""
    time: int
    domain: bytes = HOLE
    objective: str = ""
    weight: int = 1
    session: str | None = None
    actor: str | None = None
    continues: bytes | None = None
    """The key of the row that this one goes on from."""
    after: bytes | None = None
    """Of a training of one atom: what was accessed before it."""

    def without(self, gone: Container[bytes]) -> Heard:
        """The same, with a hole in the place of each of these atoms."""
        items = tuple(HOLE if item in gone else item for item in self.items)
        return self._replace(items=items, domain=HOLE if self.domain in gone else self.domain)


def session_row(heard: Heard) -> bytes:
    """The row of a session."""
    said: dict[str, Json] = {"time": heard.time, **_common(heard)}
    if heard.continues is not None:
        said["continues"] = heard.continues.hex()
    head = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    return _LENGTH.pack(len(head)) + head + b"".join(heard.items)


def _common(heard: Heard) -> dict[str, Json]:
    """What a trace and a train entry say alike; what is empty is left out."""
    said: dict[str, Json] = {"weight": heard.weight}
    if heard.domain != HOLE:
        said["domain"] = heard.domain.hex()
    texts = {"objective": heard.objective, "session": heard.session, "actor": heard.actor}
    if heard.after is not None:
        said["after"] = heard.after.hex()
    return said | {field: text for field, text in texts.items() if text}


def read_session(row: bytes) -> Heard:
    """What a row says. StoreDamaged if it is none."""
    try:
        (length,) = _LENGTH.unpack_from(row)
        head, packed = json.loads(row[_LENGTH.size : _LENGTH.size + length]), row[_LENGTH.size + length :]
        items = tuple(packed[at : at + ID_BYTES] for at in range(0, len(packed), ID_BYTES))
        continues = head.get("continues")
        heard = _heard(head, items, head["time"])
        heard = heard if continues is None else heard._replace(continues=bytes.fromhex(continues))
    except (LookupError, ValueError, TypeError, AttributeError, StructError, RecursionError) as error:
        raise StoreDamaged(f"a row of sessions is malformed ({error!r}); run ", FSCK) from None
    if len(packed) % ID_BYTES or len(heard.continues or bytes(KEY_BYTES)) != KEY_BYTES:
        raise StoreDamaged("a row of sessions is cut off; run ", FSCK)
    return heard


def _heard(said: Mapping[str, Json], items: tuple[bytes, ...], time: Json) -> Heard:
    weight, objective, domain = said["weight"], said.get("objective", ""), said.get("domain")
    session, actor = said.get("session"), said.get("actor")
    if type(weight) is not int or not 1 <= weight <= MOST_WEIGHT or not is_time(time):
        raise ValueError("its weight or its time cannot be")
    if not isinstance(objective, str) or not all(text is None or isinstance(text, str) for text in (session, actor)):
        raise ValueError("its texts are none")
    of = HOLE if domain is None else bytes.fromhex(str(domain))
    if len(of) != ID_BYTES:
        raise ValueError("its domain is no id")
    return Heard(items, time, of, objective, weight, session, actor)  # type: ignore[arg-type]


def next_key(transaction: ReadTransaction, size: int, ahead: int = 0, *, table: str = SESSIONS) -> bytes:
    """The key of the next row but `ahead`, in a log of this size; of sessions, or of another table with such keys."""
    last = next((key for key, _ in transaction.scan(table, reverse=True, limit=1)), b"")
    number = int.from_bytes(last[SEQ_BYTES:], "big") + 1 if last[:SEQ_BYTES] == seq_key(size) else 0
    return seq_key(size) + (number + ahead).to_bytes(4, "big")


def all_sessions(transaction: ReadTransaction) -> Iterator[tuple[bytes, Heard | None]]:
    """Every row, oldest first, with its key; None for one that is malformed."""
    for key, row in transaction.scan(SESSIONS):
        try:
            yield key, read_session(row)
        except StoreDamaged:
            yield key, None


def newest_sessions(transaction: ReadTransaction, domain: bytes | None = None) -> Iterator[tuple[int, Heard]]:
    """Of the last rows those that can be read, newest first, with the size of the log then; of a domain, if given.

    Each is read when it is asked for.
    """
    tag = b"" if domain is None else domain.hex().encode()
    for key, row in transaction.scan(SESSIONS, seq_key(1), reverse=True, limit=_NEWEST):  # no session of an empty log
        if tag not in row:
            continue
        with suppress(StoreDamaged):
            heard = read_session(row)
            if domain is None or heard.domain == domain:
                yield read_seq(key[:SEQ_BYTES]), heard


def check_sessions(transaction: ReadTransaction) -> None:
    """StoreDamaged if a row is malformed, or from a time that the log has not reached."""
    size = require_head(transaction).head.size
    for key, heard in all_sessions(transaction):
        if heard is None or len(key) != KEY_BYTES or not 0 < read_seq(key[:SEQ_BYTES]) <= size:
            raise StoreDamaged(f"table {SESSIONS} has a row that was not written here: ", REBUILD, " leaves it behind")


def draft_training(heard: Heard) -> Draft:
    """The train entry of a session that is learnt on someone's word."""
    return draft_other(Kind.TRAIN, {"atoms": [item.hex() for item in heard.items], **_common(heard)})


def read_training(body: bytes, time: int) -> Heard | None:
    """What a train entry of that time says; None if it says nothing that is understood here: no harm in that."""
    said, damage = read_body(Kind.TRAIN, body)
    listed, after = said.get("atoms"), said.get("after")
    if damage is not None or not isinstance(listed, list) or "weight" not in said or not is_time(time):
        return None
    heard = _heard(said, tuple(bytes.fromhex(str(item)) for item in listed), time)
    return heard if after is None else heard._replace(after=bytes.fromhex(str(after)))
