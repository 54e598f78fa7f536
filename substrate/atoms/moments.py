"""Moments: what `as_of` and `valid_at` take, turned into a seq and a time."""

from __future__ import annotations

from datetime import datetime
from typing import Final, TypeAlias

from substrate.atoms.bodies import time_of
from substrate.clock import Clock
from substrate.errors import InputError, NotFound, ProofInvalid, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored_entry
from substrate.log.heads import check_contains, head_at, require_head
from substrate.log.keys.highwater import Mark
from substrate.log.tables import ENTRIES, seq_key
from substrate.messages import Arg
from substrate.proof.entry import entry_time
from substrate.proof.head import MAX_SIZE, Head, Pin, SignedHead
from substrate.schema import is_time
from substrate.snapshot import Snapshot
from substrate.values.times import from_microseconds, to_microseconds

__all__ = [
    "Moment",
    "Time",
    "in_words",
    "last_seq",
    "read_head",
    "read_time",
    "seq_at",
    "snapshot_of",
    "time_at",
    "timed",
]

_AS_OF: Final = Arg("as_of")

_DIGITS: Final = 40
_EXAMPLES: Final = "2026-03-01T12:00:00Z, 2 weeks ago or last monday"
Time: TypeAlias = "datetime | str"
"""A datetime (naive: UTC) or ISO 8601 text. `valid_at` also takes words: `yesterday`, `2 weeks ago`."""
Moment: TypeAlias = "int | datetime | str | Head | SignedHead | Pin"
"""A seq (after that entry), a time (after the last entry recorded until then), or a head; as text, one of the three.

A time may be said in words, `yesterday` or `2 weeks ago`, as `substrate.text.dates` reads them."""


def in_words(text: str, now: int) -> datetime | None:
    """The time that words mean, said at `now` (microseconds since 1970); None if it is no time in words.

    None, too, for a seq, ISO 8601 and the text of a head: they mean the same whenever they are read.
    """
    text = text.strip()
    if text.isdecimal() or "\n" in text:
        return None
    try:
        datetime.fromisoformat(text)
    except ValueError:
        from substrate.text.dates import moment_of  # noqa: PLC0415 - its patterns take a while to compile

        return moment_of(text, from_microseconds(now))
    return None


def read_time(time: object, field: str) -> int:
    """Microseconds since 1970. SchemaInvalid, naming the field, if it is no time."""
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time.strip())
        except ValueError:
            raise SchemaInvalid(
                field, " must be a time in ISO 8601, such as 2026-03-01 or 2026-03-01T12:00:00Z"
            ) from None
    if not isinstance(time, datetime):
        raise SchemaInvalid(field, f" must be a datetime or a time in ISO 8601, not {type(time).__name__}")
    microseconds = to_microseconds(time)
    if not is_time(microseconds):  # its zone takes it out of the years that a time in UTC can have
        raise SchemaInvalid(field, " is out of range: in UTC it must lie in the years 1 to 9999")
    return microseconds


def timed(moment: Moment | None, now: int) -> Moment | None:
    """The moment; one that is said in words as the time that these mean."""
    return (in_words(moment, now) or moment) if isinstance(moment, str) else moment


def _valid_at(time: Time, clock: Clock) -> int:
    if not isinstance(time, str):
        return read_time(time, Arg("valid_at"))
    said = in_words(time, clock.now())
    if said is not None:
        return to_microseconds(said)
    try:
        return read_time(datetime.fromisoformat(time.strip()), Arg("valid_at"))
    except ValueError:
        raise SchemaInvalid(Arg("valid_at"), f" must be a time such as {_EXAMPLES}") from None


def last_seq(transaction: ReadTransaction) -> int:
    """The seq of the newest entry."""
    for at, _ in transaction.scan(ENTRIES, reverse=True, limit=1):
        return int.from_bytes(at, "big")
    return require_head(transaction).head.size - 1


