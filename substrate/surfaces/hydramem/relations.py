"""Relations: asked about and taken back, and the entities that they are between."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import NotFound
from substrate.limits import LIMITS
from substrate.surfaces.arguments import Caller, IsoTime
from substrate.surfaces.hydramem.arguments import EntityText, Project, Said, SessionId, asked
from substrate.surfaces.hydramem.shapes import Deleted, EntitiesListed, EntityShape, Facts, fact_of, told
from substrate.surfaces.tool import Tool

__all__ = ["TOOLS"]

_DIRECTIONS: Final = {"outgoing": "out", "incoming": "in", "both": "both"}


def list_entities_tool(
    ctx: Caller,
    *,
    limit: Annotated[int, Field(ge=1, le=LIMITS["list_items"])] = 100,
    offset: Annotated[int, Field(ge=0)] = 0,
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, EntitiesListed]:
    """List the entities of a project by name, page by page. Call it to see what a project is about."""
    said = asked(ctx, project, session_id)
    page = said.memory.entities(said.project, limit=limit, offset=offset)
    entities = [
        EntityShape(id=one.id or one.atom, name=one.name, type=one.type or "name", project=one.domain) for one in page
    ]
    more = offset + limit if page.next is not None else None
    return told(
        EntitiesListed(entities=entities, count=len(entities), project=said.project, next_offset=more), "next_offset"
    )


def delete_relation(
    ctx: Caller,
    *,
    from_entity: EntityText,
    relation_type: str,
    to_entity: EntityText,
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Deleted]:
    """Take back a relation of this type; others between the two stay, and the history too.

    Call it when the user says that a relation does not hold.
    """
    said = asked(ctx, project, session_id)
    source, target = (said.memory.entity(text, said.project) for text in (from_entity, to_entity))
    unedge = {"source": source.id, "type": relation_type, "target": target.id}
    note = None
    deleted = False
    if source.id is not None and target.id is not None:
        saved = said.memory.checkpoint(unedges=[unedge], partial=True, origin="agent", session=said.session)
        deleted = bool(saved.unedged)
        note = None if deleted else saved.refused[0].reason if saved.refused else None
    return told(
        Deleted(**{"from": source.id or source.atom}, deleted=deleted, to=target.id or target.atom, note=note), "note"
    )


def query_entity_relations(
    ctx: Caller,
    *,
    entity_id: EntityText,
    as_of: IsoTime = "",
    direction: Literal["outgoing", "incoming", "both"] = "both",
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Facts]:
    """List the relations of an entity, with when each holds and whether it does now; with as_of, those that held then.

    Call it when the user asks what is known of an entity, or what held at a time.
    """
    said = asked(ctx, project, session_id)
    entry = said.memory.entity(entity_id, said.project)
    if entry.id is None:
        return told(Facts(entity=entry.atom, as_of=as_of, direction=direction, facts=[], count=0))
    said.memory.access(entry.id, predictions=0)
    found = said.memory.edges(entry.id, direction=_DIRECTIONS[direction], valid_at=as_of or None)
    names: dict[str, str] = {}
    for name in dict.fromkeys(name for edge in found for name in (edge.source, edge.target)):
        names[name] = _shown(said, name)
    now = datetime.now(UTC)
    facts = [fact_of(edge, names, now=now) for edge in found]
    return told(Facts(entity=entry.id, as_of=as_of, direction=direction, facts=facts, count=len(facts)))


def _shown(said: Said, name: str) -> str:
    try:
        return said.memory.entity(name, said.project).name
    except NotFound:
        return name


TOOLS = (
    Tool(list_entities_tool, "List entities", "read"),
    Tool(delete_relation, "Take back a relation", "write", writes=True, idempotent=True),
    Tool(query_entity_relations, "Relations of an entity", "read"),
)
