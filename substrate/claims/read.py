"""From a name and a value to a claim: what it is about, and what it says of that.

Of a value the first sentence is read, at most 240 characters of it: a long value costs no more than a short one, and
what it claims further on is not compared. A value is either just an object (`Stripe`, `30 s`, `off`), and then the name
says what it is about; or a sentence, which says so itself (`The API timeout is 60 seconds`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from substrate.claims.amounts import Amount, Day
from substrate.claims.lexicon import EVENTS, GENERIC, NOT_NOW, PAST, POLAR, SILENT, even
from substrate.claims.sentences import find_verb, part, tells_the_past, without_light_verbs
from substrate.claims.words import Word, content_of, first_sentence, name_words, opposites, show, undenied, words_of

__all__ = ["READ", "Claim", "ClaimKind", "drop_read", "pack_claim", "read_claim", "unpack_claim"]

READ: Final = 240
"""Characters of a value that are read."""
_REMEMBERED: Final = 10_000
"""Claims: what a checkpoint compares, the view takes in a moment later, and drops. No checkpoint has more."""
_TOPIC: Final = 12
"""Words of what a claim is about. Who takes more to say it, tells a story."""
_OBJECT: Final = 4
"""Words of an object."""
_SHORT: Final = 5
"""Words of a value without a verb."""
_SENTENCE: Final = 20
"""Words of a sentence that is taken apart."""
_SILENT_TYPES: Final = frozenset(("chunk", "document", "entity", "task", "hub", "domain"))
"""Types of atoms that claim nothing: texts of others, what they speak of, things to do, places to gather at."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

ClaimKind: TypeAlias = Literal["number", "date", "thing", "truth"]


class Claim(NamedTuple):
    """What an atom claims. Words are in one form each, and sorted."""

    kind: ClaimKind
    """What is said: an amount, a date, a thing (another word), or that something is so or not so."""
    about: tuple[str, ...]
    """The words of the name."""
    topic: tuple[str, ...]
    """What the sentence says it is about; empty if the value is an object."""
    written: str
    """The object as it was written, for people; the sentence if it says that something is so or not so."""
    thing: tuple[str, ...] = ()
    amount: Amount | None = None
    day: Day | None = None
    affirmed: bool = True
    many: bool = False
    """Whether its name is of what one can have several of."""
    place: str = ""
    """The preposition before the thing in its sentence, if any; with an `@` if it only says where something is."""


def read_claim(name: str, value: str) -> Claim | None:
    """What the atom of this name claims by this value; None if nothing that could be compared was understood.

    The same name and value, the same claim.
    """
    if name.partition(".")[2].partition(".")[0] in _SILENT_TYPES:
        return None
    return _read(name, value[:READ])


def pack_claim(claim: Claim) -> bytes:
    """As bytes, for a row of a table."""
    return _ENCODER.encode(claim).encode()


def unpack_claim(packed: bytes) -> Claim:
    """The claim of such bytes. ValueError if they are none."""
    try:
        kind, about, topic, written, thing, amount, day, affirmed, many, place = json.loads(packed)
        words = tuple(about), tuple(topic), str(written), tuple(thing)
        said = None if amount is None else Amount(*amount), None if day is None else Day(*day)
        return Claim(kind, *words, *said, bool(affirmed), bool(many), str(place))
    except TypeError as error:
        raise ValueError(str(error)) from None


def drop_read() -> None:
    """Let go of what was read so far: it would only be read once more."""
    _read.cache_clear()


