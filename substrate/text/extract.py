"""The names in a text: people, places, products, acronyms, identifiers, files, addresses. Pure, and without a model.

A name shows by how it is written. In the order in which they are looked for:

1. code spans (`` `parse_header()` ``), titles in brackets or quotes, addresses, files, identifiers with `_`, `.`, `()`;
2. words of capitals (NASA) and with capitals inside (PostgreSQL, iPhone), wherever they stand;
3. words with a capital inside a sentence, as many as follow each other: Bank of England, George R. R. Martin;
4. the same at the beginning of a sentence if more than one follow, or if what comes next needs a subject (Marta likes).

Precision comes first. A sentence's first word alone, days, months, titles (Dr.), function words of a dozen languages,
headings in capitals, and German nouns without another sign are no names. Text of scripts without capitals gives its
titles in brackets, people with a form of address behind them, and words of other scripts in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from substrate.limits import LIMITS
from substrate.text.canonical import canonical, is_canonical_key, spelling
from substrate.text.capitals import find_capitals
from substrate.text.caseless import find_caseless
from substrate.text.signs import find_signs, hide

__all__ = ["KINDS", "Entity", "Extracted", "extract"]

KINDS: Final = ("name", "acronym", "code", "file", "address", "title")
"""What an entity was recognised by. An address is a mail address, a URL, a host or an @handle."""
_PLACE: Final = itemgetter(0)
_LONGEST: Final = 200
"""Characters of a name. What is longer is a text."""


class Entity(NamedTuple):
    """A name as it stands in the text, but for line breaks in it, and what it was recognised by."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """The names of a text in their order, each once, and how many `more` there are than were wanted."""

    entities: tuple[Entity, ...]
    more: int = 0

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.entities)

    def __len__(self) -> int:
        return len(self.entities)


def extract(text: str, limit: int = LIMITS["entities"]) -> Extracted:
    """Every name in a text, in order, each once by its canonical form and as it is spelt first; the first `limit`.

    Any text is taken, and each name is a part of it. The time it takes grows with the length of the text, not faster.
    """
    found = find_signs(text)
    rest = hide(text, found) if found else text
    found += find_capitals(rest)
    if not text.isascii():
        found += find_caseless(rest)
    found.sort(key=_PLACE)
    kept: dict[str, Entity] = {}
    for _, _, written, kind in found:
        known = _known(written) if kind else None
        if known is not None and known[1] not in kept:
            name, form = known
            kept[form] = Entity(name, kind)
    entities = tuple(kept.values())
    return Extracted(entities[:limit], max(0, len(entities) - limit))


@lru_cache(maxsize=4096)  # the same names are met again and again
def _known(written: str) -> tuple[str, str] | None:
    """How a name is spelt, and its canonical form; None if it is none."""
    name = spelling(written)
    return (name, canonical(name)) if len(name) <= _LONGEST and is_canonical_key(name) else None
