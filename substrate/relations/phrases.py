"""By which words a type of relation is said: its own, and those of one meaning.

A type is taken apart at its underscores: `written_in` is the verb *write* with *in* behind it; `used_by` is *use* the
other way round. What is not in the tables of `vocabulary.py` is said by its own words alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from substrate.relations.vocabulary import IRREGULAR, MUTUAL, NOUNS, SYMMETRIC, VERBS
from substrate.text.terms import spans

__all__ = [
    "PREPOSITIONS",
    "Mutual",
    "Noun",
    "Phrase",
    "Reading",
    "forms_of",
    "is_gerund",
    "is_past",
    "is_symmetric",
    "phrases_of",
    "reading_of",
    "stem",
    "word_set",
    "words_of",
]


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PREPOSITIONS: Final = word_set(
    "in on at of for to from with by into onto over under as through via within across against about between beside "
    "besides near behind like unlike than upon inside during after before since until without among beyond off out"
)
_IRREGULAR: Final = {form: base for base, forms in IRREGULAR.items() for form in forms.split()}
_SYMMETRIC: Final = word_set(SYMMETRIC)
_FILLERS: Final = frozenset(("is", "are", "was", "were", "be", "has", "have", "a", "an", "the"))


class Phrase(NamedTuple):
    """A verb or a noun in its one form, and the words behind it."""

    word: str
    behind: tuple[str, ...] = ()
    """A preposition, a particle, or all the words of a fixed phrase: `in charge of`."""
    turned: bool = False
    """Whether it is said from the other end."""
    forms: frozenset[str] = frozenset()
    """What `forms_of` makes of the word as it is spelled."""
    exact: str = ""
    """The word as it must be spelled, behind a form of *be*, as in `is located in`."""
    is_own: bool = False
    """Whether these are the words of the type itself."""
    is_narrower: bool = False
    """Whether it says more than the type: to deny it denies nothing."""
    has_object: bool = False
    """Whether the verb has an object of its own before the preposition: `push the rows to`."""
    by_another: bool = False
    """Whether a third one does it: `we replaced B with A`."""
    particles: tuple[str, ...] = ()
    """What stands before that object: `swap out B for A`."""


class Noun(NamedTuple):
    """A noun that says a relation: `author of`."""

    words: tuple[str, ...]
    behind: frozenset[str]
    turned: bool


class Mutual(NamedTuple):
    """What is said of two together: `A and B tied the knot`."""

    words: tuple[str, ...]
    exact: bool


class Reading(NamedTuple):
    """All by which a relation of a type is said, from either end."""

    phrases: tuple[Phrase, ...]
    nouns: dict[str, tuple[Noun, ...]]
    """By their last word, of one and of several."""
    mutual: tuple[Mutual, ...]
    by_stem: dict[str, tuple[int, ...]]
    """Which phrases have a word of this stem."""
    is_symmetric: bool
    is_need: bool
    """Whether it is also said as `A does not run without B`."""
    is_birth: bool
    """Whether it is also said as `A (born 1931, B)`."""


_VOWELS: Final = frozenset("aeiouy")
_NO_PAST: Final = word_set("feed need exceed succeed proceed speed seed embed shed")
_SHORTEST: Final = 3
"""Letters that are left of a word without its ending."""
_ENDINGS: Final = (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"))


@lru_cache(maxsize=4096)
def forms_of(word: str) -> frozenset[str]:
    """What a verb may be without the endings of a verb. Two words that share one are forms of one verb, or of one noun.

    Stems do not tell that: `development` has the stem of `develops`.
    """
    lower = word.lower()
    found = {lower, _IRREGULAR.get(lower, lower)}
    for ending, instead in _ENDINGS:
        base = lower.removesuffix(ending) + instead
        if lower.endswith(ending) and len(base) >= _SHORTEST:
            found.add(base)
            if not instead and len(base) > _SHORTEST and base[-1] == base[-2]:  # running, shipped
                found.add(base[:-1])
    return frozenset(found)


def is_past(word: str) -> bool:
    """Whether a word has the form of a verb in the past, or of a participle that ends as one."""
    return word in _IRREGULAR or (word.endswith("ed") and word not in _NO_PAST)


def is_gerund(word: str) -> bool:
    """Whether a word has the form of a verb in *-ing*: `using`, and not `bring`."""
    return word.endswith("ing") and not _VOWELS.isdisjoint(word[:-3])


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The one form of a word, without case and ending."""
    lower = word.lower()
    lower = _IRREGULAR.get(lower, lower)
    if len(lower) > 4 and lower.endswith("ied"):  # noqa: PLR2004 - `married`
        lower = lower[:-3] + "y"
    found = list(spans(lower))
    return found[0].terms[-1] if len(found) == 1 and found[0].terms else lower


def is_symmetric(kind: str) -> bool:
    """Whether a relation of this type holds from both ends."""
    return kind in _SYMMETRIC


def _phrase(text: str) -> Phrase:
    said = text.strip()
    marks = said[: len(said) - len(said.lstrip("~<^"))]
    rest = said[len(marks) :].split()
    is_exact = rest[0] == "be"
    word, *behind = rest[is_exact:]
    # a bare participle with a preposition, `based in`, has its form of *be* too
    exact = word if is_exact or (len(behind) == 1 and is_past(word)) else ""
    has_object = "*" in behind
    at = behind.index("*") if has_object else -1
    return Phrase(
        stem(word),
        tuple(behind[at + 1 :]),
        "<" in marks,
        forms_of(word),
        exact,
        is_narrower="~" in marks,
        has_object=has_object,
        by_another="^" in marks,
        particles=tuple(behind[: max(at, 0)]),
    )


