"""Proposals: rows that wait for a person, beside the log. Nothing of them is proven, and none lasts.

    proposals   atom id (16; zeros: of no atom), proposal's id (16) -> state, times, and what is proposed, as JSON

A row quotes its atom, so it stands under the atom's id and goes with the atom. Once it is decided, or its time is over,
its texts are erased; that it was there is known for a day more, so that whoever comes late is told why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Final, Literal

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction, behind
from substrate.log.tables import PROPOSALS
from substrate.messages import REBUILD
from substrate.proof.entry import ID_BYTES
from substrate.schema import is_time
from substrate.views.traces import Trace

__all__ = [
    "MEANT",
    "NO_ATOM",
    "ProposalRow",
    "all_proposals",
    "check_proposals",
    "erase_proposals",
    "find_proposal",
    "overdue",
    "proposal_trace",
]

NO_ATOM: Final = b"\x00" * ID_BYTES
"""In the place of an atom's id: the row is of a text that no atom has yet."""
MEANT: Final = "meant"
"""Among what a row says: the domain that comes nearest to the one that was asked for, by its name."""
_REMEMBERED: Final = 24 * 3600 * 1_000_000
"""Microseconds for which a row without texts stays."""
_KEY_BYTES: Final = 2 * ID_BYTES
_STATES: Final = ("open", "accepted", "declined", "expired")

State = Literal["open", "accepted", "declined", "expired"]


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """One row. `said` has the texts, by their names; empty once it is decided."""

    id: bytes
    subject: bytes
    made: int
    ends: int
    state: State = "open"
    seq: int | None = None
    """The version that it was made of; of an accepted one the entry that came of it."""
    said: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> bytes:
        """By which it is kept."""
        return self.subject + self.id

    def is_open(self, time: int) -> bool:
        """Whether it still waits."""
        return self.state == "open" and time < self.ends

    def decided(self, state: State, seq: int | None = None) -> ProposalRow:
        """The same once it is decided: without its texts."""
        return replace(self, state=state, seq=seq, said={})


def proposal_trace(row: ProposalRow) -> Trace:
    """What writes the row."""
    said = asdict(row)
    del said["id"], said["subject"]
    return PROPOSALS, row.key, json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def all_proposals(transaction: ReadTransaction, subject: bytes = b"") -> Iterator[ProposalRow]:
    """Every row, or those of one atom, whatever became of it."""
    for key, row in transaction.scan(PROPOSALS, subject, behind(subject) if subject else None):
        yield _read(key, row)


def find_proposal(transaction: ReadTransaction, identity: bytes) -> ProposalRow | None:
    """The row with this id; None if there is none. Only that one is read."""
    rows = transaction.scan(PROPOSALS)
    return next((_read(key, row) for key, row in rows if key[ID_BYTES:] == identity), None)


def overdue(rows: Iterable[ProposalRow], time: int) -> list[Trace]:
    """What takes the texts out of rows whose time is over, and drops rows that nobody needs to know of any more."""
    over: list[Trace] = []
    for row in rows:
        if time >= row.ends + _REMEMBERED:
            over.append((PROPOSALS, row.key, None))
        elif row.said and not row.is_open(time):
            over.append(proposal_trace(row.decided("expired")))
    return over


def erase_proposals(transaction: ReadTransaction, subject: bytes) -> list[Trace]:
    """What deletes all rows of an atom."""
    return [(PROPOSALS, key, None) for key, _ in transaction.scan(PROPOSALS, subject, behind(subject))]


def check_proposals(transaction: ReadTransaction) -> None:
    """StoreDamaged if a row is malformed."""
    for _ in all_proposals(transaction):
        pass


def _read(key: bytes, row: bytes) -> ProposalRow:
    try:
        said = json.loads(row)
        read = ProposalRow(id=key[ID_BYTES:], subject=key[:ID_BYTES], **said)
    except (ValueError, TypeError, RecursionError):
        raise _malformed() from None
    times = is_time(read.made) and is_time(read.ends)
    if len(key) != _KEY_BYTES or not times or read.state not in _STATES or not _is_seq(read.seq):
        raise _malformed()
    if not isinstance(read.said, dict) or not _are_texts([*read.said, *read.said.values()]):
        raise _malformed()
    return read


def _is_seq(seq: object) -> bool:
    return seq is None or (isinstance(seq, int) and not isinstance(seq, bool) and seq >= 0)


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _malformed() -> StoreDamaged:
    return StoreDamaged(f"table {PROPOSALS} has a row that was not written here: ", REBUILD, " leaves it behind")
