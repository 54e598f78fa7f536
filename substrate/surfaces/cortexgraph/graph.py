"""Tools on memories and the relations between them. The docstring of a tool is what an agent reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from mcp.types import CallToolResult
from pydantic import Field

from substrate.limits import LIMITS
from substrate.surfaces.arguments import Caller
from substrate.surfaces.cortexgraph.arguments import Page, PageSize, caller, pagination
from substrate.surfaces.cortexgraph.shapes import Graph, told_note
from substrate.surfaces.shape import reply_as_said
from substrate.surfaces.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from substrate.memory import Memory
    from substrate.values.review.fading import FadingAtom, FadingAtoms

__all__ = ["READ_GRAPH"]

_MOST: Final = 10_000
_RELATIONS: Final = 1_000
_PAGE_SIZE: Final = 10
_FIRST: Final = 100
"""Memories of a reply to a call that names neither a page nor a limit: the largest page."""


def read_graph(
    ctx: Caller,
    *,
    status: Literal["active", "promoted", "archived", "all"] = "active",
    include_scores: bool = True,
    limit: Annotated[int | None, Field(ge=1, le=_MOST, description="of all pages")] = None,
    page: Page = None,
    page_size: PageSize = None,
) -> Annotated[CallToolResult, Graph]:
    """Read memories, those recorded last first, with the relations between them and with others.

    Call it for an overview, page by page: without page and limit, it sends the first 100. search_memory finds better.
    """
    memory = caller(ctx).memory
    whole = page is None and page_size is None
    size = (limit or _FIRST) if whole else page_size or _PAGE_SIZE
    start = ((page or 1) - 1) * size
    notes, first = _page(memory, status, start, min(size, max(0, (limit or start + size) - start)))
    count = first.total if limit is None else min(limit, first.total)
    relations, cut = _relations(memory, notes)
    said: dict[str, Any] = {
        "success": True,
        "memories": [told_note(note, scores=include_scores) for note in notes],
        "relations": relations,
        "stats": {
            "total_memories": first.total,
            "total_relations": memory.stats().edges,
            "avg_score": round(first.mean_score, 4),
            "avg_use_count": round(first.mean_uses, 4),
            "status_filter": status,
        },
        "pagination": pagination(page or 1, max(1, min(size, count)) if whole else size, count),
    }
    return reply_as_said(said | ({"truncated": True} if cut else {}))


def _page(memory: Memory, status: str, start: int, size: int) -> tuple[list[FadingAtom], FadingAtoms]:
    """The memories from `start` on, read by the thousand; and what is true of all of them."""
    most = LIMITS["list_items"]
    first = memory.fading(status=status, order="recent", limit=min(most, max(1, size)), offset=start)
    notes, last = list(first)[:size], first
    while last.more and len(notes) < size:
        last = memory.fading(
            status=status, order="recent", limit=min(most, size - len(notes)), offset=start + len(notes)
        )
        notes += last
    return notes, first


def _relations(memory: Memory, notes: Sequence[FadingAtom]) -> tuple[list[dict[str, Any]], bool]:
    """The relations of these memories, each once; and whether there are more."""
    told: dict[str, dict[str, Any]] = {}
    for note in notes:
        found = memory.edges(note.name, limit=_RELATIONS) if not note.atom.tombstoned else ()
        for edge in found:
            told[edge.id] = {
                "id": edge.id,
                "from": edge.source_id,
                "to": edge.target_id,
                "type": edge.type,
                "strength": 1.0 if edge.confidence is None else edge.confidence,
                "created_at": int(edge.recorded_at.timestamp()),
            }
            if len(told) > _RELATIONS:
                return list(told.values())[:_RELATIONS], True
    return list(told.values()), False


READ_GRAPH = Tool(read_graph, "Read memories and relations", "read")
