"""Whether a text states a relation, denies it, or only names both ends. By the order of words; no model.

A relation is stated where its verb stands between its two ends, and both belong to the verb:

    A [of the same name] [, an aside,] [has been] [often] VERB [in] [the new] B        active
    B [...] is VERBed by [the] A                                                       passive
    B, which A VERBs                                                                   in a clause

The verb must be the predicate of its subject: `A using B`, `A, by VERB B` and the imperative `[A] VERB B` say nothing.
What stands between must be a part of the same phrase: another name, a conjunction or a preposition there makes it
another statement. A negation before the end denies it; words of doubt, of the past and questions leave it open. What
another verb governs holds if that verb carries it out (`governing.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from substrate.relations.clauses import FIRST, OF_ONE, SECOND, Clause, clauses_of
from substrate.relations.governing import CARRIES, DENIES, OPEN, governed
from substrate.relations.phrases import (
    PREPOSITIONS,
    Phrase,
    forms_of,
    is_gerund,
    is_past,
    is_symmetric,
    phrases_of,
    stem,
    word_set,
)
from substrate.relations.score import is_typed

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

_BE: Final = word_set("is are was were be been being am")
_AUXILIARY: Final = _BE | word_set("has have had do does did got gets get")
_BEFORE_BASE: Final = _AUXILIARY | word_set("can must might may could would should will shall cannot")
"""What a verb without any ending may have before it, if its subject is one thing."""
_ADVERBS: Final = word_set(
    "also still now currently always often just already again first both all even usually mainly mostly yet ever then "
    "thus only here there once today each"
)
_DETERMINERS: Final = word_set("the a an its their his her our my your this that these those each every all any some")
_STOPS: Final = word_set(
    ", : ( ) and or but nor while which that who whom whose because though although whereas so if when where since "
    "unlike however as"
)
"""What ends a phrase."""
_NEGATIONS: Final = word_set(
    "not never no cannot neither nor nobody none nothing hardly rarely without isnt arent dont doesnt didnt wasnt cant "
    "rather instead except"
)
_DOUBTS: Final = word_set(
    "might may could would should if whether perhaps maybe possibly probably likely allegedly reportedly supposedly "
    "claim claims claimed rumour rumours rumor rumors doubtful unclear unsure unknown unless plan plans planned "
    "planning consider considers considering proposed proposes propose suggests suggested hopes hope wants want wish "
    "intends will shall expected false wrong untrue imagine suppose pretend almost nearly"
)
_UNTRUE: Final = word_set("wrong false untrue")
_PAST: Final = word_set("until formerly previously former ex")
_TAIL: Final = 2
"""Words that may follow a name and belong to it: `the Checkout service`."""
_MODIFIERS: Final = 3
"""Words that may stand before a name and belong to it: `the first stable`."""
_ASIDE: Final = 12
_PIECE: Final = 3
"""Words of one thing in a list."""


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


def _read(clause: Clause, kind: str, inverse: str | None) -> Found:
    if FIRST not in clause.words or SECOND not in clause.words:
        return Found(APART)
    ways = [(phrase, FIRST, SECOND) for phrase in phrases_of(kind)]
    ways += [(phrase, SECOND, FIRST) for phrase in phrases_of(inverse)] if inverse else []
    if is_symmetric(kind):
        ways += [(phrase, target, source) for phrase, source, target in ways]
    for phrase, source, target in ways:
        said = _stated(clause, phrase, source, target)
        if said is not None:
            return Found(_mood(clause, said), clause.text)
    if not is_typed(kind):
        return Found(_mood(clause, _Said(len(clause.words) - 1)).replace(STATED, TOGETHER), clause.text)
    for phrase, source, target in ways:
        said = _stated(clause, phrase, target, source)
        if said is not None:
            mood = _mood(clause, said)
            return Found(REVERSED if mood == STATED else TOGETHER, clause.text)
    return Found(TOGETHER, clause.text)


class _Said(NamedTuple):
    """Where a statement ends, and what the verbs that govern its verb make of it."""

    end: int
    meaning: str = CARRIES


def _mood(clause: Clause, statement: _Said) -> str:
    """Whether what is said up to a place is said to be so."""
    said = clause.words[: statement.end + 1]
    if clause.asks:
        return DOUBTED
    if _has_negation(said) or _ends_it(clause.words):
        return DOUBTED if statement.meaning == DENIES else DENIED  # `never stopped using`
    behind = clause.words[statement.end + 1 :]
    if statement.meaning == OPEN or _PAST.intersection(clause.words) or _used_to(clause.words):
        return DOUBTED
    if _DOUBTS.intersection(said) or _UNTRUE.intersection(behind):
        return DOUBTED
    return DENIED if statement.meaning == DENIES else STATED


def is_denied(words: Sequence[str]) -> bool:
    """Whether the rest of a sentence takes back what else it says."""
    return _has_negation(words) or not _UNTRUE.isdisjoint(words)


def is_doubted(words: Sequence[str]) -> bool:
    """Whether the beginning of a sentence leaves open what follows, or puts it into the past."""
    return not (_DOUBTS | _PAST).isdisjoint(words)


def _has_negation(words: Sequence[str]) -> bool:
    return not _NEGATIONS.isdisjoint(words) or any(word.endswith(("n't", "n\u2019t")) for word in words)


def _ends_it(words: Sequence[str]) -> bool:
    return not _ENDS.isdisjoint(words) and any(pair in _ENDED for pair in pairwise(words))


_ENDED: Final = frozenset((("no", "longer"), ("no", "more"), ("not", "anymore"), ("any", "more")))
_ENDS: Final = frozenset(last for _, last in _ENDED)


def _used_to(words: Sequence[str]) -> bool:
    if "used" not in words:
        return False
    pairs = zip(("", *words), words, words[1:], strict=False)
    return any(word == "used" and after == "to" and before not in _BE for before, word, after in pairs)


def _stated(clause: Clause, phrase: Phrase, source: str, target: str) -> _Said | None:
    """The statement, if these words make it; whether it is denied is not looked at."""
    if phrase.turned:
        source, target = target, source
    words = clause.words
    verbs = [at for at, word in enumerate(words) if _is_form(word, phrase)]
    if not verbs:
        return None
    sources = [at for at, word in enumerate(words) if word == source]
    targets = [at for at, word in enumerate(words) if word == target]
    for verb in verbs:
        # No other name can stand between a verb and its object.
        behind = next((at for at in range(verb + 1, len(words)) if words[at] in (FIRST, SECOND)), None)
        for subject in sources:
            for thing in targets:
                meaning, end = None, thing
                if subject < verb and thing == behind:
                    meaning = _active(clause, phrase, subject, verb, thing)
                elif not phrase.preposition and thing < verb and subject == behind:
                    meaning, end = _passive(words, thing, verb, subject), subject
                elif not phrase.preposition and thing < subject == verb - 1 and _relative(words, thing, subject, verb):
                    meaning, end = CARRIES, verb
                if meaning is not None:
                    return _Said(end, meaning)
    return None


def _is_form(word: str, phrase: Phrase) -> bool:
    """Whether a word is a form of the verb or the noun of a phrase, and no noun that is made of the verb."""
    return len(word) > 1 and stem(word) == phrase.word and not forms_of(word).isdisjoint(phrase.forms)


def _active(clause: Clause, phrase: Phrase, subject: int, verb: int, thing: int) -> str | None:
    """What the verbs before this one make of the statement; None: there is none."""
    words = clause.words
    between = words[subject + 1 : verb]
    said = governed(between, words[verb], _CHANGES_NOTHING, _BE)
    if said is None or not _is_subject(words, subject) or not _leads_to(said.between):
        return None
    if len(said.between) == len(between) and not _agrees(clause, phrase, subject, verb):
        return None
    rest = list(words[verb + 1 : thing])
    if phrase.preposition:
        while rest and (rest[0] in _ADVERBS or rest[0].endswith("ly")):
            rest.pop(0)
        if not rest or rest.pop(0) != phrase.preposition:
            return None
    elif verb and words[verb - 1] in _BE and not is_gerund(words[verb]):
        return None  # `is used` has its subject behind it
    return said.meaning if _is_object(rest, words[thing + 1 : thing + 2]) else None


def _agrees(clause: Clause, phrase: Phrase, subject: int, verb: int) -> bool:
    """Whether a verb that nothing governs has a form that its subject can have: no imperative, no reduced clause."""
    words, word = clause.words, clause.words[verb]
    between = words[subject + 1 : verb]
    if phrase.is_participle and is_past(word):
        return not _BE.isdisjoint(between)
    if word.endswith("s") or is_gerund(word) or is_past(word) or word in _SAME_IN_PAST:
        return True
    if not _BEFORE_BASE.isdisjoint(between):
        return True
    if words[subject] in clause.plural or "and" in between or words[subject - 1 : subject] == ("and",):
        return True
    return subject > 0 and words[subject - 1] in _DETERMINERS and between[-1:] != () and between[-1].endswith("s")


def _passive(words: Sequence[str], thing: int, verb: int, subject: int) -> str | None:
    """`B is VERBed by A`; `B, VERBed by A`."""
    between = words[thing + 1 : verb]
    said = governed(between, words[verb], _CHANGES_NOTHING, _BE)
    if said is None or not words[verb].endswith(("ed", "en", "n", "t", "d", "ght", "ung", "un")):
        return None
    if not (_BE.intersection(between) and _leads_to(said.between)) and between != (",",):
        return None
    if not _is_subject(words, thing):
        return None
    rest = list(words[verb + 1 : subject])
    while rest and (rest[0] in _ADVERBS or rest[0].endswith("ly")):
        rest.pop(0)
    is_said = bool(rest) and rest.pop(0) in ("by", "with") and _is_object(rest, words[subject + 1 : subject + 2])
    return said.meaning if is_said else None


def _relative(words: Sequence[str], thing: int, subject: int, verb: int) -> bool:
    """`B, which A VERBs`, and nothing behind it that it would be said of."""
    between = [word for word in words[thing + 1 : subject] if word not in _DETERMINERS - {"that"} and word != ","]
    behind = words[verb + 1 : verb + 2]
    ends = not behind or behind[0] in _STOPS or behind[0] in PREPOSITIONS
    return between in (["which"], ["that"]) and ends


def _is_subject(words: Sequence[str], at: int) -> bool:
    """Whether a name can be what a verb is said of: not so behind a preposition, `of Uganda, exports`."""
    before = at - 1
    while before >= 0 and words[before] in _DETERMINERS:
        before -= 1
    return before < 0 or words[before] not in PREPOSITIONS


def _leads_to(between: Sequence[str]) -> bool:
    """Whether what stands between a name and a verb lets the one be said of the other."""
    rest = list(between)
    tail = 0
    while rest and tail < _TAIL and _is_plain(rest[0]):
        rest.pop(0)
        tail += 1
    if rest and rest[0] == "," and "," in rest[1 : _ASIDE + 2]:  # an aside
        rest = rest[rest.index(",", 1) + 1 :]
    elif rest and rest[0] == "and":  # `Both A and C are`
        rest.pop(0)
        taken = 0
        while rest and taken < _PIECE and (_is_plain(rest[0]) or rest[0] in _DETERMINERS or rest[0] in (FIRST, SECOND)):
            rest.pop(0)
            taken += 1
    return all(_is_light(word) for word in rest)


def _is_object(between: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether what stands between a verb and a name lets the name be its object, alone or in a list."""
    if not _STOPS.intersection(between):
        return len(between) <= _MODIFIERS + 1 and all(_is_part(word) for word in between)
    pieces: list[list[str]] = [[]]
    for word in between:
        if word in (",", "and", "or"):
            pieces.append([])
        elif word in _STOPS or not _is_part(word):
            return False
        else:
            pieces[-1].append(word)
    last = [word for word in pieces[-1] if word not in _ADVERBS and not word.endswith("ly")]
    if pieces[0] and last and _is_predicate(last[0]):  # `uses C and replaced B`, and not `uses and maintains B`
        return False
    ends = not behind or behind[0] in _STOPS or behind[0] in PREPOSITIONS
    return ends and all(len(piece) <= _PIECE for piece in pieces)


