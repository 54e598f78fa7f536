"""Time in a question: what moment or span its words mean, and the question without them.

"Which database do we use now?" asks for the newest statement, "... before the current one?" for the one that it took
the place of, "... in October 2025?" for what held or happened then, "... before the move to Oslo?" for what held before
an atom tells of that. Words that say when say nothing about what: they
are taken out before words and meaning are looked for. English; in other languages nothing is read, and nothing lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Final

from substrate.text.dates import Named, spans_in
from substrate.text.terms import FUNCTION_WORDS, QueryTerm, query_terms
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
    SINCE = "since"
    """The one with which what holds now began."""
    SPAN = "span"
    """What was said in a span of time, or held then: the newest before it."""
    ALL = "all"
    """Every one, each once."""


@dataclass(frozen=True, slots=True)
class When:
    """What a question's words say about time.

    `start` and `end`: of a SPAN, half open, microseconds since 1970; None: open. `words` are those that were read, and
    `text` is what is left without them; all of it, if nothing else would be. `event`: what ends the span asked for
    (`before`, `until`) or begins it (`after`, `since`), in words; which moment that is, only a store can tell.
    """

    asked: Which
    text: str
    words: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None
    event: str = ""
    is_end: bool = True

    def at(self, time: int) -> When:
        """The same, when it is known when the event was: its words say nothing more about what is sought."""
        start, end = (None, time) if self.is_end else (time + 1, None)
        words = _EVENT.search(self.text)
        places = [] if words is None else [(words.start("lead"), words.end("event"))]
        said = () if words is None else (self.text[slice(*places[0])],)
        return When(Which.SPAN, _without(self.text, places), said, start, end)

    @property
    def has_topic(self) -> bool:
        """Whether the question asks for something besides its time: `last week`, `what happened in May` do not."""
        said = {term.term for word in self.words for term in query_terms(word)}  # left in the text, if nothing else is
        return any(term.term not in said and _is_topic(term) for term in query_terms(self.text))


_GENERAL: Final = (
    "anything change decide discuss do event everything fact find get give go happen know learn list look make memory "
    "mention new news note overview recap record remember review s save say see show something store summarise "
    "summarize summary talk tell thing update work write added changed decided did discussed done found gave given "
    "gone got happened knew learned learnt made saved said saw seen shown told went worked wrote written"
)
"""Words that ask for whatever was, not for one thing."""
_QUESTION: Final = 500
"""Characters of a question. What is longer is a passage: the times in it are not about what is asked for."""
_PAIRED: Final = ("between", "from")
_AFTER: Final = {"since", "after"}
_UNTIL: Final = {"until", "till", "up to", "before", "prior to", "by", "through"}


_NOW_ADVERB: Final = (
    r"right now|as of (?:now|today)|by now|nowadays|these days|at (?:the )?(?:moment|present)(?: time)?|"
    r"for the (?:moment|time being)|currently|presently|(?:most )?(?<!least[ -])recently"
    r"(?![ -]used (?:cache|lists?|items?|entr(?:y|ies)|elements?|keys?|values?|files?|order|policy|eviction|first)\b)|"
    r"lately|today|now"
)
"""`Least recently used` and `most recently used item` name a kind of cache, and no time."""
_NO_STATE: Final = (
    r"(?! (?:working director(?:y|ies)|threads?|event loop|locale|stack frame)\b(?! (?:of|for|in|on|at) ))"
)
"""What is current of a program says nothing about which of several statements is, unless it is of something."""
_ADVERBS: Final = re.compile(rf"\b(?:{_NOW_ADVERB}|previously|formerly)\b", re.IGNORECASE)
"""Words that say nothing but when."""
_NOW: Final = re.compile(
    rf"\b(?:{_NOW_ADVERB}|(?:the )?(?:most recent|latest|newest|current{_NO_STATE})|the present)\b", re.IGNORECASE
)
_PREVIOUS: Final = re.compile(
    r"\b(?:before\b[^?.!]{0,60}\b(?:current|present|latest|newest|most recent)\b|"
    r"before (?:it|he|she|they|we|that|this) (?:was|were|had been|has been|got) last \w+|"
    r"(?:before|prior to) (?:this|that)(?: one)?\b|before(?= *[?.!]* *$)|previously|formerly|beforehand|"
    r"did\b[^?.!]{1,60}\buse to\b|used to be\b|"
    r"(?:the )?(?:previous|former|prior(?! to)|preceding|predecessors?|second[- ]to[- ]last|last but one)\b)",
    re.IGNORECASE,
)
_NO_ORDER: Final = r"(?! (?:names?|time|steps?|place|prize|aid|class|half|person|floor|of all)\b)"
"""What `first` says nothing about time before."""
_FIRST: Final = re.compile(
    r"\b(?:originally|initially|at first|in the beginning|to (?:begin|start) with|"
    r"(?:the )?(?:earliest|very first|first ever)\b|"
    rf"(?:was|were|had|have|has)\b[^?.!]{{0,40}}?(?:'s|\b(?:the|my|our|your|his|her|their|its)) first\b{_NO_ORDER}|"
    rf"(?:did|has|have|had)\b[^?.!]{{1,40}}\bfirst(?= \w){_NO_ORDER})",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(r"\b(?:since when|how long (?:has|have|had|ago did)|for how long)\b", re.IGNORECASE)
_EVENT: Final = re.compile(
    r"\b(?:did|was|were|had)\b[^?.!]{2,120}?\b(?P<lead>before|prior to|until|till|after|since)\s+"
    r"(?!(?:an?|any|each|every|all|that|this|then|it)\b)(?P<event>[^?.!,]{2,80})",
    re.IGNORECASE,
)
"""Only where it is asked what was: `what to do before a release` means no moment."""
_ALL: Final = re.compile(
    r"\b(?:over time|over the years|through(?:out)? the years|so far|(?:the )?history of|to date|"
    r"all (?:the )?versions of|how (?:has|have)(?=\b[^?.!]*\bchanged\b))\b",
    re.IGNORECASE,
)


_ASKED: Final = (
    (Which.PREVIOUS, _PREVIOUS),
    (Which.SINCE, _SINCE),
    (Which.FIRST, _FIRST),
    (Which.ALL, _ALL),
    (Which.NOW, _NOW),
)
_HINTS: Final = (
    *(
        "now",
        "today",
        "these days",
        "moment",
        "present",
        "time being",
        "current",
        "recent",
        "latest",
        "newest",
        "lately",
        "before",
    ),
    *("previous", "former", "prior", "preced", "predecessor", "last", "to be", "use to", "beginning", "begin with"),
    *("start with", "original", "initial", "first", "earliest", "since", "how long", "over t", "the years", "so far"),
    *("history", "to date", "version", "changed", "until", "till", "after"),
)
"""A text that one of the forms above fits has one of these. To look for them is quicker than to try the forms."""


def _says_when(text: str) -> bool:
    """False: none of the forms fits."""
    if not text.isascii():  # there are letters that are others in capitals
        return True
    small = text.lower()
    for hint in _HINTS:  # noqa: SIM110 - a generator takes three times as long
        if hint in small:
            return True
    return False


@cache
def _general() -> frozenset[str]:
    return frozenset(term.term for term in query_terms(_GENERAL))


def _is_topic(term: QueryTerm) -> bool:
    return term.term not in _general() and term.spelling.lower() not in FUNCTION_WORDS


def read_when(text: str, now: int) -> When:
    """What the question says about time, asked at `now` (microseconds since 1970)."""
    if len(text) > _QUESTION:
        return When(Which.ANY, text)
    spans = spans_in(text, from_microseconds(now))
    if spans:
        start, end = _meant(spans)
        places = [(begin, stop) for begin, stop, _, _ in spans]
        words = tuple(text[begin:stop] for begin, stop in places)
        return When(Which.SPAN, _without(text, places), words, _micro(start), _micro(end))
    if not _says_when(text):
        return When(Which.ANY, text)
    for asked, form in _ASKED:
        if found := form.findall(text):
            # `the current plan` is about a current, perhaps; `now` is about nothing but time.
            return When(asked, _without(text, [match.span() for match in _ADVERBS.finditer(text)]), tuple(found))
    if event := _EVENT.search(text):
        return When(Which.ANY, text, event=event["event"].strip(), is_end=event["lead"].lower() not in _AFTER)
    return When(Which.ANY, text)


def _meant(spans: list[Named]) -> tuple[datetime | None, datetime | None]:
    """The span that several, with their leads, mean together: `between March and May`, `since June 2024`."""
    leads = [lead for _, _, lead, _ in spans]
    if len(spans) > 1:
        (start, _), (_, end) = spans[0][3], spans[-1][3]
        if leads[0] in _PAIRED and start >= end:  # `between March and May 2023`: the year is said once
            start = start.replace(day=min(start.day, 28), year=end.year - (start.month > end.month))
        return min(start, *(span[0] for *_, span in spans[1:])), max(end, *(span[1] for *_, span in spans[1:]))
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
