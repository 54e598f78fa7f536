"""By which words a type of relation is said: its own, and those of one meaning.

A type is taken apart at its underscores: `written_in` is the verb *write* with *in* behind it; `used_by` is *use* the
other way round. What is not in the table is said by its own words alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from substrate.text.terms import spans

__all__ = [
    "PREPOSITIONS",
    "Phrase",
    "forms_of",
    "is_gerund",
    "is_past",
    "is_symmetric",
    "phrases_of",
    "stem",
    "word_set",
]


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PREPOSITIONS: Final = word_set(
    "in on at of for to from with by into onto over under as through via within across against about between beside "
    "besides near behind like unlike than upon inside during after before since until without among beyond off out"
)
_IRREGULAR: Final = {
    form: base
    for base, forms in {
        "write": "wrote written",
        "run": "ran",
        "lead": "led",
        "build": "built",
        "make": "made",
        "hold": "held",
        "keep": "kept",
        "send": "sent",
        "buy": "bought",
        "sell": "sold",
        "teach": "taught",
        "speak": "spoke spoken",
        "give": "gave given",
        "take": "took taken",
        "draw": "drew drawn",
        "choose": "chose chosen",
        "win": "won",
        "beat": "beaten",
        "drive": "drove driven",
        "grow": "grew grown",
        "know": "knew known",
        "see": "saw seen",
        "find": "found",
        "begin": "began begun",
        "come": "came",
        "belong": "belonged",
        "lie": "lies lay lain",
        "eat": "ate eaten",
        "feed": "fed",
        "meet": "met",
        "bring": "brought",
        "think": "thought",
        "sing": "sang sung",
        "split": "splits",
    }.items()
    for form in forms.split()
}
_SAME: Final = """
use / utilize, utilise, employ, leverage, adopt
depend on / rely on, dependent on
require / need
work for / work at
located in / situated in, lie in, based in, found in
part of / belong to, component of, included in, contained in
member of / belong to, part of
own / possess
create / build, develop, invent, design, make
cause / lead to, result in, trigger
manage / lead, head, supervise, oversee
replace / supersede, succeed
supersede / replace
store / keep, hold, persist
contain / include
live in / reside in
implement / conform to
call / invoke
maintain / look after
write / author
run on / run in, deployed on, hosted on
connect to / link to
collaborate with / work with
married to / wed to
integrate with / work with
deploy / ship
start / launch
"""
"""Each line: a type as it is mostly called, and what says the same, between commas. A verb, and perhaps a preposition;
as a participle, what is said only with a form of *be* before it."""
_SYMMETRIC: Final = word_set(
    "related_to related associated_with married_to same_as similar_to compared_with collaborated_with competes_with "
    "collaborates_with connected_to linked_to works_with adjacent_to sibling_of friend_of equivalent_to contradicts "
    "conflicts_with interacts_with"
)
_FILLERS: Final = frozenset(("is", "are", "was", "were", "be", "has", "have", "a", "an", "the"))


class Phrase(NamedTuple):
    """A verb or a noun in its one form, and the preposition behind it; `turned`: from the other end."""

    word: str
    preposition: str = ""
    turned: bool = False
    forms: frozenset[str] = frozenset()
    """What `forms_of` makes of the word as it is spelled."""
    is_participle: bool = False
    """Whether a form of *be* must come before it, as in `is located in`."""


_VOWELS: Final = frozenset("aeiouy")
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
    return word.endswith("ed") or word in _IRREGULAR


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
    word, _, preposition = text.strip().partition(" ")
    return Phrase(stem(word), preposition, forms=forms_of(word), is_participle=bool(preposition) and is_past(word))


_SAID: Final[dict[tuple[str, str], tuple[Phrase, ...]]] = {}
"""By the stem and the preposition of a type: it, and what says the same."""
for _line in _SAME.strip().split("\n"):
    _own, _, _others = _line.partition(" / ")
    _said = tuple(_phrase(one) for one in (_own, *_others.split(",")))
    _SAID[_said[0].word, _said[0].preposition] = _said


@lru_cache(maxsize=4096)
def phrases_of(kind: str) -> tuple[Phrase, ...]:
    """How a relation of this type is said, its own words first. None, if nothing of it is a word."""
    words = [word for word in kind.lower().split("_") if word and word not in _FILLERS]
    turned = False
    preposition = ""
    if len(words) > 1 and words[-1] in PREPOSITIONS:
        preposition = words.pop()
    if preposition == "by":
        turned, preposition = True, ""
    if not words:
        return ()
    spelt = words[-1 if preposition and len(words) == 1 else 0]
    table = _SAID.get((stem(spelt), preposition), ())
    own = Phrase(stem(spelt), preposition, turned, forms_of(spelt), bool(table) and table[0].is_participle)
    return tuple(dict.fromkeys((own, *(other._replace(turned=turned) for other in table[1:]))))
