"""Tools that group memories, merge them, and relate them to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from uuid import UUID

from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import Conflict, InputError, NotFound
from substrate.messages import render
from substrate.surfaces.arguments import Caller, KeyText
from substrate.surfaces.client import Client
from substrate.surfaces.cortexgraph.arguments import NAME, caller, failure, preview
from substrate.surfaces.cortexgraph.shapes import Clusters, Consolidated, RelationMade
from substrate.surfaces.shape import reply, reply_as_said
from substrate.surfaces.tool import Tool, progress_of

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.relations import Group, Merged
    from substrate.values.review.fading import FadingAtom

__all__ = ["CLUSTER_MEMORIES", "CONSOLIDATE_MEMORIES", "CREATE_RELATION"]

_SHOWN: Final = 20
_TOLD: Final = 100
"""Of clusters that were merged or linked."""
_ALL: Final = 1000
_PREVIEW: Final = 100
_ACTIONS: Final = {"merge": "auto-merge", "review": "llm-review", "keep": "keep-separate"}
_MOST_STRENGTH, _ADDED, _EACH = 2.0, 0.5, 0.1

Share = Annotated[float, Field(ge=0, le=1)]
Kind = Literal["related", "causes", "supports", "contradicts", "has_decision", "consolidated_from"]


def cluster_memories(
    ctx: Caller,
    *,
    strategy: Literal["similarity"] = "similarity",
    threshold: Share = 0.83,
    max_cluster_size: Annotated[int, Field(ge=1, le=100)] = 12,
    find_duplicates: bool = False,
    duplicate_threshold: Share = 0.88,
) -> Annotated[CallToolResult, Clusters]:
    """Find memories of this surface that say nearly the same: clusters, or pairs of duplicates.

    Call it before consolidate_memories.
    """
    client = caller(ctx)
    memory, progress = client.memory, progress_of(ctx)
    if find_duplicates:
        found = memory.groups(pairs=True, threshold=duplicate_threshold, limit=_SHOWN, surface=NAME, progress=progress)
        pairs = [
            {
                "id1": pair.first.id,
                "id2": pair.second.id,
                "content1_preview": preview(pair.first.value, _PREVIEW),
                "content2_preview": preview(pair.second.value, _PREVIEW),
                "similarity": pair.similarity,
            }
            for pair in found.pairs
        ]
        told = f"{found.total:,} pairs are alike{_first(found.total, 'duplicate_threshold')}"
        said: dict[str, Any] = {"mode": "duplicate_detection", "duplicates": pairs, "duplicates_found": found.total}
        return reply_as_said({"success": True, **said, "message": _with(told, render(found.meaning, client.words))})
    if max_cluster_size == 1:  # of one memory each, none is a group
        empty = {"clusters": [], "clusters_found": 0, "strategy": strategy, "threshold": threshold}
        return reply_as_said({"success": True, "mode": "clustering", **empty, "message": "0 clusters"})
    found = memory.groups(threshold=threshold, most=max_cluster_size, limit=_SHOWN, surface=NAME, progress=progress)
    clusters = [
        {
            "id": group.id,
            "size": len(group.members),
            "cohesion": group.cohesion,
            "suggested_action": _ACTIONS[group.advice],
            "memory_ids": [member.id for member in group.members],
            "content_previews": [preview(member.value, _PREVIEW) for member in group.members],
        }
        for group in found
    ]
    said = {"clusters": clusters, "clusters_found": found.total, "strategy": strategy, "threshold": threshold}
    told = f"{found.total:,} {'cluster' if found.total == 1 else 'clusters'}{_first(found.total, 'threshold')}"
    told = _with(told, render(found.meaning, client.words))
    return reply_as_said({"success": True, "mode": "clustering", **said, "message": told})


def _first(total: int, threshold: str) -> str:
    """What to do if not all are told."""
    return f"; the {_SHOWN} most alike are told, a higher {threshold} finds fewer" if total > _SHOWN else ""


def _with(told: str, note: str) -> str:
    return f"{told}; {note}" if note else told


def consolidate_memories(
    ctx: Caller,
    *,
    cluster_id: Annotated[str, Field(max_length=100)] = "",
    mode: Literal["preview", "apply", "link"] = "preview",
    auto_detect: bool = False,
    cohesion_threshold: Share = 0.75,
) -> Annotated[CallToolResult, Consolidated]:
    """Merge a cluster, or all (auto_detect), into one memory (apply), or link its members. Preview first.

    The originals leave searches and stay readable; the user can take it back.
    """
    client, progress = caller(ctx), progress_of(ctx)
    if not cluster_id.strip() and not auto_detect:
        raise InputError("give cluster_id, from cluster_memories, or auto_detect true")
    if cluster_id.strip():
        groups, compared, note = [_group(client.memory, cluster_id.strip().lower())], 0, ""
    else:
        found = client.memory.groups(threshold=cohesion_threshold, limit=_ALL, surface=NAME, progress=progress)
        groups, compared = [group for group in found if group.cohesion >= cohesion_threshold], found.compared
        note = render(found.meaning, client.words)
    alone = bool(cluster_id.strip())
    act = {"preview": _preview, "apply": _apply, "link": _link}[mode]
    results = []
    for group in groups:
        results.append(_tried(client, act, group, alone=alone))
        progress(compared + len(results), compared + len(groups))
    done = sum(result["success"] for result in results)
    return reply(
        Consolidated(
            success=True,
            mode=mode,
            candidates_found=len(groups),
            consolidated_clusters=done if mode == "apply" else 0,
            linked_clusters=done if mode == "link" else 0,
            results=results[:_SHOWN] if mode == "preview" else results[:_TOLD],
            message=_with(_done(mode, done, len(results)), note),
        )
    )


def _done(mode: str, done: int, of: int) -> str:
    what = {"preview": "can be merged; nothing is changed yet", "apply": "merged", "link": "linked"}[mode]
    shown = _SHOWN if mode == "preview" else _TOLD
    more = f"; the first {shown} are told" if of > shown else ""
    return f"{done} of {of} clusters {what}{more}" if of else "no cluster is that much alike"


def _group(memory: Memory, cluster_id: str) -> Group:
    try:
        UUID(cluster_id)
    except ValueError:
        raise InputError("cluster_id is a UUID, as cluster_memories tells it") from None
    return memory.group(cluster_id, surface=NAME)


def _tried(client: Client, act: Any, group: Group, *, alone: bool) -> dict[str, Any]:  # noqa: ANN401
    """What became of one of several clusters; of a single one, an error is raised."""
    try:
        return {"cluster_id": group.id, "success": True, "cohesion": group.cohesion, **act(client, group)}
    except (Conflict, NotFound) as error:
        if alone:
            raise
        return {"cluster_id": group.id, "success": False, "message": render(error.message, client.words)}


def _strength(memory: Memory, group: Group) -> float:
    strongest = max(note.strength for note in _notes(memory, group))
    return round(min(_MOST_STRENGTH, strongest + min(_ADDED, group.cohesion * len(group.members) * _EACH)), 2)


def _notes(memory: Memory, group: Group) -> tuple[FadingAtom, ...]:
    return tuple(memory.fading([member.id for member in group.members]))


def _preview(client: Client, group: Group) -> dict[str, Any]:
    merged = client.memory.merge(group.id, dry_run=True, surface=NAME)
    return _told(client.memory, group, merged)


def _told(memory: Memory, group: Group, merged: Merged) -> dict[str, Any]:
    notes = _notes(memory, group)
    return {
        "original_ids": [member.id for member in group.members],
        "count": len(group.members),
        "merged_content": merged.value,
        "merged_tags": list(merged.tags),
        "merged_entities": list(merged.entities),
        "merged_strength": _strength(memory, group),
        "created_at": int(min(note.created_at for note in notes).timestamp()),
        "last_used": int(max(note.last_used for note in notes).timestamp()),
    }


def _apply(client: Client, group: Group) -> dict[str, Any]:
    memory = client.memory
    strength = _strength(memory, group)
    merged = memory.merge(group.id, surface=NAME, session=client.session, strength=strength)
    return {"new_memory_id": merged.id, **_told(memory, group, merged)}


def _link(client: Client, group: Group) -> dict[str, Any]:
    """A relation between any two members, which reads the same both ways; those that are there stay."""
    memory = client.memory
    known = {
        frozenset((edge.source_id, edge.target_id))
        for member in group.members
        for edge in memory.edges(member.name, type="related")
    }
    edges = [
        {"source": one.name, "type": "related", "target": other.name, "confidence": group.cohesion}
        for at, one in enumerate(group.members)
        for other in group.members[at + 1 :]
        if frozenset((one.id, other.id)) not in known
    ]
    made = memory.checkpoint(edges=edges, session=client.session).edges if edges else ()
    return {"memory_ids": [member.id for member in group.members], "relations_created": len(made)}


def create_relation(
    ctx: Caller,
    *,
    from_memory_id: KeyText,
    to_memory_id: KeyText,
    relation_type: Kind,
    strength: Share = 1.0,
    metadata: dict[str, Any] = {},  # noqa: B006 - the SDK copies defaults into the schema
) -> Annotated[CallToolResult, RelationMade]:
    """Relate two memories. contradicts opens a conflict for the user to settle."""
    client = caller(ctx)
    memory = client.memory
    first, second = _end(memory, from_memory_id), _end(memory, to_memory_id)
    if first.id == second.id:
        raise InputError("a memory has no relation to itself: from_memory_id and to_memory_id are the same")
    edge: dict[str, Any] = {"source": first.name, "type": relation_type, "target": second.name, "confidence": strength}
    edge |= {"attrs": metadata} if metadata else {}
    saved = memory.checkpoint(edges=[edge], session=client.session)
    made = saved.edges[0] if saved.edges else _between(memory, first, second, relation_type)
    ends: dict[str, Any] = {"from": first.id, "to": second.id, "type": relation_type, "strength": strength}
    message = "the relation is stated" if saved.edges else "the relation was there already"
    return reply_as_said({"success": True, "relation_id": made, **ends, "message": message})


def _between(memory: Memory, first: FadingAtom, second: FadingAtom, kind: str) -> str:
    """The id of the relation of this type between the two; one that reads the same both ways may begin at either."""
    ends, start, more = {first.id, second.id}, 0, True
    turned = ""
    while more:
        edges = memory.edges(first.name, type=kind, limit=_ALL, offset=start)
        for one in edges:
            if {one.source_id, one.target_id} == ends:
                if one.source_id == first.id:
                    return one.id
                turned = one.id
        start, more = start + _ALL, edges.more
    return turned


def _end(memory: Memory, given: str) -> FadingAtom:
    note = memory.fading([given])[0]
    if note.atom.tombstoned:
        raise NotFound(f"{note.id} is out of use: a relation leads to what is there")
    return note


CLUSTER_MEMORIES = Tool(cluster_memories, "Group similar memories", "read", verb="groups")
CONSOLIDATE_MEMORIES = Tool(
    consolidate_memories,
    "Merge or link similar memories",
    "write",
    writes=True,
    also=("read",),
    failure=failure,
    verb="merge",
)
CREATE_RELATION = Tool(
    create_relation, "Relate two memories", "write", writes=True, idempotent=True, failure=failure, verb="checkpoint"
)
