"""What the verb bootstrap answers: the opening context of a session. Frozen, without I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import Final

from substrate.messages import ATOM, ATOMS, EMPTY_STORE, INGESTED, Message
from substrate.names import type_of
from substrate.result import UNTYPESET, Result, compact

__all__ = [
    "LAST",
    "LEFT_OUT",
    "MATCHES",
    "PROPOSED",
    "WEAK",
    "Absent",
    "ConflictingFacts",
    "LeftOut",
    "Opening",
    "OpeningAtom",
    "notable_evidence",
    "said_of",
]

LEFT_OUT: Mapping[str, str] = {
    "no_room": "needed and well enough supported; a larger budget would show it",
    "rule_no_room": "a goal, constraint or preference without room; a larger budget would show it",
    "too_large": "its name alone is too long for the budget",
    "less_needed": "not looked at: what is needed more fills the budget twice over",
    "low_evidence": "below the evidence that was asked for",
    "duplicate": "says what one that is needed more says",
    "ingested": "text that was taken in from elsewhere; `ingested` shows what of it fits the objective",
    "superseded": "another atom took its place",
    "outdated": "a newer atom says otherwise of the same thing; a larger budget may show it behind all others",
    "not_in_force": "does not hold now: it ended, or has not begun",
    "deleted": "taken out of use",
    "forgotten": "erased for good",
    "damaged": "the store cannot read it; fsck says more",
    "gone": "locked: it cannot be read here",
}
"""Why something that came into question is not shown."""


_IN_WORDS: Mapping[str, str] = {
    "no_room": "without room",
    "rule_no_room": "rules without room",
    "too_large": "with a name too long for the budget",
    "less_needed": "less needed",
    "low_evidence": "with too little evidence",
    "duplicate": "that say the same",
    "ingested": "taken in from elsewhere",
    "superseded": "superseded",
    "outdated": "outdated",
    "not_in_force": "not in force now",
    "deleted": "deleted",
    "forgotten": "forgotten",
    "damaged": "damaged",
    "gone": "that cannot be read here",
    "in_all": "in all",
}
"""The same in a few words, behind a number or a name."""
MATCHES: Final = "matches the objective"
"""Why an atom is here, unless it says otherwise."""
LAST: Final = "from the last session"
"""Why an atom is here that was saved or accessed last, where nothing is known to match the objective well."""
WEAK: Final = "matches weakly"
"""Why an atom is here that says little of the objective, where nothing says more."""
_OUTDATED: Final = "outdated"
"""The heading of atoms of which a newer one says otherwise."""
_USUAL: Final = {"user": 0.73, "ingested": 0.27}
"""The evidence of a plain atom, by origin; of an agent's one half."""
_NOTABLE: Final = 0.05
"""How far from that evidence says something."""
PROPOSED: Final = "proposed"
"""The tag of an atom that nobody saved on purpose: rules read it out of a transcript."""
_FOR_WANT_OF_ROOM: Final = ("no_room", "rule_no_room", "too_large", "less_needed", "in_all")
_FITTING: Final = frozenset(("goals", "taught"))
"""Parts of a need that come from objectives like this one."""
_LISTS: Final = ("goals", "constraints", "preferences", "atoms", "conflicting_facts", "absent")
_SMALL: Final = 200
"""Budgets below this are for atoms alone."""
_BRIEF: Final = 400
"""Budgets below this do not tell how many are not embedded yet: an atom takes as much room."""


