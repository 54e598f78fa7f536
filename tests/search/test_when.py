"""The time in a question: what it means, and what is left of the question."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.search.when import Which, read_when
from substrate.values.times import from_microseconds, to_microseconds

NOW = to_microseconds(datetime(2026, 11, 16, 12, tzinfo=UTC))


def span(text: str) -> tuple[str | None, str | None]:
    when = read_when(text, NOW)
    assert when.asked is Which.SPAN, when
    start, end = (None if time is None else f"{from_microseconds(time):%Y-%m-%d}" for time in (when.start, when.end))
    return start, end


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Which phone was Ada using in October 2025?", "2025-10-01", "2025-11-01"),
        ("as of Oct 2025, who owned the repository", "2025-10-01", "2025-11-01"),
        ("What did we decide on 13 October 2023?", "2023-10-13", "2023-10-14"),
        ("What did we decide on October 13th, 2023?", "2023-10-13", "2023-10-14"),
        ("the incident of 2024-02-29", "2024-02-29", "2024-03-01"),
        ("costs in 2024-02", "2024-02-01", "2024-03-01"),
        ("revenue in 2023", "2023-01-01", "2024-01-01"),
        ("revenue in Q3 2024", "2024-07-01", "2024-10-01"),
        ("revenue in the third quarter of 2024", "2024-07-01", "2024-10-01"),
        ("the offsite in summer 2024", "2024-06-01", "2024-09-01"),
        ("hires in late 2024", "2024-09-01", "2025-01-01"),
        ("what changed since March?", "2026-03-01", None),
        ("what changed since December?", "2025-12-01", None),
        ("what changed after June 2024", "2024-07-01", None),
        ("the schema before 3 May 2024", None, "2024-05-03"),
        ("the schema until May 2024", None, "2024-06-01"),
        ("decisions between March 2024 and May 2024", "2024-03-01", "2024-06-01"),
        ("decisions from March 2024 to May 2024", "2024-03-01", "2024-06-01"),
        ("decisions between 2020 and 2022", "2020-01-01", "2023-01-01"),
        ("decisions between March and May 2023", "2023-03-01", "2023-06-01"),
        ("decisions between November and February 2023", "2022-11-01", "2023-03-01"),
        ("what we spent from March to May", "2026-03-01", "2026-06-01"),
        ("emails from April", "2026-04-01", "2026-05-01"),
        ("what did I do yesterday", "2026-11-15", "2026-11-16"),
        ("what did I do last week", "2026-11-09", "2026-11-16"),
        ("what did I do last month", "2026-10-01", "2026-11-01"),
        ("what did I do last year", "2025-01-01", "2026-01-01"),
        ("what did I do this quarter", "2026-10-01", "2027-01-01"),
        ("the outage three weeks ago", "2026-10-23", "2026-10-30"),
        ("the outage 2 years ago", "2024-05-18", "2025-05-18"),
    ],
)
def test_a_span_is_read(text: str, start: str | None, end: str | None) -> None:
    assert span(text) == (start, end)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Which database do we use now?", Which.NOW),
        ("Where does she currently live", Which.NOW),
        ("what is the latest price", Which.NOW),
        ("Who is on call these days?", Which.NOW),
        ("Which database did we use before the current one?", Which.PREVIOUS),
        ("Where did she live before moving to the present flat?", Which.PREVIOUS),
        ("Who was the previous owner?", Which.PREVIOUS),
        ("What was the port formerly?", Which.PREVIOUS),
        ("Where did she live before?", Which.PREVIOUS),
        ("Who was our prior vendor?", Which.PREVIOUS),
        ("Where did Ada use to live?", Which.PREVIOUS),
        ("What used to be the default port?", Which.PREVIOUS),
        ("What is Redis used to store?", Which.ANY),
        ("run the tests prior to a release", Which.ANY),
        ("What was planned originally?", Which.FIRST),
        ("What was Ada's first phone?", Which.FIRST),
        ("Which database did we first use?", Which.FIRST),
        ("Which is the earliest plan?", Which.FIRST),
        ("What is her first name?", Which.ANY),
        ("Who won first place?", Which.ANY),
        ("What did the team do to win first place?", Which.ANY),
        ("Since when do we use Stripe?", Which.SINCE),
        ("How long has Ada lived in Oslo?", Which.SINCE),
        ("How long is the API timeout?", Which.ANY),
        ("Who is the original author?", Which.ANY),
        ("How was it initially set up", Which.FIRST),
        ("The history of the price", Which.ALL),
        ("How has the schema changed?", Which.ALL),
        ("How is every request logged?", Which.ANY),
        ("Which databases have we used over time?", Which.ALL),
        ("Who wrote the parser?", Which.ANY),
        ("What may break?", Which.ANY),
        ("What did he do before the race?", Which.ANY),
        ("the 2048 game", Which.ANY),
        ("a limit of 2000 requests", Which.ANY),
        ("it listens on 2049", Which.ANY),
        ("it was split in 2000 files", Which.ANY),
        ("a birthday present for Ada", Which.ANY),
        ("what should I check before the last step of the deploy", Which.ANY),
        ("how many minutes before my flight should I be there", Which.ANY),
        ("Who was hired in 2024 as an analyst?", Which.SPAN),
        ("port 2024 is taken", Which.ANY),
        ("marching orders", Which.ANY),
        ("31 February 2024", Which.SPAN),
        ("wann war das", Which.ANY),
    ],
)
def test_which_statement_is_meant(text: str, asked: Which) -> None:
    assert read_when(text, NOW).asked is asked


@pytest.mark.parametrize(
    ("text", "event", "is_end"),
    [
        ("What did we use before Stripe?", "Stripe", True),
        ("Where did Ada live before moving to Oslo?", "moving to Oslo", True),
        ("What was the port until the migration, roughly?", "the migration", True),
        ("What did she do after the race?", "the race", False),
        ("what to do before a release", "", True),
        ("What should be done after the release?", "", True),
        ("What did they check before a release?", "", True),
    ],
)
def test_an_event_is_named_where_it_is_asked_what_was(text: str, event: str, *, is_end: bool) -> None:
    when = read_when(text, NOW)
    assert (when.asked, when.text, when.event, when.is_end) == (Which.ANY, text, event, is_end)


def test_words_that_say_when_are_taken_out_and_kept_as_the_reason() -> None:
    when = read_when("Which phone was Ada using in October 2025?", NOW)
    assert when.text == "Which phone was Ada using ?"
    assert when.words == ("in October 2025",)


def test_words_that_may_say_what_stay_in_the_question() -> None:
    assert read_when("how strong is the current in the cable now", NOW).text == "how strong is the current in the cable"
    assert read_when("the previous owner of the lighthouse", NOW).text == "the previous owner of the lighthouse"


def test_a_question_of_nothing_but_time_keeps_its_words() -> None:
    assert read_when("yesterday", NOW).text == "yesterday"


def test_a_long_passage_is_no_question() -> None:
    assert read_when("in October 2025 " * 100, NOW).asked is Which.ANY


@pytest.mark.parametrize(
    "text",
    [
        "least recently used cache",
        "a least-recently-used cache",
        "the most recently used file",
        "how to get the current working directory",
        "name of the current thread",
    ],
)
def test_terms_of_programs_are_no_times(text: str) -> None:
    assert read_when(text, NOW).asked is Which.ANY


@pytest.mark.parametrize(
    "text",
    [
        "what did I use recently",
        "the current directory of staff",
        "our current process owner",
        "What is the current locale of the shop?",
        "the current working directory of the build",
        "What has the team most recently used for the shop?",
    ],
)
def test_what_only_looks_like_such_a_term_is_a_time(text: str) -> None:
    assert read_when(text, NOW).asked is Which.NOW


@given(st.text(max_size=600), st.integers(0, 2**52))
def test_any_text_is_read_and_nothing_but_time_is_lost(text: str, now: int) -> None:
    when = read_when(text, now)
    if when.start is not None and when.end is not None:
        assert when.start < when.end
    kept = "".join(when.text.split())
    assert len(kept) <= len("".join(text.split()))
    if when.asked is Which.ANY:
        assert when.text == text


@given(
    st.lists(st.sampled_from(["before the", "last", "in", "May", "2024", "now", "one", "-", "the", "1st"]), max_size=60)
)
def test_time_words_in_any_order_are_read(words: list[str]) -> None:
    read_when(" ".join(words), NOW)


@pytest.mark.parametrize(
    "text",
    [
        *("right now", "as of today", "nowadays", "these days", "at the moment", "at present", "for the time being"),
        *(
            "currently",
            "presently",
            "most recently",
            "lately",
            "the latest",
            "newest",
            "before this one",
            "prior to that",
        ),
        *(
            "previously",
            "formerly",
            "beforehand",
            "what did it use to say",
            "used to be",
            "the preceding",
            "predecessors",
        ),
        *("second-to-last", "last but one", "originally", "initially", "at first", "in the beginning", "to begin with"),
        *(
            "to start with",
            "the earliest",
            "first ever",
            "since when",
            "how long has it",
            "over time",
            "over the years",
        ),
        *("before this one", "predecessors", "over the years"),
        *("throughout the years", "so far", "history of it", "to date", "all versions of it", "how has it changed"),
        *("what was it until Tuesday came", "what was it till noon came", "what was it after Ada came"),
    ],
)
def test_no_form_of_time_is_passed_over(text: str) -> None:
    when = read_when(f"Tell {text}", NOW)
    assert when.asked is not Which.ANY or when.event
    assert read_when(f"TELL {text.upper()}", NOW).asked is when.asked
