"""From a candidate to what would be shown of it: its atom with the reasons, its conflicts, what says much the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, replace
from json.encoder import encode_basestring as _quoted
from typing import Final, NamedTuple

from substrate.atoms.stale import Stale
from substrate.bootstrap.candidates import Candidate
from substrate.bootstrap.fit import Measure, cost_of, form_of
from substrate.bootstrap.pack import Item
from substrate.kv.api import ReadTransaction, kept_by
from substrate.result import compact_json
from substrate.values.atoms import about
from substrate.values.opening import LAST, MATCHES, WEAK, ConflictingFacts, OpeningAtom, notable_evidence, said_of
from substrate.values.times import from_microseconds

__all__ = [
    "Costs",
    "Look",
    "Offer",
    "Texts",
    "atom_shown",
    "clashes_cost",
    "clashes_shown",
    "looking",
    "shortened",
    "why_of",
]

_OWN: Final = 40
"""Characters from which on a text stands for itself: `yes` said twice is not the same thing said twice."""
_LOOKED_AT: Final = 2000
_SHORT: Final = 1000
"""Characters of a value up to which what it has in common with others is kept."""
_WORD: Final = re.compile(r"[^\W\d_]+")
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
    "last": LAST,
    "member": "in the domain",
}
"""Parts of a need, in words; others by their own name. Those of the model are in `learn/parts.py`."""
_LED: Final = ("seeds", "edges")
_BESIDE: Final = "beside weak matches"
"""Instead of what these parts are called, where nothing is known to be needed."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate in the form in which it would be shown. `section`: where."""

    candidate: Candidate
    section: str
    look: Look
    tokens: int
    """What the atom takes."""
    clashes: tuple[ConflictingFacts, ...]
    item: Item
    is_outdated: bool = False
    """Whether it comes behind all others, and only if what is newer is shown."""
    form: OpeningAtom | None = None
    """The atom, if it was made; most offers are not taken, and to make one costs more than to say what it takes."""

    @property
    def name(self) -> str:
        """The atom's name."""
        return str(self.candidate.body.members.get("name"))

    @property
    def atom(self) -> OpeningAtom:
        """What is shown."""
        if self.form is None:
            return looking(self.candidate, self.look, self.tokens)
        return replace(self.form, tokens=self.tokens)

    @property
    def waits(self) -> bool:
        """Whether all others come before it; a rule never waits."""
        return self.section == "atoms" and self.candidate.need.waits


class Look(NamedTuple):
    """How a candidate is shown: with which words for why it is here, and whether with these and its value alone."""

    why: str
    is_brief: bool
    newer: str = ""
    """The name of the atom that says now what this one said."""


def looking(candidate: Candidate, look: Look, tokens: int = 0) -> OpeningAtom:
    """The atom with its value whole, as it looks; and what it takes, if that is known."""
    atom = atom_shown(candidate, look.why, tokens)
    if look.is_brief or look.newer:
        return replace(atom, brief=look.is_brief, newer=look.newer)
    return atom


class Costs:
    """What atoms take that are shown whole, as compact JSON. Worked out once for each version, until the store changes.

    A text takes what its parts take, wherever these meet at a sign (embed/tokens.py). So what changes from one opening
    to the next, why an atom is here and how well it is supported, is added to what stays.
    """

    def __init__(self, transaction: ReadTransaction, measure: Measure) -> None:
        self._count = measure.counter.count
        self._kept = kept_by(transaction, f"costs of candidates by {measure.counter.name}")
        self._adds_up = measure.adds_up

    def of(self, candidate: Candidate, look: Look) -> int | None:
        """As `cost_of`; None if it is not known without looking at the atom."""
        if candidate.stale or not self._adds_up:
            return None
        at = candidate.version.seq, look.is_brief
        cost: int | None = self._kept.get(at)
        if cost is None:
            cost = self._kept[at] = self._own(candidate, look)
        if not look.is_brief:
            origin = candidate.body.members.get("origin")
            evidence = notable_evidence(origin, candidate.evidence.value)  # type: ignore[arg-type]
            cost += 0 if evidence is None else self._field("evidence", evidence)
        if look.newer:
            return cost + self._field("newer", look.newer)
        return cost + (self._field("why", look.why) if look.why and look.why != MATCHES else 0)

    def _own(self, candidate: Candidate, look: Look) -> int:
        """What it takes without that, and a comma."""
        get = candidate.body.members.get
        name, value, tags, entities = get("name"), get("value"), get("tags") or (), _about(candidate)
        if look.is_brief:
            said = said_of(name, value, entities=entities)  # type: ignore[arg-type]
        else:
            said = said_of(
                name,  # type: ignore[arg-type]
                value,  # type: ignore[arg-type]
                tags,  # type: ignore[arg-type]
                get("confidence"),  # type: ignore[arg-type]
                get("source"),  # type: ignore[arg-type]
                get("origin"),  # type: ignore[arg-type]
                entities=entities,
            )
        if candidate.is_unconfirmed:
            said["unconfirmed"] = True
        # As `compact` has it, without making an encoder for each: most fields are texts.
        fields = [f'"{at}":{_quoted(of) if type(of) is str else compact_json(of)}' for at, of in said.items()]
        return self._count("{" + ",".join(fields) + "}") + 1

    def _field(self, name: str, said: float | str) -> int:
        """What a field takes, and the comma before it."""
        cost: int | None = self._kept.get(said)
        if cost is None:
            cost = self._kept[said] = self._count(f',"{name}":{compact_json(said)}')
        return cost


