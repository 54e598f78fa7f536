"""Tools that save, find and read notes. The docstring of a tool is what an agent reads."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import InputError, ItemsRefused, NameInvalid, NotFound, SecretFound
from substrate.limits import LIMITS
from substrate.messages import render
from substrate.surfaces.arguments import Caller
from substrate.surfaces.client import Client
from substrate.surfaces.cortexgraph.arguments import (
    Days,
    MemoryIds,
    Page,
    PageSize,
    Preview,
    Query,
    Score,
    Statuses,
    Tags,
    caller,
    failure,
    page_of,
    preview,
    refuse_reserved,
    without_reserved,
)
from substrate.surfaces.cortexgraph.ranking import Candidate, Looked, blend, is_long_term, look, rank
from substrate.surfaces.cortexgraph.shapes import FoundNotes, Opened, SavedNote, UnifiedNotes, told_note
from substrate.surfaces.shape import reply, reply_as_said
from substrate.surfaces.tool import Tool

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.review.fading import FadingAtom
    from substrate.values.saved import Remembered

__all__ = ["OPEN_MEMORIES", "SAVE_MEMORY", "SEARCH_MEMORY", "SEARCH_UNIFIED", "relations_of"]

_CONTENT: Final = 50_000
_SOURCE: Final = 500
_AUTO_ENTITIES: Final = 10
_RELATIONS: Final = 100
"""Of one memory, in each direction."""
_LONG, _MANY = 500, 5
_TITLE: Final = 80

Entity = Annotated[str, Field(min_length=1, max_length=LIMITS["tag_characters"])]


def save_memory(
    ctx: Caller,
    *,
    content: Annotated[str, Field(min_length=1, max_length=_CONTENT)],
    tags: Tags = [],  # noqa: B006 - the SDK copies defaults into the schema
    entities: Annotated[
        list[Entity] | None, Field(max_length=LIMITS["entities"], description="left out: found in the content")
    ] = None,
    source: Annotated[str, Field(max_length=_SOURCE)] = "",
    context: Annotated[str, Field(max_length=LIMITS["text_characters"])] = "",
    meta: dict[str, Any] = {},  # noqa: B006
    strength: Annotated[
        float | None, Field(ge=1, le=2, description="the higher, the later it fades; left out: by its importance")
    ] = None,
) -> Annotated[CallToolResult, SavedNote]:
    """Save a memory. It fades unless it is used.

    Call it when the user states a fact, a preference or a decision that later conversations need. The same content
    again keeps its id. Never save passwords or keys.
    """
    refuse_reserved(tags)
    client = caller(ctx)
    memory = client.memory
    found = [one.name for one in memory.extract(content)][:_AUTO_ENTITIES] if entities is None else []
    strong = _strength(content, len(found if entities is None else entities)) if strength is None else strength
    attrs: dict[str, Any] = {word: said for word, said in (("context", context.strip()), ("meta", meta)) if said}
    fields: dict[str, Any] = {"attrs": attrs} if attrs else {}
    try:
        saved = memory.remember(
            content,
            "note",
            tags=tags,
            entities=found if entities is None else entities,
            source=source or None,
            origin="agent",
            session=client.session,
            strength=round(strong, 2),
            keep=("tags", "attrs", *(("strength",) if strength is None else ())),
            **fields,
        )
    except ItemsRefused as error:  # there is one item, and the caller knows of no list
        code, reason = (getattr(error.refused[0], word) for word in ("code", "reason"))
        raise (SecretFound if code == SecretFound.code else InputError)(reason) from None
    conflicts = _contradicted(memory, saved) if "read" in client.scopes else None
    model = memory.model(most=1)
    now = memory.fading([saved.name])[0]
    return reply(
        SavedNote(
            success=True,
            memory_id=saved.ids[saved.name],
            message=_told(saved, conflicts or []),
            has_embedding=bool(model.model) and not model.waiting,
            enrichment_applied=entities is None or strength is None,
            auto_entities=len(found),
            calculated_strength=now.strength,
            conflicts=conflicts,
        )
    )


def _told(saved: Remembered, conflicts: list[str]) -> str:
    """What became of it; and whether it contradicts others, which a client that shows the message alone is told too."""
    again = saved.name in saved.confirmed
    told = "this memory was known already, and is confirmed" if again else "the memory is saved"
    if conflicts:
        others = "another memory" if len(conflicts) == 1 else f"{len(conflicts):,} other memories"
        told += f", but it contradicts {others} (conflicts): ask the user which one holds"
    return told + ("; the search for contradictions failed: tell the user" if saved.unchecked else "")


def _contradicted(memory: Memory, saved: Remembered) -> list[str] | None:
    others = [one.second if one.first == saved.name else one.first for one in saved.conflicts]
    return [note.id for note in memory.fading(others)] if others else None


def _strength(content: str, entities: int) -> float:
    """By length, names and words of importance: 1 to 2."""
    from substrate.cues.signals import is_marked  # noqa: PLC0415 - its tables take a moment

    marked = is_marked(content)
    asks = 0.05 if "?" in content else 0.0
    return min(2.0, 1 + 0.2 * min(1, len(content) / _LONG) + 0.3 * min(1, entities / _MANY) + 0.4 * marked + asks)


def _since(days: int | None) -> datetime | None:
    return None if days is None else datetime.now(UTC) - timedelta(days=days)


def search_memory(
    ctx: Caller,
    *,
    query: Query = "",
    tags: Tags = [],  # noqa: B006
    status: Statuses = ["active", "promoted"],  # noqa: B006
    top_k: Annotated[int, Field(ge=1, le=LIMITS["search_items"])] = 10,
    window_days: Days = None,
    min_score: Annotated[Score, Field(description="the least score after decay")] = None,
    use_embeddings: Annotated[bool, Field(description="false: by words alone")] = True,
    include_review_candidates: bool = True,
    page: Page = None,
    page_size: PageSize = None,
    preview_length: Annotated[Preview, Field(description="0: whole texts")] = 300,
) -> Annotated[CallToolResult, FoundNotes]:
    """Find memories by meaning and by word; without a query, those that have faded least.

    Call it before you say that you do not know. Memories due for review are among the hits: call touch_memory for the
    ones you use.
    """
    client = caller(ctx)
    candidates, note = look(
        client.memory,
        Looked(
            query,
            tuple(status),
            tuple(tags),
            top_k,
            by_meaning=use_embeddings,
            used_since=_since(window_days),
            min_score=min_score,
        ),
    )
    ranked = rank(candidates)
    ranked = blend(ranked, top_k) if include_review_candidates and query.strip() else ranked[:top_k]
    shown, pages = page_of(ranked, page, page_size)
    results = [_found(one, preview_length) for one in shown]
    said = {"success": True, "count": len(results), "results": results, "pagination": pages}
    return reply_as_said(said | _by_words(client, note))


def _by_words(client: Client, note: str) -> dict[str, str]:
    return {"note": f"searched by words only: {render(note, client.words)}"} if note else {}


def _found(one: Candidate, length: int) -> dict[str, Any]:
    note = one.note
    return {
        "id": note.id,
        "content": preview(note.atom.value, length),
        "tags": without_reserved(note.atom.tags),
        "score": round(one.score, 4),
        "similarity": round(one.relevance, 4),
        "use_count": note.uses,
        "last_used": int(note.last_used.timestamp()),
        "age_days": round(note.age_days, 2),
        "review_priority": round(note.priority, 3),
        "status": note.status,
    } | ({"review_candidate": True} if one.in_review else {})


def search_unified(
    ctx: Caller,
    *,
    query: Query = "",
    tags: Tags = [],  # noqa: B006
    status: Statuses = ["active", "promoted"],  # noqa: B006
    limit: Annotated[int, Field(ge=1, le=LIMITS["search_items"])] = 10,
    stm_weight: Annotated[float, Field(ge=0, le=2)] = 1.0,
    ltm_weight: Annotated[float, Field(ge=0, le=2)] = 0.7,
    window_days: Days = None,
    min_score: Score = None,
    page: Page = None,
    page_size: PageSize = None,
    preview_length: Preview = 300,
) -> Annotated[CallToolResult, UnifiedNotes]:
    """Find in short-term memory (active) and long-term memory (promoted, and documents that were ingested).

    Call it when the answer may stand in the user's vault. window_days and min_score are of short-term memory.
    """
    client = caller(ctx)
    asked = Looked(
        query,
        tuple(status),
        tuple(tags),
        limit,
        used_since=_since(window_days),
        min_score=min_score,
        with_long_term=True,
    )
    candidates, note = look(client.memory, asked)
    weighed: list[tuple[float, dict[str, Any]]] = []
    seen: set[str] = set()
    for one in rank(candidates):
        text = " ".join(one.note.atom.value.split()).casefold()
        if text in seen:
            continue
        long_term = is_long_term(one.note)
        seen.add(text)
        score = (one.relevance * ltm_weight) if long_term else one.score * stm_weight
        weighed.append((score, _unified(one.note, score, preview_length, long_term=long_term)))
    weighed.sort(key=lambda one: -one[0])
    shown, pages = page_of([said for _, said in weighed[:limit]], page, page_size)
    said = {"success": True, "count": len(shown), "results": list(shown), "pagination": pages}
    return reply_as_said(said | _by_words(client, note))


def _unified(note: FadingAtom, score: float, length: int, *, long_term: bool) -> dict[str, Any]:
    atom = note.atom
    path = atom.attrs.get("promoted_to") if note.status == "promoted" else atom.source if long_term else ""
    lines = atom.value.strip().splitlines() or [""]
    return {
        "content": preview(atom.value, length),
        "title": preview(lines[0].lstrip("# "), _TITLE),
        "source": "ltm" if long_term else "stm",
        "score": round(score, 4),
        "path": path if isinstance(path, str) else "",
        "memory_id": atom.id,
        "tags": without_reserved(atom.tags),
        "created_at": int(note.created_at.timestamp()),
        "last_used": int(note.last_used.timestamp()),
    }


def open_memories(
    ctx: Caller,
    *,
    memory_ids: MemoryIds,
    include_relations: bool = True,
    include_scores: bool = True,
    page: Page = None,
    page_size: PageSize = None,
) -> Annotated[CallToolResult, Opened]:
    """Read memories by their ids, whole, with what they are related to.

    Call it when you know the ids. Later sessions are offered the memories that you read together.
    """
    memory = caller(ctx).memory
    ids, pages = page_of(list(dict.fromkeys(memory_ids)), page, page_size)
    told: list[dict[str, Any]] = []
    missing: list[str] = []
    for one in ids:
        try:
            note = memory.fading([one])[0]
        except (NotFound, NameInvalid):
            missing.append(one)
            continue
        with suppress(NotFound):
            memory.access(note.id, predictions=0)
        said = told_note(note, scores=include_scores)
        if note.atom.superseded_by:
            said["superseded_by"] = [later.id for later in memory.fading(note.atom.superseded_by)]
        if include_relations:
            said["relations"] = relations_of(memory, note)
        told.append(said)
    return reply_as_said(
        {"success": True, "count": len(told), "memories": told, "not_found": missing, "pagination": pages}
    )


def relations_of(memory: Memory, note: FadingAtom) -> dict[str, list[dict[str, Any]]]:
    """The relations of a memory, in both directions."""
    told: dict[str, list[dict[str, Any]]] = {"outgoing": [], "incoming": []}
    for edge in memory.edges(note.name, limit=_RELATIONS) if not note.atom.tombstoned else ():
        out = edge.source_id == note.id
        end = {"to": edge.target_id} if out else {"from": edge.source_id}
        strength = 1.0 if edge.confidence is None else edge.confidence
        told["outgoing" if out else "incoming"].append({**end, "type": edge.type, "strength": strength})
    return told


SAVE_MEMORY = Tool(
    save_memory, "Save a memory", "write", writes=True, idempotent=True, failure=failure, verb="remember"
)
SEARCH_MEMORY = Tool(search_memory, "Search memories", "read", by_meaning=True)
SEARCH_UNIFIED = Tool(search_unified, "Search short- and long-term memory", "read", by_meaning=True)
OPEN_MEMORIES = Tool(open_memories, "Read memories", "read")
