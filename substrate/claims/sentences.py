"""What a sentence is about, and the thing that it says of it: `The payment provider is Adyen`, `We use Kafka for logs`.

Only sentences are taken apart of which the object is the only one there can be at a time, which is told by their form:

    the X of Y is Z, Y's X is Z             what is the one X of Y, and not one of several
    S is hosted on Z, S was created by Z    a participle of what is so at one place, or was done once
    S is a citizen of Z                     a role that one has of one other
    S plays the position of Z               what kind of thing Z is, is said before it
    S works for Z, S owns Z                 verbs with one object, or one subject, at a time

`Alice likes tea` is not one: she may like coffee as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from substrate.claims.amounts import Amount, Day
from substrate.claims.lexicon import (
    ADVERBS,
    ATTRIBUTES,
    COPULAS,
    DETERMINERS,
    DUE,
    EVENTS,
    INDEFINITE,
    INVERSE,
    KEPT,
    MANY,
    MEANS,
    NAMING,
    OFFICES,
    PLACES,
    POINTERS,
    POSITIONS,
    RELATIONS,
    ROLES,
    SEVERAL,
    TIED,
    VAGUE,
    even,
)
from substrate.claims.words import CLAUSE, JOINT, KIND, OPPOSITE, SILENCE, VERB, Word, content_of, show

__all__ = ["Parted", "find_verb", "is_name", "is_vague", "part", "tells_the_past", "without_light_verbs"]

_LIGHT: Final = frozenset(
    even(word) for word in ("use", "run", "take", "have", "reach", "listen", "need", "get", "hold", "keep", "set", "up")
)
"""Verbs that add nothing to what an amount is of."""
_STARTS: Final = frozenset(map(even, ("starts", "begins")))
_TIMES_OF_DAY: Final = ("clock", "weekday", "week")
_BEHIND_VERBS: Final = PLACES - {"with", "from", "by"}
_MANIFOLD: Final = INDEFINITE | POSITIONS | {"run"}
"""What begins an object that is one of many: `is a customer`, `is behind a VPN`, `are run on Linux`."""
_PLURAL: Final = re.compile(r"[^sui]s$")
_NO_PARTICIPLES: Final = ("need", "speed", "feed", "seed")
_VERBS: Final = RELATIONS | INVERSE
_DEGREES: Final = frozenset(
    ("so", "very", "too", "quite", "rather", "pretty", "extremely", "more", "less", "most", "as")
)
"""What stands before an adjective."""
_DONE: Final = KEPT | EVENTS | MEANS | TIED
_MANNERS: Final = ("ing", "ed")
"""Endings of what is done with a thing, and of how it is: `is committed to`, and to much else."""
_OWN: Final = frozenset(
    ("i", "we", "my", "our", "there", "you", "somebody", "someone", "anybody", "anyone", "everybody", "everyone")
)
"""Of whom a sentence is, if it has one of these, is known."""
_OURS: Final = frozenset(("our", "my", "the"))
_WHERE: Final = frozenset(("in", "at", "on", "under", "by", "as"))
_ADJECTIVE: Final = re.compile(r"(?:ish|ese|ian|ean|can|man|ic|ss|nch|tch|bic)$")
"""Words in capitals that are not names: `Anna is Swiss`."""
_NAMED: Final = re.compile(r"[A-Z\d@/._#+&]|[^\W\d_a-z]")
_BEFORE_NAMES: Final = DETERMINERS | INDEFINITE | frozenset(("each", "every", "all", "that", "these", "those", "which"))
_ONCE: Final = frozenset(("died",))
"""Of what happened, told without a `was`, that which cannot happen again."""


class Parted(NamedTuple):
    """What a sentence is about, the thing it says of that, as it was written too, and the preposition before it."""

    topic: set[str]
    thing: set[str]
    written: str
    place: str = ""
    """With an `@` if the sentence only says where something is."""


def find_verb(words: Sequence[Word]) -> int | None:
    """Where the first verb is that we know, or that behind a clause in the subject; None if there is none."""
    found = None
    for i, word in enumerate(words):
        if word.marks & VERB and _is_verb(words, i):
            if word.raw[:1].islower():
                found = i
                break
            found = i if found is None else found  # perhaps a word of a title: `This Is It is`
    if found is not None and words[0].lower in DETERMINERS and any(word.marks & CLAUSE for word in words[2:found]):
        return max((i for i, word in enumerate(words) if word.lower == "is"), default=found)
    return found


def _is_verb(words: Sequence[Word], i: int) -> bool:
    """Whether such a word is one where it stands: `Stripe handles our payments`, but not `the handles are`."""
    lower = words[i].lower
    if lower in _VERBS or not i:
        return lower in _VERBS
    return lower not in OFFICES or (i + 1 < len(words) and words[i + 1].lower in _OURS)


def is_vague(words: Sequence[Word], verb: int | None) -> bool:
    """Whether a sentence does not say what it is about: `It is 30`, `The default is 30`, `See PEP 8`."""
    if words[0].lower in POINTERS:
        return True
    passed = SILENCE if verb is not None else SILENCE | OPPOSITE
    for word in words[:verb]:
        if not word.marks & passed and word.stem not in VAGUE and word.slot is None:
            return False
    return verb != 0 and not any(word.lower in _OWN for word in words[:verb])


def tells_the_past(words: Sequence[Word]) -> bool:
    """Whether a word such as `called` stands without an `is`: then it tells what happened, not what is so."""
    past = False
    for word in words:
        lower = word.lower
        if lower in COPULAS or lower in ("was", "been", "must"):
            return False
        past = past or (lower.endswith("ed") and len(lower) > 4 and lower not in _NO_PARTICIPLES)  # noqa: PLR2004
    return past


def without_light_verbs(topic: set[str], slot: Amount | Day | None) -> set[str]:
    """The words that say what an amount or a time is of. What starts on a day is on that day."""
    if isinstance(slot, Day) or (slot is not None and slot.dimension in _TIMES_OF_DAY):
        topic = topic - _STARTS or topic
    if {"take", "place"} <= topic:
        topic = topic - {"place"}
    return topic - _LIGHT or topic


def part(words: Sequence[Word], verb: int | None, marks: int) -> Parted | None:
    """The sentence, taken apart at its verb; None if it does not have one object at a time. `marks`: of all words."""
    kind = _kind(words) if marks & KIND and not marks & JOINT else None
    if kind is not None or verb is None:
        return kind
    left, right = words[:verb], [word for word in words[verb + 1 :] if word.lower not in ADVERBS]
    said = words[verb].lower
    if marks & JOINT:
        if said == "is":
            right = _without_title(right)
        if any(word.marks & JOINT and (i >= verb or not word.marks & CLAUSE) for i, word in enumerate((*left, *right))):
            return None
    if not right:
        return None
    if said in COPULAS and len(right) > 1 and right[0].lower in NAMING:
        right = right[1:]
    if said == "was" or (said in COPULAS and right[0].lower in _DONE):
        fits = left and left[0].lower not in INDEFINITE and (said != "was" or right[0].lower in EVENTS)
        return _placed(content_of(left), right) if fits else None
    return _is(left, said, right) if said in COPULAS else _acts(left, said, right)


def _acts(left: Sequence[Word], said: str, right: Sequence[Word]) -> Parted | None:
    """`SUBJECT does`, whatever it does."""
    first = right[0].lower
    if said in ("use", "uses"):
        return _uses(left, right)
    if said in INVERSE or (said in OFFICES and first in _OURS):
        fits = first not in INDEFINITE and (said in INVERSE or is_name(left))
        return Parted(content_of(right) | {even(said)}, content_of(left), show(left)) if fits else None
    if said == "takes":  # `takes place in`
        right = right[1:] if first == "place" else []
    if said not in RELATIONS or not right:
        return None
    hired = first == "for" and said in ("works", "work") and is_name(left)
    return _does(left, said, right) if hired or right[0].lower in _BEHIND_VERBS else None


def _kind(words: Sequence[Word]) -> Parted | None:
    """`SUBJECT plays the KIND of OBJECT`: where a name's kind is said, its owner has one of that kind."""
    for i in range(len(words) - 4, 1, -1):
        if words[i + 2].lower == "of" and words[i].lower == "the" and words[i + 1].marks & KIND:
            break
    else:
        return None
    before, thing = words[:i], words[i + 3 :]
    at = i - 2 if words[i - 1].lower in PLACES or words[i - 1].lower in POSITIONS else i - 1
    said = words[at].lower
    if at < 1 or said in SEVERAL or thing[0].lower in _BEFORE_NAMES:
        return None
    if not (said.endswith(("s", "ed")) or said in _DONE):
        return None  # what is before it is no verb
    if said.endswith("ed") and said not in _ONCE and tells_the_past(before):
        return None  # `worked in the city of`: and then in another
    return Parted(content_of(words[: i + 2]), content_of(thing), show(thing), words[i - 1].lower)


