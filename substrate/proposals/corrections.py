"""From what somebody says of a text to the text as it should be, without a model. Pure; the words are English.

    correct("The endpoint is /v1/a.", "It changed from /v1/a to /v2/b in March 2025.")    "The endpoint is /v2/b."

1. *replacement*: the words name what goes and what comes: `changed from A to B`, `A -> B`, `not A but B`, `B instead of
   A`, `replace A with B`. A stands in the text, as whole words; wherever it does, B takes its place. Words of B that
   the text has beside A already are not said twice. A B that goes on (`B and ...`) may hold more than the new wording.
2. *quoted*: the words give the whole new text, in quotes, and say so: `it should read "..."`.
3. *contradiction*: a statement that contradicts one sentence of the text takes that sentence's place.

Precision comes first: where two readings are possible, or none, the answer is None, and somebody is asked for the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from substrate.relations.clauses import sentences_of
from substrate.relations.passages import CONFLICT, compare_passages

__all__ = ["CONTRADICTION", "QUOTED", "REPLACEMENT", "Corrected", "correct"]

REPLACEMENT: Final = "replacement"
QUOTED: Final = "quoted"
CONTRADICTION: Final = "contradiction"

_LONGEST: Final = 5000
"""Characters of a correction that are read."""
_STARTS: Final = 40
"""Words before an arrow that may belong to what goes."""
_FIRST_SIGN: Final = 0xF0000
"""Characters for private use: each stands for a quoted text."""
_READINGS: Final = 60
"""Ways to read it that are tried: each is looked for in the text."""
_QUOTES: Final = {'"': '"', "“": "”", "„": "“”", "«": "»", "「": "」", "`": "`"}
_TIME: Final = (
    r"(?:(?:early|mid|late|the (?:beginning|end) of|last|this|next|the last|the past)[ -]+)?"
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|fall|winter|q[1-4]|\d{4}|\d{1,2}[./]\d{1,2}|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday|week|month|quarter|year|today|yesterday|now)\b[^.;!?]*"
)
_TAIL: Final = re.compile(
    rf"[,;]?\s+(?:(?:in|on|since|as of|by|at|after|effective|starting|beginning|from)\s+{_TIME}|"
    r"(?:last|this|next) (?:week|month|quarter|year|spring|summer|autumn|fall|winter|\w+day)\b.*|"
    r"(?:because|due to|since|according to|as agreed|thanks to|recently|yesterday|today|meanwhile)\b.*|"
    r"(?:please|thanks|thank you|now|instead|already)$)$",
    re.IGNORECASE | re.DOTALL,
)
"""What may follow a new wording without belonging to it: when it changed, and why."""
_END: Final = re.compile(r"[.!?;](?=\s|$)|\n")
_ARROW: Final = re.compile(r"\s*(?:->|→|=>|⇒|➜|➡)\s*")
_FLAGS: Final = re.IGNORECASE | re.DOTALL
_FROM: Final = re.compile(r"\bfrom\s+(?P<old>.+?)\s+(?:in)?to\s+(?P<new>.+)", _FLAGS)
_CHANGE: Final = re.compile(
    r"\b(?:chang(?:ed?|es|ing)|mov(?:ed?|es|ing)|went|switch(?:ed|es)?|renam(?:ed?|es)|updat(?:ed?|es)|migrat(?:ed?|es)|"
    r"increas(?:ed?|es)|rais(?:ed?|es)|rose|grew|decreas(?:ed?|es)|lower(?:ed|s)?|reduc(?:ed?|es)|dropp?(?:ed|s)?|fell|"
    r"upgrad(?:ed?|es)|downgrad(?:ed?|es)|convert(?:ed|s)?|correct(?:ed|s)?|fix(?:ed|es)?|replac(?:ed?|es)|"
    r"shift(?:ed|s)?|transferred|relocat(?:ed?|es)|postponed?|rescheduled?|bump(?:ed|s)?|extended|turned)\b[^.;!?\n]*$",
    re.IGNORECASE,
)
"""Before `from A to B`: it is a change, and not a way that somebody goes."""
_JOIN: Final = re.compile(r"\b(?:and|to)\b|,(?!\d)", re.IGNORECASE)
_OLD_FIRST: Final = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        r"\bnot\s+(?P<old>.+?),?\s+but\s+(?:rather\s+)?(?P<new>.+)",
        r"\breplace\s+(?P<old>.+?)\s+(?:with|by)\s+(?P<new>.+)",
        r"\b(?:change|rename|correct|update|fix)\s+(?P<old>.+?)\s+(?:in)?to\s+(?P<new>.+)",
        r"\binstead\s+of\s+(?P<old>[^,;!?\n]+?),?\s+(?:it\s+(?:is|should\s+be)|use|say|write)\s+(?P<new>.+)",
    )
)
_NEW_FIRST: Final = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        (
            r"(?:\b(?:is|are|was|were|be|use|uses|has|have|now)|['\u2019]s)\s+(?:now\s+)?(?P<new>[^.;!?\n]+?),?\s+"
            r"(?:and\s+not|not|instead\s+of|rather\s+than|no\s+longer)\s+(?P<old>[^;!?\n]+)"
        ),
        r"\b(?:use|say|write)\s+(?P<new>[^.;!?\n]+?)\s+(?:instead\s+of|rather\s+than|not)\s+(?P<old>[^;!?\n]+)",
    )
)
_PARTING: Final = re.compile(r"\s+(?:to|but|with|by)\s+", re.IGNORECASE)
_WORD_STARTS: Final = re.compile(r"(?<![^\s(\[:,])\S")
_SAYS_SO: Final = re.compile(
    r"\b(?:should|must|ought to|needs to|has to)\s+(?:now\s+)?(?:say|read|be)\b|\b(?:new|right|correct|corrected)\s+"
    r"(?:text|wording|version|sentence)\b|\breplace\s+(?:it|this|that|all|everything|the (?:whole )?text)\b",
    re.IGNORECASE,
)


_MOST_SPANS: Final = 1000
"""Places of what goes: a text with more is no statement, and nobody can look at all of them."""
_FURTHER: Final = 200
"""Characters beside a place that are looked at, beyond those of the new wording."""
_SHARED: Final = 20
"""Words at an end of the new wording that the text may have there already."""


class Corrected(NamedTuple):
    """A text as it should be, and which way led there."""

    text: str
    mode: str


def correct(text: str, said: str) -> Corrected | None:
    """The text as it should be by what is said of it; None if that cannot be told for sure."""
    said = said.strip()[:_LONGEST]
    if not said or not text.strip():
        return None
    return _replaced(text, said) or _quoted(text, said) or _contradicted(text, said)


# -- what goes and what comes ------------------------------------------------------------------------------------------


def _replaced(text: str, said: str) -> Corrected | None:
    masked, quotes = _masked(said)
    for old, new in islice(_pairs(masked, text), _READINGS):  # the likeliest first
        goes, comes = _spelled(old, quotes), _spelled(_without_tail(new), quotes)
        spans = _spans(text, goes) if goes and comes and goes != comes else []
        if not spans:
            continue
        if len(spans) > _MOST_SPANS:
            return None
        if not _is_quote(_without_tail(new)):
            if not _joins(_without_tail(new)) <= _joins(old):  # who knows where it ends
                return None
            fitted = {_fitted(text, span, comes) for span in spans}
            if len(fitted) > 1:
                return None
            (comes,) = fitted
        if (made := _with(text, spans, comes)) != text:
            return Corrected(made, REPLACEMENT)
    return None


def _masked(said: str) -> tuple[str, list[str]]:
    """What is said, with each quoted text as one sign, and these texts: no word in a quote is one of ours."""
    parts: list[str] = []
    quotes: list[str] = []
    at = 0
    while at < len(said):
        closing = _QUOTES.get(said[at])
        stops = [stop for sign in closing or "" if (stop := said.find(sign, at + 1)) > at + 1]
        if stops:
            parts.append(_sign(len(quotes)))
            quotes.append(said[at + 1 : min(stops)])
            at = min(stops) + 1
        else:
            parts.append(said[at] if not _is_sign(said[at]) else " ")
            at += 1
    return "".join(parts), quotes


def _sign(number: int) -> str:
    return chr(_FIRST_SIGN + number)


def _is_sign(letter: str) -> bool:
    return _FIRST_SIGN <= ord(letter) < _FIRST_SIGN + _LONGEST


def _is_quote(masked: str) -> bool:
    return len(masked) == 1 and _is_sign(masked)


def _joins(wording: str) -> set[str]:
    """The words and commas in it after which something else may begin."""
    return {found.group().lower() for found in _JOIN.finditer(wording)}


def _fitted(text: str, span: tuple[int, int], new: str) -> str:
    """A new wording without the words at its end, or at its beginning, that the text has there already."""
    words = new.split()
    near = len(new) + _FURTHER  # the text may be long, and have it often
    behind = text[span[1] : span[1] + near].split() if len(words) > 1 else []
    before = text[max(0, span[0] - near) : span[0]].split() if len(words) > 1 else []
    for most in range(min(len(words) - 1, _SHARED), 0, -1):
        if _is_said(behind[:most], words[-most:]):
            return " ".join(words[:-most])
        if _is_said(before[-most:], words[:most]):
            return " ".join(words[most:])
    return new


def _is_said(there: list[str], words: list[str]) -> bool:
    return [_bare(word) for word in there] == [_bare(word) for word in words]


def _bare(word: str) -> str:
    return word.strip(".,;:!?()").casefold()


def _spelled(masked: str, quotes: list[str]) -> str:
    """The same with its quoted texts; one that is quoted as a whole is exactly that."""
    bare = masked.strip().rstrip(",:")
    if len(bare) == 1 and _is_sign(bare):
        return quotes[ord(bare) - _FIRST_SIGN]
    return "".join(f'"{quotes[ord(one) - _FIRST_SIGN]}"' if _is_sign(one) else one for one in bare).strip()


def _without_tail(new: str) -> str:
    """A wording, up to the end of its sentence, without when and why it changed."""
    new = new.strip()
    if new and _is_sign(new[0]) and (len(new) == 1 or not new[1].isalnum()):
        return new[0]
    end = _END.search(new)
    new = new[: end.start()] if end else new
    while (tail := _TAIL.search(new)) is not None and new[: tail.start()].strip():
        new = new[: tail.start()]
    return new.strip().rstrip(".,:!")


def _pairs(said: str, text: str) -> Iterator[tuple[str, str]]:
    """What may go, and what may come in its place."""
    for arrow in _ARROW.finditer(said):
        left, right = said[: arrow.start()], said[arrow.end() :]
        starts = [match.start() for match in _WORD_STARTS.finditer(left)][-_STARTS:]
        yield from ((left[start:], right) for start in starts)
    for pattern in (_FROM, *_OLD_FIRST):
        for match in pattern.finditer(said):
            if pattern is _FROM and not _CHANGE.search(said[: match.start()]):
                continue
            old, new = match["old"], match["new"]
            if pattern is not _FROM or not _spans(text, f"from {old}"):  # else `from` may say where, and not what was
                yield old, new
            for parts in _PARTING.finditer(new):  # what goes may hold the word that parts it from what comes
                between = match.string[match.end("old") : match.start("new")]
                yield f"{old}{between}{new[: parts.start()]}", new[parts.end() :]
    for pattern in _NEW_FIRST:
        for match in pattern.finditer(said):
            yield _without_tail(match["old"]), match["new"]


def _spans(text: str, old: str) -> list[tuple[int, int]]:
    """Where it stands in the text, as whole words: as it is spelled, else in other case, else without its article."""
    bare = re.sub(r"^(?:the|a|an)\s+", "", old, flags=re.IGNORECASE)
    for wanted, flags in ((old, re.NOFLAG), (old, re.IGNORECASE), (bare, re.NOFLAG), (bare, re.IGNORECASE)):
        if not wanted:
            continue
        before = r"(?<!\w)" if wanted[0].isalnum() or wanted[0] == "_" else ""
        after = r"(?!\w)" if wanted[-1].isalnum() or wanted[-1] == "_" else ""
        spelled = r"\s+".join(map(re.escape, wanted.split()))
        spans = [match.span() for match in re.finditer(f"{before}{spelled}{after}", text, flags)]
        if spans:
            return spans
    return []


def _with(text: str, spans: list[tuple[int, int]], new: str) -> str:
    for start, stop in reversed(spans):
        text = text[:start] + new + text[stop:]
    return text


# -- the whole text, or a sentence of it -------------------------------------------------------------------------------


def _quoted(text: str, said: str) -> Corrected | None:
    """The one quoted text, if what stands outside of it says that this is the new one."""
    masked, quotes = _masked(said)
    whole = quotes[0].strip() if len(quotes) == 1 else ""
    if not whole or whole == text.strip() or not _SAYS_SO.search(masked):
        return None
    return Corrected(whole, QUOTED)


def _contradicted(text: str, said: str) -> Corrected | None:
    """The text with the one sentence replaced that a statement contradicts."""
    statements = list(sentences_of(said))
    conflicts = {pair[1:3] for pair in compare_passages(text, said) if pair.verdict == CONFLICT}
    if len(conflicts) != 1:
        return None
    ((contradicted, statement),) = conflicts
    new = next((one for one in statements if " ".join(one.split()) == statement), None)
    olds = [one for one in sentences_of(text) if " ".join(one.split()) == contradicted]
    if new is None or len(olds) != 1 or text.count(olds[0]) != 1:
        return None
    made = text.replace(olds[0], new)
    return None if made == text else Corrected(made, CONTRADICTION)
