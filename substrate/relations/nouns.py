"""Whether a noun states a relation between two names in a clause.

    A is the author of B; A, the author of B,; the author of B is A; the author of B, A,
    A is B's author; B's author is A; B's author, A,; B, whose author is A
    B has A as its author; the B author A
    A, a lake in B,; A, a nurse at B,                     by the kind of A, if it is one that lies or works somewhere
    A is one of the three units in B; one of the three units that make up B

Nothing stands between noun and name that makes it another statement: `the former author`, `the deputy head`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.relations.clauses import OWNER, Clause
from substrate.relations.phrases import PREPOSITIONS, Noun, word_set
from substrate.relations.verbs import Said
from substrate.relations.vocabulary import PEOPLE, PLACES
from substrate.relations.words import (
    ADVERBS,
    BE,
    DETERMINERS,
    DOUBTS,
    NEGATIONS,
    STOPS,
    UNREAL,
    ends_name,
    is_plain,
    is_subject,
    without_region,
)

__all__ = ["said_by_kind", "said_by_noun"]

_MOST: Final = 4
"""Words before a noun that belong to it: `the first full-time director`."""
_IS: Final = word_set("is are remains")
_IS_EVER: Final = _IS | word_set("was were became become")
_LASTING: Final = word_set(
    "author co-author creator co-creator inventor co-inventor designer developer architect originator founder "
    "co-founder composer behind writer cause trigger reason culprit result consequence outcome by-product byproduct "
    "successor replacement predecessor forerunner precursor prequel sequel wife husband spouse winner recipient native "
    "birthplace son daughter child father mother parent brother sister sibling twin brainchild creation invention work "
    "novel book album song painting sculpture film play opera poem essay symphony composition fork descendant offshoot "
    "adaptation buyer acquirer purchaser translator"
)
"""What one is for good: `A was the author of B` says so, `A was the head of B` says it of the past."""
_EARLIER: Final = word_set("original first second third")
_PEOPLE: Final = word_set(PEOPLE)
_TITLES: Final = word_set(
    "director president ceo chairman chairwoman founder co-founder author creator inventor owner wife husband brother "
    "sister son daughter father mother maintainer manager mayor captain coach leader"
)
"""Nouns that stand right before a name, and are no adjective there: `B's author A`, not `B's native A`."""
_HEADS: Final = word_set("head director chief manager professor")
_PERSONS: Final = _TITLES | word_set("head chair chief principal rector president manager keeper steward")
_PLACES: Final = word_set(PLACES)
_PERSON_ENDINGS: Final = ("ist", "ologist", "ician", "grapher", "ineer", "searcher", "eacher", "scientist", "lyst")
_UNITS: Final = word_set(
    "units teams modules components parts members divisions departments sections layers services packages stages "
    "subsystems branches chapters districts provinces states groups formations towers blocks"
)
_AS: Final = word_set("its their his her the a an our")
_UNDER_ITS: Final = (("under", "its"), ("under", "their"))
_UNLISTED: Final = frozenset((",", "and"))


_NounsAt = Sequence[tuple[int, Sequence[Noun]]]


def said_by_noun(clause: Clause, nouns: _NounsAt, source: str, target: str) -> Said | None:
    """The statement that a noun of the type makes, if one does; whether it is denied is not looked at.

    `nouns`: places, and the nouns that may stand there.
    """
    words = clause.words
    for at, found in nouns:
        for noun in found:
            if len(noun.words) > 1 and words[max(0, at + 1 - len(noun.words)) : at] != noun.words[:-1]:
                continue
            who, whose = (target, source) if noun.turned else (source, target)
            places = clause.places(who), clause.places(whose)
            end = _said_at(words, noun, at, *places)
            if end is not None:
                return Said(end, start=_start_of_aside(words, end, *places))
    return None


def _start_of_aside(words: Sequence[str], end: int, who: Sequence[int], whose: Sequence[int]) -> int:
    """Where an aside begins of which nothing before it takes anything back; 0 if it is no aside."""
    first = max((place for place in (*who, *whose) if place < end), default=0)
    return first if words[first + 1 : first + 2] == (",",) else 0


def _said_at(words: Sequence[str], noun: Noun, at: int, who: Sequence[int], whose: Sequence[int]) -> int | None:
    """Where the statement ends of which the noun stands here; None: it makes none."""
    first = at + 1 - len(noun.words)
    start = _start_of(words, first)
    if start is None:
        return None
    last = noun.words[-1]
    if last not in _LASTING and not _EARLIER.isdisjoint(words[start:first]):
        return None
    if at + 1 < len(words) and words[at + 1] in noun.behind:
        for place in whose:
            if place > at + 1 and _is_near(words[at + 2 : place]) and ends_name(words, place):
                return _beside(words, start, place, who, last)
        return None
    if "by" not in noun.behind and OWNER in words[max(0, start - 1) : first]:  # B's author
        return _of_owner(words, start, at, who, whose, last)
    return _as_its(words, first, at, who, whose)


def _start_of(words: Sequence[str], first: int) -> int | None:
    """Where the phrase of a noun begins; None: what stands before takes it back."""
    start = first
    while start and first - start < _MOST and is_plain(words[start - 1]) and words[start - 1] not in BE:
        start -= 1
        if words[start] in _IS_EVER:
            start += 1
            break
    while start and (words[start - 1] in ADVERBS or words[start - 1] in DETERMINERS):
        start -= 1
    if not UNREAL.isdisjoint(words[start:first]) or "once" in words[start:first]:
        return None
    if words[max(0, start - 2) : start] == ("one", "of"):
        start -= 2
    return start


def _is_near(between: Sequence[str]) -> bool:
    """Whether these words belong to the name behind them: `the new`."""
    return len(between) <= _MOST and all(word in DETERMINERS or is_plain(word) for word in between)


def _beside(words: Sequence[str], start: int, end: int, who: Sequence[int], noun: str) -> int | None:
    """Of whom `the author of B` is said, that stands from `start` to `end`."""
    for place in who:
        if place < start and _is_predicate(words, place, start, noun):
            return end
        if place < start and words[place + 1 : start] in ((",",), ("(",)) and _closes(words, end):
            return end
        if place > end and (words[end + 1 : place] != (",",) or noun in _PERSONS) and _follows(words, end, place, noun):
            return place  # of things it may be a list: `the port of A, B, C`
    return None


def _closes(words: Sequence[str], end: int) -> bool:
    """Whether an aside ends where a name stands: no list goes on there."""
    behind = words[end + 1 : end + 3]
    if not behind:
        return True
    if behind[0] == ",":
        return behind[1:] not in (("and",), ("or",))
    return behind[0] in STOPS - _UNLISTED - {"or"} or behind[0] in PREPOSITIONS


def _is_predicate(words: Sequence[str], place: int, start: int, noun: str) -> bool:
    """`A is`, `A, an aside, is`, `A has been`: up to where the phrase of a noun starts."""
    if not is_subject(words, place):
        return False
    rest = list(words[place + 1 : start])
    if rest[:1] == [","] and "," in rest[1:]:
        rest = rest[len(rest) - rest[::-1].index(",") :]
    rest = [word for word in rest if not (word in ADVERBS or word in NEGATIONS or word.endswith("ly"))]
    if rest[-1:] == ["be"] and rest[:-1] and all(word in DOUBTS for word in rest[:-1]):
        return True
    if rest and rest[0] in (",", "(") and rest[1:2] in (["who"], ["which"]):
        rest = rest[2:]
    elif rest[:1] in (["who"], ["which"]):
        rest = rest[1:]
    if rest[:1] == ["and"] and 2 <= len(rest) - 1 <= _MOST and not any(word in STOPS for word in rest[1:]):  # noqa: PLR2004
        rest = rest[-1:]  # `A and C are`
    forms = _IS_EVER if noun in _LASTING else _IS
    if len(rest) == 1:
        return rest[0] in forms
    return rest in (["has", "been"], ["have", "been"], ["serves", "as"], ["acts", "as"], ["works", "as"])


def _follows(words: Sequence[str], end: int, place: int, noun: str) -> bool:
    """`the author of B is A`, `the author of B, A,`."""
    rest = words[end + 1 : place]
    if rest == (",",):
        return words[place + 1 : place + 2] in ((), (",",), (")",)) and _closes(words, place)
    if rest[:1] and rest[0] in (_IS_EVER if noun in _LASTING else _IS):
        return _is_near(rest[1:]) and ends_name(words, place) and words[place + 1 : place + 2] != ("of",)
    return False


def _of_owner(  # noqa: PLR0913, PLR0917
    words: Sequence[str], start: int, at: int, who: Sequence[int], whose: Sequence[int], noun: str
) -> int | None:
    """`B's author is A`, `B's author, A,`, `A is B's author`."""
    mark = next(place for place in range(at, start - 2, -1) if words[place] == OWNER)
    owner = mark - 1
    if owner not in whose or not UNREAL.isdisjoint(words[mark:at]):
        return None
    for place in who:
        if place > at and ((place == at + 1 and words[at] in _TITLES) or _follows(words, at, place, noun)):
            return place if ends_name(words, place) else None
        before = owner
        while before and words[before - 1] in DETERMINERS:
            before -= 1
        if place < before and ends_name(words, at) and words[at + 1 : at + 2] != ("of",):
            if _is_predicate(words, place, before, noun):
                return at
            if words[place + 1 : before] == (",",) and _closes(words, at):
                return at
    return None


def _as_its(words: Sequence[str], first: int, at: int, who: Sequence[int], whose: Sequence[int]) -> int | None:
    """`B has A as its author`, `B, whose author is A`, `B, with A as its author`."""
    for owner in whose:
        for place in who:
            if owner < place < first:
                between, behind = words[owner + 1 : place], words[place + 1 : first]
                is_had = between[-1:] in (("has",), ("have",), ("with",)) and len(between) <= 2  # noqa: PLR2004
                if is_had and behind[:1] == ("as",) and behind[1:2] and behind[1] in _AS and _is_near(behind[2:]):
                    return at
            if owner < first <= at < place and all(word in DETERMINERS for word in words[:owner]):
                is_under = words[max(0, first - _MOST) : first]
                behind = words[at + 1 : place]
                if behind in ((), (",",)) and is_under[-2:] in _UNDER_ITS and _closes(words, place):
                    return place  # `B met under its chair, A`
            if owner < first <= at < place and words[owner + 1 : first][:2] == (",", "whose"):
                behind = words[at + 1 : place]
                if _is_near(words[owner + 3 : first]) and behind[:1] and behind[0] in _IS and _is_near(behind[1:]):
                    return place
    return None


def said_by_kind(clause: Clause, kind: str, source: str, target: str) -> Said | None:
    """The statement that is made by what the source is: `A, a lake in B`, `A, a nurse at B`."""
    words = clause.words
    for place in clause.places(source):
        for end in clause.places(target):
            between = words[place + 1 : end]
            if place < end and _is_of_a_kind(between, kind) and ends_name(words, end):
                has_be = between[0] != ","
                if (not has_be or is_subject(words, place)) and (has_be or _closes(words, end)):
                    return Said(end, start=0 if has_be else place)
    return None


def _is_of_a_kind(between: Sequence[str], kind: str) -> bool:
    """Whether these words, between two names, say what the one is, and that it is in or of the other."""
    rest = list(between[1:] if between[:2] == ("has", "been") else between)
    if len(rest) < 3 or rest.pop(0) not in (",", "is", "been"):  # noqa: PLR2004
        return False
    if kind == "part_of":
        return _is_one_of(rest)
    at = next((place for place, word in enumerate(rest) if word in PREPOSITIONS), 0)
    if not at or not _is_near(rest[:at]) or not UNREAL.isdisjoint(rest[:at]):
        return False
    head, preposition, behind = rest[at - 1], rest[at], rest[at + 1 :]
    if kind == "located_in":
        return head in _PLACES and preposition in ("in", "on") and _is_near(without_region(behind))
    if preposition == "of" and head in _HEADS:  # head of sales at
        at = next((place for place, word in enumerate(behind) if word in PREPOSITIONS), 0)
        return at > 0 and behind[at] == "at" and _is_near(behind[:at]) and _is_near(behind[at + 1 :])
    return (head in _PEOPLE or head.endswith(_PERSON_ENDINGS)) and preposition == "at" and _is_near(behind)


def _is_one_of(rest: Sequence[str]) -> bool:
    """`one of the three units in`, `the lowest of the four units that make up`."""
    if "of" not in rest[:4]:
        return False
    cut = rest.index("of")
    if rest[:cut] != ["one"] and (cut != 2 or rest[0] != "the" or not rest[1].endswith("st")):  # noqa: PLR2004
        return False
    at = next((place for place in range(cut + 1, len(rest)) if rest[place] in _UNITS), 0)
    if not at or not _is_near(rest[cut + 1 : at]):
        return False
    behind = list(rest[at + 1 :])
    if behind[:3] in (["that", "make", "up"], ["which", "make", "up"]):
        return _is_near(behind[3:])
    return behind[:1] in (["in"], ["of"], ["within"]) and _is_near(behind[1:])
