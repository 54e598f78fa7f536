"""From a name and a value to a claim: what it is about, and what it says of that.

Of a value the first sentence is read, at most 240 characters of it: a long value costs no more than a short one, and
what it claims further on is not compared. A value is either just an object (`Stripe`, `30 s`, `off`), and then the name
says what it is about; or a sentence, which says so itself (`The API timeout is 60 seconds`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from substrate.claims.amounts import Amount, Day
from substrate.claims.changes import as_it_holds, in_the_week, without_marker
from substrate.claims.doubts import with_nouns
from substrate.claims.lexicon import (
    COPULAS,
    COUNTERS,
    DATED,
    DETERMINERS,
    GENERIC,
    HAVE,
    PLACES,
    POLAR,
    POSITIONS,
    even,
)
from substrate.claims.sentences import find_verb, is_name, is_vague, part, tells_the_past, without_light_verbs
from substrate.claims.silent import is_silent
from substrate.claims.words import (
    BYGONE,
    CHANGE,
    CLAUSE,
    DENIAL,
    DOUBT,
    LISTING,
    PERSONAL,
    SILENCE,
    VERB,
    WEEKDAY,
    Word,
    begins_with_nobody,
    content_of,
    first_sentence,
    is_id,
    is_made_of,
    name_words,
    opposites,
    show,
    undenied,
    words_of,
)
from substrate.text.terms import unnamed

__all__ = ["NOBODY", "READ", "Claim", "ClaimKind", "drop_read", "pack_claim", "read_claim", "unpack_claim"]

READ: Final = 240
"""Characters of a value that are read."""
_REMEMBERED: Final = 10_000
"""Claims: what a checkpoint compares, the view takes in a moment later, and drops. No checkpoint has more."""
_TOPIC: Final = 12
"""Words of what a claim is about. Who takes more to say it, tells a story."""
_OBJECT: Final = 4
"""Words of an object."""
_NAME: Final = 3
"""Words of a name."""
_SENTENCE: Final = 20
"""Words of a sentence that is taken apart."""
_ENTITIES: Final = 8
_LONGEST_ENTITY: Final = 80
"""Entities that a claim keeps, and characters of one: a longer one is no name."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

NOBODY: Final = "nobody"
"""The place of a claim that nobody does something."""

ClaimKind: TypeAlias = Literal["number", "date", "thing", "truth"]


class Claim(NamedTuple):
    """What an atom claims. Words are in one form each, and sorted."""

    kind: ClaimKind
    """What is said: an amount, a date, a thing (another word), or that something is so or not so."""
    about: tuple[str, ...]
    """The words of the name; none if it was made of the value's own."""
    topic: tuple[str, ...]
    """What the sentence says it is about; empty if the value is an object."""
    written: str
    """The object as it was written, for people; the sentence if it says that something is so or not so."""
    thing: tuple[str, ...] = ()
    """What is said; of what is so, the words of the name that it is said of, if its sentence begins with one."""
    amount: Amount | None = None
    day: Day | None = None
    affirmed: bool = True
    many: bool = False
    """Whether its name is of what one can have several of."""
    place: str = ""
    """The preposition before the thing in its sentence, if any; with an `@` if it only says where something is.
    `NOBODY` of what nobody does."""
    whom: tuple[tuple[str, ...], ...] = ()
    """The words of each entity that it is stated to be about and does not name: `Lives in London` does not say who."""


def read_claim(name: str, value: str, entities: Sequence[str] = ()) -> Claim | None:
    """What the atom of this name claims by this value; None if nothing that could be compared was understood.

    `entities`: those that the atom lists. The same name, value and entities, the same claim.
    """
    claim = None if is_silent(name) else _read(name, value[:READ])
    return claim if claim is None or not entities else claim._replace(whom=_whom(claim, value, entities))


def pack_claim(claim: Claim) -> bytes:
    """As bytes, for a row of a table."""
    return _ENCODER.encode(claim if claim.whom else claim[:-1]).encode()


