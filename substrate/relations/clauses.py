"""A text as clauses: runs of words between full stops, semicolons and line ends, with the places of two names in them.

A name is one token, `A` or `B`, whatever it is made of. Names are found as whole words, in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["END", "FIRST", "JOINED", "OF_ONE", "OWNER", "SECOND", "Clause", "clauses_of", "has_name", "sentences_of"]

FIRST: Final = "\x01"
SECOND: Final = "\x02"
"""The tokens of the two names."""
OWNER: Final = "\x03"
"""The token behind a name that owns what follows: `A's team`."""
JOINED: Final = "\x04"
"""The token beside a name that is part of a word there: `A-like`, `non-A`, `A/data`, `A.txt`."""
_MOST: Final = 200
"""Clauses of a text that are read."""
_MOST_PLACES: Final = 4
_LONGEST: Final = 60
"""Tokens of a clause that is taken apart: longer ones are lists, tables or code."""
END: Final = re.compile(
    r"[.!?](?<![.!?]{3})(?<!\b[A-Z].)(?<!\b[DMS]r.)(?<!\bMrs.)(?<!\bSt.)(?<!\bvs.)[.!?]*(?=\s|$)"
    r"|[;\n\r|]+|\s[-\u2013\u2014]{1,2}\s"
)
"""What ends a clause. Each way begins with a character: so most places of a text are passed at a glance.

