"""From a name and a value to a claim: what it is about, and what it says of that.

Of a value the first sentence is read, at most 240 characters of it: a long value costs no more than a short one, and
what it claims further on is not compared. A value is either just an object (`Stripe`, `30 s`, `off`), and then the name
says what it is about; or a sentence, which says so itself (`The API timeout is 60 seconds`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from substrate.claims.amounts import Amount, Day, find_slots
from substrate.claims.lexicon import (
    ADVERBS,
    ATTRIBUTES,
    COPULAS,
    DETERMINERS,
    EVENTS,
    GENERIC,
    HAVE,
    INDEFINITE,
    INVERSE,
    MANY,
    NEGATIONS,
    NOISE,
    NOT_NOW,
    PAST,
    PLACES,
    POLAR,
    RELATIONS,
    SILENT,
    SWITCHES,
    even,
)

__all__ = ["READ", "Claim", "Kind", "pack_claim", "read_claim", "unpack_claim"]

READ: Final = 240
"""Characters of a value that are read."""
_REMEMBERED: Final = 10_000
"""Claims: what a checkpoint compares, the view takes in a moment later."""
_LONGEST: Final = 12
"""Words of what a claim is about. Who takes more to say it, tells a story."""
_OBJECT: Final = 4
"""Words of an object."""
_SHORT: Final = 5
"""Words of a value that is an object without a verb."""

Kind: TypeAlias = Literal["number", "date", "thing", "truth"]


class Claim(NamedTuple):
    """What an atom claims. Words are evened and sorted."""

    kind: Kind
    """What is said: an amount, a date, a thing (another word), or that something is so or not so."""
    about: tuple[str, ...]
    """The words of the name."""
    topic: tuple[str, ...]
    """What the sentence says it is about; empty if the value is an object."""
    thing: tuple[str, ...]
    amount: Amount | None
    day: Day | None
    affirmed: bool
    many: bool
    """Whether its name is of what one can have several of."""
    written: str
    """The object as it was written, for people."""


class _Word(NamedTuple):
    """A word as written, in small letters, or an amount or date in its place."""

    raw: str
    lower: str
    slot: Amount | Day | None = None


_SENTENCE: Final = re.compile(r"[\n\r;!]|[.?](?=\s|$)|\s[-\u2013\u2014]\s|\(")
_TOKEN: Final = re.compile(r"[^\W\d]+['\u2019][^\W\d]+|[\w@/#+&]+(?:[-.:@/_][\w@/#+&]+)*|,")
_NAME_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+\d*|\d+|[^\W_]+")
_SPLIT: Final = re.compile(r"(\d+)")
_SINGULAR: Final = frozenset(["terms", "hours", "days", "headquarters", "news", "series", "address", "alias"])
_UN: Final = re.compile(r"un(?=[a-z]{5,}ed$)")


@lru_cache(maxsize=_REMEMBERED)
def _read(name: str, value: str) -> Claim | None:
    sentence = _first_sentence(value)
    if sentence is None:
        return None
    about, many = _read_name(name)
    words = _words(sentence)
    if not words or len(words) > 4 * _OBJECT + _LONGEST:
        return None
    lowers = {word.lower for word in words}
    if not NOT_NOW.isdisjoint(lowers):
        return None
    if not PAST.isdisjoint(lowers) and not ("was" in lowers and not EVENTS.isdisjoint(lowers)):
        return None
    affirmed, words = _negation(words)
    verb = _verb(words)
    if verb is None and len(words) <= _SHORT and about and not _tells(words, affirmed=affirmed):
        claim = _object(about, words, affirmed=affirmed, many=many)
        if claim is not None:
            return claim
    return _sentence(about, words, verb, affirmed=affirmed)


def read_claim(name: str, value: str) -> Claim | None:
    """What the atom of this name claims by this value; None if nothing that could be compared was understood.

    Deterministic: the same name and value, the same claim.
    """
    return _read(name, value[:READ])


def pack_claim(claim: Claim) -> bytes:
    """As bytes, for a row of a table."""
    return json.dumps(claim, ensure_ascii=False, separators=(",", ":")).encode()


def unpack_claim(packed: bytes) -> Claim:
    """The claim of such bytes. ValueError if they are none."""
    try:
        kind, about, topic, thing, amount, day, affirmed, many, written = json.loads(packed)
        return Claim(
            kind,
            tuple(about),
            tuple(topic),
            tuple(thing),
            None if amount is None else Amount(*amount),
            None if day is None else Day(*day),
            bool(affirmed),
            bool(many),
            str(written),
        )
    except TypeError as error:
        raise ValueError(str(error)) from None


# -- words -------------------------------------------------------------------------------------------------------------


def _first_sentence(value: str) -> str | None:
    text = value.strip().strip("`\"' ")
    end = _SENTENCE.search(text)
    if end is None:
        return text or None
    if end[0] == "?":
        return None
    return text[: end.start()].strip() or None


@lru_cache(maxsize=_REMEMBERED)
def _read_name(name: str) -> tuple[tuple[str, ...], bool]:
    """The words of a name behind its type, and whether it is of what one can have several of."""
    rest = name.split(".", 2)[-1]
    raw = [part.lower() for piece in rest.replace("_", " ").replace(".", " ").split() for part in _pieces(piece)]
    words = [even(part) for part in raw]
    kept = {word for word in words if word not in NOISE and word not in SILENT}
    kept = kept or set(words)
    if all(word.isdigit() for word in kept):
        return (), False
    last = raw[-1]
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is", "os")) and last not in _SINGULAR
    return tuple(sorted(_joined(kept))), plural or words[-1] in MANY


def _pieces(piece: str) -> list[str]:
    return _NAME_WORD.findall(piece) if not piece.islower() else [piece]


def _joined(words: set[str]) -> set[str]:
    """What is one word to some and two to others."""
    for first, second, one in (("time", "zone", even("timezone")), ("time", "out", even("timeout"))):
        if first in words and second in words:
            words = (words - {first, second}) | {one}
    return words


def _words(sentence: str) -> list[_Word]:
    lowered = sentence.lower()
    if len(lowered) != len(sentence):  # places differ: `İ` is two characters in small letters
        sentence = lowered
    words: list[_Word] = []
    at = 0
    for slot in find_slots(lowered if lowered.isascii() else _spaced(lowered)) if sentence else ():
        words += _plain(sentence[at : slot.start])
        words.append(_Word(sentence[slot.start : slot.end].strip(), "", slot.said))
        at = slot.end
    words += _plain(sentence[at:])
    return words


def _spaced(text: str) -> str:
    """Characters of scripts without spaces as spaces, in place, so that a number between them stands alone."""
    return "".join(" " if character > "\u2e80" else character for character in text)


def _plain(text: str) -> list[_Word]:
    return [_Word(raw, raw.lower()) for raw in _TOKEN.findall(text)]


def _negation(words: list[_Word]) -> tuple[bool, list[_Word]]:
    """Whether the sentence affirms, and its words without those that deny."""
    affirmed, kept = True, []
    for word in words:
        lower = word.lower.replace("\u2019", "'")
        if lower.endswith("n't"):
            affirmed = not affirmed
            stem = lower[:-3]
            if stem in COPULAS or stem in HAVE:
                kept.append(_Word(stem, stem))
        elif lower in NEGATIONS and len(words) > 1:
            affirmed = not affirmed
        elif lower not in ("do", "does", "always"):
            kept.append(word)
    return affirmed, kept


def _content(words: Sequence[_Word]) -> set[str]:
    """The words that say something, evened."""
    return _joined({even(word.lower or word.raw.lower()) for word in words if word.lower not in SILENT} - {","})


def _polar(words: Sequence[_Word]) -> tuple[set[str], bool]:
    """The same, opposites as one word, and whether they come to an affirmation."""
    affirmed, kept, plain = True, set(), []
    last = len(words) - 1
    for i, word in enumerate(words):
        if word.lower in POLAR and (word.lower not in SWITCHES or i == last):
            one, plus = POLAR[word.lower]
            kept.add(one)
            affirmed = affirmed == plus
        elif _UN.match(word.lower):
            kept.add(even(word.lower[2:]))
            affirmed = not affirmed
        else:
            plain.append(word)
    return kept | _content(plain), affirmed


def _tells(words: Sequence[_Word], *, affirmed: bool) -> bool:
    """Whether words without a verb that we know look like a sentence all the same: `Bob eats meat`, `deploy on`."""
    if any(word.lower in ("i", "we", "you", "on", "to") for word in words):
        return len(words) > 1
    return len(words) > 2 and (not affirmed or (words[1].lower.endswith("s") and words[1].raw.islower()))  # noqa: PLR2004


# -- objects -----------------------------------------------------------------------------------------------------------


def _object(about: tuple[str, ...], words: list[_Word], *, affirmed: bool, many: bool) -> Claim | None:
    """A value without a verb: what the name is."""
    slots = [word for word in words if word.slot is not None]
    plain = [word for word in words if word.slot is None]
    if any(word.lower in (",", "and", "or", "/", "&", "+") for word in plain):
        return None  # a list
    content = _content(plain)
    written = " ".join(word.raw for word in words)
    left = content - set(about) - GENERIC
    if len(slots) == 1 and (not left or (len(left) == 1 and (words[0].slot is not None or words[0].raw.islower()))):
        return _slotted(about, (), slots[0].slot, written, affirmed=affirmed, exact=not left)
    if slots and words[0].slot is None and not words[0].raw.isascii():
        return None  # a script without spaces: a sentence, as far as we can tell
    last = plain[-1].lower if plain else ""
    if len(plain) == 1 and last in POLAR and not slots:
        one, plus = POLAR[last]
        topic = tuple(sorted({*about, one}))
        return Claim("truth", about, topic, (), None, None, affirmed == plus, many=False, written=written)
    thing = {even(word.lower or word.raw.lower()) for word in words if word.lower not in SILENT}
    if not thing or len(thing) > _OBJECT:
        return None
    return Claim("thing", about, (), tuple(sorted(thing)), None, None, affirmed, many, written)


def _slotted(  # noqa: PLR0913
    about: tuple[str, ...],
    topic: tuple[str, ...],
    slot: Amount | Day | None,
    written: str,
    *,
    affirmed: bool,
    exact: bool = True,
) -> Claim | None:
    if not affirmed or (not exact and isinstance(slot, Day)):
        return None  # what it is not, says little of what it is
    if isinstance(slot, Day):
        return Claim("date", about, topic, (), None, slot, affirmed=True, many=False, written=written)
    return Claim("number", about, topic, (), slot, None, affirmed=True, many=False, written=written)


# -- sentences ---------------------------------------------------------------------------------------------------------


def _verb(words: Sequence[_Word]) -> int | None:
    """Where the first verb is that we know; None if there is none."""
    for i, word in enumerate(words):
        if i and (word.lower in COPULAS or word.lower in HAVE):
            return i
        if word.lower in RELATIONS or word.lower in INVERSE or (i and word.lower == "was"):
            return i
    return None


def _is_past(words: Sequence[_Word]) -> bool:
    """Whether a word such as `called` stands without an `is`: then it tells what happened."""
    for i, word in enumerate(words):
        if word.lower.endswith("ed") and len(word.lower) > 4 and word.lower not in ("need", "speed", "feed"):  # noqa: PLR2004
            before = {earlier.lower for earlier in words[:i]}
            if before.isdisjoint(COPULAS | {"was", "been", "must"}):
                return True
    return False


def _sentence(about: tuple[str, ...], words: list[_Word], verb: int | None, *, affirmed: bool) -> Claim | None:
    slots = [i for i, word in enumerate(words) if word.slot is not None and (verb is None or i > verb)]
    if len(slots) == 1 and affirmed and not _is_past(words):
        topic = _content([word for i, word in enumerate(words) if i != slots[0]])
        if topic and len(topic) <= _LONGEST:
            written = words[slots[0]].raw
            return _slotted(about, tuple(sorted(_without_verbs(topic))), words[slots[0]].slot, written, affirmed=True)
    if verb is not None and not slots:
        parted = _parted(words, verb)
        if parted is not None:
            topic, thing, written = parted
            if topic and 0 < len(thing) <= _OBJECT and len(topic) <= _LONGEST:
                return Claim(
                    "thing",
                    about,
                    tuple(sorted(topic)),
                    tuple(sorted(thing)),
                    None,
                    None,
                    affirmed,
                    many=False,
                    written=written,
                )
    split = 0 if verb is None else verb
    left = _content(words[:split])
    right, plus = _polar(words[split:])
    topic = left | right
    if not topic or len(topic) > _LONGEST:
        return None
    written = " ".join(word.raw for word in words)
    return Claim("truth", about, tuple(sorted(topic)), (), None, None, affirmed == plus, many=False, written=written)


_LIGHT: Final = frozenset(
    even(word)
    for word in [
        "use",
        "run",
        "take",
        "have",
        "reach",
        "listen",
        "need",
        "get",
        "contain",
        "hold",
        "keep",
        "set",
        "up",
        "take",
    ]
)
"""Verbs that add nothing to what an amount is of."""


def _without_verbs(topic: set[str]) -> set[str]:
    if {"take", "place"} <= topic:
        topic = topic - {"place"}
    return topic - _LIGHT or topic


def _parted(words: list[_Word], verb: int) -> tuple[set[str], set[str], str] | None:
    """What a sentence is about, and the thing that it says of it; None if it has no single object."""
    left, right = words[:verb], [word for word in words[verb + 1 :] if word.lower not in ADVERBS]
    said = words[verb].lower
    if not right or any(word.lower in (",", "and", "or", "than", "because", "that", "which") for word in words):
        return None
    if said in COPULAS:
        return _named(left, right) if left and left[0].lower not in INDEFINITE else None
    if said in ("use", "uses"):
        return _used(right)
    if said in INVERSE:
        return _content(right) | {even(said)}, _content(left), _shown(left)
    if said == "takes":
        right = right[1:] if right[0].lower == "place" else []
        left = [*left, _Word("@", "@")]
    if said in RELATIONS and right and right[0].lower in PLACES - {"with", "from", "by"}:
        thing = right[1:]
        topic = _content(left) | ({even(said)} - _LIGHT) - {"@"}
        return (topic - {"@"}) or {even(said)}, _content(thing), _shown(thing)
    return None


def _named(left: list[_Word], right: list[_Word]) -> tuple[set[str], set[str], str] | None:
    """`SUBJECT is OBJECT`."""
    first = right[0].lower
    if first in INDEFINITE or first in POLAR or _UN.match(first):
        return None
    topic = _content(left)
    if first in PLACES:
        return topic | {"@" + first}, _content(right[1:]), _shown(right[1:])
    if len(right) > 2 and right[1].lower in PLACES and first.endswith(("ed", "kept", "held", "written")):  # noqa: PLR2004
        return topic | {even(first)}, _content(right[2:]), _shown(right[2:])
    if first.endswith(("ing", "ed")):
        return None
    if first in DETERMINERS:
        if left[0].lower in DETERMINERS:
            return topic, _content(right), _shown(right)
        return _content(right), topic, _shown(left)  # `Bob is the lead`: the lead is Bob
    named = any(not word.raw.islower() or not word.raw.isalpha() for word in right)
    if named and left[0].lower not in DETERMINERS and left[0].lower in ("i", "we"):
        return None
    if not named and ATTRIBUTES.isdisjoint(topic):
        return None  # `the service is slow`: it may be much else besides
    return topic, _content(right), _shown(right)


def _used(right: list[_Word]) -> tuple[set[str], set[str], str] | None:
    """`We use OBJECT for SUBJECT`."""
    for i, word in enumerate(right):
        if i and word.lower in ("for", "as"):
            return _content(right[i + 1 :]), _content(right[:i]), _shown(right[:i])
    return None


def _shown(words: Sequence[_Word]) -> str:
    return " ".join(word.raw for word in words if word.lower not in DETERMINERS)
