"""Numbers with units, dates and times of day in a text, in one form: 2 min is 120 s, March 1st 2025 is 2025-03-01.

A date may lack its day or its year, and is compared by what it has. A number that is said to be about right is right
within a tenth; one written in a larger unit (1.2 million) within half of its last digit.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["WEEKDAYS", "Amount", "Day", "Slot", "find_slots", "same_amount", "same_day", "time_of_week"]


class Amount(NamedTuple):
    """A number in the first unit of its dimension. `slack`: how far off it may be, in the same unit."""

    number: float
    dimension: str
    """`time`, `size` and the like; empty for a bare number, `share` of a percentage, `clock`, `version` (3.11.4),
    `weekday`, and `week` for a weekday with a time of day."""
    slack: float
    written: str


class Day(NamedTuple):
    """A date; 0 for what is not said."""

    year: int
    month: int
    day: int


class Slot(NamedTuple):
    """Where in a text an amount or a date stands."""

    start: int
    end: int
    said: Amount | Day


_UNITS: Final[dict[str, tuple[str, float]]] = {
    unit: (dimension, float(factor))
    for dimension, factor, units in (
        ("time", 1e-6, "us µs microsecond microseconds"),
        ("time", 1e-3, "ms millisecond milliseconds msec"),
        ("time", 1, "s sec secs second seconds"),
        ("time", 60, "min mins minute minutes"),
        ("time", 3600, "h hr hrs hour hours"),
        ("time", 86400, "d day days"),
        ("time", 604800, "week weeks wk"),
        ("time", 2629800, "month months mo"),
        ("time", 31557600, "year years yr yrs"),
        ("size", 1, "b byte bytes"),
        ("size", 1e3, "kb kilobyte kilobytes"),
        ("size", 1e6, "mb megabyte megabytes"),
        ("size", 1e9, "gb gigabyte gigabytes"),
        ("size", 1e12, "tb terabyte terabytes"),
        ("size", 1024, "kib"),
        ("size", 1024**2, "mib"),
        ("size", 1024**3, "gib"),
        ("size", 1024**4, "tib"),
        ("length", 1e-3, "mm millimetre millimetres millimeter millimeters"),
        ("length", 1e-2, "cm centimetre centimetres centimeter centimeters"),
        ("length", 1, "m metre metres meter meters"),
        ("length", 1e3, "km kilometre kilometres kilometer kilometers"),
        ("length", 0.0254, "inch inches"),
        ("length", 0.3048, "ft feet foot"),
        ("length", 1609.344, "mile miles mi"),
        ("mass", 1e-3, "g gram grams"),
        ("mass", 1, "kg kilogram kilograms kilo kilos"),
        ("mass", 1e3, "tonne tonnes"),
        ("mass", 0.45359237, "lb lbs pound pounds"),
        ("temperature", 1, "°c celsius"),
        ("fahrenheit", 1, "°f fahrenheit"),
        ("share", 0.01, "% percent pct"),
        ("eur", 1, "eur € euro euros"),
        ("usd", 1, "usd $ dollar dollars"),
        ("gbp", 1, "gbp £"),
        ("frequency", 1, "hz"),
        ("frequency", 1e3, "khz"),
        ("frequency", 1e6, "mhz"),
        ("frequency", 1e9, "ghz"),
        ("power", 1, "w watt watts"),
        ("power", 1e3, "kw kilowatt kilowatts"),
        ("energy", 1, "kwh"),
    )
    for unit in units.split()
}
_TIMES: Final = {"thousand": 1e3, "k": 1e3, "million": 1e6, "mio": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9, "b": 1e9}
_COUNTED: Final = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty"
)
_TENS: Final = "thirty forty fifty sixty seventy eighty ninety hundred"
_WORDS: Final = {
    **{word: number for number, word in enumerate(_COUNTED.split(), start=2)},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), start=3)},
}
_MONTHS: Final = {
    month[:size]: number
    for number, month in enumerate(
        [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
        start=1,
    )
    for size in {3, len(month)}
} | {"sept": 9}
WEEKDAYS: Final = {
    day + ending: number
    for number, day in enumerate(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
    for ending in ("", "s")
}
_DAY: Final = 1440.0
"""Minutes."""
_WEEK: Final = frozenset(("weekday", "week", "clock"))
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NUMBER: Final = r"[-+]?\d+(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_UNIT: Final = r"[a-zµ°%€$£]+"
_ABOUT: Final = "about|approximately|approx|around|circa|ca|roughly|nearly|almost|some"
_FOUND: Final = re.compile(
    rf"""
    (?<!\w)(?=[\d$€£~≈+-]|(?:{_ABOUT}|{"|".join(_WORDS)}|{_MONTH})\b)(?:  # most words are none of these: a quick no
    (?P<iso>(?<![\w.-])(\d{{4}})-(\d\d)-(\d\d)(?:[t ]\d\d:\d\d(?::\d\d)?z?)?(?![\w-]))
  | (?P<dotted>(?<![\w.])(\d\d?)\.(\d\d?)\.(\d{{4}})(?![\w.]))
  | (?P<version>(?<![\w.])\d+\.\d+\.\d+(?![\w.]))
  | (?P<dmy>(?<![\w.])(\d\d?)(?:st|nd|rd|th)?\.?\s(?:of\s)?({_MONTH})\b(?:,?\s(\d{{4}})\b)?)
  | (?P<mdy>\b({_MONTH})\s(\d\d?)(?:st|nd|rd|th)?\b(?!:)(?:,?\s(\d{{4}})\b)?)
  | (?P<my>\b({_MONTH})\s(\d{{4}})\b)
  | (?P<clock>(?<![\w.:])(\d\d?):(\d\d)(?::\d\d)?(?:\s?([ap])\.?m\b)?(?![\w:]))
  | (?P<hour>(?<![\w.:])(\d\d?)\s?([ap])\.?m\b)
  | (?P<amount>
      (?:(?P<about>\b(?:{_ABOUT})\.?\s|[~≈]\s?))?
      (?P<before>[$€£]\s?)?
      (?<![\w.@/:-])(?P<number>{_NUMBER}|\b(?:{"|".join(_WORDS)})\b)
      (?:\s?(?P<times>thousand|million|mio|billion|bn|k|m|b)\b(?=\s?[$€£]|\s|$|[.,;)]))?
      (?:\s?(?P<unit>{_UNIT})(?![\w]))?
      (?:\s?(?:/|\bper\b|\ba\b)\s?(?P<per>{_UNIT})(?![\w]))?
      (?![\w@]|[.:/-]\w)
    ))
    """,
    re.VERBOSE,
)
_DIGIT: Final = re.compile(r"\d")
_TENTH: Final = 0.1
_KILO: Final = re.compile(r"\b\d*\s?([kmgt])(?:b|ilobyte|egabyte|igabyte|erabyte)")


def find_slots(text: str) -> list[Slot]:
    """The amounts and dates of a text in small letters, in order."""
    if _DIGIT.search(text) is None and _WORDS.keys().isdisjoint(text.split()):
        return []
    slots = []
    for match in _FOUND.finditer(text):
        said, end = _amount(match) if match.lastgroup == "amount" else (_day(match), match.end())
        if said is not None:
            slots.append(Slot(match.start(), end, said))
    return slots


def _day(match: re.Match[str]) -> Amount | Day | None:  # noqa: PLR0911 - one for each way to write it
    parts = [part for part in match.groups() if part is not None]
    if match["iso"]:
        return _date(int(parts[1]), int(parts[2]), int(parts[3]))
    if match["dotted"]:
        return _date(int(parts[3]), int(parts[2]), int(parts[1]))
    if match["dmy"]:
        return _date(int(parts[3]) if len(parts) > 3 else 0, _MONTHS[parts[2]], int(parts[1]))  # noqa: PLR2004
    if match["mdy"]:
        return _date(int(parts[3]) if len(parts) > 3 else 0, _MONTHS[parts[1]], int(parts[2]))  # noqa: PLR2004
    if match["my"]:
        return _date(int(parts[2]), _MONTHS[parts[1]], 0)
    if match["version"]:
        return Amount(0.0, "version", 0.0, match[0])
    minute = int(parts[2]) if match["clock"] else 0
    half = parts[-1] if parts[-1] in ("a", "p") else ""
    hour = int(parts[1])
    if hour > 24 or minute > 59:  # noqa: PLR2004
        return None
    hour = hour % 12 + (12 if half == "p" else 0) if half else hour
    return Amount(float(hour * 60 + minute), "clock", 0.0, match[0].strip())


def _date(year: int, month: int, day: int) -> Day | None:
    return Day(year, month, day) if 1 <= month <= 12 and 0 <= day <= 31 else None  # noqa: PLR2004


def _amount(match: re.Match[str]) -> tuple[Amount | None, int]:
    """The amount, and where it ends: a word behind a number that is no unit belongs to the sentence."""
    text, times, unit, per, before = match.group("number", "times", "unit", "per", "before")
    end = match.end()
    digits = text.replace(",", "")
    number = float(_WORDS[text]) if text in _WORDS else float(digits)
    step = 0.0
    if times and not unit and times in ("m", "b") and text in _WORDS:
        times = None
    if times == "m" and not before and not unit and not per:
        times, unit = None, "m"  # metres, unless it is money
    if times:
        decimals = len(digits.partition(".")[2]) if "e" not in digits else 0
        step = 0.5 * 10.0**-decimals * _TIMES[times]
        number *= _TIMES[times]
    dimension, factor = _UNITS.get(unit or "", ("", 1.0))
    if before:
        dimension, factor = _UNITS[before.strip()]
    elif unit and unit not in _UNITS and not per:
        end = match.start("unit")
    if per:
        over, seconds = _UNITS.get(per, ("", 1.0))
        if over != "time":
            end = match.start("unit") if unit and unit not in _UNITS else match.end("unit") if unit else end
            end = end if unit else match.end("number")
        else:
            dimension, factor = dimension + "/time", factor / seconds
    value = number * factor
    slack = max(step * factor, abs(value) * _TENTH if match["about"] else 0.0, abs(value) * 1e-9)
    return Amount(value, dimension, slack, match[0][: end - match.start()].strip()), end


def time_of_week(weekday: str, clock: Amount | None, written: str) -> Amount | None:
    """A weekday, and the time of day if there is one; None if that is none. Of a bare hour nobody knows which half."""
    start = WEEKDAYS[weekday] * _DAY
    if clock is None:
        return Amount(start, "weekday", 0.0, written)
    if clock.dimension == "clock":
        return Amount(start + clock.number % _DAY, "week", 0.0, written)
    if clock.dimension or not clock.written.isdigit() or clock.number > 24:  # noqa: PLR2004
        return None
    return Amount(start + clock.number * 60 % _DAY, "week", _DAY / 2, written)


def _same_time(a: Amount, b: Amount) -> bool | None:
    """Whether two times of the week agree in what both say; None if that is nothing."""
    (day, minute), (other_day, other_minute) = divmod(a.number, _DAY), divmod(b.number, _DAY)
    if "clock" not in (a.dimension, b.dimension) and day != other_day:
        return False
    if "weekday" in (a.dimension, b.dimension):
        return None if "clock" in (a.dimension, b.dimension) else True
    return abs(minute - other_minute) in (0.0, a.slack, b.slack)


def same_amount(a: Amount, b: Amount) -> bool | None:  # noqa: PLR0911 - one for each kind of amount
    """Whether two amounts agree; None if they cannot be compared."""
    if "version" in (a.dimension, b.dimension):
        if {a.dimension, b.dimension} <= {"", "version"}:
            return (a.written + ".").startswith(b.written + ".") or (b.written + ".").startswith(a.written + ".")
        return None
    if a.dimension in _WEEK and b.dimension in _WEEK:
        return _same_time(a, b)
    x, y = a.number, b.number
    slack = max(a.slack, b.slack)
    if a.dimension != b.dimension:
        if {a.dimension, b.dimension} != {"", "share"}:
            return None
        bare, share = (x, y) if a.dimension == "" else (y, x)
        # 4.2% is written 0.042, and 4.2 by who leaves the sign away.
        return any(abs(number - share) <= max(slack, 1e-9) for number in (bare, bare / 100))
    if a.dimension in ("mass", "length") and a.written.split()[-1] != b.written.split()[-1]:
        slack = max(slack, 0.005 * max(abs(x), abs(y)))  # converted by hand, and rounded
    if x == y or abs(x - y) <= slack:  # two numbers beyond what a float holds are the same, but have no distance
        return True
    return a.dimension.startswith("size") and abs(_of_1024(a) - _of_1024(b)) <= slack


def _of_1024(size: Amount) -> float:
    """The size if a kilobyte is meant to have 1,024 bytes, as many do: then 1 GB is 1024 MB, and 1 GiB."""
    unit = _KILO.search(size.written)
    return size.number if unit is None else size.number * 1.024 ** (1 + "kmgt".index(unit[1]))


def same_day(a: Day, b: Day) -> bool:
    """Whether two dates agree in all that both say."""
    return all(x == y or not x or not y for x, y in zip(a, b, strict=True))