A run of signs is tried at its first, and at its second where the first ends `Dr.`: so a text of dots is read in one
pass.
"""
OF_ONE: Final = ("ss", "us", "is", "os")
"""How a noun may end that is of one thing, and has an s."""
_WITHIN: Final = f"_{FIRST}{SECOND}"
_TOKENS: Final = re.compile(f"[{FIRST}{SECOND}{OWNER}{JOINED}]")
_QUOTES: Final = ("'", "\u2019")
_SIGNS: Final = frozenset("-/.:")
_TOKEN: Final = re.compile(r"[\x01-\x04]|[^\W_]+(?:['\u2019][^\W_]+)?(?:[-./_][^\W_]+)*|[,:()]")


class Clause(NamedTuple):
    """The words of a clause, in small letters; the two names as tokens; as it was written; whether it is a question."""

    words: tuple[str, ...]
    text: str
    asks: bool
    plural: frozenset[str] = frozenset()
    """The tokens of names that may be of several things, as far as their ending tells."""

    def places(self, token: str) -> list[int]:
        """Where a name stands; of a clause that is made of little else, the first places."""
        words, found, at = self.words, list[int](), -1
        for _ in range(min(_MOST_PLACES, words.count(token))):
            at = words.index(token, at + 1)
            found.append(at)
        return found


def has_name(text: str, names: Iterable[str]) -> bool:
    """Whether one of the names is in the text."""
    return any(next(_places(name, text), None) is not None for name in _distinct(names))


def sentences_of(text: str) -> Iterator[str]:
    """The clauses of a text as they are written, without what ends them; questions left out."""
    start = 0
    for number, end in enumerate(_ends(text)):
        if number >= _MOST:
            return
        said = text[start : end.start() if end else len(text)].strip()
        start = end.end() if end else len(text)
        if said and not (end is not None and "?" in end[0]):
            yield said


def clauses_of(text: str, first: Sequence[str], second: Sequence[str]) -> Iterator[Clause]:
    """The clauses of a text in which one of the two is named, each by any of its names."""
    ways = [(name, FIRST) for name in _distinct(first)] + [(name, SECOND) for name in _distinct(second)]
    plural = frozenset(token for name, token in ways if name.endswith("s") and not name.endswith(OF_ONE))
    ways.sort(key=lambda way: -len(way[0]))  # of `Team` and `Team A` the longer is looked for first
    start = 0
    clean = text if _TOKENS.search(text) is None else _TOKENS.sub(" ", text)
    for number, end in enumerate(_ends(clean)):
        if number >= _MOST:
            return
        raw = clean[start : end.start() if end else len(clean)].strip()
        asks = end is not None and "?" in end[0]
        start = end.end() if end else len(clean)
        marked = raw
        for name, token in ways:
            marked = _replaced(marked, name, token)
        if FIRST in marked or SECOND in marked:
            words = tuple(word.lower() for word in _TOKEN.findall(marked))
            if len(words) <= _LONGEST:
                yield Clause(words, raw, asks, plural)


def _ends(text: str) -> Iterator[re.Match[str] | None]:
    yield from END.finditer(text)
    yield None


def _distinct(names: Iterable[str]) -> list[str]:
    """Without what is empty, and without spellings in other letters of the same name, as far as that is sure."""
    known = {(name.lower() if name.isascii() else name): name for name in names if name.strip()}
    return list(known.values())


def _replaced(text: str, name: str, token: str) -> str:
    kept: list[str] = []
    at = 0
    for start, end in _places(name, text):
        is_part = start > 1 and text[start - 1] in _SIGNS and text[start - 2].isalnum()
        before = f" {JOINED} {token} " if is_part else f" {token} "
        kept += (text[at:start], before, _behind(text, name, start, end))
        at = end
    return "".join((*kept, text[at:])) if at else text


def _behind(text: str, name: str, start: int, end: int) -> str:
    """The token that tells to what a name belongs: `A's`, `Users' guide`, `A-like`; none if it stands alone."""
    if end - start > 1 and text[end - 1] == "s" and text[end - 2] in _QUOTES and name[-2:-1] not in _QUOTES:
        return f"{OWNER} "
    behind = end + text.startswith("`", end)  # `A`-like
    after = text[behind : behind + 2]
    if after[:1] in _SIGNS and after[1:].isalnum():
        return f"{JOINED} "
    if after[:1] in _QUOTES and after[1:].isalpha():  # `Don't`
        return f"{JOINED} "
    is_owner = name[-1:] in "sS" and after[:1] in _QUOTES and text[start - 1 : start] not in _QUOTES
    return f"{OWNER} " if is_owner else ""


def _places(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a name stands in a text, from where to where: what `_pattern` finds.

    To make a pattern takes longer than to read a clause, and most names are met once. So the plain ones go without.
    """
    words = name.lower().split()
    if not (name.isascii() and text.isascii()) or any(word.startswith("_") for word in words):
        yield from (match.span() for match in _pattern(name).finditer(text))
        return
    low, plain = text.lower(), " ".join(words)
    start = low.find(words[0])
    while start >= 0:
        if start and _is_within(low[start - 1]):
            end = -1
        else:  # most stand there with single spaces
            end = start + len(plain) if low.startswith(plain, start) else _last_of(low, start, words)
            end = _end_at(low, end)
        if end >= 0:
            yield start, end
        start = low.find(words[0], end if end >= 0 else start + 1)


def _last_of(text: str, at: int, words: Sequence[str]) -> int:
    """Where the last of these words ends, if they stand here, with one or more spaces or `_` between; else -1."""
    for number, word in enumerate(words):
        after = at
        while number and after < len(text) and (text[after] == "_" or text[after].isspace()):
            after += 1
        if (number and after == at) or not text.startswith(word, after):
            return -1
        at = after + len(word)
    return at


def _end_at(text: str, at: int) -> int:
    """Where a name ends whose words end here, with the `'s` behind it; -1 if it is within another word, or at -1."""
    if at < 0:
        return -1
    if text.startswith("'s", at) and not _is_within(text[at + 2 : at + 3]):
        return at + 2
    return -1 if _is_within(text[at : at + 1]) else at


def _is_within(character: str) -> bool:
    """Whether a name that goes on with this character is another word. None is no such character."""
    return character.isalnum() or (character in _WITHIN and bool(character))


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    words = r"[\s_]+".join(map(re.escape, name.split()))
    return re.compile(rf"(?<![\w\x01\x02]){words}(?:['\u2019]s)?(?![\w\x01\x02])", re.IGNORECASE)
