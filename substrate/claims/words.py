"""The words of a name and of a sentence: what they deny, which of them say something, in one form each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import normalize

from substrate.claims.amounts import WEEKDAYS, Amount, Day, find_slots
from substrate.claims.lexicon import (
    ADDING,
    CHANGES,
    CLAUSES,
    COPULAS,
    COUNTING,
    DETERMINERS,
    HAVE,
    IDS,
    INVERSE,
    JOINTS,
    KINDS,
    LABELS,
    MANY,
    NEGATIONS,
    NOISE,
    NOT_NOW,
    OFFICES,
    PAST,
    PLACES,
    POLAR,
    POSITIONS,
    RELATIONS,
    SILENT,
    SWITCHES,
    URGES,
    even,
)
from substrate.names import slug_of

__all__ = [
    "BYGONE",
    "CHANGE",
    "CLAUSE",
    "DENIAL",
    "DOUBT",
    "JOINT",
    "KIND",
    "LISTING",
    "OPPOSITE",
    "PERSONAL",
    "SILENCE",
    "UN",
    "VERB",
    "WEEKDAY",
    "Sentence",
    "Word",
    "begins_with_nobody",
    "content_of",
    "first_sentence",
    "is_id",
    "is_made_of",
    "name_words",
    "opposites",
    "show",
    "undenied",
    "words_of",
]

_REMEMBERED: Final = 10_000
_SENTENCE: Final = re.compile(
    r"[\n\r;!(\[{|.?=<:\-\u2013\u2014](?:(?<=[\n\r;!(\[{|])"
    r"|(?<=[.?])(?:(?=\s|$)(?<!\b[A-Z].)(?<!\b[DMS][rst].)|(?<=\.)\.\.)"
    r"|(?<=[-\u2013\u2014])(?=\s)(?<=\s.)|(?<=[-=])>|(?<=[=<])=|(?<=:):)"
)
"""What ends a sentence, or is no part of one. Not so the stop in `Lawrence S. Bacow` and `St. Gallen`."""
_CODE: Final = frozenset(("[", "{", "|", "->", "=>", "==", "<=", "::", "..."))
_OBJECT: Final = 5
_ENDED: Final = 2
"""More words, and a full stop: that is a title, or a sentence whose verb we do not know."""
_UNJOINED: Final = re.compile(r"[\w@/#+&]+(?:[-.:@/_][\w@/#+&]+)*|,")
_TOKEN: Final = re.compile(rf"[^\W\d]+['\u2019][^\W\d]+|{_UNJOINED.pattern}")
_NAME_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+\d*|\d+|[^\W_]+")
_JOINS: Final = frozenset("a an the of in on at for with by is are and or our my".split())  # noqa: SIM905
"""Words within a name that say nothing: but `timeout_at` is not `timeout`, nor is `from_json` `to_json`."""
_ENDS: Final = frozenset(("from", "to", "for", "of"))
"""Those that do so at its end: `free_delivery_from`."""
_INNER: Final = NOISE | _JOINS
_OUTER: Final = NOISE | _ENDS
_SPACES: Final = str.maketrans("_.", "  ")
_AFTER: Final = PLACES | POSITIONS | DETERMINERS
"""What stands behind a verb, and not between an adjective and its noun."""
_SINGULAR: Final = frozenset("terms hours days headquarters news series address alias".split())  # noqa: SIM905
_TWO: Final = tuple((even(first), even(second), even(first + second)) for first, second in [("time", "zone")])
"""What is one word to some and two to others."""
_WAYS: Final = frozenset(("up", "down"))
"""Parts of a verb that say no more than the verb: `speeds up`, `slows down`."""
_ID: Final = re.compile(r"\d[-\d:]*(?:t[\d:]*z?)?|(?=.*\d)[\da-f-]{6,}")
"""A number, a day or a time; or what a machine made up, as in a UUID."""
_DIGEST: Final = re.compile(r"_[\da-f]{8,64}\Z")
UN: Final = re.compile(r"un(?!der)(?=[a-z]{4,}ed$)")
"""`unsigned` is not signed; `understaffed` is another word."""


SILENCE: Final = 1
DENIAL: Final = 2
DOUBT: Final = 4
BYGONE: Final = 8
CLAUSE: Final = 16
KIND: Final = 32
VERB: Final = 64
OPPOSITE: Final = 128
JOINT: Final = 256
LISTING: Final = 512
PERSONAL: Final = 1024
CHANGE: Final = 2048
WEEKDAY: Final = 4096
_MARKS: Final[dict[str, int]] = {}
for _mark, _marked in (
    (SILENCE, SILENT),
    (DENIAL, NEGATIONS | {"do", "does", "always"}),
    (DOUBT, NOT_NOW | ADDING),
    (BYGONE, PAST),
    (CLAUSE, CLAUSES),
    (VERB, RELATIONS | INVERSE | OFFICES | COPULAS | HAVE | {"was"}),
    (OPPOSITE, POLAR),
    (JOINT, JOINTS),
    (LISTING, (",", "and", "or", "/", "&", "+")),
    (PERSONAL, ("i", "we", "you", "on", "to")),
    (CHANGE, CHANGES),
    (WEEKDAY, WEEKDAYS),
):
    for _lower in _marked:
        _MARKS[_lower] = _MARKS.get(_lower, 0) | _mark


class Word(NamedTuple):
    """A word as it was written, and in small letters; or an amount or a date in its place."""

    raw: str
    lower: str
    slot: Amount | Day | None
    stem: str
    """In its one form."""
    marks: int
    """Of which tables it is: so that what none of the words can be is not looked for, word by word."""


class Sentence(NamedTuple):
    """The first sentence of a text, and of how many words it is at most if it is a mere object: a name, an amount."""

    text: str
    short: int


_NOTHING: Final = Sentence("", 0)


def first_sentence(text: str) -> Sentence:
    """The first sentence of a text; nothing if that is a question, a heading, code or a line of a list."""
    text = (text if text.isascii() else normalize("NFC", text)).strip("`\"' \t\r\n")
    end = _SENTENCE.search(text)
    at = len(text) if end is None else end.start()
    said = text[:at].strip()
    if end is None:
        return _NOTHING if said.endswith(":") else Sentence(said, _OBJECT)
    sign = end[0]
    if (
        sign == "?"
        or sign in _CODE
        or said.endswith(":")
        or (sign == "(" and at == len(said))
        or (sign == "." and said.isdecimal())
    ):
        return _NOTHING  # a call has no space before its bracket
    if sign == "(":
        rest = text[at:].partition(")")[2].lstrip(" ")
        return Sentence(said, _OBJECT if not rest else _ENDED if rest[0] in ".\n" else 0)
    return Sentence(said, _ENDED)


def words_of(sentence: str) -> list[Word]:
    """The words, amounts and dates of a sentence, in order."""
    lowered = sentence.lower()
    if len(lowered) != len(sentence):  # places differ: `İ` is two characters in small letters
        sentence = lowered
    words: list[Word] = []
    at = 0
    for slot in find_slots(lowered if lowered.isascii() else _spaced(lowered)):
        words += _plain(sentence[at : slot.start])
        raw = sentence[slot.start : slot.end].strip()
        words.append(Word(raw, "", slot.said, even(raw.lower()), 0))
        at = slot.end
    words += _plain(sentence[at:])
    return words


def _spaced(text: str) -> str:
    """Characters of scripts without spaces as spaces, in place, so that a number between them stands alone."""
    return "".join(" " if character > "\u2e80" else character for character in text)


def _plain(text: str) -> list[Word]:
    token = _TOKEN if "'" in text or "\u2019" in text else _UNJOINED  # which is much faster
    return [_word(raw) for raw in token.findall(text)]


@lru_cache(maxsize=_REMEMBERED)
def _word(raw: str) -> Word:
    lower = raw.lower()
    stem = even(lower)
    marks = _MARKS.get(lower, 0) | (KIND if stem in KINDS else 0) | (OPPOSITE if UN.match(lower) else 0)
    if lower.endswith(("n't", "n\u2019t")):
        marks |= DENIAL
    return Word(raw, lower, None, stem, marks)


def name_words(name: str) -> tuple[tuple[str, ...], bool]:
    """The words of a name behind its type, sorted, and whether it is of what one can have several of."""
    pieces: list[tuple[str, str]] = []
    for piece in name.split(".", 2)[-1].translate(_SPACES).split():
        pieces += ((piece, piece),) if piece.isdecimal() else _humps(piece)
    if not pieces:
        return (), False
    words = [word for _, word in pieces]
    kept = {word for word in words[:-1] if word not in _INNER}
    if words[-1] not in _OUTER:
        kept.add(words[-1])
    kept = kept or set(words)
    for word in kept:
        if not word.isdigit() and word not in LABELS:
            break
    else:
        return (), False  # `note_12` says nothing
    end = pieces[-1][0]
    plural = end.endswith("s") and not end.endswith(("ss", "us", "is", "os")) and end not in _SINGULAR
    return tuple(sorted(_joined(kept))), plural or words[-1] in MANY


def is_id(words: Sequence[str]) -> bool:
    """Whether the words of a name are a mere id: `n1`, `2024_05_01_a`, `one0`, `memory_3`; not so `v2`, `shard_3`."""
    return any(any(map(str.isdigit, word)) for word in words) and all(map(_is_mark, words))


def is_made_of(name: str, value: str) -> bool:
    """Whether a name was made of the first words of its value, as `remember` does: it says no more than the value."""
    kind, rest = ("", *name.split(".", 2))[-2:]
    plain = value.lower().replace("'", "") if value.isascii() else ""
    if plain and rest.partition("_")[0] not in plain:
        return False  # most names end here
    made = {rest, _DIGEST.sub("", rest)}
    if plain:  # a slug is dear to make
        made = {slug for slug in made if all(word in plain for word in slug.split("_"))}
    return bool(made) and slug_of(value, leave_out=(kind, f"{kind}s")) in made


def _is_mark(word: str) -> bool:
    if _ID.fullmatch(word):
        return True
    letters = word.rstrip("0123456789")
    return letters not in COUNTING if len(letters) == 1 else even(letters) in IDS or word in IDS


@lru_cache(maxsize=_REMEMBERED)
def _humps(piece: str) -> tuple[tuple[str, str], ...]:
    """The words of a piece of a name, `maxLineLength`, in small letters, and in one form each."""
    parts = [piece] if piece.islower() else [part.lower() for part in _NAME_WORD.findall(piece)]
    return tuple((part, part if part.isdecimal() else even(part)) for part in parts)


def _joined(words: set[str]) -> set[str]:
    for first, second, both in _TWO:
        if first in words and second in words:
            words = (words - {first, second}) | {both}
    return words


def begins_with_nobody(words: Sequence[Word]) -> int:
    """How many words at the beginning say that nobody does what follows: `Nobody`, `No one`."""
    lowers = [word.lower for word in words[:2]]
    return 1 if lowers[:1] == ["nobody"] else 2 if lowers == ["no", "one"] else 0


def undenied(words: Sequence[Word]) -> tuple[bool, list[Word]]:
    """Whether a sentence affirms, and its words without those that deny."""
    affirmed = True
    kept: list[Word] = []
    nobody = begins_with_nobody(words)
    if nobody and len(words) > nobody and words[nobody].lower in INVERSE:
        return True, [_word("nobody"), *words[nobody:]]  # `nobody owns it`: who has the office is nobody
    if nobody:
        affirmed, words = False, words[nobody:]
    for i, word in enumerate(words):
        lower = word.lower.replace("\u2019", "'")
        if lower.endswith("n't"):
            affirmed = not affirmed
            if lower[:-3] in COPULAS or lower[:-3] in HAVE:
                kept.append(_word(lower[:-3]))
        elif lower in NEGATIONS and len(words) > 1:
            affirmed = not affirmed
        elif lower not in ("do", "does", "always") and not (lower == "longer" and _is_no_longer(words, i)):
            kept.append(word)
    return affirmed, kept


def _is_no_longer(words: Sequence[Word], i: int) -> bool:
    """Whether `longer` is part of `no longer`, which denies; not so in `no longer than`."""
    behind = words[i + 1].lower if i + 1 < len(words) else ""
    return i > 0 and words[i - 1].lower == "no" and behind != "than"


def content_of(words: Sequence[Word]) -> set[str]:
    """The words that say something, in one form each."""
    return _joined({stem for _, lower, _, stem, marks in words if not marks & SILENCE and lower != ","})


def opposites(words: Sequence[Word], *, said: bool) -> tuple[set[str], bool]:
    """The same, opposites as one word, and whether they come to an affirmation.

    `said`: whether they are what a verb says. If not, only a verb or the last word is: in `Open an unused port` nothing
    is said of the port.
    """
    affirmed, kept, plain = True, set(), []
    last = len(words) - 1
    for i, word in enumerate(words):
        if not word.marks & OPPOSITE or not (said or _is_said(words, i)):
            if not (i and word.lower in _WAYS and words[i - 1].lower in URGES):
                plain.append(word)
            continue
        sign = POLAR.get(word.lower)
        if sign is None:
            kept.add(even(word.lower[2:]))
            affirmed = not affirmed
        elif word.lower not in SWITCHES or i == last:
            kept.add(sign[0])
            affirmed = affirmed == sign[1]
        else:
            plain.append(word)
    return kept | content_of(plain), affirmed


def _is_said(words: Sequence[Word], i: int) -> bool:
    """Whether a word is what is said, where no verb is known: not so if a noun follows, or if it tells what to do."""
    if words[i].lower in URGES:
        return i > 0
    if i == len(words) - 1:
        return not i or words[i - 1].lower != "as"  # `Mark it as disabled`
    return words[i + 1].lower in _AFTER


def show(words: Sequence[Word]) -> str:
    """The words as they were written."""
    return " ".join(word.raw for word in words)