def unpack_claim(packed: bytes) -> Claim:
    """The claim of such bytes. ValueError if they are none."""
    try:
        kind, about, topic, written, thing, amount, day, affirmed, many, place, *whom = json.loads(packed)
        words = tuple(about), tuple(topic), str(written), tuple(thing)
        said = None if amount is None else Amount(*amount), None if day is None else Day(*day)
        (entities,) = whom or ((),)
        return Claim(kind, *words, *said, bool(affirmed), bool(many), str(place), tuple(map(tuple, entities)))
    except TypeError as error:
        raise ValueError(str(error)) from None


def drop_read() -> None:
    """Let go of what was read so far: it would only be read once more."""
    _read.cache_clear()
    _words.cache_clear()
    _entity_words.cache_clear()


def _whom(claim: Claim, value: str, entities: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The entities whose words are neither in the value, nor what it says of another: `PostgreSQL` is its Postgres."""
    said = {*claim.topic, *claim.thing}
    missing = islice(unnamed(value, (entity for entity in entities if len(entity) <= _LONGEST_ENTITY)), _ENTITIES)
    words = (_entity_words(entity) for entity in missing)
    return tuple(sorted({tuple(sorted(one)) for one in words if not (one <= said or one & set(claim.thing))}))


@lru_cache(maxsize=_REMEMBERED)
def _entity_words(entity: str) -> frozenset[str]:
    return frozenset(content_of(words_of(entity))) or frozenset((entity.casefold(),))


@lru_cache(maxsize=_REMEMBERED)  # of short values, such as `30 s`, many are the same
def _words(value: str) -> tuple[str, int, Sequence[Word]]:
    """The first sentence, of how many words an object has at most, and the words; none if there are too many."""
    sentence, short = first_sentence(without_marker(value))
    return sentence, short, tuple(words_of(sentence)) if sentence.count(" ") < _SENTENCE else ()


@lru_cache(maxsize=_REMEMBERED)
def _read(name: str, value: str) -> Claim | None:
    sentence, short, words = _words(value)
    if not words:
        return None
    marks = _marks(words)
    if marks & CHANGE:
        words = as_it_holds(words)
        marks = _marks(words)
    if marks & DOUBT:
        words = with_nouns(words)
        marks = _marks(words)
    if marks & DOUBT or (marks & BYGONE and _is_past(words)):
        return None
    about, many = ((), False) if is_made_of(name, value) else name_words(name)
    if marks & WEEKDAY and not many:
        words = in_the_week(words)
        marks = _marks(words)
    affirmed, nobody = True, False
    if marks & DENIAL:
        nobody = begins_with_nobody(words) > 0
        affirmed, words = undenied(words)
    verb = find_verb(words) if marks & VERB else None
    if not words or (verb is not None and not affirmed and not _is_main(words, verb)):
        return None  # `do`, `do not`: what denies or affirms, and nothing that it would be said of
    said = _Said(about, words, marks, affirmed, sentence, NOBODY if nobody and not affirmed else "")
    claim = None
    if verb is None and about and len(words) <= short and not _is_sentence(words, marks, affirmed=affirmed):
        claim = _read_object(said, many=many)
    if claim is None and not (verb is None and marks & CLAUSE):
        # In a clause, what is said is said of something within: `a stream that does not end`.
        claim = _read_sentence(said, verb)
    return claim


def _marks(words: Sequence[Word]) -> int:
    """Of which tables any of the words is."""
    marks = 0
    for word in words:
        marks |= word.marks
    return marks


class _Said(NamedTuple):
    """What is read: the words of the name, those of the sentence but for those that deny, and the sentence."""

    about: tuple[str, ...]
    words: Sequence[Word]
    marks: int
    affirmed: bool
    sentence: str
    nobody: str
    """`NOBODY` if nobody does what the words say."""

    def written(self, written: str) -> str:
        """How an object is shown: what denies is no part of its words."""
        return written if self.affirmed else self.sentence


def _is_main(words: Sequence[Word], verb: int) -> bool:
    """Whether a verb is that of the sentence, and not of a clause: `use 1 for tokens that are masked`."""
    return words[0].lower in DETERMINERS or not any(word.marks & CLAUSE for word in words[1:verb])


def _is_past(words: Sequence[Word]) -> bool:
    """Whether a word tells of the past, and not of what was done once and stays: `was founded by`.

    Not so in `are sent`, nor in a clause of the subject: `the school where she was taught is`.
    """
    lowers = [word.lower for word in words]
    if "was" in lowers and not DATED.isdisjoint(lowers):
        return False
    start = end = 0
    if lowers[0] == "the":
        start = next((i for i, word in enumerate(words) if i > 1 and word.marks & CLAUSE), 0)
        end = max((i for i, lower in enumerate(lowers) if lower == "is"), default=0) if start else 0
    return any(
        word.marks & BYGONE and not start < i < end and (not i or lowers[i - 1] not in COPULAS)
        for i, word in enumerate(words)
    )


def _is_sentence(words: Sequence[Word], marks: int, *, affirmed: bool) -> bool:
    """Whether words without a verb that we know look like a sentence all the same: `Bob eats meat`, `deploy on`."""
    if marks & PERSONAL:
        return len(words) > 1
    if len(words) < 3 or not affirmed:  # noqa: PLR2004
        return len(words) > 2  # noqa: PLR2004
    verbs = words[2:-1] if words[0].lower in DETERMINERS else words[1:2]
    return any(word.raw.islower() and (word.lower.endswith("s") or word.lower in ("can", "must")) for word in verbs)


# -- a value that is an object -----------------------------------------------------------------------------------------


def _read_object(said: _Said, *, many: bool) -> Claim | None:
    about, words, marks, affirmed = said[:4]
    if marks & LISTING:
        return None  # a list
    slots = [i for i, word in enumerate(words) if word.slot is not None]
    if len(slots) == 1 and _is_amount(about, words, slots[0]):
        return _read_slot(about, (), words[slots[0]].slot, show(words)) if affirmed else None
    if len(words) == 1 and words[0].lower in POLAR:
        one, plus = POLAR[words[0].lower]
        return Claim("truth", about, tuple(sorted({*about, one})), said.sentence, affirmed=affirmed == plus)
    thing = {word.stem for word in words if not word.marks & SILENCE}
    if not 0 < len(thing) <= _OBJECT or (len(words) > 1 and _is_phrase(words)):
        return None
    if len(words) == 1 and set(about).issuperset(map(even, words[0].lower.replace("_", ".").split("."))):
        return None  # its own name
    return Claim("thing", about, (), said.written(show(words)), tuple(sorted(thing)), affirmed=affirmed, many=many)


def _is_amount(about: tuple[str, ...], words: Sequence[Word], at: int) -> bool:
    """Whether the amount is all that words say, but for what is counted, or what the name says too."""
    if _is_label(words, at, named=False):
        return words[at - 1].stem in about
    left = content_of([*words[:at], *words[at + 1 :]]) - GENERIC - set(about)
    return not left or (len(left) == 1 and (not at or words[0].raw.islower()))


def _is_phrase(words: Sequence[Word]) -> bool:
    """Whether words say more than a name does: `Tools for signal generation`, but not `University of Oxford`."""
    if words[0].slot is None and not words[0].raw.isascii() and any(word.slot is not None for word in words):
        return True  # a script without spaces: a sentence, as far as we can tell
    if all(word.lower not in PLACES and word.lower not in POSITIONS for word in words[1:-1]):
        return False
    return any(word.raw.islower() and not word.marks & SILENCE for word in words)


def _read_slot(about: tuple[str, ...], topic: tuple[str, ...], slot: Amount | Day | None, written: str) -> Claim:
    if isinstance(slot, Day):
        return Claim("date", about, topic, written, day=slot)
    return Claim("number", about, topic, written, amount=slot)


# -- a value that is a sentence ----------------------------------------------------------------------------------------


def _read_sentence(said: _Said, verb: int | None) -> Claim | None:
    about, words, marks, affirmed, sentence, nobody = said
    context: tuple[str, ...] = ()
    if is_vague(words, verb):
        if not about or is_id(about):
            return None  # of what, nobody knows
        context = about
    # A number before the verb says which one is meant, as in `Error 404 means`: it belongs to the subject.
    slots = [
        i
        for i, word in enumerate(words)
        if word.slot is not None and (verb is None or i > verb) and not _is_label(words, i, named=not verb)
    ]
    if not verb and slots and _is_fragment(words, slots[0]):
        return None
    if len(slots) == 1 and affirmed and not tells_the_past(words):
        (at,) = slots
        topic = content_of([*words[:at], *words[at + 1 :]])
        if 0 < len(topic) <= _TOPIC:
            topic = without_light_verbs(topic, words[at].slot).union(context)
            return _read_slot(about, tuple(sorted(topic)), words[at].slot, words[at].raw)
    # A weekday that is not what is said tells when: `runs on Mondays`, and on others too.
    parted = None if slots or marks & WEEKDAY else part(words, verb, marks)
    if parted is not None and 0 < len(parted.topic) <= _TOPIC and 0 < len(parted.thing) <= _OBJECT:
        of, thing = tuple(sorted(parted.topic.union(context))), tuple(sorted(parted.thing))
        return Claim("thing", about, of, said.written(parted.written), thing, affirmed=affirmed, place=parted.place)
    topic, plus = opposites(words[verb or 0 :], said=verb is not None)
    topic |= content_of(words[: verb or 0])
    if not 0 < len(topic) <= _TOPIC:
        return None
    who = () if nobody else _who(words)
    of = tuple(sorted(topic.union(context)))
    return Claim("truth", about, of, sentence, who, affirmed=affirmed == plus, place=nobody)


def _who(words: Sequence[Word]) -> tuple[str, ...]:
    """The words of a name at the beginning of a sentence, if it says what that does: `Ann Lee reviews it`."""
    at = next((i for i, word in enumerate(words) if word.raw[:1].islower()), 0)
    does = at and (words[at].lower in COPULAS or words[at].lower in HAVE or words[at].lower.endswith(("s", "ed")))
    is_one = at <= _NAME and words[0].raw[:1].isalpha() and is_name(words[:at])
    return tuple(sorted(content_of(words[:at]))) if does and is_one else ()


def _is_fragment(words: Sequence[Word], at: int) -> bool:
    """Whether words without a verb that we know are a heading, or a line of a list of changes, that has a number there.

    `Version 1.15a`, `Closes: #698479`, `New upstream version 2.36`, `Ann Lee, August 2009`: which one is told, and
    nothing of a subject. Not so of an amount, of how many (`Merges need two approvals`), nor of what is on a day.
    """
    slot = words[at].slot
    if words[0].lower in DETERMINERS or words[0].marks & PERSONAL:
        return False
    if isinstance(slot, Day):
        return not at or words[at - 1].lower not in ("on", "by")
    if slot is not None:
        if slot.dimension not in ("", "version"):
            return False
        behind = words[at + 1] if at + 1 < len(words) else None
        if slot.number.is_integer() and behind is not None and behind.raw[:1].islower() and not behind.marks & SILENCE:
            return slot.dimension == "version"
    return True


def _is_label(words: Sequence[Word], i: int, *, named: bool) -> bool:
    """Whether a bare number says which one is meant: `scene 4`; where it stands beside a name, `Visual Studio 2008`."""
    slot = words[i].slot
    if not i or not isinstance(slot, Amount) or slot.dimension or not slot.written.isdigit():
        return False
    before = words[i - 1]
    return before.stem in COUNTERS or (named and before.raw[:1].isupper())
