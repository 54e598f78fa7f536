"""How like two names are that people give: by the text they contain, by their words, by their spelling. Pure.

    compare(label_of("Notes Book"), label_of("Book Notes"))     1.00, "same words"
    compare(label_of("Bok Notes"), label_of("booknotes"))       0.89, "close spelling"

1. The *key* of a name is its letters and digits, of any script, with case and compatibility forms evened out (NFKC,
   casefold); marks, `+` and `#` belong to them. Names with one key are the same name. One without letters has no key.
2. A short name is contained in whole words only, or at the beginning of one: `ai` is not in `trainings`. Where a script
   writes no spaces, two characters are a word.
3. Names in different scripts are never close in spelling, however alike they look.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from substrate.text.terms import keyword

__all__ = ["LEAST", "Label", "Likeness", "compare", "label_of", "slug_of"]

LEAST: Final = 0.6
"""How like two names must be, from 0 to 1, for the one to be meant by the other."""
_CONTAINED: Final = 0.9
_SHORT_CONTAINED: Final = 0.7
_SHORT: Final = 4
"""Letters below which a name is short."""
_LONGEST: Final = 200
"""Letters of a name that are counted: the spelling of much longer ones is not compared."""
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ASCII_SIGNS: Final = re.compile(r"[^a-z0-9+#]+")
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]")
_UNSPACED: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"})
_NO_SCRIPT: Final = frozenset({"MODIFIER", "KATAKANA-HIRAGANA", ""})


class Label(NamedTuple):
    """A name, taken apart: its key, its words, and the scripts of its letters."""

    text: str
    key: str
    words: frozenset[str]
    scripts: frozenset[str]
    letters: frozenset[str]
    """Those of its key, each with how often it came before: two names share as many as these sets do."""

    @property
    def is_spaced(self) -> bool:
        """Whether its script writes spaces between words."""
        return not self.scripts <= _UNSPACED or not self.scripts


class Likeness(NamedTuple):
    """How like, from 0 to 1, and why."""

    score: float
    reason: str


@lru_cache(maxsize=8192)  # the same names are compared again and again
def label_of(text: str) -> Label:
    """The name, taken apart. Its key is empty if it has neither letters nor digits."""
    words = _words(text)
    key = "".join(words)
    if not any(letter.isalnum() for letter in key):
        return Label(text, "", frozenset(), frozenset(), frozenset())
    latin = {"LATIN"} if any(letter.isalpha() for letter in key) else ()
    scripts = frozenset(latin if key.isascii() else map(_script, key)) - _NO_SCRIPT
    before: Counter[str] = Counter()
    letters = []
    for letter in key[:_LONGEST]:
        letters.append(f"{letter}{before[letter]}")
        before[letter] += 1
    return Label(text, key, frozenset(words), scripts, frozenset(letters))


def slug_of(text: str) -> str:
    """The name as one word of small letters: `Book Notes` is `book-notes`. Empty of one without a key."""
    return "-".join(_words(text)) if label_of(text).key else ""


def _words(text: str) -> list[str]:
    plain = keyword(_UNSEEN.sub("", _CAMEL.sub(" ", text)))
    if plain.isascii():
        return [word for word in _ASCII_SIGNS.split(plain) if word]
    spaced = "".join(letter if _is_solid(letter) else " " for letter in plain)
    return [word for part in spaced.split() if (word := part.lstrip(_marks(part)))]


def _marks(word: str) -> str:
    """Marks at the beginning of a word belong to no letter."""
    return "".join(takewhile(lambda letter: unicodedata.category(letter)[0] == "M", word))


@lru_cache(maxsize=4096)
def _is_solid(letter: str) -> bool:
    return letter in "+#" or unicodedata.category(letter)[0] in "LNM"


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """The script of a letter, by the first word of its name; empty of what has none."""
    return unicodedata.name(letter, "").partition(" ")[0] if unicodedata.category(letter)[0] == "L" else ""


def compare(wanted: Label, label: Label) -> Likeness | None:
    """How like a name is to the one that is wanted; None if it is not, or one of them has no key.

    Of reasons that come to the same, what contains the other is told before equal words, and these before spelling.
    """
    mine, theirs = wanted.key, label.key
    if not mine or not theirs:
        return None
    if mine == theirs:
        return Likeness(1.0, "same letters")
    best = _containing(wanted, label) if mine in theirs or theirs in mine else None
    if not wanted.words.isdisjoint(label.words):
        shared = len(wanted.words & label.words) / len(wanted.words | label.words)
        reason = "same words" if wanted.words == label.words else "most words are the same"
        best = best if best is not None and best.score >= shared else Likeness(shared, reason)
    if best is None or best.score < _CONTAINED:
        longer = max(len(mine), len(theirs))
        if len(wanted.letters & label.letters) >= LEAST * longer and wanted.scripts == label.scripts:
            spelt = 1 - _distance(mine, theirs) / longer
            best = best if best is not None and best.score >= spelt else Likeness(spelt, "close spelling")
    return best if best is not None and best.score >= LEAST else None


def _containing(wanted: Label, label: Label) -> Likeness | None:
    if _is_in(wanted, label, begins=True):
        short = len(wanted.key) < _SHORT
        return Likeness(_SHORT_CONTAINED if short else _CONTAINED, "contains your text")
    if _is_in(label, wanted, begins=False):
        return Likeness(_CONTAINED, "your text contains it")
    return None


def _is_in(inner: Label, outer: Label, *, begins: bool) -> bool:
    """Whether a name is in another one; a short one as a word of it, or (`begins`) the beginning of a word."""
    if inner.key not in outer.key:
        return False
    if len(inner.key) >= _SHORT or (not inner.is_spaced and len(inner.key) > 1):
        return True
    if inner.key in outer.words:
        return True
    return begins and any(word.startswith(inner.key) for word in outer.words)


def _distance(one: str, other: str) -> int:
    """How many letters must be put in, left out or changed (Levenshtein): a column at once, in the bits of a number.

    Myers, "A fast bit-vector algorithm for approximate string matching" (1999), as Hyyrö put it.
    """
    where: dict[str, int] = {}
    for at, letter in enumerate(one):
        where[letter] = where.get(letter, 0) | 1 << at
    all_bits, last = (1 << len(one)) - 1, 1 << len(one) - 1
    more, less, distance = all_bits, 0, len(one)
    for letter in other:
        equal = where.get(letter, 0)
        down = equal | less
        across = (((equal & more) + more) ^ more) | equal
        rises = less | (all_bits & ~(across | more))
        falls = more & across
        distance += bool(rises & last) - bool(falls & last)
        rises = rises << 1 | 1
        more = (falls << 1 | ~(down | rises)) & all_bits
        less = rises & down & all_bits
    return distance
