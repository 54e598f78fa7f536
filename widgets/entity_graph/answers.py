"""The graph, the evidence of an edge and a gardener's run, as the page shows them: plain dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from substrate.errors import Forgotten, NotFound, ProofInvalid, SubstrateError
from substrate.result import iso

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.edges import Edge
    from substrate.values.growth import Change
    from substrate.values.review.garden import EdgeMap, EntityMap, EntityNode, Tending

__all__ = ["Told", "changes_of", "evidence_of", "graph_shown", "nodes_of", "runs_shown"]

Told = dict[str, object]
_CHARACTERS: Final = 2_000
"""Of a cited chunk."""
_CHANGES: Final = 200


def nodes_of(found: EntityMap | EdgeMap) -> tuple[EntityNode, ...]:
    """The entities, or the atoms, that are drawn."""
    entities: tuple[EntityNode, ...] | None = getattr(found, "entities", None)
    return getattr(found, "atoms", ()) if entities is None else entities


def graph_shown(found: EntityMap | EdgeMap) -> Told:
    """Nodes and edges. Ends are places in the list of nodes."""
    listed = nodes_of(found)
    places = {node.id: place for place, node in enumerate(listed)}
    nodes = [{"name": node.name, "label": node.label, "type": node.type or "", "edges": node.edges} for node in listed]
    edges = [
        {
            "id": edge.id,
            "source": places[edge.source_id],
            "target": places[edge.target_id],
            "type": edge.type,
            "confidence": 1.0 if edge.confidence is None else edge.confidence,
            "tended": edge.actor == "tend",
        }
        for edge in found.items
    ]
    return {"domain": getattr(found, "domain", ""), "nodes": nodes, "edges": edges, "more": found.more}


def evidence_of(memory: Memory, edge: Edge, labels: dict[str, str]) -> Told:
    """What speaks for an edge: the chunk that it cites, what the verifier said, and the proof that it was recorded."""
    told: Told = {
        "id": edge.id,
        "source": edge.source,
        "target": edge.target,
        "labels": [labels.get(edge.source_id, edge.source), labels.get(edge.target_id, edge.target)],
        "type": edge.label or edge.type,
        "confidence": edge.confidence,
        "when": iso(edge.recorded_at),
        "actor": edge.actor or "",
        "session": edge.session or "",
        "windows": [[iso(one.start) if one.start else "", iso(one.end) if one.end else ""] for one in edge.windows],
        "reasons": _reasons(edge),
        "cited": edge.cited or "",
    }
    told |= _cited(memory, edge.cited) if edge.cited else {}
    return told | {"proof": _proof(memory, edge.seq)}


def _reasons(edge: Edge) -> list[list[str]]:
    """What the verifier left on the edge, as words and values."""
    verifier = edge.attrs.get("verifier")
    said = verifier if isinstance(verifier, dict) else {} if verifier is None else {"verifier": verifier}
    shown: list[list[str]] = []
    for word, value in said.items():
        if isinstance(value, list):
            shown += [[str(word).replace("_", " "), str(one)] for one in value]
        elif value not in (None, ""):
            shown.append([str(word).replace("_", " "), str(value)])
    return shown


def _cited(memory: Memory, name: str) -> Told:
    try:
        with memory.session(observe=False):  # to look counts as no access
            atom = memory.access(name, predictions=0).atom
    except (NotFound, Forgotten) as error:
        return {"gone": str(error)}
    except SubstrateError:  # where it comes from need not be an atom
        return {}
    return {"text": atom.value[:_CHARACTERS], "cut": len(atom.value) > _CHARACTERS, "from": atom.source or ""}


def _proof(memory: Memory, seq: int) -> Told:
    try:
        bundle = memory.prove_entry(seq).to_json()
        verdict = memory.verify(bundle)
    except ProofInvalid as error:
        return {"verified": False, "reason": str(error)}
    except SubstrateError as error:
        return {"verified": None, "reason": str(error)}
    return {"verified": True, "seq": verdict.seq, "size": verdict.head.size, "text": bundle}


def runs_shown(found: Tending) -> list[Told]:
    """The runs, the last first."""
    return [
        {
            "run": one.run,
            "when": iso(one.time),
            "proposed": one.proposed,
            "accepted": one.accepted,
            "out": one.tombstoned + one.unedged,
            "seqs": [] if one.seqs is None else [one.seqs.start, one.seqs.stop],
            "undone": one.undone,
        }
        for one in found.items
    ]


def changes_of(memory: Memory, start: int, stop: int) -> list[Told]:
    """What the entries of a run changed, as a diff."""
    found = memory.diff(start - 1, stop - 1, limit=_CHANGES)
    return [_change(change) for change in found.items]


def _change(change: Change) -> Told:
    said = change.after or change.before
    told: Told = {"kind": change.kind, "name": change.name or change.id, "id": change.id}
    for word in ("cited", "confidence", "reason"):
        value = getattr(said, word, None)
        if value is not None:
            told[word] = value
    return told