def seq_at(transaction: ReadTransaction, moment: Moment | None, field: str = _AS_OF) -> int | None:
    """The seq up to which (inclusive) we knew things then; -1 if nothing; None for now.

    InputError if it is of another log, or ahead of this one; SchemaInvalid if it is no moment.
    """
    if moment is None:
        return None
    if isinstance(moment, str):
        moment = _parse(moment, field)
    if isinstance(moment, datetime):
        return _last_until(transaction, to_microseconds(moment))
    size = last_seq(transaction) + 1
    if isinstance(moment, Pin | SignedHead):
        moment = moment.head
    if isinstance(moment, Head):
        _check_own(transaction, moment, field)
        moment = moment.size - 1
    if isinstance(moment, bool) or not isinstance(moment, int):
        raise SchemaInvalid(field, f" must be a seq, a time or a head, not {type(moment).__name__}")
    if not -1 <= moment < size:
        told = moment if abs(moment) <= MAX_SIZE else "one so large"
        raise InputError(field, f": the log has {size:,} entries, the last one is {size - 1}, and not yet {told}")
    return moment


def _check_own(transaction: ReadTransaction, head: Head, field: str) -> None:
    """InputError if the head is of another log, RolledBack if it is of another history of this one."""
    latest = require_head(transaction).head
    if head.origin == latest.origin:
        check_contains(transaction, latest, Mark.of(head), f"the head given as {field}")
        return
    try:
        own = head_at(transaction, head.size).head  # of before a restore, when the log had another origin
    except NotFound:
        own = latest
    if head != own:
        raise InputError(field, f": this head is of {head.origin}, which is another log")


def read_head(text: str, field: str) -> Head:
    """The head in the text of a pin or a signed head. SchemaInvalid if it is neither."""
    for kind in (Pin, SignedHead):
        try:
            return kind.parse(text.strip() + "\n").head
        except ProofInvalid:
            continue
    raise SchemaInvalid(field, " must be the text of a pin or a signed head, or what else it may be")


def _parse(text: str, field: str) -> int | datetime | Head:
    text = text.strip()
    if text.isdecimal():
        return int(text[:_DIGITS])  # a longer one is beyond every log, however it goes on
    if "\n" in text:
        return read_head(text, field)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise SchemaInvalid(
            field, f" must be a seq (12), a time such as {_EXAMPLES}, or the text of a pin or head"
        ) from None


def _last_until(transaction: ReadTransaction, time: int) -> int:
    """The last entry recorded at or before a time; -1 if none was. Along the log times never fall."""
    low, high = 0, last_seq(transaction) + 1
    while low < high:
        middle = (low + high) // 2
        if time_at(transaction, middle) <= time:
            low = middle + 1
        else:
            high = middle
    return low - 1


def time_at(transaction: ReadTransaction, seq: int) -> int:
    """When an entry was recorded, in microseconds since 1970. StoreDamaged if there is none."""
    data = transaction.get(ENTRIES, seq_key(seq))
    return stored_entry(seq, data).time if data is None else entry_time(data)


def snapshot_of(
    transaction: ReadTransaction,
    clock: Clock,
    as_of: Moment | None = None,
    valid_at: Time | None = None,
    field: str = _AS_OF,
) -> Snapshot:
    """The snapshot of what a caller asks for. InputError if it is no moment of this log, or no time."""
    as_of = timed(as_of, clock.now())
    upto = seq_at(transaction, as_of, field)
    given = _parse(as_of, field) if isinstance(as_of, str) else as_of
    asked = to_microseconds(given) if isinstance(given, datetime) else None
    if valid_at is not None:
        time = _valid_at(valid_at, clock)
        return Snapshot(transaction, upto, time, time, asked)
    if upto is None:
        return Snapshot(transaction, None, None, clock.now())
    at = time_of(transaction, max(upto, 0)) if asked is None else asked
    return Snapshot(transaction, upto, None, at, asked)
