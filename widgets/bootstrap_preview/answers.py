"""Openings and conflicts as the page shows them: plain dictionaries, long texts by their beginnings. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from substrate.bootstrap.evidence import evidence_of
from substrate.result import iso
from substrate.values.atoms import Atom
from substrate.values.conflicts import Conflict
from substrate.values.opening import LAST, LEFT_OUT, Opening, OpeningAtom

__all__ = ["conflict_shown", "opening_shown"]

_CHARACTERS: Final = 1500
"""Of a value; the page says how many there are."""
_SECTIONS: Final = ("goals", "constraints", "preferences", "atoms")
_NEEDS: Final[dict[str, dict[str, str]]] = {
    "objective": {"match": "matches the objective", "member": "in the domain"},
    "sessions": {
        "goals": "needed for objectives like this",
        "taught": "taught for objectives like this",
        "seeds": "follows what is needed",
        "edges": "linked to what is needed",
        "start": "sessions begin with it",
    },
    "use": {"usage": "often used", "recent": "used lately", "newest": "recorded last", "last": LAST},
}
"""The parts of need, by what they go by; docs/markov.md says what each is."""
_GROUNDS: Final = {
    "origin": "its author",
    "source": "it has a source",
    "confidence": "its confidence",
    "confirmed": "confirmed by others",
    "referred": "others refer to it",
    "used": "it is used",
    "age": "its age",
    "conflict": "an open conflict",
    "stale": "a dependency has changed",
}


def opening_shown(opening: Opening) -> dict[str, object]:
    """An opening, section by section, with what was left out and what is absent."""
    sections = {name: [_atom(atom) for atom in getattr(opening, name)] for name in _SECTIONS}
    reasons = opening.left_out.reasons
    return {
        "tokens": opening.tokens,
        "max_tokens": opening.max_tokens,
        "counter": opening.counter,
        "truncated": opening.truncated,
        "meaning": opening.meaning,
        "weak": opening.weak,
        "sections": {name: atoms for name, atoms in sections.items() if atoms},
        "conflicting": [[clash.first, clash.second] for clash in opening.conflicting_facts],
        "absent": [absent.to_dict() for absent in opening.absent],
        "left_out": [{"why": LEFT_OUT.get(reason, reason), "count": count} for reason, count in reasons.items()],
        "best": [{"name": name, "why": LEFT_OUT.get(reason, reason)} for name, reason in opening.left_out.best.items()],
    }


def _atom(atom: OpeningAtom) -> dict[str, object]:
    known = {
        group: {part: words for part, words in parts.items() if part in atom.parts} for group, parts in _NEEDS.items()
    }
    return {
        "name": atom.name,
        "value": atom.value[:_CHARACTERS],
        "characters": atom.shortened or len(atom.value),
        "tokens": atom.tokens,
        "why": atom.why,
        "stale": atom.stale,
        "newer": atom.newer,
        "origin": atom.origin or "",
        "source": (atom.source or "")[:_CHARACTERS],
        "recorded_at": iso(atom.recorded_at) if atom.recorded_at else "",
        "need": atom.need or 0.0,
        "needs": {group: sum(atom.parts[part] for part in parts) for group, parts in known.items()},
        "parts": _said(atom.parts, {part: words for parts in known.values() for part, words in parts.items()}),
        "evidence": _evidence(atom),
        "grounds": _said(atom.grounds, _GROUNDS),
    }


def _said(parts: Mapping[str, float], words: Mapping[str, str]) -> list[dict[str, object]]:
    """The parts in words, the heaviest first."""
    ordered = sorted(parts.items(), key=lambda part: -abs(part[1]))
    return [{"part": part, "words": words.get(part, part), "share": share} for part, share in ordered]


def _evidence(atom: OpeningAtom) -> float:
    """In a small budget it is not sent; what it is made of is still known here."""
    return evidence_of(atom.grounds) if atom.evidence is None else atom.evidence


def conflict_shown(conflict: Conflict, weighed: Sequence[OpeningAtom]) -> dict[str, object]:
    """A conflict with its two sides, the one whose version was recorded earlier first."""
    evidence = {atom.name: (_evidence(atom), _said(atom.grounds, _GROUNDS)) for atom in weighed}
    sides = []
    for atom in (conflict.first, conflict.second):
        value, grounds = evidence.get(atom.name, (None, []))
        sides.append({**_side(atom), "evidence": value, "grounds": grounds})
    return {"kind": conflict.kind, "reason": conflict.reason, "sides": sides}


def _side(atom: Atom) -> dict[str, object]:
    return {
        "name": atom.name,
        "seq": atom.seq,
        "value": atom.value[:_CHARACTERS],
        "characters": len(atom.value),
        "actor": atom.actor or "",
        "origin": atom.origin or "",
        "source": (atom.source or "")[:_CHARACTERS],
        "confidence": atom.confidence,
        "recorded_at": iso(atom.recorded_at),
        "valid_from": iso(atom.valid_from) if atom.valid_from else "",
        "valid_to": iso(atom.valid_to) if atom.valid_to else "",
    }