@dataclass(frozen=True, slots=True, repr=False)
class OpeningAtom(Result):
    """An atom to begin with, and why. In a small budget `to_dict` has name and value alone."""

    name: str
    value: str
    shortened: int = 0
    """How many characters the whole value has, if this is just its beginning; 0: it is whole."""
    tags: tuple[str, ...] = ()
    confidence: float | None = None
    source: str | None = None
    origin: str | None = None
    recorded_at: datetime | None = None
    """When this version was recorded. Not in `to_dict`, nor is `seq`: they take as much room as a short value."""
    seq: int | None = None
    """The version: position of its entry in the log."""
    evidence: float | None = None
    """How well supported it is. In `to_dict` where it is not what is usual of its origin."""
    need: float | None = None
    """Its share of all need. Not in `to_dict`, where `why` tells it."""
    why: str = ""
    """Why it is here, in a few words. In `to_dict` where it is not because it matches the objective."""
    stale: str = ""
    """The dependency that has changed since: review this atom. Empty: none."""
    unconfirmed: bool = False
    """Whether rules found it in a transcript, and no person has confirmed it."""
    grounds: Mapping[str, float] = field(default_factory=dict)
    """The points of each part in the log-odds of `evidence`. Not in `to_dict`: it takes as much room as the atom."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """The points of each part of the predictor in `need`; docs/markov.md explains the parts. Not in `to_dict`."""
    tokens: int = 0
    """Its share of the budget, in the shown form. Not in `to_dict`."""
    entities: tuple[str, ...] = ()
    """The entities that its value does not name: whom or what it is about."""
    newer: str = ""
    """The name of the newer atom that says otherwise of the same thing: this one is outdated. Empty: none."""
    brief: bool = False
    """Whether its room holds no more than its name, its value, whom it is about, why, and whether to look at it again.
    Not in `to_dict`."""

    @property
    def type(self) -> str:
        """The middle part of the name."""
        return type_of(self.name)

    def to_dict(self) -> dict[str, object]:
        """The filled fields, in few tokens."""
        told = () if self.brief else (self.tags, self.confidence, self.source, self.origin)
        said = said_of(self.name, self.value, *told, shortened=self.shortened, entities=self.entities)
        if (evidence := self._notable_evidence) is not None:
            said["evidence"] = evidence
        if self.newer:  # which says why to read on, and not why it is here
            said["newer"] = self.newer
        elif self.why and self.why != MATCHES:
            said["why"] = self.why
        if self.stale:
            said["stale"] = self.stale
        if self.unconfirmed:
            said["unconfirmed"] = True
        return said

    @property
    def _notable_evidence(self) -> float | None:
        """The evidence, where it is not what is usual, and there is room for it."""
        return None if self.evidence is None or self.brief else notable_evidence(self.origin, self.evidence)

    def text(self) -> str:
        """A line, without why it is here: an opening tells that of several at once."""
        short = f"beginning of {self.shortened} characters" if self.shortened else ""
        about = f"about {', '.join(_quoted(entity) for entity in self.entities)}" if self.entities else ""
        stale = f"stale: {self.stale}" if self.stale else ""
        backed = "" if (evidence := self._notable_evidence) is None else f"evidence {evidence}"
        doubt = "unconfirmed" if self.unconfirmed else ""
        newer = f"newer: {self.newer}" if self.newer else ""
        remarks = "; ".join(remark for remark in (about, newer, doubt, short, backed, _escaped(stale)) if remark)
        return f"{self.name} = {_quoted(self.value)}" + (f" ({remarks})" if remarks else "")


@dataclass(frozen=True, slots=True, repr=False)
class ConflictingFacts(Result):
    """Two atoms, one of them shown at least, that cannot both be right."""

    first: str
    second: str
    kind: str
    reason: str

    def text(self) -> str:
        """A line."""
        return f"{self.first} / {self.second}: {_escaped(self.reason)}"


@dataclass(frozen=True, slots=True, repr=False)
class Absent(Result):
    """A name that the objective speaks of, or that an atom shown leans on, and that is not there."""

    name: str
    why: str
    """deleted, undone, forgotten, or never recorded."""
    needed_by: str | None = None
    """The atom that leans on it; None: the objective."""

    def text(self) -> str:
        """A line."""
        return f"{self.name}: {self.why}" + (f", {self.needed_by}" if self.needed_by else "")


@dataclass(frozen=True, slots=True, repr=False)
class LeftOut(Result):
    """Candidates that are not shown: the number for each reason (`LEFT_OUT`), and the most needed of them."""

    reasons: Mapping[str, int] = field(default_factory=dict)
    best: Mapping[str, str] = field(default_factory=dict)
    """Names of some, each with its reason."""
    brief: bool = False
    """Whether there is no room for counts that can be missed. Not in `to_dict`."""

    def to_dict(self) -> dict[str, object]:
        """The counts, and the names under `best`."""
        return {**self.reasons, **({"best": dict(self.best)} if self.best else {})}

    def text(self) -> str:
        """A line, in words: how many, then the names of those that were needed most."""
        counts = ", ".join(f"{count} {_IN_WORDS.get(reason, reason)}" for reason, count in self.reasons.items())
        names = ", ".join(self.best)
        return counts + (f"; among them {names}" if names else "")


@dataclass(frozen=True, slots=True, repr=False)
class Opening(Result):
    """The context for a new session, in at most `max_tokens`. An atom is listed once.

    `json()`, which is what goes over a wire, is within the budget as a whole, and so is `text()`, which says less. If
    another form was asked for (`bootstrap(shown=...)`), it is that form which is within the budget.
    """

    counter: str
    """By what tokens are counted."""
    tokens: int
    """How many `json()` takes, or the form that was asked for, at most."""
    max_tokens: int
    objective: str | None = None
    """As given, or its beginning; None if there is none, or no room for it."""
    domain: str | None = None
    goals: tuple[OpeningAtom, ...] = ()
    constraints: tuple[OpeningAtom, ...] = ()
    preferences: tuple[OpeningAtom, ...] = ()
    atoms: tuple[OpeningAtom, ...] = ()
    """Further atoms, most needed first."""
    conflicting_facts: tuple[ConflictingFacts, ...] = ()
    absent: tuple[Absent, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)
    seq: int | None = None
    """The last entry of the log that this answer knows of."""
    meaning: str = ""
    """Empty if the objective was matched by words and meaning; else why it was by words alone, and what to do."""
    lag: int = 0
    """How many versions were matched by words alone, because they are not embedded yet."""

    unmatched: bool = False
    """Whether atoms of the last session are here because nothing is known to match the objective. Not in `to_dict`."""
    cut: bool = False
    """Whether so much was given up for the budget that not even `left_out` tells of it. Not in `to_dict`."""

    @property
    def truncated(self) -> bool:
        """Whether a larger budget would show more, and not only what is outdated."""
        return self.cut or any(self.left_out.reasons.get(reason) for reason in _FOR_WANT_OF_ROOM)

    @property
    def weak(self) -> bool:
        """Whether what is here matches the objective weakly or not at all, and nothing was needed for such a one."""
        told = (WEAK, LAST) if self.unmatched else (WEAK,)
        return any(atom.why in told for atom in self.atoms) and not self._fits

    @property
    def _fits(self) -> bool:
        """Whether something matches the objective, or was needed for one like it."""
        others = (atom for atom in self.atoms if atom.why != LAST)
        return any(atom.why == MATCHES or _FITTING & atom.parts.keys() for atom in others)

    @property
    def remark(self) -> str:
        """Why nothing here fits the objective, and what to do, in parts for a face to spell; empty: something does."""
        if self._fits:
            return ""
        if count := self.left_out.reasons.get("ingested", 0):
            noun = ATOM if count == 1 else ATOMS
            return Message("left out because they come from files: ", f"{count} ", noun, " that may match; ", INGESTED)
        return "" if self.seq != 0 or len(self) else EMPTY_STORE

    def __iter__(self) -> Iterator[OpeningAtom]:
        """Every atom that is shown: goals, constraints, preferences, then the others."""
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __bool__(self) -> bool:
        """True also of one that shows no atom: it tells what is absent, and what was left out."""
        return True

    def __getitem__(self, at: int) -> OpeningAtom:
        return self._shown[at]

    @property
    def _shown(self) -> tuple[OpeningAtom, ...]:
        return (*self.goals, *self.constraints, *self.preferences, *self.atoms)

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each atom that is shown, with the section it stands in."""
        sections = ("goals", "constraints", "preferences", "atoms")
        return [{"section": name, **atom.to_dict()} for name in sections for atom in getattr(self, name)]

    def to_dict(self) -> dict[str, object]:
        """The reply; what is empty is left out."""
        return self._with({section: [item.to_dict() for item in getattr(self, section)] or None for section in _LISTS})

    def outline(self) -> dict[str, object]:
        """The same with empty lists where it has lists: what is around the items."""
        return self._with({section: [] if getattr(self, section) else None for section in _LISTS})

    def _with(self, lists: Mapping[str, list[dict[str, object]] | None]) -> dict[str, object]:
        said: dict[str, object] = {"objective": self.objective, "domain": self.domain, **lists}
        said["left_out"] = self.left_out.to_dict() or None
        by_words = ["by words only"] if self.meaning else []
        if self._tells_lag:
            by_words = [f"{self.lag} not embedded yet"]
        how = [*(["weakly"] if self.weak else []), *by_words]
        if how and self.max_tokens >= _SMALL:
            said["matched"] = ", ".join(how)
        said |= {"counter": self.counter, "tokens": self.tokens, "max_tokens": self.max_tokens, "seq": self.seq}
        return {name: value for name, value in said.items() if value is not None}

    @property
    def _tells_lag(self) -> bool:
        return self.lag > 0 and not self.meaning and self.max_tokens >= _BRIEF

    def json(self) -> str:
        """The reply as compact JSON: the text whose tokens are counted."""
        return compact(self)

    def text(self) -> str:
        """The reply as plain lines. Values are in quotation marks, so that none can pass for a line of ours."""
        lines = [f"objective {_quoted(self.objective)}"] if self.objective is not None else []
        for section in ("goals", "constraints", "preferences"):
            items = getattr(self, section)
            lines += [f"{section}:", *(item.text() for item in items)] if items else []
        if self.weak:
            lines.append("nothing matches the objective well")
        told = [(_OUTDATED if atom.newer else atom.why, atom) for atom in self.atoms]
        for why in sorted(dict.fromkeys(why for why, _ in told), key=_is_told_last):
            lines.append(f"{_escaped(why)}:" if why else "atoms:")
            lines += [atom.text() for heading, atom in told if heading == why]
        if self.conflicting_facts:
            lines += ["in conflict, ask which one holds:", *(clash.text() for clash in self.conflicting_facts)]
        if self.absent:
            lines += ["absent:", *(missing.text() for missing in self.absent)]
        if left_out := self.left_out.text():
            lines.append(f"left out: {left_out}")
        if self.meaning and self.max_tokens >= _SMALL:
            lines.append("matched by words only")
        elif self._tells_lag:
            lines.append(f"not embedded yet, so matched by words only: {self.lag:,}")
        return "\n".join([*lines, f"tokens {self.tokens} of {self.max_tokens} by {self.counter}"])

    def __repr__(self) -> str:
        return "\n".join(said for said in (self.text(), str(self.remark)) if said)

    def _repr_html_(self) -> str:
        return f'<pre class="{UNTYPESET}">{escape(repr(self))}</pre>'


