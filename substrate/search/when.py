"""Time in a question: what moment or span its words mean, and the question without them.

"Which database do we use now?" asks for the newest statement, "... before the current one?" for the one that it took
the place of, "... in October 2025?" for what held or happened then. Words that say when say nothing about what: they
are taken out before words and meaning are looked for. English; in other languages nothing is read, and nothing lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Final

from substrate.values.times import from_microseconds, to_microseconds

__all__ = ["When", "Which", "read_when"]


class Which(Enum):
    """Which of several statements of the same thing a question means."""

    ANY = "any"
    NOW = "now"
    """The newest."""
    PREVIOUS = "previous"
    """The one before the newest."""
    FIRST = "first"
    """The oldest."""
    SPAN = "span"
    """What was said in a span of time, or held then: the newest before it."""
    ALL = "all"
    """Every one, each once."""


@dataclass(frozen=True, slots=True)
class When:
    """What a question's words say about time.

    `start` and `end`: of a SPAN, half open, microseconds since 1970; None: open. `words` are those that were read, and
    `text` is what is left without them; all of it, if nothing else would be.
    """

    asked: Which
    text: str
    words: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None


_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        1,
    )
    for name in names
}
_MONTH: Final = r"(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_DAY: Final = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_SEASONS: Final = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9, "fall": 9}
_NUMBERS: Final = {
    word: number
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)
} | {"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3, "several": 4}
_COUNT: Final = r"(?P<count>\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")"
_UNIT: Final = r"(?P<unit>day|week|month|year|fortnight|decade|quarter)s?"
_DAYS: Final = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365, "decade": 3652}

_Span = tuple[datetime, datetime]


def _day(year: int, month: int, day: int) -> _Span:
    start = datetime(year, month, day, tzinfo=UTC)
    return start, start + timedelta(days=1)


def _month(year: int, month: int, count: int = 1) -> _Span:
    last = month - 1 + count
    return datetime(year, month, 1, tzinfo=UTC), datetime(year + last // 12, last % 12 + 1, 1, tzinfo=UTC)


def _year(year: int) -> _Span:
    return _month(year, 1, 12)


def _latest_month(month: int, now: datetime) -> _Span:
    """The month of that name that began last."""
    return _month(now.year if month <= now.month else now.year - 1, month)


def _on_day(found: re.Match[str], now: datetime) -> _Span:
    month, day = _MONTHS[found["month"].lower()], int(found["day"])
    year = found.groupdict().get("year")
    if year:
        return _day(int(year), month, day)
    start, end = _day(now.year, month, day)
    return (start, end) if start <= now else _day(now.year - 1, month, day)


def _in_month(found: re.Match[str], now: datetime) -> _Span:
    month, year = _MONTHS[found["month"].lower()], found.groupdict().get("year")
    return _month(int(year), month) if year else _latest_month(month, now)


def _in_season(found: re.Match[str], now: datetime) -> _Span:
    month = _SEASONS[found["season"].lower()]
    year = found.groupdict().get("year")
    if year:
        return _month(int(year) - (month == 12), month, 3)  # the winter of a year is mostly in that year  # noqa: PLR2004
    began = now.year if (now.year, month) <= (now.year, now.month) else now.year - 1
    return _month(began, month, 3)


def _ago(found: re.Match[str], now: datetime) -> _Span:
    """As vague as its unit: three weeks ago is that week, give or take half of it."""
    said = found["count"].lower()
    count, days = int(said) if said.isdigit() else _NUMBERS[said], _DAYS[found["unit"].lower()]
    middle = now - timedelta(days=min(count * days, 700_000))
    half = timedelta(days=max(0.5, days / 2))
    return middle - half, middle + half


def _last_unit(found: re.Match[str], now: datetime) -> _Span:
    unit, this = found["unit"].lower(), found["which"].lower() == "this"
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        start = midnight - timedelta(days=midnight.weekday())
        return (start, start + timedelta(days=7)) if this else (start - timedelta(days=7), start)
    if unit == "month":
        return _month(now.year, now.month) if this else _month(*_before(now.year, now.month, 1))
    if unit == "quarter":
        first = (now.month - 1) // 3 * 3 + 1
        return _month(now.year, first, 3) if this else _month(*_before(now.year, first, 3), 3)
    if unit == "year":
        return _year(now.year if this else now.year - 1)
    days = timedelta(days=_DAYS[unit])
    return (midnight, midnight + days) if this else (midnight - days, midnight)


def _before(year: int, month: int, count: int) -> tuple[int, int]:
    total = year * 12 + month - 1 - count
    return total // 12, total % 12 + 1


def _iso(found: re.Match[str], _: datetime) -> _Span:
    year, month, *day = map(int, found["iso"].split("-"))
    return _day(year, month, *day) if day else _month(year, month)


def _whole_year(found: re.Match[str], _: datetime) -> _Span:
    return _year(int(found["year"]))


def _quarter(found: re.Match[str], _: datetime) -> _Span:
    nth = found["q"] or str(1 + ("first", "second", "third", "fourth").index(found["nth"].lower()))
    return _month(int(found["year"]), 3 * int(nth) - 2, 3)


def _part(found: re.Match[str], _: datetime) -> _Span:
    part = found["part"].lower()
    month = 1 if part in ("early", "beginning of") else 9 if part in ("late", "end of") else 5
    return _month(int(found["year"]), month, 4)


def _yesterday(found: re.Match[str], now: datetime) -> _Span:
    back = 2 if found[0].lower() != "yesterday" else 1
    start = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=back)
    return start, start + timedelta(days=1)


# Each a way to name a span; tried in this order, so that the more exact one wins.
_SPANS: Final[list[tuple[str, Callable[[re.Match[str], datetime], _Span]]]] = [
    (r"(?P<iso>(?:19|20)\d\d-[01]\d-[0-3]\d)", _iso),
    (rf"{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}", _on_day),
    (rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}", _on_day),
    (rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}", _in_month),
    (r"(?P<iso>(?:19|20)\d\d-(?:0[1-9]|1[0-2]))", _iso),
    (rf"(?:q(?P<q>[1-4])|(?P<nth>first|second|third|fourth)\s+quarter)(?:\s+of)?\s+{_YEAR}", _quarter),
    (rf"(?:the\s+)?(?P<season>winter|spring|summer|autumn|fall)(?:\s+of)?\s+{_YEAR}", _in_season),
    (rf"(?:the\s+)?(?P<part>early|mid|late|beginning of|end of|middle of)[\s-]+{_YEAR}", _part),
    (rf"{_COUNT}\s+{_UNIT}\s+ago", _ago),
    (rf"(?P<which>this|last|past|previous)\s+{_UNIT}", _last_unit),
    (r"(?P<which>this|last)\s+(?P<season>winter|spring|summer|autumn|fall)", _in_season),
    (rf"last\s+{_MONTH}", _in_month),
    (r"(?:the\s+day\s+before\s+)?yesterday", _yesterday),
]
_NAMED: Final = [
    (rf"{_MONTH}\s+{_DAY}", _on_day),
    (rf"{_DAY}\s+(?:of\s+)?{_MONTH}", _on_day),
    (_MONTH, _in_month),
    # Not so many things: `a limit of 2000 requests`, `in 2000 files`.
    (rf"{_YEAR}(?!\s+(?!was|is|has|does|as|this)[a-z]+s\b)", _whole_year),
]
"""These need a word such as `in` before them: "may" and 2048 mean other things too."""


_LEAD: Final = (
    r"(?P<lead>in|on|during|as\s+of|by|back\s+in|around|from|since|after|until|till|up\s+to|before|prior\s+to|between|"
    r"throughout|within|through|of)"
)
_FORMS: Final = [
    (re.compile(rf"\b{lead}(?<![\w-])(?:{form})(?![\w-])", re.IGNORECASE), read)
    for lead, forms in (
        (rf"(?:{_LEAD}\s+(?:the\s+)?)?", _SPANS),
        (rf"(?!of\b|on\s+\d{{4}}){_LEAD}\s+(?:the\s+)?", _NAMED),
    )
    for form, read in forms
]
_AFTER: Final = {"since", "after"}
_UNTIL: Final = {"until", "till", "up to", "before", "prior to", "by", "through"}


_HINT: Final = re.compile(
    r"\d|ago\b|\b(?:this|last|past|previous|yesterday|winter|spring|summer|autumn|fall)\b|\b" + _MONTH, re.IGNORECASE
)
"""Without one of these no span is named: most questions are through with one look."""
_QUESTION: Final = 500
"""Characters of a question. What is longer is a passage: the times in it are not about what is asked for."""


def _spans_in(text: str, now: datetime) -> list[tuple[int, int, str, _Span]]:
    """Where spans are named, with the word that leads each in: (start, end, lead, span), in order, not overlapping."""
    found: list[tuple[int, int, str, _Span]] = []
    if not _HINT.search(text):
        return found
    for form, read in _FORMS:
        for match in form.finditer(text):
            if any(start < match.end() and match.start() < end for start, end, _, _ in found):
                continue
            try:
                span = read(match, now)
            except (ValueError, OverflowError):  # the 31st of a month that has none
                continue
            found.append((match.start(), match.end(), " ".join((match["lead"] or "").lower().split()), span))
    return sorted(found, key=lambda place: place[0])


_NOW_ADVERB: Final = (
    r"right now|as of (?:now|today)|by now|nowadays|these days|at (?:the )?(?:moment|present)(?: time)?|"
    r"for the (?:moment|time being)|currently|presently|(?:most )?recently|lately|today|now"
)
_ADVERBS: Final = re.compile(rf"\b(?:{_NOW_ADVERB}|previously|formerly)\b", re.IGNORECASE)
"""Words that say nothing but when."""
_NOW: Final = re.compile(
    rf"\b(?:{_NOW_ADVERB}|(?:the )?(?:most recent|latest|newest|current)|the present)\b", re.IGNORECASE
)
_PREVIOUS: Final = re.compile(
    r"\b(?:before\b[^?.!]{0,60}\b(?:current|present|latest|newest|most recent)\b|"
    r"before (?:it|he|she|they|we|that|this) (?:was|were|had been|has been|got) last \w+|"
    r"(?:before|prior to) (?:this|that) one\b|previously|formerly|beforehand|"
    r"(?:the )?(?:previous|former|second[- ]to[- ]last|last but one)\b)",
    re.IGNORECASE,
)
_FIRST: Final = re.compile(
    r"\b(?:originally|initially|at first|in the beginning|(?:the )?(?:very first|first ever))\b",
    re.IGNORECASE,
)
_ALL: Final = re.compile(
    r"\b(?:over time|over the years|through(?:out)? the years|so far|(?:the )?history of|to date|"
    r"all (?:the )?versions of|how (?:has|have)(?=\b[^?.!]*\bchanged\b))\b",
    re.IGNORECASE,
)


def read_when(text: str, now: int) -> When:
    """What the question says about time, asked at `now` (microseconds since 1970)."""
    if len(text) > _QUESTION:
        return When(Which.ANY, text)
    spans = _spans_in(text, from_microseconds(now))
    if spans:
        start, end = _meant(spans)
        places = [(begin, stop) for begin, stop, _, _ in spans]
        words = tuple(text[begin:stop] for begin, stop in places)
        return When(Which.SPAN, _without(text, places), words, _micro(start), _micro(end))
    for asked, form in ((Which.PREVIOUS, _PREVIOUS), (Which.FIRST, _FIRST), (Which.ALL, _ALL), (Which.NOW, _NOW)):
        if found := form.findall(text):
            # `the current plan` is about a current, perhaps; `now` is about nothing but time.
            return When(asked, _without(text, [match.span() for match in _ADVERBS.finditer(text)]), tuple(found))
    return When(Which.ANY, text)


def _meant(spans: list[tuple[int, int, str, _Span]]) -> tuple[datetime | None, datetime | None]:
    """The span that several, with their leads, mean together: `between March and May`, `since June 2024`."""
    leads = [lead for _, _, lead, _ in spans]
    if len(spans) > 1:
        return min(span[0] for *_, span in spans), max(span[1] for *_, span in spans)
    lead, (start, end) = leads[0], spans[0][3]
    if lead in _AFTER:
        return (end if lead == "after" else start), None
    if lead in _UNTIL:
        return None, (start if lead in ("before", "prior to") else end)
    return start, end


def _micro(time: datetime | None) -> int | None:
    return None if time is None else to_microseconds(time)


def _without(text: str, places: list[tuple[int, int]]) -> str:
    """The text without these places; all of it, if no word would be left."""
    left, at = "", 0
    for begin, stop in places:
        left += text[at:begin] + " "
        at = stop
    left = re.sub(r"\s+", " ", left + text[at:]).strip()
    return left if re.search(r"\w", left) else text
