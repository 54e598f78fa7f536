"""recall and stats: what is found, and how much there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import InputError, NotFound
from substrate.limits import LIMITS
from substrate.messages import render
from substrate.result import iso
from substrate.surfaces.arguments import Caller
from substrate.surfaces.graphnosis.engrams import Engram, caller, engrams_of, graphs_of, require
from substrate.surfaces.graphnosis.shapes import CortexStats, GraphStats, Recalled
from substrate.surfaces.shape import reply, reply_as_said
from substrate.surfaces.tool import Tool

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory
    from substrate.values.atoms import Atom
    from substrate.values.hits import Found, Hit

__all__ = ["RECALL", "STATS"]

_MOST: Final = 32
_GRAPHS: Final = 32
_PAGE: Final = 100
_NOT_CHUNKS: Final = ("document", "domain", "entity", "schema")
"""Types whose texts are names of things."""
_CHARACTERS_PER_TOKEN: Final = 4


def recall(
    ctx: Caller,
    *,
    query: Annotated[str, Field(min_length=1, max_length=LIMITS["query_characters"])],
    graphs: Annotated[list[str], Field(max_length=_GRAPHS, description="engrams to search; default: all")] = [],  # noqa: B006
    topK: Annotated[int, Field(ge=1, le=_MOST)] = 8,
    minScore: Annotated[float, Field(ge=0, le=1, description="least similarity")] = 0.3,
) -> Annotated[CallToolResult, Recalled]:
    """Search the user's memory by words and by meaning. Call it before you say that something is not known."""
    client = caller(ctx)
    memory = client.memory
    if not query.strip():
        raise InputError("query is blank: give a question or a topic")
    asked = tuple(dict.fromkeys(require(memory, name) for name in graphs))
    engrams = engrams_of(memory)
    made = [slug for slug in asked if engrams[slug].made]
    if asked and not made:  # of `main`, before the first text
        return reply_as_said({"results": [], "totalTokens": 0, "truncated": False})
    found = memory.search(query, domain=made or None, limit=_PAGE)
    hits = sorted(_chunks(found, minScore), key=lambda one: -one[0])[:topK]
    said, tokens, truncated = _within_caps(memory, hits, asked, engrams)
    remarks = [render(remark, client.words) for remark in found.remarks]
    return reply_as_said(
        {"results": said, "totalTokens": tokens, "truncated": truncated} | ({"remarks": remarks} if remarks else {})
    )


def _chunks(found: Found, least: float) -> list[tuple[float, Hit]]:
    """The hits with their scores: the nearer of meaning and of all signs together, those that reach the least.

    What could not be compared by meaning is not held to it: a text that was just saved is found by its words.
    """
    scored = [(min(1.0, max(hit.score, hit.likeness)), hit) for hit in found if hit.atom.type not in _NOT_CHUNKS]
    by_words = bool(found.meaning or found.lag)
    return [(score, hit) for score, hit in scored if score >= least or (by_words and not hit.likeness)]


def _within_caps(
    memory: Memory, hits: list[tuple[float, Hit]], asked: tuple[str, ...], engrams: dict[str, Engram]
) -> tuple[list[dict[str, Any]], int, bool]:
    """What is told of the hits, within the cap of each engram they are in. The first always comes, cut if it must."""
    names = _Names(memory)
    left: dict[str, int] = {}
    said: list[dict[str, Any]] = []
    total, truncated = 0, False
    for score, hit in hits:
        graphs = graphs_of(memory, hit.atom, asked)
        spent = graphs or ("",)  # what is in no engram has a cap of its own
        cap = min(left.setdefault(slug, engrams.get(slug, Engram(slug)).cap) for slug in spent)
        text, takes = hit.value, memory.count_tokens(hit.value)
        if takes > cap:
            truncated = True
            if said:
                continue
            text = _cut(memory, text, cap)
            takes = memory.count_tokens(text)
        for slug in spent:
            left[slug] -= takes
        total += takes
        said.append(names.told(hit.atom, graphs[0] if graphs else None, text, score) | _newer(memory, hit))
    return said, total, truncated


def _cut(memory: Memory, text: str, cap: int) -> str:
    """As much of a text as the cap has room for."""
    least, most = 0, len(text)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if memory.count_tokens(text[:middle]) <= cap else (least, middle - 1)
    return text[:least]


def _newer(memory: Memory, hit: Hit) -> dict[str, str]:
    newer = None if hit.newer is None else next(iter(memory.which(hit.newer)), None)
    return {} if newer is None else {"newer": newer.id}


class _Names:
    """What sources are called, each looked up once."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._known: dict[str, str] = {}

    def told(self, atom: Atom, graph: str | None, text: str, score: float) -> dict[str, Any]:
        source = atom.parent or atom.id
        return {
            "chunkId": atom.id,
            "sourceId": source,
            "graph": graph,
            "text": text,
            "score": round(score, 4),
            "sourceName": self._name(atom, source),
            "updatedAt": iso(atom.recorded_at),
        }

    def _name(self, atom: Atom, source: str) -> str:
        """The title of a document, else where the text comes from, else the atom's name."""
        if atom.parent is None:
            return atom.source or atom.name
        if source not in self._known:
            try:
                whole = [version.atom for version in self._memory.history(source, limit=1)]
            except NotFound:
                whole = []
            title = next((one.value for one in whole if one is not None), None)
            self._known[source] = title or atom.source or atom.name
        return self._known[source]


def stats(ctx: Caller) -> Annotated[CallToolResult, CortexStats]:
    """Count engrams, sources and chunks. Call it to see which engrams there are."""
    client = caller(ctx)
    memory = client.memory
    model, counts = memory.model(), {one.domain: one for one in memory.domains()}
    graphs = []
    for engram in engrams_of(memory).values():
        own = counts.get(engram.slug)
        graphs.append(
            GraphStats(
                name=engram.slug,
                tier=engram.tier,
                sources=0 if own is None else own.documents,
                chunks=0 if own is None else own.chunks,
                estimated_tokens=0 if own is None else -(-own.characters // _CHARACTERS_PER_TOKEN),
            )
        )
    return reply(
        CortexStats(
            cortex_path=client.store,
            graphs=graphs,
            total_sources=sum(one.sources for one in graphs),
            total_chunks=sum(one.chunks for one in graphs),
            embedding_model=model.model,
            embedding_dimensions=model.dimensions,
            cortex_db_size_bytes=memory.stats().bytes,
        )
    )


RECALL = Tool(recall, "Recall", "read", by_meaning=True, verb="search")
STATS = Tool(stats, "Look at the cortex", "read", verb="stats")
