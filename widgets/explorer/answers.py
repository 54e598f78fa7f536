"""What the Explorer tells the page, as plain dictionaries: hits with their reasons, what is offered, one atom in full.

Nothing here counts as an access: the model learns from what people and agents use, not from what they leaf through.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from substrate.errors import Denied, Forgotten, InputError, NotFound, ProofInvalid
from substrate.proof.bundle import Bundle
from substrate.result import iso
from substrate.text.quote import as_word
from substrate.values.hits import WELL

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.atoms import Access, Atom, Version
    from substrate.values.edges import Edge
    from substrate.values.hits import Found, Hit

__all__ = ["BEGINNING", "WHOLE", "Query", "detail_of", "find", "offer", "pending", "reasons"]

Told: TypeAlias = dict[str, object]

BEGINNING = 4_000
WHOLE = 65_536
"""Characters of a value that are sent at first, and when all of it is asked for."""
_WAITING = 20
"""Proposals that the card has."""
_NAMED = 200
"""Types, domains and tags that are offered at most."""
_SHORT = 160
_ATTRS = 2_000
"""Characters of the value of an earlier version, and of the attrs."""
_VERSIONS = 50
_EDGES = 50
_LIKELY = 5
_FIELDS = (
    *("id", "seq", "recorded_at", "confirmed_at", "actor", "origin", "source", "session", "confidence"),
    *("occurred_at", "valid_from", "valid_to", "tags", "entities", "superseded_by", "parent", "position"),
)
_DIGESTS = ("document", "chunk")
"""Types of atoms whose names are digests: they are shown by where they come from."""
_ADDED = {
    "meaning": "near in meaning",
    "neighbours": "stands beside a match",
    "edges": "an edge leads to it from a match",
    "evidence": "well supported",
    "time": "fits the time asked about",
}


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. What is empty does not matter; without a query it is what was recorded last."""

    query: str = ""
    type: str = ""
    domain: str = ""
    tag: str = ""
    since: str = ""
    until: str = ""
    as_of: int | None = None
    limit: int = 30
    offset: int = 0


def find(memory: Memory, asked: Query) -> Told:
    """The hits, with the query that they answer. Raises as `Memory.search` does."""
    found = _found(memory, asked)
    return {
        "query": asked.query,
        "searched": bool(asked.query.strip()),
        "hits": [{**_hit(hit), "weak": _is_weak(hit, found)} for hit in found],
        "types": _counted(hit.atom.type for hit in found),
        "tags": _counted(tag for hit in found for tag in hit.atom.tags),
        "remarks": list(found.remarks),
        "by_words": bool(found.meaning),
        "more": found.more,
        "first": asked.offset + 1,
        "best": _best(memory, asked, found),
        "total": found.total,
    }


def _found(memory: Memory, asked: Query) -> Found:
    filters = {"type": asked.type, "domain": asked.domain, "tags": asked.tag, "since": asked.since}
    given: dict[str, Any] = {name: value for name, value in filters.items() if value}
    if asked.until:
        given["until"] = _end_of(asked.until)
    if asked.query.strip():
        return memory.search(asked.query, limit=asked.limit, offset=asked.offset, as_of=asked.as_of, **given)
    return memory.recent(limit=asked.limit, offset=asked.offset, as_of=asked.as_of, count=True, **given)


def _best(memory: Memory, asked: Query, found: Found) -> float:
    """What is a full bar: the best score of the whole result, whichever page is shown; at least 1, a match in full."""
    if asked.offset and asked.query.strip():
        found = _found(memory, replace(asked, limit=1, offset=0))
    return max([1.0, *(sum(added for added in hit.parts.values() if added > 0) for hit in found)])


def _end_of(until: str) -> str:
    """A day counts to its end; a time is taken as it is."""
    try:
        return (date.fromisoformat(until) + timedelta(days=1)).isoformat()
    except ValueError:
        return until
    except OverflowError:
        raise InputError(f"until {until} is out of range") from None


