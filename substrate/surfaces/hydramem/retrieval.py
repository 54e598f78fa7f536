"""Context for a question, paths, neighbours and whole documents. Nothing is written, and no model is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import InputError, NotFound
from substrate.limits import LIMITS
from substrate.surfaces.arguments import Caller
from substrate.surfaces.hydramem.arguments import (
    EntityText,
    Hops,
    Project,
    Query,
    Said,
    SessionId,
    When,
    asked,
    few_hops,
)
from substrate.surfaces.hydramem.shapes import (
    ChunkShape,
    Expanded,
    FullDocument,
    Neighbour,
    Neighbours,
    PathShape,
    Primed,
    RelationShape,
    Searched,
    told,
)
from substrate.surfaces.tool import Tool
from substrate.text.quote import in_quotes

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory
    from substrate.values.edges import Edge
    from substrate.values.entities import EntityEntry
    from substrate.values.relations import Gathered

__all__ = ["TOOLS"]

_CONTEXT: Final = 2_000
_SEARCHED: Final = 4_000
"""Tokens of a context."""
_PASSAGE: Final = 4_000
"""Characters of a passage that a reply has: a caller may have cut chunks of a megabyte."""
_CUT: Final = f"of a passage the first {_PASSAGE:,} characters are shown; get_full_document_tool has all of it"
_BETWEEN: Final = "\n\n"
"""Between the passages of a context."""
_HEADER: Final = re.compile(r"^(?=[ \t]*\[\d+\][ \t]*Source:)", re.MULTILINE)
_QUOTED: Final = "> "
"""What a line of a passage gets that looks like the beginning of the next one: stored text is no syntax."""
_PART: Final = 20_000
"""Characters of a document that one reply has."""
_WALKS: Final = {"": "best", "bfs": "best", "ppr": "pagerank", "hybrid": "both"}
_NEIGHBOURS: Final = 200
_ENTITIES: Final = 25
"""Entities that a context names."""

_Chunks = Annotated[int, Field(ge=1, le=25)]


def priming_context_tool(
    ctx: Caller, *, query: Query, k: _Chunks = 3, project: Project = "", session_id: SessionId = ""
) -> Annotated[CallToolResult, Primed]:
    """Get the k best passages for a query, and k that its entities lead to. Call it at the start of a turn."""
    said = asked(ctx, project, session_id)
    found = said.memory.gather(query, domain=said.project, limit=k, hops=1)
    return told(Primed(**_primed(said.memory, found, _CONTEXT)), "note")


def expand_context_tool(
    ctx: Caller,
    *,
    entity_ids: Annotated[list[EntityText], Field(min_length=1, max_length=LIMITS["names"])],
    hops: Hops = 2,
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Expanded]:
    """Get passages about entities and their relations, up to 3 hops. Call it to follow references."""
    said = asked(ctx, project, session_id)
    far, note = few_hops(hops)
    known = [_noted(said, text) for text in entity_ids]
    entities = [entry.name if entry.id is None else entry.id for entry in known if entry is not None]
    if not entities:
        said.memory.entity(entity_ids[0], said.project)  # which says what is near it
    found = said.memory.gather(domain=said.project, entities=entities, limit=_EXPANDED, hops=far)
    missing = [text for text, entry in zip(entity_ids, known, strict=True) if entry is None]
    body = _primed(said.memory, found, _CONTEXT, note) | {"missing": missing or None}
    return told(Expanded(**body), "missing", "note")


_EXPANDED: Final = 10
"""Passages of an expanded context."""


def hydra_search_tool(
    ctx: Caller,
    *,
    query: Query,
    k: _Chunks = 5,
    hops: Hops = 2,
    project: Project = "",
    session_id: SessionId = "",
    traversal: Annotated[str, Field(description="bfs, ppr or hybrid")] = "",
    strategy_override: str = "",
) -> Annotated[CallToolResult, Searched]:
    """Search by word, meaning and relations. Call it before you say that you do not know."""
    said = asked(ctx, project, session_id)
    mode = (traversal or strategy_override).strip().lower()
    if mode not in _WALKS:
        raise InputError("traversal is bfs, ppr or hybrid; empty is bfs")
    far, note = few_hops(hops)
    found = said.memory.gather(query, domain=said.project, limit=k, hops=far, walk=_WALKS[mode])
    ran = mode in ("ppr", "hybrid")
    shown = {entry.atom: entry.name for entry in found.entities}
    body = _primed(said.memory, found, _SEARCHED, note)
    body |= {
        "verified_relations": [_relation(edge, shown) for edge in found.edges],
        "traversal": mode or "bfs",
        "ppr": {
            "iterations": found.pushes,
            "converged": found.converged,
            "n_seeds": found.seeds,
            "n_scored": len(found.entities),
        }
        if ran
        else None,
    }
    return told(Searched(**body), "note", "ppr")


def trace_path_tool(
    ctx: Caller,
    *,
    from_entity: EntityText,
    to_entity: EntityText,
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, PathShape]:
    """Find a shortest path of relations. Call it to see how two entities are connected."""
    said = asked(ctx, project, session_id)
    ends = [said.memory.entity(text, said.project) for text in (from_entity, to_entity)]
    for entry in ends:
        _access(said, entry)
    if None in [entry.id for entry in ends]:  # nothing is stated of what has no atom
        same = ends[0].atom == ends[1].atom
        return told(
            PathShape(path=[ends[0].name] if same else [], relations=[], length=0 if same else -1, found=same), "note"
        )
    found = said.memory.path(str(ends[0].id), str(ends[1].id))
    return told(
        PathShape(
            path=[_shown(said.memory, said.project, name) for name in found.atoms],
            relations=[edge.label or edge.type for edge in found.edges],
            length=-1 if found.length is None else found.length,
            found=found.found,
            note=f"not all relations were followed of {', '.join(found.cut)}" if found.cut else None,
        ),
        "note",
    )


def get_entity_neighbors_tool(
    ctx: Caller,
    *,
    entity_id: EntityText,
    hops: Hops = 2,
    as_of: When = "",
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Neighbours]:
    """List related entities, up to 3 hops away. Call it to see what surrounds an entity."""
    said = asked(ctx, project, session_id)
    entry = said.memory.entity(entity_id, said.project)
    _access(said, entry)
    far, note = few_hops(hops)
    neighbours: list[Neighbour] = []
    if entry.id is not None:
        found = said.memory.context(entry.id, depth=far, limit=_NEIGHBOURS, valid_at=as_of or None)
        led: dict[str, Edge] = {}  # the nearest edges come first: the first one that names an atom has led to it
        for edge in found.edges:
            led.setdefault(edge.source_id, edge)
            led.setdefault(edge.target_id, edge)
        neighbours = [
            Neighbour(
                id=one.id,
                name=one.value or one.name,
                hops=one.distance,
                relation=led[one.id].label or led[one.id].type,
            )
            for one in found.atoms
            if one.distance and one.name.startswith("v1.entity.") and not one.absent
        ]
        if found.more or found.cut:
            note = "; ".join(filter(None, (note, "there are more than are listed")))
    return told(
        Neighbours(entity_id=entry.id or entry.atom, hops=far, as_of=as_of, neighbours=neighbours, note=note), "note"
    )


def get_full_document_tool(
    ctx: Caller,
    *,
    doc_id: EntityText,
    offset: Annotated[int, Field(ge=0)] = 0,
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, FullDocument]:
    """Read a document exactly as it came. Call it when a passage is not enough."""
    said = asked(ctx, project, session_id)
    try:
        document = said.memory.document(doc_id, domain=said.project)
    except NotFound as error:
        if error.code != NotFound.code:
            raise
        return told(FullDocument(doc_id=doc_id, text="", tokens=0, found=False), "next_offset", "note")
    if document.domain != said.project:
        note = f"it is a document of the project {in_quotes(document.domain)}"
        return told(FullDocument(doc_id=doc_id, text="", tokens=0, found=False, note=note), "next_offset")
    said.memory.access(document.id, predictions=0)
    text = document.text
    return told(
        FullDocument(
            doc_id=document.id,
            text=text[offset : offset + _PART],
            tokens=said.memory.count_tokens(text),
            found=True,
            next_offset=offset + _PART if len(text) > offset + _PART else None,
            note=None if document.exact else "parts of it were forgotten",
        ),
        "next_offset",
        "note",
    )


# -- in the words of the wire ------------------------------------------------------------------------------------------


def _primed(memory: Memory, found: Gathered, budget: int, note: str | None = None) -> dict[str, Any]:
    chunks = [
        ChunkShape(id=one.atom.id, text=one.atom.value[:_PASSAGE], source=one.atom.source or one.atom.name)
        for one in found
    ]
    is_cut = any(len(one.atom.value) > _PASSAGE for one in found)
    names = dict.fromkeys(entry.name for entry in found.entities)
    names |= dict.fromkeys(name for one in found for name in one.atom.entities)
    return {
        "chunks": chunks,
        "context": _context(memory, chunks, budget),
        "entities": list(names)[:_ENTITIES],
        "note": "; ".join(filter(None, (note, _CUT if is_cut else None))) or None,
    }


def _context(memory: Memory, chunks: list[ChunkShape], budget: int) -> str:
    """The passages as one text, within so many tokens; the first always, if it must be cut."""
    parts: list[str] = []
    left, between = budget, memory.count_tokens(_BETWEEN)
    for at, chunk in enumerate(chunks, 1):
        part = f"[{at}] Source: {' '.join(chunk.source.split())}\n{_HEADER.sub(_QUOTED, chunk.text.strip())}"
        takes = memory.count_tokens(part) + (between if parts else 0)
        if takes > left:
            if not parts:
                parts.append(_cut(memory, part, budget))
            break
        parts.append(part)
        left -= takes
    return _BETWEEN.join(parts)


def _cut(memory: Memory, text: str, budget: int) -> str:
    while text and memory.count_tokens(text) > budget:
        text = text[: len(text) * 9 // 10]
    return text


def _relation(edge: Edge, shown: dict[str, str]) -> RelationShape:
    return RelationShape(
        **{"from": shown.get(edge.source, edge.source)},
        relation=edge.label or edge.type,
        to=shown.get(edge.target, edge.target),
        confidence=1.0 if edge.confidence is None else edge.confidence,
    )


def _noted(said: Said, text: str) -> EntityEntry | None:
    """The entity, which counts as accessed; None: there is none."""
    try:
        entry = said.memory.entity(text, said.project)
    except NotFound:
        return None
    _access(said, entry)
    return entry


def _access(said: Said, entry: EntityEntry) -> None:
    if entry.id is not None:
        said.memory.access(entry.id, predictions=0)


def _shown(memory: Memory, project: str, name: str) -> str:
    """How an atom on a path is shown: an entity by its name."""
    try:
        return memory.entity(name, project).name
    except NotFound:
        return name


TOOLS = (
    Tool(priming_context_tool, "Context", "read", by_meaning=True),
    Tool(expand_context_tool, "Expand", "read"),
    Tool(hydra_search_tool, "Search", "read", by_meaning=True),
    Tool(trace_path_tool, "Path", "read"),
    Tool(get_entity_neighbors_tool, "Neighbours", "read"),
    Tool(get_full_document_tool, "Document", "read"),
)