def said_of(  # noqa: PLR0913, PLR0917
    name: str,
    value: str,
    tags: Sequence[str] = (),
    confidence: float | None = None,
    source: str | None = None,
    origin: str | None = None,
    *,
    shortened: int = 0,
    entities: Sequence[str] = (),
) -> dict[str, object]:
    """The filled fields of an atom itself, as an opening shows them. Remarks about the atom come behind these."""
    said: dict[str, object] = {"name": name, "value": value}
    if shortened:
        said["shortened"] = shortened
    if entities:
        said["entities"] = list(entities)
    if tags:
        said["tags"] = list(tags)
    if confidence is not None:
        said["confidence"] = confidence
    if source is not None:
        said["source"] = source
    if origin is not None and origin != "agent":
        said["origin"] = origin
    return said


def notable_evidence(origin: str | None, evidence: float) -> float | None:
    """The evidence of an atom of this origin as it is shown; None where it is as usual, and is not."""
    return None if abs(evidence - _USUAL.get(origin or "agent", 0.5)) < _NOTABLE else round(evidence, 2)


def _is_told_last(why: str) -> int:
    return (WEAK, _OUTDATED).index(why) + 1 if why in {WEAK, _OUTDATED} else 0


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _escaped(text: str) -> str:
    return _quoted(text)[1:-1]
