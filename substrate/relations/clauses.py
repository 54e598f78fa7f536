"""A text as clauses: runs of words between full stops, semicolons and line ends, with the places of two names in them.

A name is one token, `A` or `B`, whatever it is made of. Names are found as whole words, in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["FIRST", "SECOND", "Clause", "clauses_of", "has_name", "sentences_of"]

FIRST: Final = "\x01"
SECOND: Final = "\x02"
"""The tokens of the two names."""
_MOST: Final = 200
"""Clauses of a text that are read."""
_LONGEST: Final = 60
"""Tokens of a clause that is taken apart: longer ones are lists, tables or code."""
_END: Final = re.compile(
    r"(?<!\b[A-Z])(?<!\b[DMS]r)(?<!\bMrs)(?<!\bSt)(?<!\bvs)[.!?]+(?=\s|$)|[;\n\r|]+|\s[-\u2013\u2014]{1,2}\s"
)
_TOKEN: Final = re.compile(r"[\x01\x02]|[^\W_]+(?:['\u2019][^\W_]+)?(?:[-./_][^\W_]+)*|[,:()]")


class Clause(NamedTuple):
    """The words of a clause, in small letters; the two names as tokens; as it was written; whether it is a question."""

    words: tuple[str, ...]
    text: str
    asks: bool

    def places(self, token: str) -> list[int]:
        """Where a name stands."""
        return [at for at, word in enumerate(self.words) if word == token]


def has_name(text: str, names: Iterable[str]) -> bool:
    """Whether one of the names is in the text."""
    return any(_pattern(name).search(text) for name in names if name.strip())


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
    ways = [(name, FIRST) for name in first] + [(name, SECOND) for name in second]
    ways.sort(key=lambda way: -len(way[0]))  # of `Team` and `Team A` the longer is looked for first
    start = 0
    clean = text.replace(FIRST, " ").replace(SECOND, " ")
    for number, end in enumerate(_ends(clean)):
        if number >= _MOST:
            return
        raw = clean[start : end.start() if end else len(clean)].strip()
        asks = end is not None and "?" in end[0]
        start = end.end() if end else len(clean)
        marked = raw
        for name, token in ways:
            if name.strip():
                marked = _pattern(name).sub(f" {token} ", marked)
        if FIRST in marked or SECOND in marked:
            words = tuple(word.lower() for word in _TOKEN.findall(marked))
            if len(words) <= _LONGEST:
                yield Clause(words, raw, asks)


def _ends(text: str) -> Iterator[re.Match[str] | None]:
    yield from _END.finditer(text)
    yield None


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    words = r"[\s_]+".join(map(re.escape, name.split()))
    return re.compile(rf"(?<![\w\x01\x02]){words}(?:['\u2019]s)?(?![\w\x01\x02])", re.IGNORECASE)
