"""Days, as the manual clock of the tests counts them."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["DAY", "day"]

DAY = 24 * 3600 * 1_000_000


def day(number: int) -> datetime:
    """Days after the manual clock's start."""
    return datetime.fromtimestamp(1_700_000_000 + number * 24 * 3600, tz=UTC)
