"""Whether a verb states a relation between two names in a clause, by the order of words.

    A [of the same name] [, an aside,] [has been] [often] VERB [in] [the new] B        active
    A, which VERBs B; A is a tool that VERBs B; A does this and VERBs B
    A, based in B; A is a town located in B                                            participle
    B [...] is VERBed [after] [this week] by [the] A; B is a tool VERBed by A          passive
    B, which A VERBs                                                                   in a clause
    rows are VERBed by A to B                                                          with another object
    we VERBed B with A                                                                 by a third one

The verb must be the predicate of its subject: `A using B`, `A, by VERB B` and the imperative `[A] VERB B` say nothing.
What stands between must be a part of the same phrase: another name, a conjunction or a preposition there makes it
another statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from substrate.relations.clauses import JOINED, Clause
from substrate.relations.governing import CARRIES, OPEN, governed
from substrate.relations.phrases import PREPOSITIONS, Phrase, forms_of, is_gerund, is_past, stem, word_set
from substrate.relations.shapes import (
    has_be,
    is_finite,
    is_joined_verb,
    is_reduced,
    is_relative_clause,
    is_said_of,
    leads_to,
)
from substrate.relations.words import (
    ADVERBS,
    AUXILIARY,
    BE,
    DETERMINERS,
    NEGATIONS,
    STOPS,
    after_time,
    ends_name,
    is_light,
    is_object,
    is_part,
    is_plain,
    without_quantity,
    without_region,
)

__all__ = ["Said", "is_form", "said_by_verb"]

_BEFORE_BASE: Final = AUXILIARY | word_set("can must might may could would should will shall cannot")
"""What a verb without any ending may have before it, if its subject is one thing."""
_CHANGES_NOTHING: Final = ADVERBS | NEGATIONS | DETERMINERS | {"almost", "nearly", "longer", "more"}
"""What may stand between a verb and the one that governs it."""
_CAUSES: Final = word_set("make makes made making let lets letting help helps helped have see")
_FOUND_OUT: Final = frozenset(("traced",))
"""What can be done has been done: `the failure can be traced to A`."""
_MAKES_DO: Final = frozenset(map(stem, ("cause", "induce", "provoke")))
_BEFORE_NOUN: Final = DETERMINERS - word_set("all each both that this")
_OWN_OBJECT: Final = 5
"""Words of the object of a verb with a preposition: `push all its readings to`."""


class Said(NamedTuple):
    """Where a statement ends, and what the verbs that govern its verb make of it."""

    end: int
    meaning: str = CARRIES
    start: int = 0
    """Before it, a negation is one of something else: `nobody came, says A, a nurse at B`."""


def said_by_verb(
    clause: Clause, phrase: Phrase, verbs: Sequence[int], sources: Sequence[int], targets: Sequence[int]
) -> Said | None:
    """The statement, if these words make it; whether it is denied is not looked at.

    `verbs`: where the verb of the phrase stands. `sources`, `targets`: where the names do.
    """
    if phrase.turned:
        sources, targets = targets, sources
    words = clause.words
    for verb in verbs:
        for subject in sources:
            for thing in targets:
                meaning, end = None, thing
                if phrase.by_another:
                    meaning, end = _by_another(words, phrase, verb, thing, subject), max(subject, thing)
                elif subject < verb < thing:
                    meaning = _active(clause, phrase, subject, verb, thing)
                elif thing < verb < subject:
                    meaning, end = _passive(words, phrase, thing, verb, subject), subject
                elif thing < subject < verb and _relative(words, phrase, thing, subject, verb):
                    meaning, end = CARRIES, verb
                if meaning is None and phrase.behind and verb < min(subject, thing):
                    meaning, end = _with_object(words, phrase, verb, subject, thing), max(subject, thing)
                if meaning is not None and _ends(words, (subject, verb, thing), end):
                    return Said(end, meaning)
    return None


def _ends(words: Sequence[str], places: tuple[int, int, int], end: int) -> bool:
    """Whether both names end where their tokens stand: of a name that goes on, nothing is said."""
    subject, verb, thing = places
    first, last = min(subject, thing), max(subject, thing)
    if (
        words[first + 1] == JOINED
        or words[last + 1 : last + 2] == (JOINED,)
        or JOINED in (words[first - 1], words[last - 1])
    ):
        return False
    is_first = first + 1 == verb or ends_name(words, first) or _has_verb(words[first + 1 : verb], words[verb])
    return is_first and (end != last or ends_name(words, last))


def _has_verb(between: Sequence[str], verb: str) -> bool:
    """Whether a verb begins what stands between a name and its verb: `moved there and`, `keeps using`."""
    if not between:
        return False
    is_governing = between[0].endswith("s") and ("and" in between or is_gerund(verb))  # not so in `A tests use`
    return is_governing or is_past(between[0]) or between[0] in _BEFORE_BASE or "to" in between


def is_form(word: str, phrase: Phrase) -> bool:
    """Whether a word of the same stem is a form of the verb or noun of a phrase, and no noun made of the verb."""
    if phrase.exact:
        return word == phrase.exact
    if word == "hit" and not phrase.is_own:  # `it hit a wall` is no call
        return False
    return len(word) > 1 and not forms_of(word).isdisjoint(phrase.forms)


def _active(clause: Clause, phrase: Phrase, subject: int, verb: int, thing: int) -> str | None:
    """What the verbs before this one make of the statement; None: there is none."""
    words = clause.words
    rest: list[str] | None = list(words[verb + 1 : thing])
    if phrase.behind and rest is not None:
        rest = _behind(rest, phrase)
    after = words[thing + 1 : thing + 2]
    if rest is None or (phrase.word in _MAKES_DO and after == ("to",)):  # `causes B to stop`
        return None
    if not is_object(without_region(rest) if phrase.behind == ("in",) else without_quantity(rest), after):
        return None
    if words[verb - 1] in _BEFORE_NOUN or (words[verb - 1] == "all" and words[verb].endswith("ed")):
        return None  # `the generated B`, `a conflict with B`
    is_passive = words[verb - 1] in BE and not is_gerund(words[verb])
    if is_passive and not phrase.exact and (phrase.has_object or not phrase.behind):
        return None  # `is used` has its subject behind it
    if "and" in words[subject + 3 : verb] and is_joined_verb(words, subject, verb):
        return CARRIES
    meaning = _of_subject(clause, phrase, subject, verb)
    return CARRIES if meaning is not None and phrase.exact in _FOUND_OUT else meaning


def _of_subject(clause: Clause, phrase: Phrase, subject: int, verb: int) -> str | None:
    """What the verbs between a name and a verb make of the verb; None: it is not said of the name."""
    words = clause.words
    between = words[subject + 1 : verb]
    said = governed(between, words[verb], _CHANGES_NOTHING, BE)
    if said is None:
        return None
    end = len(said.between)
    is_relative = False
    if leads_to(said.between) and "that" not in between[end:]:
        is_said = (has_be(between) if phrase.exact else end < len(between) or _agrees(clause, subject, verb)) or (
            bool(phrase.exact) and is_reduced(said.between)
        )
    else:
        is_relative = is_relative_clause(between[: end + (between[end : end + 1] == ("that",))])
        is_said = is_relative and (not phrase.exact or has_be(between[-3:]))
        is_said = is_said or (bool(phrase.exact) and is_reduced(said.between))
    if not is_said or not is_said_of(words, subject, is_relative=is_relative):
        return None
    return OPEN if "once" in between else said.meaning  # `A, which once used`


def _behind(rest: Sequence[str], phrase: Phrase) -> list[str] | None:
    """What follows the words that belong behind a verb; None: they do not stand there."""
    if phrase.has_object:
        return _behind_object(rest, phrase)
    size = len(phrase.behind)
    for way in (list(rest), after_time(rest)):
        if tuple(way[:size]) == phrase.behind:
            return way[size:]
    return None


def _behind_object(rest: Sequence[str], phrase: Phrase) -> list[str] | None:
    """What follows an object and a preposition: of `all its readings to the B`, `the`."""
    particles, size = len(phrase.particles), len(phrase.behind)
    if tuple(rest[:particles]) != phrase.particles:
        return None
    words = list(rest[particles:])
    for at, word in enumerate(words[: _OWN_OBJECT + 1]):
        if at and tuple(words[at : at + size]) == phrase.behind:
            after = words[at + size :]
            is_name = not after or after[0] in DETERMINERS or phrase.behind != ("to",)  # not `to need B`
            return after if is_name else None
        if not is_part(word) and not (at and word == "of"):
            return None
    return None


def _agrees(clause: Clause, subject: int, verb: int) -> bool:
    """Whether a verb that nothing governs has a form that its subject can have: no imperative, no reduced clause."""
    words, word = clause.words, clause.words[verb]
    between = words[subject + 1 : verb]
    if subject and words[subject - 1] in _CAUSES and not word.endswith("s"):
        return False  # `make A hit B`
    if is_gerund(word) or is_finite(word) or not _BEFORE_BASE.isdisjoint(between):
        return True
    if words[subject] in clause.plural or "and" in between or words[subject - 1 : subject] == ("and",):
        return True
    return (
        subject > 0
        and words[subject - 1] in DETERMINERS - {"that"}
        and between[-1:] != ()
        and between[-1].endswith("s")
    )


def _is_participle(word: str) -> bool:
    return word.endswith(("ed", "en", "n", "t", "d", "ght", "ung", "un")) or is_past(word)


def _passive(words: Sequence[str], phrase: Phrase, thing: int, verb: int, subject: int) -> str | None:
    """`B is VERBed by A`; `B, VERBed by A`; `B is a tool VERBed by A`."""
    if phrase.exact or phrase.has_object or (phrase.is_own and phrase.behind):
        return None
    between = tuple(words[thing + 1 : verb])
    said = governed(between, words[verb], _CHANGES_NOTHING, BE)
    if said is None or not _is_participle(words[verb]):
        return None
    is_relative = is_relative_clause(said.between) and has_be(between[-3:])
    is_whole = has_be(between) and (leads_to(said.between) or is_relative)
    if not is_whole and not is_reduced(between) and not _is_joined_participle(words, thing, verb):
        return None
    if not is_said_of(words, thing, is_relative=is_relative):
        return None
    rest: list[str] | None = list(words[verb + 1 : subject])
    if phrase.behind and rest is not None:
        rest = _behind(rest, phrase)
    rest = after_time(rest or ())
    is_said = bool(rest) and rest.pop(0) == "by" and is_object(rest, words[subject + 1 : subject + 2])
    return said.meaning if is_said else None


def _is_joined_participle(words: Sequence[str], thing: int, verb: int) -> bool:
    """`B was founded by C and VERBed by`."""
    between = words[thing + 1 : verb]
    return has_be(between[:2]) and is_joined_verb(words, thing, verb, is_active=False)


def _relative(words: Sequence[str], phrase: Phrase, thing: int, subject: int, verb: int) -> bool:
    """`B, which A VERBs`, `B, on which A VERBs`, and nothing behind it that it would be said of."""
    if phrase.exact or phrase.has_object:
        return False
    between = [word for word in words[thing + 1 : subject] if word not in DETERMINERS - {"that"} and word != ","]
    behind = words[verb + 1 :]
    size = len(phrase.behind)
    if phrase.behind and between[:-1] == list(phrase.behind):
        between = between[-1:]
    elif tuple(behind[:size]) == phrase.behind:
        behind = behind[size:]
    else:
        return False
    ends = not behind or behind[0] in STOPS or behind[0] in PREPOSITIONS
    light = words[subject + 1 : verb]
    return between in (["which"], ["that"]) and ends and all(is_light(word) and word not in BE for word in light)


def _with_object(words: Sequence[str], phrase: Phrase, verb: int, subject: int, thing: int) -> str | None:
    """`rows are VERBed by A to B`, `rows are VERBed to B by A`."""
    if not phrase.has_object or not _is_participle(words[verb]) or BE.isdisjoint(words[max(0, verb - 3) : verb]):
        return None
    rest = list(words[verb + 1 : max(subject, thing)])
    low = min(subject, thing) - verb - 1
    before, after = after_time(rest[:low]), rest[low + 1 :]
    size = len(phrase.behind)
    if subject < thing:
        is_said = before[:1] == ["by"] and tuple(after[:size]) == phrase.behind
        before, after = before[1:], after[size:]
    else:
        is_said = tuple(before[:size]) == phrase.behind and after[:1] == ["by"]
        before, after = before[size:], after[1:]
    return CARRIES if is_said and all(map(_is_near, before)) and all(map(_is_near, after)) else None


def _is_near(word: str) -> bool:
    return word in DETERMINERS or is_plain(word)


def _by_another(words: Sequence[str], phrase: Phrase, verb: int, thing: int, subject: int) -> str | None:
    """`we VERBed B with A`: in the past, by somebody."""
    if not 0 < verb < thing < subject or not is_past(words[verb]) or words[verb - 1] in BE | {"to"}:
        return None
    particles, size = len(phrase.particles), len(phrase.behind)
    rest, after = words[verb + 1 : thing], words[thing + 1 : subject]
    is_said = rest[:particles] == phrase.particles and after[:size] == phrase.behind
    return CARRIES if is_said and all(map(_is_near, (*rest[particles:], *after[size:]))) else None
