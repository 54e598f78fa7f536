"""Sentences that tell a change, read as what holds since then; and times of the week as one value.

    Correction: the launch is on 3 May         The launch is on 3 May
    The launch has moved from 3 to 10 May      The launch is 10 May
    We raised the limit to 50 MB               The limit is 50 MB
    Lena took over billing from Sam            Lena owns billing

Only what is said of the same thing in other words is read so. `The team moved to Kafka` says no value of the team,
which may have moved to Slack as well: it stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from substrate.claims.amounts import Amount, time_of_week
from substrate.claims.lexicon import ADVERBS, ATTRIBUTES, CHANGES, DUE, INDEFINITE, PLACES, even
from substrate.claims.sentences import is_name
from substrate.claims.words import WEEKDAY, Word, show, words_of

__all__ = ["as_it_holds", "in_the_week", "without_marker"]

_MARKER: Final = re.compile(
    r"(?:(?:correction|corrected|update|updated|erratum)\s?(?::|\s[-\u2013\u2014])|actually\b,?"
    r"|(?:as of (?:today|now)|from now on)\b,?)\s+(?=\S)",
    re.IGNORECASE,
)
"""What a text begins with that says of itself that it corrects another. Not so `As of May`: that is another time."""
_AROUND: Final = frozenset(("is", "are", "was", "were", "has", "have", "been", "now", "just", "since"))
"""What stands before the verb of a change, in whatever form. Not so `had`: what had been is over."""
_WAYS: Final = frozenset(("up", "down", "back", "forward"))
_WE: Final = frozenset(("we", "i"))
_LENGTHS: Final = frozenset(("extended", "shortened"))
"""What moves only the end: a workshop that is extended to 5 May ends then, and begins when it did."""
_STARTS: Final = frozenset(("opening", "start", "starting", "beginning"))
_ENDS: Final = frozenset(map(even, ("deadline", "end", "due", "expiry", "cutoff", "date", "time")))
_NOBODY: Final = INDEFINITE | {"nobody", "none", "somebody", "someone", "anybody", "anyone", "everybody", "everyone"}
_FORMER: Final = 4
"""Words of a former value or owner, at most."""
_BEFORE_DAYS: Final = ADVERBS | {"on", "every", "each"}
_NO_SUBJECTS: Final = INDEFINITE | {"there"}
_IS, _OWNS, _ENDS_ON = words_of("is owns ends")


def without_marker(text: str) -> str:
    """A text without the words at its beginning that only say that it corrects another."""
    marker = _MARKER.match(text)
    return text if marker is None else text[marker.end() :]


def as_it_holds(words: Sequence[Word]) -> Sequence[Word]:
    """The words of a sentence, of one that tells a change those of what holds since; else as they are."""
    at = next(i for i, word in enumerate(words) if word.lower in CHANGES)
    start = at
    while start and words[start - 1].lower in _AROUND:
        start -= 1
    left, rest = words[:start], words[at + 1 :]
    verb, first = words[at].lower, rest[0].lower if rest else ""
    if verb in ("took", "taken"):
        return _taken_over(left, rest[1:]) or words if first == "over" else words
    if first in _WAYS:
        rest = rest[1:]
    elif verb == "went":
        return words
    return _changed(left, verb, rest) or words


def _taken_over(left: Sequence[Word], rest: Sequence[Word]) -> list[Word] | None:
    """`LEFT took over REST`: who has an office now."""
    if not is_name(left) or left[0].lower in PLACES | _NOBODY:
        return None  # `In 2019 Lena took over`, and who has it now is not said
    for i, word in enumerate(rest):
        if word.lower == "from":
            former = rest[i + 1 :]
            rest = rest[:i] if len(former) <= _FORMER and is_name(former) else rest
            break
    return [*left, _OWNS, *rest] if rest else None


def _changed(left: Sequence[Word], verb: str, rest: Sequence[Word]) -> list[Word] | None:
    """`LEFT VERB from this to that`, `we VERB it to that`: what is that now."""
    to = next((i for i, word in enumerate(rest) if word.lower == "to"), None)
    if to is None or to + 1 == len(rest):
        return None
    before, value = rest[:to], rest[to + 1 :]
    came = next((i for i, word in enumerate(before) if word.lower == "from"), len(before))
    if len(before) - came > 1 + _FORMER:
        return None
    subject = before[:came]
    if len(left) != 1 or left[0].lower not in _WE:
        if subject or not left:
            return None
        subject = left
    if not subject:
        return None
    if verb in _LENGTHS and _is_time(value[0]) and (value[0].slot is not None or value[0].marks & WEEKDAY):
        return None if _STARTS.intersection(map(_lower, subject)) else [*subject, *_ended(subject), *value]
    return [*subject, _IS, *value] if _is_value(subject, verb, value) else None


def _ended(subject: Sequence[Word]) -> list[Word]:
    """The verb for when something ends: of a deadline, it is that day."""
    return [_IS if subject[-1].stem in _ENDS else _ENDS_ON]


def _lower(word: Word) -> str:
    return word.lower


def _is_value(subject: Sequence[Word], verb: str, value: Sequence[Word]) -> bool:
    """Whether it is a value that the subject has: an amount or a time; a name of what is asked `which`."""
    if value[0].slot is not None or value[0].marks & WEEKDAY:
        return True
    if verb != "changed" or subject[-1].stem not in ATTRIBUTES:
        return False
    return len(value) == 1 or is_name(value)  # not so `changed to allow remote work`


def _is_time(word: Word) -> bool:
    """Whether it is a time that one can point at, and not how long something takes."""
    slot = word.slot
    return not isinstance(slot, Amount) or slot.dimension in ("", "clock")


def in_the_week(words: Sequence[Word]) -> Sequence[Word]:
    """The words of `SUBJECT is on Tuesdays at 10`, or of `Tuesdays at 10` alone, that time as one; else as they are.

    Not so of `is open on Tuesdays`, nor of `I swim on Tuesdays`: what is done on one day is done on others too.
    """
    begin = next((i + 1 for i, word in enumerate(words) if word.lower == "is"), 0)
    if words[0].lower in _NO_SUBJECTS:
        return words
    at = begin
    if begin and at + 2 < len(words) and words[at].lower in DUE and words[at + 1].lower in ("on", "for"):
        at += 2
    while at < len(words) and words[at].lower in _BEFORE_DAYS:
        at += 1
    if at == len(words) or not words[at].marks & WEEKDAY:
        return words
    behind = words[at + 1 :]
    if behind and behind[0].lower == "at":
        behind = behind[1:]
        if not behind:
            return words
    clock = behind[0].slot if behind else None
    if len(behind) > 1 or (behind and not isinstance(clock, Amount)):
        return words
    raw = show(words[at:])
    said = time_of_week(words[at].lower, clock if isinstance(clock, Amount) else None, raw)
    return words if said is None else [*words[:begin], Word(raw, "", said, even(raw.lower()), 0)]