def _without_title(right: list[Word]) -> list[Word]:
    """`Tony Hall, Baron Hall of Birkenhead`: the name, without what is added to it."""
    commas = [i for i, word in enumerate(right) if word.lower == ","]
    if len(commas) == 1 and 0 < commas[0] < len(right) - 2 and is_name(right[: commas[0]]):
        return right[: commas[0]]
    return right


def is_name(words: Sequence[Word]) -> bool:
    """Whether this is written as a name is."""
    return bool(words) and words[0].lower not in _BEFORE_NAMES and not any(word.raw[:1].islower() for word in words)


def _does(left: Sequence[Word], said: str, right: Sequence[Word]) -> Parted | None:
    """`SUBJECT runs on OBJECT`."""
    if left and not said.endswith("s") and _PLURAL.search(left[-1].lower):
        return None  # `tests run on Linux`, and others of them elsewhere
    topic, place = content_of(left), right[0].lower
    if topic and even(said) in _LIGHT:
        place = "@" + place
    else:
        topic.add(even(said))
    return Parted(topic, content_of(right[1:]), _bare(right[1:]), place)


def _is(left: Sequence[Word], said: str, right: Sequence[Word]) -> Parted | None:
    """`SUBJECT is OBJECT`."""
    first, topic = right[0].lower, content_of(left)
    if not left or left[0].lower in INDEFINITE or first in _DEGREES:
        return None
    if first in INDEFINITE and len(right) > 3 and right[2].lower == "of" and right[1].stem in ROLES:  # noqa: PLR2004
        return Parted(topic | {right[1].stem}, content_of(right[3:]), _bare(right[3:]), "of")
    if first in _MANIFOLD or right[0].marks & OPPOSITE or first.endswith(_MANNERS):
        return None
    if first in PLACES:
        return Parted(topic, content_of(right[1:]), _bare(right[1:]), "@" + first)
    if first in DETERMINERS and left[0].lower not in DETERMINERS:  # `Bob is the lead`: the lead is Bob
        office = content_of(right)
        return None if left[-1].raw.islower() or office <= VAGUE else Parted(office, topic, _bare(left))
    return Parted(topic, content_of(right), _bare(right)) if _is_one(left, said, right) else None


