"""Times that a text names: `yesterday`, `2 weeks ago`, `last monday`, `in October 2025`. Pure; English; in UTC.

1. A *span* is from when until, not including, when. `spans_in` finds those of a question; `moment_of` reads a text that
   names one time and nothing else.
2. A day, a week, a month, a season or a year is whole. What is so long ago is as vague as its unit in a question, and
   exact as a moment.
3. A day begins at midnight UTC, as every time without a zone does here: the same words mean the same on all machines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final, TypeAlias

__all__ = ["Named", "moment_of", "spans_in"]

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
_SHORT_UNIT: Final = r"(?P<unit>second|minute|hour)s?"
_DAYS: Final = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365, "decade": 3652} | {
    "second": 1 / 86_400,
    "minute": 1 / 1_440,
    "hour": 1 / 24,
}
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY: Final = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"

_Span = tuple[datetime, datetime]
_Form: TypeAlias = tuple[re.Pattern[str], Callable[[re.Match[str], datetime], _Span]]
Named: TypeAlias = tuple[int, int, str, _Span]
"""Where a span is named, in characters; the word that leads it in, or none; the span."""


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
    half = timedelta(days=max(0.5, _DAYS[found["unit"].lower()] / 2))
    middle = _exactly_ago(found, now)
    return middle - half, middle + half


def _exactly_ago(found: re.Match[str], now: datetime) -> datetime:
    said = " ".join(found["count"].lower().split())
    count = int(said) if said.isdigit() else _NUMBERS[said]
    return now - timedelta(days=min(count * _DAYS[found["unit"].lower()], 700_000))


def _last_weekday(found: re.Match[str], now: datetime) -> _Span:
    """The day of that name before today."""
    back = (now.weekday() - _WEEKDAYS.index(found["weekday"].lower()) - 1) % 7 + 1
    start = _midnight(now) - timedelta(days=back)
    return start, start + timedelta(days=1)


def _last_unit(found: re.Match[str], now: datetime) -> _Span:
    unit, this = found["unit"].lower(), found["which"].lower() == "this"
    midnight = _midnight(now)
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
    back = 2 if found["before"] else 1
    start = _midnight(now) - timedelta(days=back)
    return start, start + timedelta(days=1)


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


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
    (rf"{_COUNT}\s+(?:{_UNIT})\s+ago", _ago),
    (rf"last\s+{_WEEKDAY}", _last_weekday),
    (rf"(?P<which>this|last|past|previous)\s+{_UNIT}", _last_unit),
    (r"(?P<which>this|last)\s+(?P<season>winter|spring|summer|autumn|fall)", _in_season),
    (rf"last\s+{_MONTH}", _in_month),
    (r"(?P<before>the\s+day\s+before\s+)?yesterday", _yesterday),
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


@cache  # to compile them takes as long as a search; most questions name no time
def _forms() -> list[_Form]:
    """What is looked for in a question."""
    return [
        (re.compile(rf"\b{lead}(?<![\w-])(?:{form})(?![\w-])", re.IGNORECASE), read)
        for lead, forms in (
            (rf"(?:{_LEAD}\s+(?:the\s+)?)?", _SPANS),
            (rf"(?!of\b|on\s+\d{{4}}){_LEAD}\s+(?:the\s+)?", _NAMED),
        )
        for form, read in forms
    ]


_HINT: Final = re.compile(
    r"\d|ago\b|\b(?:this|last|past|previous|yesterday|winter|spring|summer|autumn|fall)\b|\b" + _MONTH, re.IGNORECASE
)
"""Without one of these no span is named: most questions are through with one look."""
_DIGIT: Final = re.compile(r"\d")
_HINTS: Final = (
    *("ago", "this", "last", "past", "previous", "yesterday", "winter", "spring", "summer", "autumn", "fall"),
    *dict.fromkeys(month[:3] for month in _MONTHS),
)
"""Without one of these in it, nor a digit, no hint is found. To look for them is quicker still."""


def _may_name(text: str) -> bool:
    """False: there is no hint in it."""
    if not text.isascii() or _DIGIT.search(text) is not None:  # there are letters that are others in capitals
        return True
    small = text.lower()
    for hint in _HINTS:  # noqa: SIM110 - a generator takes three times as long
        if hint in small:
            return True
    return False


def spans_in(text: str, now: datetime) -> list[Named]:
    """Where spans are named, with the word that leads each in: (start, end, lead, span), in order, not overlapping."""
    found: list[Named] = []
    if not _may_name(text) or not _HINT.search(text):
        return found
    for form, read in _forms():
        for match in form.finditer(text):
            if any(start < match.end() and match.start() < end for start, end, _, _ in found):
                continue
            try:
                span = read(match, now)
            except (ValueError, OverflowError):  # the 31st of a month that has none
                continue
            found.append((match.start(), match.end(), " ".join((match["lead"] or "").lower().split()), span))
    found.sort(key=lambda place: place[0])
    if len(found) == 1 and found[0][2] in ("between", "from"):
        found += _second(text, found[0][1], now)
    return found


@cache
def _behind() -> list[_Form]:
    lead = r"\s+(?:and|to|until|till|through)\s+(?:the\s+)?"
    return [(re.compile(rf"{lead}(?:{form})(?![\w-])", re.IGNORECASE), read) for form, read in (*_SPANS, *_NAMED)]


def _second(text: str, at: int, now: datetime) -> list[Named]:
    """The second of two times, right behind the first: `between 2020 and 2022`, `from March to May`."""
    for form, read in _behind():
        if match := form.match(text, at):
            with suppress(ValueError, OverflowError):
                return [(match.start(), match.end(), "and", read(match, now))]
    return []


# -- one time and nothing else -----------------------------------------------------------------------------------------

_LEADS: Final = r"(?:(?:as\s+of|in|on|at|by)\s+)?(?:the\s+)?"
_AGO: Final = [rf"{_COUNT}\s*{unit}\s+ago" for unit in (_UNIT, _SHORT_UNIT)]
_WHOLE: Final = [
    (_LEADS + form, read) for form, read in (*_SPANS, *_NAMED, (rf"(?:last\s+)?{_WEEKDAY}", _last_weekday))
]
_NOW: Final = r"(?:right\s+)?now|today"
_LONGEST: Final = 60


def moment_of(text: str, now: datetime) -> datetime | None:
    """The time that a text names, asked at `now` (in UTC); None if it names none, or says more than that.

    What is so long ago is exact: `2 weeks ago` is this time of day. A day, a week, a month or a year means its end, or
    now if that is still to come: as of yesterday everything is known that was recorded by midnight.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    if re.fullmatch(_NOW, text, re.IGNORECASE):
        return now
    try:
        for form in _AGO:
            if found := re.fullmatch(form, text, re.IGNORECASE):
                return _exactly_ago(found, now)
        for form, read in _WHOLE:
            if found := re.fullmatch(form, text, re.IGNORECASE):
                start, end = read(found, now)
                return now if start <= now < end else end - timedelta(microseconds=1)
    except (ValueError, OverflowError):  # the 31st of a month that has none
        return None
    return None
