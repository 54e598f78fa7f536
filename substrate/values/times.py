"""Times and ids: between what is stored and what users hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from substrate.clock import FIRST_TIME, LAST_TIME

__all__ = ["EPOCH", "from_microseconds", "to_microseconds"]


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


_MICROSECOND = timedelta(microseconds=1)


def from_microseconds(time: int) -> datetime:
    """The instant this number of microseconds after 1970, exactly; or the nearest that a datetime can hold.

    Such a time comes from a foreign log only. It is refused at import, and fsck reports it: see `schema`.
    """
    try:
        return EPOCH + _MICROSECOND * time  # in half the time of making a timedelta by its name
    except OverflowError:
        return EPOCH + timedelta(microseconds=min(max(time, FIRST_TIME), LAST_TIME))


def to_microseconds(time: datetime) -> int:
    """The inverse, exactly. A naive datetime is taken as UTC."""
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return (aware - EPOCH) // _MICROSECOND
