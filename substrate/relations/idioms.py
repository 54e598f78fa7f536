"""Statements by a form of their own, that no verb or noun of a type tells.

A and B tied the knot               of the two together, if the relation holds from both ends
A does not run without B            A needs B
A (born 1931, B)                    a birth
A is where B is kept                by a verb of place
after its purchase of B, A          by a noun made of the verb
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.relations.clauses import JOINED, OWNER, Clause
from substrate.relations.phrases import Mutual, Phrase, Reading, forms_of, is_past, stem, word_set
from substrate.relations.verbs import Said
from substrate.relations.words import BE, DETERMINERS, UNREAL, after_adverbs, after_time, ends_name, is_light, is_plain

__all__ = ["may_be_idiom", "said_by_idiom", "says_need"]

_WORKS: Final = word_set(
    "work works run runs start starts function functions boot boots build builds compile compiles operate operates"
)
_NOT: Final = word_set("cannot can't won't doesn't don't not never can\u2019t won\u2019t doesn\u2019t don\u2019t")
_MADE: Final = {
    stem(verb): noun
    for verb, noun in (("acquire", "acquisition"), ("buy", "purchase"), ("purchase", "purchase"), ("take", "takeover"))
}
_AFTER: Final = word_set("following after since")
_FRONTS: Final = word_set("at in under on")
_WHERE: Final = ("is", "where")
_BORN_WORDS: Final = 7
_EARLY: Final = 5


def may_be_idiom(words: Sequence[str], reading: Reading) -> bool:
    """Whether a statement by such a form can be there: a glance that most clauses end with."""
    if words[0] in _AFTER or words[0] in _FRONTS or "where" in words:
        return True
    return reading.is_birth or bool(reading.mutual) or (reading.is_need and "without" in words)


def said_by_idiom(clause: Clause, reading: Reading, source: str, target: str) -> Said | None:
    """The statement, if these words make it by such a form; whether it is denied is not looked at."""
    words = clause.words
    if not may_be_idiom(words, reading):
        return None
    sources, targets = clause.places(source), clause.places(target)
    for one in sources:
        for other in targets:
            end = None
            if reading.mutual and one != other:
                end = _mutual(words, reading.mutual, min(one, other), max(one, other))
            if end is None and reading.is_birth and one < other:
                end = _birth(words, one, other)
            if end is None:
                end = _fronted(words, reading, one, other)
            if end is None:
                end = _where(words, reading, one, other)
            if end is None and other < one:
                end = _after_its(words, reading, other, one)
            if end is not None:
                return Said(end, start=end if "cannot" in words[:end] and reading.mutual else 0)
    return None


def _mutual(words: Sequence[str], mutual: Sequence[Mutual], first: int, second: int) -> int | None:
    if (
        words[first + 1 : second] not in (("and",), ("and", "the"))
        or words[second + 1 : second + 2] in ((OWNER,), (JOINED,))
        or JOINED in words[second + 1 : second + 2]
    ):
        return None
    at = second + 1
    if words[at : at + 1] == ("of",):  # `A and B of the lease`
        at += 2 + (words[at + 1 : at + 2] != () and words[at + 1] in DETERMINERS)
    while at < len(words) and is_light(words[at]) and words[at] != "cannot":
        at += 1
    has_be = not BE.isdisjoint(words[second + 1 : at])
    for one in mutual:
        size = len(one.words)
        said = words[at : at + size]
        if len(said) < size or said[1:] != one.words[1:] or has_be != one.exact:
            continue
        is_form = said[0] == one.words[0] if one.exact else not forms_of(said[0]).isdisjoint(forms_of(one.words[0]))
        behind = words[at + size : at + size + 1]
        if (
            is_form
            and (not behind or not is_plain(behind[0]) or behind[0][0].isdigit())
            and behind not in (("to",), ("by",), ("with",))
        ):
            return at + size - 1
    return None


def says_need(clause: Clause, source: str, target: str) -> bool:
    """`A does not run without B`: two negations that state a need."""
    words = clause.words
    for one in clause.places(source):
        for other in clause.places(target):
            if one < other and "without" in words[one:other]:
                cut = words.index("without", one)
                between, behind = words[one + 1 : cut], words[cut + 1 : other]
                is_denied = not _NOT.isdisjoint(between) or words[max(0, one - 3) : one][:2] == ("nothing", "in")
                if (
                    is_denied
                    and between[-1:]
                    and between[-1] in _WORKS
                    and all(is_light(word) or word in ("can", "can't", "won't") for word in between[:-1])
                    and all(word in DETERMINERS or is_plain(word) for word in behind)
                    and ends_name(words, other)
                ):
                    return True
    return False


def _birth(words: Sequence[str], one: int, other: int) -> int | None:
    between = words[one + 1 : other]
    if between[:2] not in (("(", "born"), (",", "born"), ("(", "b")) or len(between) > _BORN_WORDS:
        return None
    rest = between[2:]
    at = after_time(("in", *rest)) if rest and rest[0][0].isdigit() else after_time(rest)
    return other if at in ([","], ["in"], [",", "in"]) or at == ["at"] else None


def _fronted(words: Sequence[str], reading: Reading, one: int, other: int) -> int | None:
    """`At the helm of B is A`."""
    for phrase in reading.phrases:
        size = len(phrase.behind) + 1
        if size > 2 and words[0] == phrase.exact and words[1:size] == phrase.behind:  # noqa: PLR2004
            who, whose = (other, one) if phrase.turned else (one, other)
            between = after_time(words[whose + 1 : who])
            is_near = all(word in DETERMINERS or is_plain(word) for word in words[size:whose])
            is_said = whose < who and is_near and between[:1] in (["is"], ["are"], ["stands"], ["lies"])
            if is_said and all(word in DETERMINERS for word in between[1:]) and ends_name(words, who):
                return who
    return None


def _where(words: Sequence[str], reading: Reading, one: int, other: int) -> int | None:
    """`A is where [the] B is kept`."""
    first, second = min(one, other), max(one, other)
    if words[first + 1 : first + 3] != _WHERE or not all(word in DETERMINERS for word in words[first + 3 : second]):
        return None
    rest = after_adverbs(words[second + 1 :])
    if rest[:1] not in (["is"], ["are"], ["lives"], ["live"]):
        return None
    verb, behind = after_adverbs(rest[1:])[:1], after_adverbs(rest[1:])[1:2]
    if behind and behind[0] in ("out", "off", "away", "from", "up"):
        return None
    for phrase in reading.phrases:
        if _is_place_verb(phrase, verb, is_first_source=first == one):
            return second + 2
    return None


def _is_place_verb(phrase: Phrase, verb: Sequence[str], *, is_first_source: bool) -> bool:
    if not verb or not is_past(verb[0]) or forms_of(verb[0]).isdisjoint(phrase.forms):
        return False
    if phrase.behind in (("in",), ("at",), ("on",)):
        return phrase.turned == is_first_source
    return not phrase.behind and phrase.turned != is_first_source and phrase.word in _STORING


_STORING: Final = frozenset(map(stem, ("store", "keep", "hold", "house", "persist", "cache")))


def _after_its(words: Sequence[str], reading: Reading, target: int, source: int) -> int | None:
    """`Following its purchase of B, A`: what follows is so, and so is this."""
    made = {_MADE[phrase.word] for phrase in reading.phrases if phrase.word in _MADE and not phrase.turned}
    if not made or words[0] not in _AFTER:
        return None
    at = next((place for place in range(2, min(target, _EARLY)) if words[place] in made), 0)
    is_said = (
        at > 0
        and words[1] in ("its", "their", "his", "her")
        and all(map(is_plain, words[2:at]))
        and UNREAL.isdisjoint(words[2:at])
        and words[at + 1 : at + 2] == ("of",)
        and all(word in DETERMINERS or is_plain(word) for word in words[at + 2 : target])
        and words[target + 1 : source] in ((",",), (",", "the"))
        and words[source + 1 : source + 2] not in ((OWNER,), (JOINED,))
    )
    return source if is_said else None
