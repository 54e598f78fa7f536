"""From a candidate to what would be shown of it: its atom with the reasons, its conflicts, what says much the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Final

from substrate.atoms.stale import Stale
from substrate.bootstrap.candidates import Candidate
from substrate.bootstrap.fit import Measure, cost_of, form_of
from substrate.bootstrap.pack import Item
from substrate.values.opening import MATCHES, PROPOSED, WEAK, ConflictingFacts, OpeningAtom
from substrate.values.times import from_microseconds

__all__ = ["Offer", "atom_shown", "clashes_shown", "cluster_of", "same_text", "shortened"]

_OWN: Final = 40
"""Characters from which on a text stands for itself: `yes` said twice is not the same thing said twice."""
_LOOKED_AT: Final = 2000
_MOST_CLASHES: Final = 3
_WORDS: Final = {
    "match": MATCHES,
    "goals": "needed for objectives like this",
    "taught": "taught for objectives like this",
    "seeds": "follows what is needed",
    "edges": "linked to what is needed",
    "start": "sessions begin with it",
    "usage": "often used",
    "recent": "used lately",
    "newest": "recorded last",
    "member": "in the domain",
}
"""Parts of a need, in words; others by their own name. Those of the model are in `learn/parts.py`."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate in the form in which it would be shown. `section`: where."""

    candidate: Candidate
    section: str
    atom: OpeningAtom
    tokens: int
    """What the atom takes. It is not in the atom yet: most offers are not taken, and a copy costs more than it."""
    clashes: tuple[ConflictingFacts, ...]
    item: Item

    @property
    def waits(self) -> bool:
        """Whether all others come before it; a rule never waits."""
        return self.section == "atoms" and self.candidate.need.waits


def atom_shown(candidate: Candidate) -> OpeningAtom:
    """The atom with its metadata, its value whole, and why it is here."""
    get = candidate.body.members.get
    return OpeningAtom(
        # What is read here was checked against its commitment, and field by field, when the body was read.
        name=get("name"),  # type: ignore[arg-type]
        value=get("value"),  # type: ignore[arg-type]
        tags=tuple(get("tags") or ()),  # type: ignore[arg-type]
        confidence=get("confidence"),  # type: ignore[arg-type]
        source=get("source"),  # type: ignore[arg-type]
        origin=get("origin"),  # type: ignore[arg-type]
        recorded_at=from_microseconds(candidate.body.time),
        seq=candidate.version.seq,
        evidence=candidate.evidence.value,
        need=candidate.need.share,
        why=_why(candidate),
        stale=_stale(candidate.stale[0], len(candidate.stale)) if candidate.stale else "",
        unconfirmed=PROPOSED in (get("tags") or ()),  # type: ignore[operator]
        grounds=candidate.evidence.parts,
        parts={part: added for part, added in candidate.need.parts.items() if added > 0},
    )


def shortened(offer: Offer, room: int, measure: Measure) -> Offer | None:
    """The offer with so much of its value that it fits into the room with its conflicts; None if nothing of it does."""
    clashes = sum(cost_of(clash, measure) for clash in offer.clashes)
    left = room - clashes
    whole = replace(offer.atom, value=atom_shown(offer.candidate).value, shortened=0)
    form = form_of(whole, left, left, measure) if left > 0 else None
    if form is None:
        return None
    item = replace(offer.item, cost=form.cost + clashes)
    return replace(offer, atom=form.atom, tokens=form.cost, item=item)


def _why(candidate: Candidate) -> str:
    """What speaks most for it; what was taught, in any case; and of a weak match, that it was needed, if it was."""
    if candidate.is_taught:
        return _WORDS["taught"]
    part, added = max(candidate.need.parts.items(), key=lambda part: part[1], default=("member", 0.0))
    if part == "match" and candidate.need.is_weak:
        return _WORDS["goals"] if candidate.need.parts.get("goals", 0) > 0 else WEAK
    return _WORDS.get(part, part) if added > 0 else _WORDS["member"] if candidate.in_domain else ""


def _stale(first: Stale, count: int) -> str:
    return first.reason + (f"; and {count - 1} more" if count > 1 else "")


def clashes_shown(candidate: Candidate, name_of: Callable[[bytes], str]) -> tuple[ConflictingFacts, ...]:
    """The first of the candidate's open conflicts, by name."""
    return tuple(
        ConflictingFacts(name_of(clash.first), name_of(clash.second), clash.kind, clash.reason)
        for clash in candidate.clashes[:_MOST_CLASHES]
    )


def same_text(candidate: Candidate) -> str | None:
    """What two atoms that say the same have in common; None if the value is too short to stand for itself."""
    text = " ".join(_beginning(candidate).casefold().split())
    return text if len(text) >= _OWN else None


def cluster_of(candidate: Candidate, domain: bytes | None) -> Hashable:
    """What says much the same: parts of one whole, members of one hub, texts that differ in numbers and signs only.

    The domain asked about is no cluster: to belong to it is no reason to be left out.
    """
    parent = candidate.body.members.get("parent")
    if isinstance(parent, str):
        return "part of", parent
    for group in candidate.groups:
        if group != domain:
            return "member of", group
    words = " ".join(re.findall(r"[^\W\d_]+", _beginning(candidate).casefold()))
    return ("text", words) if len(words) >= _OWN else ("alone", candidate.version.subject)


def _beginning(candidate: Candidate) -> str:
    return str(candidate.body.members.get("value"))[:_LOOKED_AT]
