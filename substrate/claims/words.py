"""The words of a name and of a sentence: what they deny, which of them say something, in one form each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import normalize

from substrate.claims.amounts import Amount, Day, find_slots
from substrate.claims.lexicon import COPULAS, COUNTING, HAVE, IDS, MANY, NEGATIONS, NOISE, POLAR, SILENT, SWITCHES, even

__all__ = [
    "UN",
    "Word",
    "content_of",
    "first_sentence",
    "is_id",
    "name_words",
    "opposites",
    "show",
    "undenied",
    "words_of",
]

_REMEMBERED: Final = 10_000
_SENTENCE: Final = re.compile(r"[\n\r;!]|[.?](?=\s|$)|\s[-\u2013\u2014]\s|\(")
_TOKEN: Final = re.compile(r"[^\W\d]+['\u2019][^\W\d]+|[\w@/#+&]+(?:[-.:@/_][\w@/#+&]+)*|,")
_NAME_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+\d*|\d+|[^\W_]+")
_SINGULAR: Final = frozenset("terms hours days headquarters news series address alias".split())  # noqa: SIM905
_TWO: Final = tuple((even(first), even(second), even(first + second)) for first, second in [("time", "zone")])
"""What is one word to some and two to others."""
_ID: Final = re.compile(r"\d[-\d:]*(?:t[\d:]*z?)?|(?=.*\d)[\da-f-]{6,}")
"""A number, a day or a time; or what a machine made up, as in a UUID."""
UN: Final = re.compile(r"un(?=[a-z]{5,}ed$)")
"""`unsigned` is not signed."""


class Word(NamedTuple):
    """A word as it was written, and in small letters; or an amount or a date in its place."""

    raw: str
    lower: str
    slot: Amount | Day | None = None


def first_sentence(text: str) -> str:
    """The first sentence of a text; nothing if that is a question."""
    text = (text if text.isascii() else normalize("NFC", text)).strip("`\"' \t\r\n")
    end = _SENTENCE.search(text)
    if end is None:
        return text
    return "" if end[0] == "?" else text[: end.start()].strip()


def words_of(sentence: str) -> list[Word]:
    """The words, amounts and dates of a sentence, in order."""
    lowered = sentence.lower()
    if len(lowered) != len(sentence):  # places differ: `İ` is two characters in small letters
        sentence = lowered
    words: list[Word] = []
    at = 0
    for slot in find_slots(lowered if lowered.isascii() else _spaced(lowered)):
        words += _plain(sentence[at : slot.start])
        words.append(Word(sentence[slot.start : slot.end].strip(), "", slot.said))
        at = slot.end
    words += _plain(sentence[at:])
    return words


def _spaced(text: str) -> str:
    """Characters of scripts without spaces as spaces, in place, so that a number between them stands alone."""
    return "".join(" " if character > "\u2e80" else character for character in text)


def _plain(text: str) -> list[Word]:
    return [_word(raw) for raw in _TOKEN.findall(text)]


@lru_cache(maxsize=_REMEMBERED)
def _word(raw: str) -> Word:
    return Word(raw, raw.lower())


def name_words(name: str) -> tuple[tuple[str, ...], bool]:
    """The words of a name behind its type, sorted, and whether it is of what one can have several of."""
    rest = name.split(".", 2)[-1]
    raw = [part.lower() for piece in rest.replace("_", " ").replace(".", " ").split() for part in _humps(piece)]
    words = [part if part.isdecimal() else even(part) for part in raw]
    kept = {word for word in words if word not in NOISE and word not in SILENT} or set(words)
    if all(word.isdigit() for word in kept):
        return (), False  # `note_12` says nothing
    last = raw[-1]
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is", "os")) and last not in _SINGULAR
    return tuple(sorted(_joined(kept))), plural or words[-1] in MANY


def is_id(words: Sequence[str]) -> bool:
    """Whether the words of a name are a mere id: `n1`, `2024_05_01_a`, `one0`, `memory_3`; not so `v2`, `shard_3`."""
    return any(any(map(str.isdigit, word)) for word in words) and all(map(_is_mark, words))


def _is_mark(word: str) -> bool:
    if _ID.fullmatch(word):
        return True
    letters = word.rstrip("0123456789")
    return letters not in COUNTING if len(letters) == 1 else even(letters) in IDS or word in IDS


def _humps(piece: str) -> list[str]:
    return [piece] if piece.islower() or piece.isdecimal() else _NAME_WORD.findall(piece)


def _joined(words: set[str]) -> set[str]:
    for first, second, both in _TWO:
        if first in words and second in words:
            words = (words - {first, second}) | {both}
    return words


def undenied(words: Sequence[Word]) -> tuple[bool, list[Word]]:
    """Whether a sentence affirms, and its words without those that deny."""
    affirmed = True
    kept: list[Word] = []
    for word in words:
        lower = word.lower.replace("\u2019", "'")
        if lower.endswith("n't"):
            affirmed = not affirmed
            if lower[:-3] in COPULAS or lower[:-3] in HAVE:
                kept.append(Word(lower[:-3], lower[:-3]))
        elif lower in NEGATIONS and len(words) > 1:
            affirmed = not affirmed
        elif lower not in ("do", "does", "always"):
            kept.append(word)
    return affirmed, kept


def content_of(words: Sequence[Word]) -> set[str]:
    """The words that say something, in one form each."""
    return _joined({even(word.lower or word.raw.lower()) for word in words if word.lower not in SILENT} - {","})


def opposites(words: Sequence[Word]) -> tuple[set[str], bool]:
    """The same, opposites as one word, and whether they come to an affirmation."""
    affirmed, kept, plain = True, set(), []
    last = len(words) - 1
    for i, word in enumerate(words):
        if word.lower in POLAR and (word.lower not in SWITCHES or i == last):
            one, plus = POLAR[word.lower]
            kept.add(one)
            affirmed = affirmed == plus
        elif UN.match(word.lower):
            kept.add(even(word.lower[2:]))
            affirmed = not affirmed
        else:
            plain.append(word)
    return kept | content_of(plain), affirmed


def show(words: Sequence[Word]) -> str:
    """The words as they were written."""
    return " ".join(word.raw for word in words)
