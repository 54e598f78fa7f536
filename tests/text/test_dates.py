"""Times that a text names, read as one moment. Spans in questions: tests/search/test_when.py."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.text.dates import moment_of, spans_in

NOW = datetime(2026, 11, 17, 16, 45, 30, tzinfo=UTC)
"""A Tuesday."""


def end_of(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC) + timedelta(days=1, microseconds=-1)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", NOW),
        ("today", NOW),
        ("this week", NOW),  # its end is still to come
        ("yesterday", end_of(2026, 11, 16)),
        ("The day before yesterday", end_of(2026, 11, 15)),
        ("2 weeks ago", NOW - timedelta(days=14)),
        (" two  weeks ago ", NOW - timedelta(days=14)),
        ("3 hours ago", NOW - timedelta(hours=3)),
        ("an hour ago", NOW - timedelta(hours=1)),
        ("10 minutes ago", NOW - timedelta(minutes=10)),
        ("last monday", end_of(2026, 11, 16)),
        ("last tuesday", end_of(2026, 11, 10)),  # not today
        ("on Wednesday", end_of(2026, 11, 11)),
        ("last week", end_of(2026, 11, 15)),
        ("last month", end_of(2026, 10, 31)),
        ("in March 2025", end_of(2025, 3, 31)),
        ("3 May 2024", end_of(2024, 5, 3)),
        ("2024-05", end_of(2024, 5, 31)),
    ],
)
def test_a_time_in_words_is_one_moment(text: str, moment: datetime) -> None:
    assert moment_of(text, NOW) == moment


@pytest.mark.parametrize(
    "text", ["", "someday", "tomorrow", "2 weeks", "yesterday we met", "31 February 2025", "x" * 99]
)
def test_what_names_no_time_is_none(text: str) -> None:
    assert moment_of(text, NOW) is None


@given(st.text(max_size=80))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    found = moment_of(text, NOW)
    assert found is None or found.tzinfo is not None


def test_since_yesterday_begins_yesterday() -> None:
    ((_, _, lead, (start, _)),) = spans_in("what changed since yesterday", NOW)
    assert (lead, start) == ("since", datetime(2026, 11, 16, tzinfo=UTC))