@lru_cache(maxsize=_REMEMBERED)
def _read(name: str, value: str) -> Claim | None:
    sentence = first_sentence(value)
    words = words_of(sentence) if sentence.count(" ") < _SENTENCE else []
    if not words:
        return None
    lowers = {word.lower for word in words}
    if not NOT_NOW.isdisjoint(lowers):
        return None
    if not PAST.isdisjoint(lowers) and ("was" not in lowers or EVENTS.isdisjoint(lowers)):
        return None
    about, many = name_words(name)
    affirmed, words = undenied(words)
    if not words:
        return None  # `do`, `do not`: what denies or affirms, and nothing that it would be said of
    verb = find_verb(words)
    claim = None
    if verb is None and about and len(words) <= _SHORT and not _is_sentence(words, affirmed=affirmed):
        claim = _read_object(about, words, affirmed=affirmed, many=many)
    if claim is None:
        claim = _read_sentence(about, words, verb, affirmed=affirmed)
    if claim is not None and (claim.kind == "truth" or not affirmed):
        return claim._replace(written=sentence)  # what denies is no part of its words
    return claim


def _is_sentence(words: Sequence[Word], *, affirmed: bool) -> bool:
    """Whether words without a verb that we know look like a sentence all the same: `Bob eats meat`, `deploy on`."""
    if any(word.lower in ("i", "we", "you", "on", "to") for word in words):
        return len(words) > 1
    return len(words) > 2 and (not affirmed or (words[1].lower.endswith("s") and words[1].raw.islower()))  # noqa: PLR2004


# -- a value that is an object -----------------------------------------------------------------------------------------


def _read_object(about: tuple[str, ...], words: Sequence[Word], *, affirmed: bool, many: bool) -> Claim | None:
    slots = [word for word in words if word.slot is not None]
    plain = [word for word in words if word.slot is None]
    if any(word.lower in (",", "and", "or", "/", "&", "+") for word in plain):
        return None  # a list
    left = content_of(plain) - set(about) - GENERIC
    counted = words[0].slot is not None or words[0].raw.islower()
    if len(slots) == 1 and (not left or (len(left) == 1 and counted)):
        return _read_slot(about, (), slots[0].slot, show(words)) if affirmed else None
    if slots and words[0].slot is None and not words[0].raw.isascii():
        return None  # a script without spaces: a sentence, as far as we can tell
    if len(words) == 1 and words[0].lower in POLAR:
        one, plus = POLAR[words[0].lower]
        return Claim("truth", about, tuple(sorted({*about, one})), show(words), affirmed=affirmed == plus)
    thing = {even(word.lower or word.raw.lower()) for word in words if word.lower not in SILENT}
    if not thing or len(thing) > _OBJECT:
        return None
    return Claim("thing", about, (), show(words), tuple(sorted(thing)), affirmed=affirmed, many=many)


def _read_slot(about: tuple[str, ...], topic: tuple[str, ...], slot: Amount | Day | None, written: str) -> Claim:
    if isinstance(slot, Day):
        return Claim("date", about, topic, written, day=slot)
    return Claim("number", about, topic, written, amount=slot)


# -- a value that is a sentence ----------------------------------------------------------------------------------------


def _read_sentence(about: tuple[str, ...], words: Sequence[Word], verb: int | None, *, affirmed: bool) -> Claim | None:
    # A number before the verb says which one is meant, as in `Error 404 means`: it belongs to the subject.
    slots = [i for i, word in enumerate(words) if word.slot is not None and (verb is None or i > verb)]
    if len(slots) == 1 and affirmed and not tells_the_past(words):
        (at,) = slots
        topic = content_of([*words[:at], *words[at + 1 :]])
        if 0 < len(topic) <= _TOPIC:
            return _read_slot(about, tuple(sorted(without_light_verbs(topic))), words[at].slot, words[at].raw)
    parted = part(words, verb) if verb is not None and not slots else None
    if parted is not None and 0 < len(parted.topic) <= _TOPIC and 0 < len(parted.thing) <= _OBJECT:
        of, thing = tuple(sorted(parted.topic)), tuple(sorted(parted.thing))
        return Claim("thing", about, of, parted.written, thing, affirmed=affirmed, place=parted.place)
    subject = content_of(words[: verb or 0])
    predicate, plus = opposites(words[verb or 0 :])
    topic = subject | predicate
    if not 0 < len(topic) <= _TOPIC:
        return None
    return Claim("truth", about, tuple(sorted(topic)), show(words), affirmed=affirmed == plus)