def _counted(words: Iterable[str]) -> list[tuple[str, int]]:
    return Counter(words).most_common(_NAMED)


def _hit(hit: Hit) -> Told:
    atom = hit.atom
    return {
        "name": hit.name,
        "label": atom.source if atom.origin == "ingested" and atom.source and atom.type in _DIGESTS else "",
        "snippet": hit.snippet if atom.damaged is None else f"damaged: {atom.damaged}",
        "marks": [list(mark) for mark in hit.marks] if atom.damaged is None else [],
        "score": round(hit.score, 3),
        "parts": dict(hit.parts),
        "why": reasons(hit.parts, hit.matched),
        "current": hit.current,
        "seq": atom.seq,
        "tags": list(atom.tags),
        "when": atom.to_dict()["recorded_at"],
    }


def _is_weak(hit: Hit, found: Found) -> bool:
    """Whether it has little to do with the question. By words alone, scores depend on how many there are."""
    return bool(found.query) and not found.meaning and hit.score < WELL


def reasons(parts: Mapping[str, float], matched: Sequence[str]) -> str:
    """Why something was found, in words: what added a twentieth or more to its score, the most first."""
    said = []
    least = 0.05 * sum(added for added in parts.values() if added > 0)
    for part, added in sorted(parts.items(), key=lambda item: -item[1]):
        if added > 0 and added >= least:
            words = ", ".join(f"“{word}”" for word in matched)
            said.append(f"has {words}" if part == "words" and words else _ADDED.get(part, part))
    return "; ".join(said)


def offer(memory: Memory) -> Told:
    """Types and domains to choose from, and how many atoms there are: what is cheap in a store of any size."""
    types: list[str] = []
    after = "v1."
    while len(types) < _NAMED and after and (listed := memory.list("v1.", limit=1, after=after)):
        if kind := listed[0].type:
            types.append(kind)
            after = f"v1.{kind}/"  # sorts behind all names of the type: the next one begins there
        else:  # its name is damaged
            after = listed.next or ""
    domains = [atom.name for atom in memory.list("v1.domain.", limit=_NAMED)]
    return {"types": types, "domains": domains, "atoms": memory.stats().atoms}


def pending(memory: Memory) -> Told:
    """What waits for a person, with texts as long as a card shows."""
    found = memory.proposals(limit=_WAITING)
    items = [
        {
            "id": one.id,
            "kind": one.kind,
            "about": one.name or one.domain or "",
            "value": one.value[:BEGINNING],
            "length": len(one.value),
            "original": None if one.original is None else one.original[:BEGINNING],
            "changed": one.changed,
            "near": [match.name.removeprefix("v1.domain.") for match in one.candidates],
            "until": None if one.expires_at is None else iso(one.expires_at),
        }
        for one in found
    ]
    return {"items": items, "more": found.more}


# -- one atom ----------------------------------------------------------------------------------------------------------


def detail_of(
    memory: Memory, name: str, as_of: int | None, characters: int = BEGINNING, *, bundle: bool = False
) -> Told:
    """All there is to know of an atom, now or as of a seq; also that it is not there, and why.

    With `bundle` the proof itself is told too, for a page that checks it.
    """
    told: Told = {"asked": name, "name": name, "as_of": as_of, "state": "there", "note": "", "proof": None}
    try:
        found = _read(memory, name, as_of)
    except Forgotten as error:
        told |= {"state": "forgotten", "note": str(error), "proof": _badge(memory, error.proof, bundle)}
    except NotFound as error:
        told |= {"state": "absent", "note": str(error), "proof": _badge_of_now(memory, name, as_of, bundle)}
    else:
        told |= {
            **_atom(found.atom, characters),
            "stale": list(found.stale),
            "proof": _badge(memory, found.proof, bundle),
        }
        told["predictions"] = [
            {"name": one.name, "probability": round(one.probability, 3), "why": one.why} for one in found.predictions
        ]
    word = as_word(str(told["name"]))  # a name is handed out as a line of %memory takes it literally
    return told | {"word": word} | _around(memory, name, as_of)


