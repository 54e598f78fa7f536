"""Relations: asked about and taken back, and the entities that they are between."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from mcp.server.mcpserver import Resolve
from mcp.types import CallToolResult
from pydantic import Field

from substrate.limits import LIMITS
from substrate.surfaces.arguments import Caller
from substrate.surfaces.hydramem.arguments import (
    Confidence,
    EntityText,
    Project,
    SessionId,
    When,
    asked,
    shown_name,
)
from substrate.surfaces.hydramem.judging import judgement_of, question_about
from substrate.surfaces.hydramem.shapes import (
    Conflicted,
    Created,
    Deleted,
    EntitiesListed,
    EntityShape,
    Facts,
    Verified,
    fact_of,
    told,
)
from substrate.surfaces.sampling import Question, Sample, Sampled, ask_model, offers_model
from substrate.surfaces.tool import Tool
from substrate.text.quote import in_quotes

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.values.relations import Vetted

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
    """List the entities of a project. Call it to see its subjects."""
    said = asked(ctx, project, session_id)
    page = said.memory.entities(said.project, limit=limit, offset=offset)
    entities = [
        EntityShape(id=one.id or one.atom, name=one.name, type=one.type or "name", project=one.domain) for one in page
    ]
    more = offset + limit if page.next is not None else None
    return told(
        EntitiesListed(entities=entities, count=len(entities), project=said.project, next_offset=more), "next_offset"
    )


def _doubt_of_check(
    ctx: Caller,
    *,
    from_entity: str,
    relation_type: str,
    to_entity: str,
    source_text: str,
    target_text: str,
    confidence: float,
    project: str,
    session_id: str,
) -> Question | None:
    if not offers_model(ctx):
        return None
    said, text = asked(ctx, project, session_id), _joined(source_text, target_text)
    ends = (from_entity, relation_type, to_entity)
    return question_about(said, said.memory.vet(*ends, domain=said.project, text=text, confidence=confidence), text)


async def _ask_of_check(
    ctx: Caller, question: Annotated[Question | None, Resolve(_doubt_of_check)]
) -> Sample | Sampled:
    return await ask_model(ctx, question)


def verify_relation_tool(
    ctx: Caller,
    *,
    from_entity: EntityText,
    relation_type: str,
    to_entity: EntityText,
    source_text: str = "",
    target_text: str = "",
    confidence: Confidence = 0.5,
    project: Project = "",
    session_id: SessionId = "",
    sampled: Annotated[Sampled, Resolve(_ask_of_check)],
) -> Annotated[CallToolResult, Verified]:
    """Check a relation by the graph and by texts. Call it before you state one."""
    said = asked(ctx, project, session_id)
    vetted = said.memory.vet(
        from_entity,
        relation_type,
        to_entity,
        domain=said.project,
        text=_joined(source_text, target_text),
        confidence=confidence,
        judged=judgement_of(sampled),
    )
    return told(Verified(**_check(vetted)))


def _joined(*texts: str) -> str | None:
    return "\n".join(filter(None, texts)) or None


def check_conflict_tool(
    ctx: Caller,
    *,
    text_a: str,
    text_b: str,
    entity_a: str = "",  # noqa: ARG001 - the original takes it; sentences say what they are about
    entity_b: str = "",  # noqa: ARG001
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Conflicted]:
    """Compare two passages: conflict, agree or cannot tell. Call it when sources differ."""
    compared = asked(ctx, project, session_id).memory.compare(text_a, text_b)
    return told(
        Conflicted(
            conflict_detected=compared.verdict == "conflict",
            explanation=compared.explanation,
        )
    )


def _doubt_of_statement(
    ctx: Caller,
    *,
    from_entity: str,
    relation_type: str,
    to_entity: str,
    confidence: float,
    verify: bool | None,
    project: str,
    session_id: str,
) -> Question | None:
    if not verify or not offers_model(ctx):
        return None
    said = asked(ctx, project, session_id)
    ends = (from_entity, relation_type, to_entity)
    return question_about(said, said.memory.vet(*ends, domain=said.project, confidence=confidence), None)


async def _ask_of_statement(
    ctx: Caller, question: Annotated[Question | None, Resolve(_doubt_of_statement)]
) -> Sample | Sampled:
    return await ask_model(ctx, question)


def create_relation(
    ctx: Caller,
    *,
    from_entity: EntityText,
    relation_type: str,
    to_entity: EntityText,
    confidence: Confidence = 1.0,
    verify: bool | None = None,
    valid_from: When = "",
    valid_to: When = "",
    project: Project = "",
    session_id: SessionId = "",
    sampled: Annotated[Sampled, Resolve(_ask_of_statement)],
) -> Annotated[CallToolResult, Created]:
    """State a relation. With verify, only a supported one. Call it when the user states a relation."""
    said = asked(ctx, project, session_id)
    ends = [said.memory.entity(text, said.project) for text in (from_entity, to_entity)]
    given = {"source": ends[0].id or ends[0].name, "type": relation_type, "target": ends[1].id or ends[1].name}
    judged = judgement_of(sampled)
    window = {key: time for key, time in (("valid_from", valid_from), ("valid_to", valid_to)) if time}
    vetted = said.memory.vet(
        *(str(given[end]) for end in ("source", "type", "target")),
        domain=said.project,
        confidence=confidence,
        judged=judged,
    )
    is_refused = vetted.level == "contradicted" if verify is None else verify and not vetted.accepted
    check = _check(vetted)
    if is_refused or vetted.level == "itself":
        return told(Created(created=False, reason=vetted.reason, verification=check), "relation")
    said.memory.relate(
        [{**given, "confidence": confidence, "judged": judged, **window}],
        domain=said.project,
        least="rejected",
        attrs={"origin_tool": "create_relation"},
        origin="agent",
        session=said.session,
    )
    relation = {"from": ends[0].name, "type": relation_type, "to": ends[1].name, "confidence": confidence, **window}
    return told(Created(created=True, relation=relation, verification=check), "reason")


def _check(vetted: Vetted) -> dict[str, Any]:
    judge = vetted.evidence["judge"] if vetted.level == "vog" else None
    decided = "decided by rules" if judge is None else f"decided by the client's model {in_quotes(str(judge))}"
    return {
        "accepted": vetted.accepted,
        "srmkg_score": vetted.score,
        "vog_score": vetted.evidence["vog"] if vetted.level == "vog" else None,
        "level": vetted.level,
        "verdict": vetted.verdict,
        "reason": f"{vetted.reason} ({decided})",
    }


def delete_relation(
    ctx: Caller,
    *,
    from_entity: EntityText,
    relation_type: str,
    to_entity: EntityText,
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Deleted]:
    """Take back one relation. Call it when the user says that it does not hold."""
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
    as_of: When = "",
    direction: Literal["outgoing", "incoming", "both"] = "both",
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Facts]:
    """List the relations of an entity, with their times. Call it to see what is known, or what held as_of."""
    said = asked(ctx, project, session_id)
    entry = said.memory.entity(entity_id, said.project)
    if entry.id is None:
        return told(Facts(entity=entry.atom, as_of=as_of, facts=[], count=0), "note")
    said.memory.access(entry.id, predictions=0)
    found = said.memory.edges(entry.id, direction=_DIRECTIONS[direction], valid_at=as_of or None)
    names: dict[str, str] = {}
    for name in dict.fromkeys(name for edge in found for name in (edge.source, edge.target)):
        names[name] = shown_name(said, name)
    now = datetime.now(UTC)
    facts = [fact_of(edge, names, now=now) for edge in found]
    note = f"there are more than the {len(facts):,} that are listed" if found.more else None
    return told(Facts(entity=entry.id, as_of=as_of, facts=facts, count=len(facts), note=note), "note")


TOOLS = (
    Tool(verify_relation_tool, "Check", "read", asks_user=True),
    Tool(check_conflict_tool, "Compare", "read"),
    Tool(list_entities_tool, "Entities", "read"),
    Tool(create_relation, "State", "write", writes=True, idempotent=True, asks_user=True),
    Tool(delete_relation, "Take back", "write", writes=True, idempotent=True),
    Tool(query_entity_relations, "Relations", "read"),
)
