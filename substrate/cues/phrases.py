"""Tables of phrases, and where they stand in a text. Whole words only: `monkey` has no `key`.

A phrase is words with a space between them: `we agreed to/on`. `a/b` is one word or the other, `*` any one word, `^` at
the beginning stands for the start of a sentence, and `:` for a colon. Case and the form of apostrophes do not matter.
Where several phrases begin at the same word, the longest one counts. One of the kind `""` is no cue, and takes back
those that begin within it: so `must have been` takes back `must`.

A search takes one pass: each word is looked up in a table, and only phrases that begin with it are compared.

The forms of sentences are patterns of words (`pattern`, `any_of`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

__all__ = ["Cue", "Phrases", "any_of", "pattern"]

_TOKEN: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[.!?;:\n]")
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2019\uff07\u02bc", "'"))
_ENDS: Final = frozenset(".!?;:\n")
"""What ends a sentence, or the part of one before a colon."""


class Cue(NamedTuple):
    """A phrase that stands in a text: its kind, as written in the table, and at which word it begins."""

    kind: str
    phrase: str
    at: int

    def rest_of(self, text: str) -> str:
        """What stands behind the phrase in the text that it was found in."""
        tokens = list(_TOKEN.finditer(text.translate(_APOSTROPHES)))
        last = self.at + len(self.phrase.split()) - 1
        return text[tokens[last].end() :] if last < len(tokens) else ""

    def before(self, text: str) -> str:
        """What stands before the phrase in the text that it was found in."""
        tokens = list(_TOKEN.finditer(text.translate(_APOSTROPHES)))
        return text[: tokens[self.at].start()]


class _Phrase(NamedTuple):
    kind: str
    written: str
    begins: bool
    rest: tuple[frozenset[str] | None, ...]
    """The words after the first one; None is any word."""


class Phrases:
    """Phrases of several kinds."""

    def __init__(self, phrases: Mapping[str, Iterable[str]]) -> None:
        """Phrases by their kind. A phrase cannot begin with `*`."""
        self._by_word: dict[str, list[_Phrase]] = {}
        for kind, all_written in phrases.items():
            for written in all_written:
                first, *rest = written.removeprefix("^").split()
                slots = tuple(None if word == "*" else frozenset(word.split("/")) for word in rest)
                phrase = _Phrase(kind, written, written.startswith("^"), slots)
                for word in first.split("/"):
                    self._by_word.setdefault(word, []).append(phrase)
        for known in self._by_word.values():
            known.sort(key=lambda phrase: len(phrase.rest), reverse=True)

    def find(self, text: str) -> list[Cue]:
        """The cues in a text, in order. The work grows with the text alone, not with the number of phrases."""
        words = _TOKEN.findall(text.lower().translate(_APOSTROPHES))
        cues: list[Cue] = []
        taken = 0
        for at, word in enumerate(words):
            if at < taken:
                continue
            known = self._by_word.get(word)
            if known is None:
                continue
            following = words[at + 1] if at + 1 < len(words) else ""
            for phrase in known:
                second = phrase.rest[0] if phrase.rest else None
                if second is not None and following not in second:
                    continue  # most end here
                if _stands(phrase, words, at):
                    if phrase.kind:
                        cues.append(Cue(phrase.kind, phrase.written, at))
                    else:
                        taken = at + 1 + len(phrase.rest)
                    break
        return cues


def _stands(phrase: _Phrase, words: list[str], at: int) -> bool:
    """Whether the phrase, whose first word stands here, goes on as it should."""
    if phrase.begins and at and words[at - 1] not in _ENDS:
        return False
    following = words[at + 1 : at + 1 + len(phrase.rest)]
    return len(following) == len(phrase.rest) and all(
        word not in _ENDS if slot is None else word in slot for word, slot in zip(following, phrase.rest, strict=True)
    )


def any_of(words: str) -> str:
    """One of the words; `_` stands for a space in one."""
    return f"(?:{'|'.join(words.split()).replace('_', ' ')})"


def pattern(*parts: str) -> re.Pattern[str]:
    """The parts in a row, whatever their case."""
    return re.compile("".join(parts), re.IGNORECASE)