def _read(memory: Memory, name: str, as_of: int | None) -> Access:
    if as_of is not None:  # a read of the past is never learnt from
        return memory.access(name, as_of=as_of, proof=True)
    with memory.session(observe=False):
        return memory.access(name, proof=True, predictions=_LIKELY)


def _atom(atom: Atom, characters: int) -> Told:
    said = atom.to_dict()
    attrs = {word: value for word, value in atom.attrs.items() if word != "notebook"}
    return {
        "name": atom.name,
        "type": atom.type,
        "atom": {word: said[word] for word in _FIELDS if word in said},
        "notebook": atom.attrs.get("notebook"),
        "attrs": _short(json.dumps(attrs, ensure_ascii=False), _ATTRS) if attrs else "",
        "value": atom.value[:characters],
        "shown": min(len(atom.value), characters),
        "length": len(atom.value),
        "whole": min(len(atom.value), WHOLE),
    }


def _short(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[:characters] + "…"


def _around(memory: Memory, name: str, as_of: int | None) -> Told:
    """Its versions, whichever moment is looked at, and its edges at that moment."""
    told: Told = {"history": [], "earlier": False, "edges": [], "more_edges": False}
    try:
        history = memory.history(name, limit=_VERSIONS)
        told |= {"history": [_version(version) for version in reversed(history)], "earlier": history.more}
    except (NotFound, Forgotten):
        pass  # it was said already that it is not there
    try:
        edges = memory.edges(name, as_of=as_of, limit=_EDGES)
        shown = [{**_edge(edge, name), "label": edges.titles.get(_other(edge, name)[0], "")} for edge in edges]
        told |= {"edges": shown, "more_edges": edges.more}
    except (NotFound, Forgotten):
        pass
    return told


def _version(version: Version) -> Told:
    atom = version.atom
    return {
        "seq": version.seq,
        "kind": version.kind,
        "when": version.to_dict()["recorded_at"],
        "actor": version.actor,
        "value": "" if atom is None else _short(atom.value, _SHORT),
        "taken_back_by": version.taken_back_by,
    }


def _other(edge: Edge, name: str) -> tuple[str, str]:
    """The name at the other end, and which end that is."""
    return (edge.target, "target") if name in {edge.source, edge.source_id} else (edge.source, "source")


def _edge(edge: Edge, name: str) -> Told:
    other, end = _other(edge, name)
    return {
        "out": end == "target",
        "type": edge.type,
        "other": other,
        "there": end not in edge.dangling,
        "seq": edge.seq,
    }


# -- proofs ------------------------------------------------------------------------------------------------------------


def _badge_of_now(memory: Memory, name: str, as_of: int | None, whole: bool) -> Told | None:  # noqa: FBT001
    """The proof that a name is out of use or was never there. Of an id, and of the past, there is none.

    Nor is there one for clients who do not see all there is: that a name is absent would tell them what is hidden.
    """
    if as_of is not None or "." not in name:
        return None
    try:
        return _badge(memory, memory.prove(name), whole)
    except Denied:
        return None


def _badge(memory: Memory, bundle: object, whole: bool) -> Told | None:  # noqa: FBT001 - the bundle too, or not
    """What was proved, and whether the verifier takes it; it is handed the text, as anyone else's would be."""
    if not isinstance(bundle, Bundle):
        return None
    text = bundle.to_json()
    brought: Told = {"bundle": text} if whole else {}
    try:
        verdict = memory.verify(text)
    except ProofInvalid as error:
        return {"verified": False, "claim": bundle.claim, "reason": str(error), **brought}
    return {"verified": True, "claim": verdict.claim, "seq": verdict.seq, "size": verdict.head.size, **brought}
