"""What search found, and why; what the wording of a message asks for. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Final

from substrate.messages import EMPTY_STORE, Message
from substrate.result import Result, Results
from substrate.text.snippet import snippet_of
from substrate.values.atoms import Atom, maker_of

__all__ = ["FULL_SCORE", "WELL", "Cues", "Found", "Hit", "Match", "Matches", "hit_of_fields"]

FULL_SCORE: Final = 1.8
"""What words and meaning that match in full come to, before scores are made shares of it; meaning is 1 of that."""
WELL: Final = 0.4
"""The score of a hit that is about the question. Of 5,000 notes, objectives about none of them reached 0.35."""
_KEEP_FROM: Final = 0.7
_ASK_FROM: Final = 0.4


class _Marked(Result):
    """What the passage of a hit is found by, until somebody looks at it: most who search look at the atoms alone."""

    __slots__ = ("_terms",)

    _terms: frozenset[str]


@dataclass(frozen=True, slots=True, repr=False)
class Hit(_Marked):
    """An atom that was found, and why it stands where it stands."""

    atom: Atom
    """The version that answers; `current` says whether it is the one in force."""
    score: float
    """The sum of the parts. Words and meaning that match in full give about 1."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """The points of words, meaning, neighbours, edges, evidence, time and walk; parts without points are left out."""
    matched: tuple[str, ...] = ()
    """The words of the query that it has, as they were typed."""
    snippet: str = ""
    """The passage that matches best; of a short value all of it."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where in the snippet matched words begin and end."""
    current: bool = True
    """False: an earlier version, or one that another atom supersedes. Only where the question asks about the past."""
    seq: int = -1
    """The last entry of the log that this answer knows of."""
    lag: int = 0
    """How many versions were not compared by meaning, because they are not embedded yet."""
    newer: str | None = None
    """The name of a newer atom that says otherwise of the same thing: this one is outdated."""
    disputed: str | None = None
    """The name of a newer atom by an agent that contradicts this one, which a person said: ask who is right."""
    via: tuple[str, ...] = ()
    """Where a walk added to the score: the edges from a better hit to here, each as `source type target`."""

    if not TYPE_CHECKING:  # to which any name would be an attribute

        def __getattr__(self, name: str) -> object:
            """The passage, when it is first looked at. Nothing else is not there."""
            if name not in _PASSAGE:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            passage = snippet_of(self.atom.value, self._terms)
            for field_name, said in zip(_PASSAGE, passage, strict=True):
                object.__setattr__(self, field_name, said)
            return getattr(self, name)

    @property
    def name(self) -> str:
        """The atom's name."""
        return self.atom.name

    @property
    def likeness(self) -> float:
        """How near its meaning is to the query's, from 0 to 1. 0: not compared."""
        return min(1.0, self.parts.get("meaning", 0.0) * FULL_SCORE)

    @property
    def value(self) -> str:
        """The atom's value."""
        return self.atom.value

    def __repr__(self) -> str:
        about = f" (about {', '.join(map(repr, self.atom.about))})" if self.atom.about else ""
        earlier = "" if self.current else " (earlier)"
        newer = "" if self.newer is None else f" (newer: {self.newer})"
        disputed = "" if self.disputed is None else f" ({self.in_dispute})"
        return f"Hit({self.score:.2f} {self.name} = {self.snippet!r}{about}{earlier}{newer}{disputed}: {self.why})"

    @property
    def in_dispute(self) -> str:
        """The two sources that contradict each other, in words; empty if there is no dispute."""
        return "" if self.disputed is None else f"in conflict: a person says this, an agent says {self.disputed}"

    @property
    def why(self) -> str:
        """The parts of the score, in a line; of a walk the edges that it went along."""
        said = ", ".join(f"{part} {added:+.2f}" for part, added in self.parts.items())
        return f"{said} ({', '.join(self.via)})" if self.via else said

    def row(self) -> dict[str, object]:
        """Score, name, snippet and the reasons."""
        shown = {"score": round(self.score, 3), "name": self.name, "snippet": self.snippet, "why": self.why}
        when = self.atom.occurred_at or self.atom.valid_from or self.atom.recorded_at
        if self.atom.parent is not None and self.atom.source:
            shown["source"] = self.atom.source  # the name of a chunk says nothing about where it stands
        if self.newer is not None:
            shown["newer"] = self.newer
        if self.disputed is not None:
            shown["disputed"] = self.disputed
        return {**shown, "when": f"{when:%Y-%m-%d}", "current": "yes" if self.current else "earlier"}


_PASSAGE: Final = ("snippet", "marks")
hit_of_fields: Final = maker_of(Hit, ["_terms", *(one.name for one in fields(Hit) if one.name not in _PASSAGE)])
"""The hit whose passage shows these terms, with all other fields in the order in which the class has them."""


