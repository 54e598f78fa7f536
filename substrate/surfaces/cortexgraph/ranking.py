"""How notes that match are put in order: relevance finds, and decay re-ranks by a factor between 0.5 and 1.

What is due for review, and matches, takes at most three places in ten, from the second on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from substrate.surfaces.cortexgraph.arguments import ALL_STATUSES

if TYPE_CHECKING:
    from datetime import datetime

    from substrate.memory import Memory
    from substrate.values.review.fading import FadingAtom

__all__ = ["Candidate", "Looked", "blend", "is_long_term", "look", "rank", "weighed"]

_AT_ONCE: Final = 100
_PAGES: Final = 10
"""Of so many hundred hits, those are found that pass filters by use."""
_SHARE: Final = 0.3
_DUE: Final = 0.3
_ARCHIVED: Final = 1000
"""Notes that were put away that a query is compared with, those recorded last."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note, and how well it matches."""

    note: FadingAtom
    relevance: float
    """0 to 1."""
    in_review: bool = False
    """Whether it has its place because it is due for review."""

    @property
    def score(self) -> float:
        """Relevance, times a factor that falls with what time has left of the note: from 1 to 0.5."""
        return self.relevance * (0.5 + 0.5 * min(1.0, self.note.score))


@dataclass(frozen=True, slots=True)
class Looked:
    """What to look for."""

    query: str
    statuses: tuple[str, ...]
    any_tags: tuple[str, ...]
    count: int
    by_meaning: bool = True
    used_since: datetime | None = None
    min_score: float | None = None
    with_long_term: bool = False
    """Whether ingested texts are looked at too, and how notes were used is asked of short-term memory alone."""

    @property
    def is_filtered(self) -> bool:
        """Whether hits may have to be left out by how they were used."""
        return self.used_since is not None or self.min_score is not None or set(self.statuses) != set(ALL_STATUSES[:2])

    def passes(self, note: FadingAtom) -> bool:
        """Whether a note is asked for."""
        if note.status not in self.statuses:
            return False
        if self.with_long_term and is_long_term(note):
            return True
        if self.used_since is not None and note.last_used < self.used_since:
            return False
        return self.min_score is None or note.score >= self.min_score


def is_long_term(note: FadingAtom) -> bool:
    """Whether it was promoted, or ingested."""
    return note.status == "promoted" or note.atom.origin == "ingested"


def look(memory: Memory, asked: Looked) -> tuple[list[Candidate], str]:
    """Notes that match, in no order; and what is to be said of the search."""
    if not asked.query.strip():
        return [Candidate(note, 1.0) for note in _present(memory, asked)], ""
    found: list[tuple[FadingAtom, float]] = []
    note = ""
    if set(asked.statuses) != {"archived"}:
        wanted = min(_AT_ONCE, 2 * asked.count + 10)
        for page in range(_PAGES):
            hits = memory.search(
                asked.query,
                limit=wanted,
                offset=page * wanted,
                any_tags=asked.any_tags,
                ingested=asked.with_long_term,
                meaning=asked.by_meaning,
            )
            note = hits.meaning if asked.by_meaning else ""
            notes = memory.fading([hit.atom.id for hit in hits]) if len(hits) else ()
            found += [(faded, hit.score) for hit, faded in zip(hits, notes, strict=True) if asked.passes(faded)]
            if not hits.more or not asked.is_filtered or len(found) >= wanted:
                break
    candidates = weighed(found)
    if "archived" in asked.statuses:
        candidates += _put_away(memory, asked)
    return candidates, note


def weighed(found: Sequence[tuple[FadingAtom, float]]) -> list[Candidate]:
    """Notes with the scores of a search. Where the best is above 1, all are measured by it, so their order stays."""
    best = max(1.0, *(score for _, score in found)) if found else 1.0
    return [Candidate(note, max(0.0, score) / best) for note, score in found]


def _present(memory: Memory, asked: Looked) -> Iterator[FadingAtom]:
    """Notes that have faded least."""
    short = [status for status in asked.statuses if not (asked.with_long_term and status == "promoted")]
    limit = 2 * asked.count + 10  # some may say the same
    if short:
        yield from memory.fading(
            status=short,
            any_tags=asked.any_tags,
            used_since=asked.used_since,
            min_score=asked.min_score,
            order="present",
            limit=limit,
        )
    if len(short) < len(asked.statuses):
        yield from memory.fading(status="promoted", any_tags=asked.any_tags, order="present", limit=limit)


def _put_away(memory: Memory, asked: Looked) -> Iterator[Candidate]:
    """Notes that were put away, by the share of the query's words that they have."""
    words = {word for word in asked.query.casefold().split() if word}
    notes = memory.fading(status="archived", any_tags=asked.any_tags, order="recent", limit=_ARCHIVED)
    for note in notes:
        text = note.atom.value.casefold()
        share = sum(word in text for word in words) / max(1, len(words))
        if share and asked.passes(note):
            yield Candidate(note, share)


def rank(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best first; of equals as they were found."""
    return sorted(candidates, key=lambda one: -one.score)


def blend(ranked: Sequence[Candidate], count: int) -> list[Candidate]:
    """The first `count`, in which notes that are due for review take some of the places."""
    first = list(ranked[:count])
    due = [one for one in ranked[count:] if one.note.priority >= _DUE][: int(len(first) * _SHARE)]
    if not due:
        return first
    first = first[: len(first) - len(due)]
    for number, one in enumerate(due):  # the second place, then every third
        first.insert(1 + 3 * number, replace(one, in_review=True))
    return first
