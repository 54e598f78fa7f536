"""What may stand between a name and a verb that is said of it.

A [of the same name] [, an aside,] [has been] [often] VERBs     leads_to
A, which VERBs; A is a tool that VERBs                          is_relative_clause
A, based; A is a town based; A, a town based                    is_reduced
A did this and VERBs                                            is_joined_verb
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.relations.clauses import FIRST, JOINED, OWNER, SECOND
from substrate.relations.phrases import is_past, word_set
from substrate.relations.words import (
    ADVERBS,
    AUXILIARY,
    BE,
    DETERMINERS,
    NEGATIONS,
    STOPS,
    after_adverbs,
    is_light,
    is_plain,
    is_subject,
)

__all__ = ["has_be", "is_finite", "is_joined_verb", "is_reduced", "is_relative_clause", "is_said_of", "leads_to"]

_SAME_IN_PAST: Final = word_set("put set cut hit let read split shut spread cast beat cost hurt")
_PARTICIPLES: Final = word_set(
    "written spoken given taken drawn chosen beaten driven grown known seen begun lain eaten sung"
)
"""Those that are no past: `the message written to B`."""
_RELATIVE: Final = frozenset(("which", "who", "that"))
_WITHIN_ONE: Final = (STOPS - {",", "and"}) | NEGATIONS | {FIRST, SECOND, OWNER, JOINED, "to"}
"""What begins another statement."""
_CLOSE: Final = word_set("by with from to under alongside")
"""Prepositions behind which a name is all there is: what is said of it by a relative clause is said of nothing else."""
_TAIL: Final = 2
_ASIDE: Final = 12
_PIECE: Final = 3
_ARTICLES: Final = word_set("a an the")
_KIND: Final = 5
"""Words that say what something is: `a small tool`."""


def _names_a_kind(words: Sequence[str]) -> bool:
    """Whether words are those of a thing of some kind, `a small tool`."""
    rest = words[1:] if words and words[0] in DETERMINERS else words
    return 0 < len(rest) <= _KIND and all(map(is_plain, rest))


def has_be(between: Sequence[str]) -> bool:
    """Whether a form of *be* is among these words."""
    return not BE.isdisjoint(between)


def is_said_of(words: Sequence[str], subject: int, *, is_relative: bool) -> bool:
    """Whether a name can be what a verb is said of; in a relative clause also behind `by` or `with`."""
    if is_subject(words, subject):
        return True
    before = subject - 1
    while before >= 0 and words[before] in DETERMINERS:
        before -= 1
    return is_relative and words[before] in _CLOSE


def is_relative_clause(between: Sequence[str]) -> bool:
    """`A, which [often] VERBs`, `A is a tool that VERBs`, `A, a tool that VERBs`."""
    end = len(between)
    while end and between[end - 1] not in _RELATIVE:
        if not is_light(between[end - 1]):
            return False
        end -= 1
    if not end:
        return False
    before = between[: end - 1]
    return before == (",",) or is_reduced(before, bare=False)


def is_reduced(between: Sequence[str], *, bare: bool = True) -> bool:
    """What stands before a participle without its own *be*: `A, based in`, `A is a town based in`, `A, a town in`."""
    if between in ((",",), ("(",)):
        return bare
    if between[:1] == (",",):
        return between[1:2] != () and between[1] in _ARTICLES and _names_a_kind(between[1:])
    end = 0
    while end < len(between) and is_light(between[end]) and between[end] not in DETERMINERS:
        end += 1
    is_kind = end < len(between) and between[end] in _ARTICLES and _names_a_kind(between[end:])
    return is_kind and has_be(between[:end])


def is_joined_verb(words: Sequence[str], subject: int, verb: int, *, is_active: bool = True) -> bool:
    """`A moved there and VERBs`: the subject begins the clause, and nothing else can be what the verb is said of."""
    between = list(words[subject + 1 : verb])
    while between and (between[-1] in ADVERBS or between[-1].endswith("ly")):
        between.pop()
    if len(between) < _PIECE or between.pop() != "and" or any(word not in DETERMINERS for word in words[:subject]):
        return False
    first = "".join(after_adverbs(between)[:1])
    if first in AUXILIARY and is_active and not words[verb].endswith("s"):
        return False  # `A was found and reported to B`
    is_verb = first.endswith(("s", "ed")) or is_past(first)
    return is_verb and is_finite(words[verb]) and _WITHIN_ONE.isdisjoint(between)


def is_finite(word: str) -> bool:
    """Whether a verb has a form that needs nothing before it, as far as its ending tells."""
    return word.endswith("s") or (is_past(word) and word not in _PARTICIPLES) or word in _SAME_IN_PAST


def leads_to(between: Sequence[str]) -> bool:
    """Whether what stands between a name and a verb lets the one be said of the other."""
    if not between:
        return True
    rest = list(between)
    tail = 0
    while rest and tail < _TAIL and is_plain(rest[0]):
        rest.pop(0)
        tail += 1
    if rest and rest[0] == "," and "," in rest[1 : _ASIDE + 2]:  # an aside
        rest = rest[rest.index(",", 1) + 1 :]
    elif rest and rest[0] == "and":  # `Both A and C are`
        rest.pop(0)
        taken = 0
        while rest and taken < _PIECE and (is_plain(rest[0]) or rest[0] in DETERMINERS or rest[0] in (FIRST, SECOND)):
            rest.pop(0)
            taken += 1
        if not taken and not is_past(between[tail - 1]):  # `A and VERBs` is another's; `A tried and failed to` is not
            return False
    return all(is_light(word) and word != "that" for word in rest)