def atom_shown(candidate: Candidate, why: str | None = None, tokens: int = 0) -> OpeningAtom:
    """The atom with its metadata, its value whole, and why it is here: as told, or as its need tells."""
    get = candidate.body.members.get
    return OpeningAtom(
        # What is read here was checked against its commitment, and field by field, when the body was read.
        name=get("name"),  # type: ignore[arg-type]
        value=get("value"),  # type: ignore[arg-type]
        entities=_about(candidate),
        tags=tuple(get("tags") or ()),  # type: ignore[arg-type]
        confidence=get("confidence"),  # type: ignore[arg-type]
        source=get("source"),  # type: ignore[arg-type]
        origin=get("origin"),  # type: ignore[arg-type]
        recorded_at=from_microseconds(candidate.body.time),
        seq=candidate.version.seq,
        evidence=candidate.evidence.value,
        need=candidate.need.share,
        why=why_of(candidate) if why is None else why,
        stale=_stale(candidate.stale[0], len(candidate.stale)) if candidate.stale else "",
        unconfirmed=candidate.is_unconfirmed,
        grounds=candidate.evidence.parts,
        parts={part: added for part, added in candidate.need.parts.items() if added > 0},
        tokens=tokens,
    )


def _about(candidate: Candidate) -> tuple[str, ...]:
    get = candidate.body.members.get
    return () if get("parent") is not None else about(get("value"), get("entities") or ())  # type: ignore[arg-type]


def clashes_cost(offer: Offer, measure: Measure, told: Collection[ConflictingFacts] = ()) -> int:
    """What its conflicts take, but for those that are told already."""
    return sum(cost_of(clash, measure) for clash in offer.clashes if clash not in told)


def shortened(offer: Offer, room: int, measure: Measure, told: Collection[ConflictingFacts] = ()) -> Offer | None:
    """The offer with so much of its value that it fits into the room with its conflicts; None if nothing of it does.

    `told`: conflicts that are told already, and take no more room.
    """
    left = room - clashes_cost(offer, measure, told)
    whole = replace(offer.atom, value=atom_shown(offer.candidate).value, shortened=0, tokens=0)
    form = form_of(whole, left, left, measure) if left > 0 else None
    if form is None:
        return None
    item = replace(offer.item, cost=form.cost + clashes_cost(offer, measure))
    return replace(offer, form=form.atom, tokens=form.cost, item=item)


def why_of(candidate: Candidate) -> str:
    """What speaks most for it; what was taught, in any case; and of a weak match, that it was needed, if it was."""
    if candidate.is_taught:
        return _WORDS["taught"]
    part, added = max(candidate.need.parts.items(), key=lambda part: part[1], default=("member", 0.0))
    if part == "match" and candidate.need.is_weak:
        return _WORDS["goals"] if candidate.need.parts.get("goals", 0) > 0 else WEAK
    if part in _LED and candidate.need.is_beside:
        return WEAK if candidate.need.is_weak else _BESIDE
    return _WORDS.get(part, part) if added > 0 else _WORDS["member"] if candidate.in_domain else ""


def _stale(first: Stale, count: int) -> str:
    return first.reason + (f"; and {count - 1} more" if count > 1 else "")


def clashes_shown(
    candidate: Candidate, name_of: Callable[[bytes], str], is_outdated: Callable[[bytes], object]
) -> tuple[ConflictingFacts, ...]:
    """The first of the candidate's open conflicts, by name; but for those that time settles."""
    clashes = [clash for clash in candidate.clashes if not (is_outdated(clash.first) or is_outdated(clash.second))]
    return tuple(
        ConflictingFacts(name_of(clash.first), name_of(clash.second), clash.kind, clash.reason)
        for clash in clashes[:_MOST_CLASHES]
    )


class Texts:
    """What texts of candidates have in common with others. Worked out once for each, until the store changes."""

    def __init__(self, transaction: ReadTransaction) -> None:
        self._kept = kept_by(transaction, "texts of candidates")

    def same(self, candidate: Candidate) -> str | None:
        """What two atoms that say the same have in common; None if the value is too short to stand for itself."""
        return self._of(candidate)[0]

    def cluster(self, candidate: Candidate, domain: bytes | None) -> Hashable:
        """What says much the same: parts of one whole, members of one hub, texts that differ in numbers and signs only.

        The domain asked about is no cluster: to belong to it is no reason to be left out.
        """
        parent = candidate.body.members.get("parent")
        if isinstance(parent, str):
            return "part of", parent
        for group in candidate.groups:
            if group != domain:
                return "member of", group
        return self._of(candidate)[1]

    def _of(self, candidate: Candidate) -> tuple[str | None, Hashable]:
        known: tuple[str | None, Hashable] | None = self._kept.get(candidate.version.seq)
        if known is not None:
            return known
        value = str(candidate.body.members.get("value"))
        beginning = value[:_LOOKED_AT].casefold()
        text, words = " ".join(beginning.split()), " ".join(_WORD.findall(beginning))
        own = ("text", words) if len(words) >= _OWN else ("alone", candidate.version.subject)
        # What is said of two is not said twice: a note need not name whom it is about.
        said = " ".join((text, *_about(candidate))) if len(text) >= _OWN else None, own
        if len(value) <= _SHORT:
            self._kept[candidate.version.seq] = said
        return said
