"""What a sentence is about, and the thing that it says of it: `The payment provider is Adyen`, `We use Kafka for logs`.

Only sentences are taken apart of which the object is the only one there can be at a time. `Alice likes tea` is not one:
she may like coffee as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from substrate.claims.lexicon import (
    ADVERBS,
    ATTRIBUTES,
    COPULAS,
    DETERMINERS,
    HAVE,
    INDEFINITE,
    INVERSE,
    PLACES,
    POLAR,
    POSITIONS,
    RELATIONS,
    even,
)
from substrate.claims.words import UN, Word, content_of, show

__all__ = ["Parted", "find_verb", "part", "tells_the_past", "without_light_verbs"]

_JOINED: Final = frozenset((",", "and", "or", "than", "because", "that", "which"))
"""Who says more than one thing is not taken apart."""
_LIGHT: Final = frozenset(
    even(word) for word in ("use", "run", "take", "have", "reach", "listen", "need", "get", "hold", "keep", "set", "up")
)
"""Verbs that add nothing to what an amount is of."""
_BEHIND_VERBS: Final = PLACES - {"with", "from", "by"}
_MANIFOLD: Final = INDEFINITE | POSITIONS | {"run"}
"""What begins an object that is one of many: `is a customer`, `is behind a VPN`, `are run on Linux`."""
_PLURAL: Final = re.compile(r"[^sui]s$")
_NO_PARTICIPLES: Final = ("need", "speed", "feed", "seed")


class Parted(NamedTuple):
    """What a sentence is about, the thing it says of that, as it was written too, and the preposition before it."""

    topic: set[str]
    thing: set[str]
    written: str
    place: str = ""
    """With an `@` if the sentence only says where something is."""


def find_verb(words: Sequence[Word]) -> int | None:
    """Where the first verb is that we know; None if there is none."""
    for i, word in enumerate(words):
        lower = word.lower
        if lower in RELATIONS or lower in INVERSE or (i and (lower in COPULAS or lower in HAVE or lower == "was")):
            return i
    return None


def tells_the_past(words: Sequence[Word]) -> bool:
    """Whether a word such as `called` stands without an `is`: then it tells what happened, not what is so."""
    for word in words:
        if word.lower in COPULAS or word.lower in ("was", "been", "must"):
            return False
        if word.lower.endswith("ed") and len(word.lower) > 4 and word.lower not in _NO_PARTICIPLES:  # noqa: PLR2004
            return True
    return False


def without_light_verbs(topic: set[str]) -> set[str]:
    """The words that say what an amount is of."""
    if {"take", "place"} <= topic:
        topic = topic - {"place"}
    return topic - _LIGHT or topic


def part(words: Sequence[Word], verb: int) -> Parted | None:
    """The sentence, taken apart at its verb; None if it does not have one object at a time."""
    left, right = words[:verb], [word for word in words[verb + 1 :] if word.lower not in ADVERBS]
    said = words[verb].lower
    if not right or any(word.lower in _JOINED for word in words):
        return None
    if said in COPULAS:
        return _is(left, right)
    if said in ("use", "uses"):
        return _uses(right)
    if said in INVERSE:
        return Parted(content_of(right) | {even(said)}, content_of(left), show(left))
    if said == "takes":  # `takes place in`
        right = right[1:] if right[0].lower == "place" else []
    return _does(left, said, right) if said in RELATIONS and right and right[0].lower in _BEHIND_VERBS else None


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


def _is(left: Sequence[Word], right: Sequence[Word]) -> Parted | None:
    """`SUBJECT is OBJECT`."""
    first = right[0].lower
    if not left or left[0].lower in INDEFINITE or first in _MANIFOLD or first in POLAR or UN.match(first):
        return None
    topic = content_of(left)
    if first in PLACES:
        return Parted(topic, content_of(right[1:]), _bare(right[1:]), "@" + first)
    if first.endswith(("ing", "ed", "kept", "held", "written")):
        placed = len(right) > 2 and right[1].lower in PLACES and not first.endswith("ing")  # noqa: PLR2004
        rest = right[2:]
        return Parted(topic | {even(first)}, content_of(rest), _bare(rest), right[1].lower) if placed else None
    if first in DETERMINERS and left[0].lower not in DETERMINERS:
        return Parted(content_of(right), topic, _bare(left))  # `Bob is the lead`: the lead is Bob
    named = any(not word.raw.islower() or not word.raw.isalpha() for word in right) or first in DETERMINERS
    if not named and ATTRIBUTES.isdisjoint(topic):
        return None  # `the service is slow`: it may be much else besides
    return None if left[0].lower in ("i", "we") else Parted(topic, content_of(right), _bare(right))


def _uses(right: Sequence[Word]) -> Parted | None:
    """`We use OBJECT for SUBJECT`."""
    for i, word in enumerate(right):
        if i and word.lower in ("for", "as"):
            return Parted(content_of(right[i + 1 :]), content_of(right[:i]), _bare(right[:i]))
    return None


def _bare(words: Sequence[Word]) -> str:
    return show([word for word in words if word.lower not in DETERMINERS])