@dataclass(frozen=True, slots=True, repr=False)
class Found(Results[Hit]):
    """The hits of a search, best first."""

    items: tuple[Hit, ...]
    query: str
    asked: str = "any"
    """Which statement the question's time means: any, now, previous, first, since, span or all."""
    start: datetime | None = None
    end: datetime | None = None
    """Of a span: from when until, not including, when."""
    meaning: str = ""
    """Empty if words and meaning were searched; else why meaning was not, and what to do about it."""
    seq: int = -1
    """The last entry of the log that this answer knows of."""
    lag: int = 0
    """How many versions were not compared by meaning, because they are not embedded yet."""
    more: bool = False
    """Whether there is more behind the limit."""
    cut: tuple[str, ...] = ()
    """Hubs: atoms that have more edges than the search walked along."""
    near: tuple[str, ...] = ()
    """Where only words were searched: words of the store that are spelt like those of the query that it lacks."""
    total: int | None = None
    """Of `recent` with `count`: how many there are on all pages; None if more than 10,000 pass the filters."""
    offset: int = 0
    """How many better hits are on the pages before. Not in `to_dict`: who asked knows."""
    best_of_topic: float | None = None
    """Of a span: the best score of all without what time adds. Infinite, if the question asks for nothing but a time;
    None: as the hits say. Not in `to_dict`."""

    def to_dict(self) -> dict[str, object]:
        """The hits, and the filled fields."""
        said = super(Found, self).to_dict()
        for unsaid in ("offset", "best_of_topic"):
            said.pop(unsaid, None)
        return said

    def __repr__(self) -> str:
        return super(Found, self).__repr__() + "".join(f"\n({word})" for word in self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes on the whole answer: that nothing matches well, how time was understood, and what was not searched."""
        if self.seq == 0 and not self.items:
            return (EMPTY_STORE,)
        said: list[str] = ["nothing matches well"] if self.weak else []
        if self.asked == "span":
            start, end = (f"{time:%Y-%m-%d}" if time is not None else "…" for time in (self.start, self.end))
            said.append(f"the question was taken to be about the time from {start} to {end}")
        elif self.asked != "any":
            said.append(f"the question was taken to be about time: {self.asked}")
        if self.cut:
            said.append(f"not all edges were walked along of: {', '.join(self.cut)}")
        if self.meaning:
            said.append(Message("searched by words only: ", self.meaning))
        elif self.lag:
            said.append(
                "1 version is not embedded yet and was searched by words only"
                if self.lag == 1
                else f"{self.lag:,} versions are not embedded yet and were searched by words only"
            )
        if self.near:
            said.append(f"words here that are spelt like yours: {', '.join(self.near)}")
        return tuple(said)

    @property
    def weak(self) -> bool:
        """Whether none of several hits matches the query well, however many of them the limit leaves.

        Scores do not tell that of the only hit, of a second page, by words alone or while vectors are missing. For a
        question about nothing but a time, all that was said then fits.
        """
        is_one_of_several = len(self.items) > 1 or (bool(self.items) and self.more)
        if not self.query or not is_one_of_several or self.offset or self.meaning or self.lag:
            return False
        if self.best_of_topic is not None:
            return self.best_of_topic < WELL
        return self.asked != "span" and all(hit.score < WELL for hit in self.items)

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each hit: score, name, value, why, when, and the parts."""
        return [{**hit.row(), "value": hit.value, **dict(hit.parts)} for hit in self.items]


# -- what is joined to what --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Match(Result):
    """An atom that is meant, or may be; or an edge, by its id."""

    name: str
    """Of an edge its ends and its type."""
    id: str
    score: float
    """How like it is to the text, from 0 to 1."""
    reason: str
    """Why: `its name`, `its title`, `same words`, ... A likeness to another text than the name says to which:
    `its title: contains your text`."""

    def __repr__(self) -> str:
        return f"Match({self.score:.2f} {self.name}: {self.reason})"


@dataclass(frozen=True, slots=True, repr=False)
class Matches(Results[Match]):
    """The one that is meant, if `verdict` is exact; those that may be, the likest first, if it is close; or none."""

    items: tuple[Match, ...]
    verdict: str = "none"
    """exact, close or none."""

    @property
    def name(self) -> str | None:
        """The name of the one that is meant; None if it is not exactly one."""
        return self.items[0].name if self.verdict == "exact" else None


@dataclass(frozen=True, slots=True, repr=False)
class Cues(Result):
    """Whether a message asks to keep or to recall something, by its wording alone."""

    keep: float
    """How sure it is that the message should be kept, 0 to 1."""
    recall: float
    """How sure it is that it asks for something that was said before."""
    query: str = ""
    """The query to search for; empty if it asks for nothing."""
    type: str | None = None
    """Which type of atom it would be, if that is clear."""
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The phrases that were found, by kind: keep, statement, fact, critical, importance, doubt, exclusion, recall."""

    @property
    def advice(self) -> str:
        """keep, ask (the person first), or leave."""
        return "keep" if self.keep >= _KEEP_FROM else "ask" if self.keep >= _ASK_FROM else "leave"

    def to_dict(self) -> dict[str, object]:
        """The same as a dictionary, rounded."""
        said = super(Cues, self).to_dict()
        return {"advice": self.advice, **said, "keep": round(self.keep, 2), "recall": round(self.recall, 2)}