def _is_predicate(word: str) -> bool:
    """Whether a word that is not small may be a verb of its own, as far as its ending tells."""
    return _is_plain(word) and (is_past(word) or (word.endswith("s") and not word.endswith(OF_ONE)))


def _is_plain(word: str) -> bool:
    """Whether a word may be a noun or an adjective, as far as small words tell."""
    return word not in _SMALL


_CHANGES_NOTHING: Final = _ADVERBS | _NEGATIONS | _DETERMINERS | {"almost", "nearly", "longer", "more"}
"""What may stand between a verb and the one that governs it."""
_SAME_IN_PAST: Final = word_set("put set cut hit let read split shut spread cast beat cost hurt")
_PRONOUNS: Final = word_set("he she it they we i you him them us me somebody someone nobody everyone")
_SMALL: Final = frozenset((FIRST, SECOND)).union(
    *(_STOPS, PREPOSITIONS, _DETERMINERS, _AUXILIARY, _ADVERBS, _NEGATIONS, _DOUBTS, _PRONOUNS)
)


def _is_light(word: str) -> bool:
    return (
        word in _AUXILIARY
        or word in _ADVERBS
        or word in _DETERMINERS
        or word in _NEGATIONS
        or word in _DOUBTS
        or word.endswith(("ly", "n't", "n\u2019t"))
        or word in ("longer", "more", "used", "yet")
    )


def _is_part(word: str) -> bool:
    return _is_plain(word) or word in _DETERMINERS or word in _ADVERBS or word in _NEGATIONS