def _noun(text: str) -> Noun:
    said = text.strip()
    *words, behind = said.lstrip("<").split()
    return Noun(tuple(words), frozenset(behind.split("|")), said.startswith("<"))


def _lines(table: str) -> Iterator[tuple[tuple[str, str], str]]:
    """The types of each line, as the stem of a word and a preposition, and what stands behind the slash."""
    for line in table.strip().replace("\n ", " ").split("\n"):
        heads, _, said = line.partition(" / ")
        for head in heads.split("|"):
            word, _, preposition = head.strip().partition(" ")
            yield (stem(word), preposition), said


_SAID: Final = {key: tuple(map(_phrase, said.split(","))) for key, said in _lines(VERBS)}
_NOUNS: Final = {key: tuple(map(_noun, said.split(","))) for key, said in _lines(NOUNS)}
_MUTUAL: Final = {key: tuple(said.split(", ")) for key, said in _lines(MUTUAL)}
_STATES: Final = frozenset(phrase.exact for said in _SAID.values() for phrase in said if phrase.exact)
"""Participles of what something is: a type of that name is said with a form of *be*."""
_NEEDS: Final = frozenset((("depend", "on"), ("rely", "on"), ("require", ""), ("need", "")))
_BIRTH: Final = frozenset((("born", "in"),))


class _Own(NamedTuple):
    """What a type is by its own words."""

    spelt: str
    preposition: str
    turned: bool

    @property
    def key(self) -> tuple[str, str]:
        """By which the tables know it."""
        return stem(self.spelt), self.preposition


def _own(kind: str) -> _Own | None:
    words = [word for word in kind.lower().split("_") if word and word not in _FILLERS]
    turned = False
    preposition = ""
    if len(words) > 1 and words[-1] in PREPOSITIONS:
        preposition = words.pop()
    if preposition == "by":
        turned, preposition = True, ""
    if not words:
        return None
    return _Own(words[-1 if preposition and len(words) == 1 else 0], preposition, turned)


@lru_cache(maxsize=4096)
def phrases_of(kind: str) -> tuple[Phrase, ...]:
    """How a relation of this type is said by verbs, its own words first. None, if nothing of it is a word."""
    own = _own(kind)
    if own is None:
        return ()
    others = _SAID.get(own.key, ())
    behind = (own.preposition,) if own.preposition else ()
    is_participle = bool(others) and bool(behind) and own.spelt in _STATES
    first = Phrase(own.key[0], behind, own.turned, forms_of(own.spelt), own.spelt if is_participle else "", is_own=True)
    return tuple(dict.fromkeys((first, *(other._replace(turned=other.turned != own.turned) for other in others))))


@lru_cache(maxsize=4096)
def reading_of(kind: str, inverse: str | None = None) -> Reading:
    """By all of what a relation of this type is said. `inverse`: what the type is called from the other end."""
    phrases: dict[Phrase, None] = {}
    nouns: dict[str, dict[Noun, None]] = {}
    mutual: list[Mutual] = []
    keys: set[tuple[str, str]] = set()
    for one, is_turned in ((kind, False), (inverse, True)):
        own = None if one is None else _own(one)
        if one is None or own is None:
            continue
        keys.add(own.key)
        for phrase in phrases_of(one):
            phrases.setdefault(phrase._replace(turned=phrase.turned != is_turned))
        said = list(_NOUNS.get(own.key, ()))
        if own.preposition == "of":
            said.append(Noun((own.spelt,), frozenset(("of",)), turned=False))
        for noun in said:
            turned = noun._replace(turned=noun.turned != (is_turned != own.turned))
            for last in (noun.words[-1], noun.words[-1] + "s"):
                nouns.setdefault(last, {}).setdefault(turned)
        for text in () if is_turned else _MUTUAL.get(own.key, ()):
            words = text.split()
            mutual.append(Mutual(tuple(words[words[0] == "be" :]), words[0] == "be"))
    distinct = tuple(phrases)
    by_stem: dict[str, tuple[int, ...]] = {}
    for number, phrase in enumerate(distinct):
        by_stem[phrase.word] = (*by_stem.get(phrase.word, ()), number)
    return Reading(
        distinct,
        {word: tuple(found) for word, found in nouns.items()},
        tuple(mutual),
        by_stem,
        is_symmetric(kind),
        not _NEEDS.isdisjoint(keys),
        not _BIRTH.isdisjoint(keys),
    )


@lru_cache(maxsize=4096)
def words_of(kind: str) -> frozenset[str]:
    """The stems of which a clause has one, if it may state a relation of this type."""
    reading = reading_of(kind)
    return frozenset({_rarest(phrase) for phrase in reading.phrases} | {stem(word) for word in reading.nouns})


def _rarest(phrase: Phrase) -> str:
    """The stem of a phrase that fewest texts have: of `be in charge of` it is `charge`."""
    fixed = [word for word in phrase.behind if word not in PREPOSITIONS and word not in _FILLERS]
    longest = max(fixed, key=len, default="")
    return stem(longest) if len(phrase.behind) > 1 and len(longest) >= _SHORTEST else phrase.word
