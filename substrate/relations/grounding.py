"""Whether a text states a relation, denies it, or only names both ends. By the order of words; no model.

A relation is stated by a verb of its type (`verbs.py`), by a noun (`nouns.py`: `A is the author of B`), or by a form of
its own (`idioms.py`: `A and B tied the knot`). A negation before the end denies it; words of doubt, of the past and
questions leave it open. What another verb governs holds if that verb carries it out (`governing.py`). A verb that says
more than the type states it, and denies nothing: who does not chair a company may own it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from substrate.relations.clauses import FIRST, SECOND, Clause, clauses_of
from substrate.relations.governing import DENIES, OPEN
from substrate.relations.idioms import may_be_idiom, said_by_idiom, says_need
from substrate.relations.nouns import said_by_kind, said_by_noun
from substrate.relations.phrases import Noun, Phrase, Reading, reading_of, stem, word_set
from substrate.relations.score import is_typed
from substrate.relations.verbs import Said, is_form, said_by_verb
from substrate.relations.words import BE, DOUBTS, NEGATIONS, PAST

__all__ = [
    "APART",
    "DENIED",
    "DOUBTED",
    "REVERSED",
    "STATED",
    "TOGETHER",
    "Found",
    "ground",
    "ground_in",
    "is_denied",
    "is_doubted",
    "is_stated_in",
]

STATED: Final = "stated"
DENIED: Final = "denied"
REVERSED: Final = "reversed"
DOUBTED: Final = "doubted"
TOGETHER: Final = "together"
APART: Final = "apart"
"""What a text says of a relation: it is stated, denied, stated the other way round, or left open; else both are in one
sentence, or they are not."""
_ORDER: Final = (STATED, DENIED, REVERSED, DOUBTED, TOGETHER, APART)

_LATER: Final = word_set("if unless tomorrow soon")
_SPANS: Final = word_set("week month year spring summer autumn fall winter quarter decade")
_CONDITIONS: Final = word_set("if whether unless")
_UNTRUE: Final = word_set("wrong false untrue")
_BEFORE_MONTH: Final = word_set("in since last from by until till during of early late mid")
_BY_KIND: Final = frozenset(("located_in", "works_for", "part_of"))
"""Types that are also said by what a thing is: `A, a lake in B`."""


class Found(NamedTuple):
    """What a text says of a relation, and the sentence that says it."""

    kind: str
    sentence: str = ""


def ground(text: str, first: Sequence[str], kind: str, second: Sequence[str], inverse: str | None = None) -> Found:
    """What the text says of a relation of this type from one thing to another, each by its names.

    `inverse`: what the type is called from the other end, if it has such a name.
    """
    return ground_in(clauses_of(text, first, second), kind, inverse)


def ground_in(clauses: Iterable[Clause], kind: str, inverse: str | None = None) -> Found:
    """The same of clauses in which the two are marked: for who asks about many types."""
    best = Found(APART)
    for clause in clauses:
        found = _read(clause, kind, inverse)
        if _ORDER.index(found.kind) < _ORDER.index(best.kind):
            best = found
        if best.kind == STATED:
            break
    return best


def is_stated_in(clauses: Iterable[Clause], kind: str, inverse: str | None = None) -> bool:
    """Whether one of these clauses states it: for who asks nothing else. What they deny or say reversed is not read."""
    for clause in clauses:
        if FIRST in clause.words and SECOND in clause.words:
            reading = reading_of(kind, inverse)
            if _said(clause, reading, kind, _places(clause.words, reading), turned=False) == STATED:
                return True
    return False


def _read(clause: Clause, kind: str, inverse: str | None) -> Found:
    if FIRST not in clause.words or SECOND not in clause.words:
        return Found(APART)
    reading = reading_of(kind, inverse)
    places = _places(clause.words, reading)
    if not (places.verbs or places.nouns or kind in _BY_KIND or may_be_idiom(clause.words, reading)):
        return _unsaid(clause, kind)
    said = _said(clause, reading, kind, places, turned=False)
    if said is not None:
        return Found(said, clause.text)
    if reading.is_symmetric or not is_typed(kind):
        return _unsaid(clause, kind)
    said = _said(clause, reading, kind, places, turned=True)
    return Found(REVERSED if said == STATED else TOGETHER, clause.text)


def _unsaid(clause: Clause, kind: str) -> Found:
    """What a clause says that names both, and no more."""
    if is_typed(kind):
        return Found(TOGETHER, clause.text)
    return Found(_mood(clause, Said(len(clause.words) - 1)).replace(STATED, TOGETHER), clause.text)


class _Places(NamedTuple):
    """Where the words stand by which a relation may be said."""

    verbs: Sequence[tuple[Phrase, Sequence[int]]]
    nouns: Sequence[tuple[int, Sequence[Noun]]]


@lru_cache(maxsize=64)
def _stems(words: tuple[str, ...]) -> tuple[str, ...]:
    """Of a clause that is asked for one type after the other."""
    return tuple(map(stem, words))


def _places(words: tuple[str, ...], reading: Reading) -> _Places:
    by_stem: dict[str, list[int]] = {}
    nouns: list[tuple[int, Sequence[Noun]]] = []
    stems = _stems(words)
    if not reading.by_stem.keys().isdisjoint(stems):
        for at, found in enumerate(stems):
            if found in reading.by_stem:
                by_stem.setdefault(found, []).append(at)
    if not reading.nouns.keys().isdisjoint(words):
        nouns = [(at, reading.nouns[word]) for at, word in enumerate(words) if word in reading.nouns]
    numbers = sorted(number for found in by_stem for number in reading.by_stem[found])
    verbs: list[tuple[Phrase, Sequence[int]]] = []
    for phrase in map(reading.phrases.__getitem__, numbers):
        if not phrase.behind or phrase.behind[-1] in words:
            places = [at for at in by_stem[phrase.word] if is_form(words[at], phrase)]
            if places:
                verbs.append((phrase, places))
    return _Places(verbs, nouns)


def _said(clause: Clause, reading: Reading, kind: str, places: _Places, *, turned: bool) -> str | None:
    """What the clause says of it; None: nothing. `turned`: of the relation from the second to the first."""
    ways = [(SECOND, FIRST) if turned else (FIRST, SECOND)]
    if reading.is_symmetric:
        ways.append((SECOND, FIRST))
    names = {FIRST: clause.places(FIRST), SECOND: clause.places(SECOND)} if places.verbs else {}
    for phrase, at in places.verbs:
        for source, target in ways:
            said = said_by_verb(clause, phrase, at, names[source], names[target])
            if said is not None:
                mood = _mood(clause, said)
                is_open = (mood == DENIED and phrase.is_narrower) or (not phrase.is_own and _is_open(clause.words))
                return DOUBTED if is_open else mood
    for source, target in ways:
        if reading.is_need and says_need(clause, source, target):
            return DOUBTED if clause.asks or is_doubted(clause.words) else STATED
        said = said_by_noun(clause, places.nouns, source, target) if places.nouns else None
        said = said or said_by_idiom(clause, reading, source, target)
        if said is None and kind in _BY_KIND:
            said = said_by_kind(clause, kind, source, target)
        if said is not None:
            mood = _mood(clause, said)
            return DOUBTED if mood == DENIED or _is_open(clause.words) else mood
    return None


def _is_open(words: Sequence[str]) -> bool:
    """Whether a clause speaks of what is to come, or holds on a condition."""
    is_next = "next" in words and any(one == "next" and other in _SPANS for one, other in pairwise(words))
    return is_next or not _LATER.isdisjoint(words)


def _mood(clause: Clause, statement: Said) -> str:
    """Whether what is said up to a place is said to be so."""
    said = clause.words[: statement.end + 1]
    if clause.asks or not _CONDITIONS.isdisjoint(said):
        return DOUBTED  # also `if A does not use B`, which denies nothing
    if _has_negation(said[statement.start :]) or _ends_it(clause.words):
        return DOUBTED if statement.meaning == DENIES else DENIED  # `never stopped using`
    behind = clause.words[statement.end + 1 :]
    if statement.meaning == OPEN or PAST.intersection(clause.words) or _used_to(clause.words):
        return DOUBTED
    if _has_doubt(said) or _UNTRUE.intersection(behind):
        return DOUBTED
    return DENIED if statement.meaning == DENIES else STATED


def is_denied(words: Sequence[str]) -> bool:
    """Whether the rest of a sentence takes back what else it says."""
    return _has_negation(words) or not _UNTRUE.isdisjoint(words)


def is_doubted(words: Sequence[str]) -> bool:
    """Whether the beginning of a sentence leaves open what follows, or puts it into the past."""
    return not (DOUBTS | PAST).isdisjoint(words)


def _has_negation(words: Sequence[str]) -> bool:
    return not NEGATIONS.isdisjoint(words) or any(word.endswith(("n't", "n\u2019t")) for word in words)


def _has_doubt(words: Sequence[str]) -> bool:
    found = DOUBTS.intersection(words)
    if found == {"may"}:  # the month is no doubt
        return any(
            word == "may" and not (before in _BEFORE_MONTH or before[:1].isdigit() or after[:1].isdigit())
            for before, word, after in zip(("", *words), words, (*words[1:], ""), strict=False)
        )
    return bool(found)


def _ends_it(words: Sequence[str]) -> bool:
    return not _ENDS.isdisjoint(words) and any(pair in _ENDED for pair in pairwise(words))


_ENDED: Final = frozenset((("no", "longer"), ("no", "more"), ("not", "anymore"), ("any", "more")))
_ENDS: Final = frozenset(last for _, last in _ENDED)


def _used_to(words: Sequence[str]) -> bool:
    if "used" not in words:
        return False
    pairs = zip(("", *words), words, words[1:], strict=False)
    return any(word == "used" and after == "to" and before not in BE for before, word, after in pairs)