def _is_one(left: Sequence[Word], said: str, right: Sequence[Word]) -> bool:
    """Whether what is said is a thing, and the only one: not so `the service is slow`, `Alice's friend is Bob`."""
    if left[0].lower in ("i", "we"):
        return False
    if left[-1].stem in MANY and any(word.lower.endswith(("'s", "\u2019s")) for word in left):
        return False
    if right[0].lower in DETERMINERS or (said != "are" and not ATTRIBUTES.isdisjoint(content_of(left))):
        return True
    if len(right) == 1 and _ADJECTIVE.search(right[0].raw):
        return False
    return any(_NAMED.search(word.raw) for word in right)


def _placed(topic: set[str], right: Sequence[Word]) -> Parted | None:
    """`SUBJECT is PARTICIPLE in OBJECT`."""
    if len(right) < 3:  # noqa: PLR2004
        return None
    first, place, rest = right[0].lower, right[1].lower, right[2:]
    fits = first in TIED if place == "to" else first in MEANS if place == "with" else place in _WHERE
    if place == "for":
        fits = first in DUE and is_name(rest)
    if not fits:
        return None
    return Parted(topic | {even(first)}, content_of(rest), _bare(rest), place)


def _uses(left: Sequence[Word], right: Sequence[Word]) -> Parted | None:
    """`We use OBJECT for SUBJECT`."""
    for i, word in enumerate(right):
        if i and word.lower in ("for", "as"):
            return Parted(content_of(left) | content_of(right[i + 1 :]), content_of(right[:i]), _bare(right[:i]))
    return None


def _bare(words: Sequence[Word]) -> str:
    return show([word for word in words if word.lower not in DETERMINERS])
