"""The ten tools of knowmind, over the one engine."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib.metadata import version
from time import perf_counter_ns
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import Denied, Forgotten, InputError, ItemsRefused, NotFound, SecretFound, TooLarge
from substrate.limits import LIMITS
from substrate.messages import render
from substrate.result import iso
from substrate.surfaces.arguments import Caller, IsoTime
from substrate.surfaces.client import Client, client_of
from substrate.surfaces.knowmind.ids import TYPES, document_id, edge_id, end_id, meant, memory_id
from substrate.surfaces.knowmind.shapes import (
    CorpusStats,
    FactUpdated,
    Health,
    Hits,
    HitsThen,
    LinkMade,
    LinkTaken,
    MemoryStored,
    Relations,
    Uploaded,
    hit_fields,
    valid_fields,
)
from substrate.surfaces.shape import reply, reply_as_said
from substrate.surfaces.tool import Refusal, Tool

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory
    from substrate.values.atoms import Atom
    from substrate.values.edges import Edge
    from substrate.values.hits import Found

__all__ = ["NAME", "TOOLS"]

NAME: Final = "knowmind"
_PACKAGE: Final = "substrate-memory"
_RELATIONS: Final = 1000
_DOCUMENT_BYTES: Final = 10_000_000
_NOT_MEMORIES: Final = ("chunk", "entity", "domain", "schema")
"""Types of atoms that this surface does not count as memories."""
_VERSION: Final = re.compile(r"(.*)_v([0-9]{1,9})", re.DOTALL)
_PARTS: Final = ("document", "chunk")
_RULES: Final = ("constraint", "domain", "goal", "preference", "schema")
"""Types of atoms that rule a store, or what its sessions begin with: a token that writes memories replaces none."""
_REPLACING: Final = {"supersedes": 1, "superseded_by": 0}
"""Relations that take a memory out of use, by which end that is."""
_HAS_CHUNK: Final = {"rel_type": "HAS_CHUNK"}
"""The parts of a document are kept by their parent, not by edges: told as relations, they are still these."""
_QUERY: Final = LIMITS["query_characters"]
_PAGE: Final = 25
_PAGES: Final = 4
_FORBIDDEN: Final = 400
_NS_PER_MS: Final = 1_000_000

_Query = Annotated[str, Field(min_length=1, description="a question in words")]
_Count = Annotated[int, Field(ge=1, le=25, description="number of hits")]
_Id = Annotated[str, Field(min_length=1, max_length=LIMITS["name_bytes"])]
_Title = Annotated[str, Field(max_length=500)]
_Content = Annotated[str, Field(min_length=1)]
_Source = Annotated[str, Field(max_length=LIMITS["name_bytes"], description="where it comes from")]
_RelationType = Annotated[
    str, Field(pattern="^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$", max_length=64, description="as FOR_CLIENT")
]


def _caller(ctx: Caller) -> Client:
    return client_of(ctx, NAME)


# -- read --------------------------------------------------------------------------------------------------------------


def recall(
    ctx: Caller,
    *,
    query: _Query,
    k: _Count = 5,
    hops: Annotated[int, Field(ge=0, le=3, description="relations to follow from the best hits")] = 2,
) -> Annotated[CallToolResult, Hits]:
    """Answer a question from memories and documents: by words, by meaning and along relations, best first.

    Call it before you say that something is not known.
    """
    began, client = perf_counter_ns(), _caller(ctx)
    found = client.memory.search(query[:_QUERY], limit=k, hops=hops)
    hits, best = [], _best(found)
    for hit in found:
        said = hit_fields(hit.atom, memory_id(client.memory, hit.name, hit.atom.id), hit.score / best)
        said["source"] = hit.atom.source or ""
        if hit.newer is not None and (newer := _short(client.memory, hit.newer)) is not None:
            said["newer"] = newer
        hits.append(said)
    elapsed = (perf_counter_ns() - began) // _NS_PER_MS
    return reply_as_said({"hits": hits, "elapsed_ms": elapsed} | _remarks(found, client))


def recall_at_time(
    ctx: Caller,
    *,
    query: _Query,
    as_of: Annotated[IsoTime, Field(description="as things held then, in ISO 8601; default: now")] = "",
    k: _Count = 5,
    known_at: Annotated[IsoTime, Field(description="as the store knew it then, in ISO 8601; default: now")] = "",
) -> Annotated[CallToolResult, HitsThen]:
    """Answer a question by what held at a time. Call it when the user asks how something was on a date."""
    client = _caller(ctx)
    moment = _moment(as_of)
    hits: list[dict[str, Any]] = []
    best = 1.0
    for page in range(_PAGES):
        found = client.memory.search(
            query[:_QUERY], limit=_PAGE, offset=page * _PAGE, valid_at=as_of or None, as_of=known_at or None
        )
        best = max(best, _best(found))
        for hit in found:
            # Without a start it holds from when it was recorded, as the document has it: not before.
            if len(hits) < k and (start := _start(client.memory, hit.atom)) <= moment:
                called = memory_id(client.memory, hit.name, hit.atom.id)
                hits.append(hit_fields(hit.atom, called, hit.score / best) | valid_fields(hit.atom, start))
        if len(hits) == k or not found.more:
            break
    return reply_as_said({"hits": hits} | _remarks(found, client))


def list_relations(ctx: Caller, *, memory_id: _Id) -> Annotated[CallToolResult, Relations]:
    """List the relations of a memory, from it and to it. Call it to see what a memory belongs to."""
    client = _caller(ctx)
    memory, atom = client.memory, meant(client, memory_id)
    mine = atom.id
    edges = memory.edges(mine, limit=_RELATIONS)
    said: dict[str, Any] = {
        "outgoing": [
            _relation(edge) | {"to": end_id(memory, edge, "target")} for edge in edges if edge.source_id == mine
        ],
        "incoming": [
            _relation(edge) | {"from": end_id(memory, edge, "source")} for edge in edges if edge.source_id != mine
        ],
    }
    said["outgoing"] += _sections(memory, atom)
    if atom.parent is not None and (whole := _short(memory, atom.parent)) is not None:
        said["incoming"].append(_HAS_CHUNK | {"created_at": iso(atom.recorded_at), "from": whole})
    return reply_as_said(said | ({"truncated": True} if edges.more else {}))


def health(ctx: Caller) -> Annotated[CallToolResult, Health]:
    """Tell whether the service and its store work. It shows nothing that is stored."""
    _caller(ctx).memory.head()
    return reply(Health(status="ok", service="memory", version=version(_PACKAGE)))


def stats(ctx: Caller) -> Annotated[CallToolResult, CorpusStats]:
    """Count memories, relations and sections of documents."""
    counted = _caller(ctx).memory.stats()
    memories = sum(count for kind, count in counted.types.items() if kind not in _NOT_MEMORIES)
    return reply(CorpusStats(memories=memories, edges=counted.edges, chunks=counted.types.get("chunk", 0)))


# -- write -------------------------------------------------------------------------------------------------------------


def store_memory(
    ctx: Caller,
    *,
    content: _Content,
    title: _Title = "",
    memory_type: Literal["semantic", "episodic", "procedural", "reference"] = "semantic",
    tags: Annotated[list[str], Field(max_length=LIMITS["tags"])] = [],  # noqa: B006 - never changed
    source: _Source = "",
) -> Annotated[CallToolResult, MemoryStored]:
    """Store one statement. For a longer text, knowmind.upload_document makes sections that are found one by one."""
    memory = _caller(ctx).memory
    saved = memory.remember(
        content, TYPES[memory_type], title=title or None, tags=tags, origin="agent", source=source or None
    )
    atom = memory.access(saved.name, predictions=0).atom
    return reply(MemoryStored(memory_id=memory_id(memory, atom.name, atom.id), created_at=iso(atom.recorded_at)))


def upload_document(
    ctx: Caller,
    *,
    content: _Content,
    title: _Title = "",
    source: _Source = "",
) -> Annotated[CallToolResult, Uploaded]:
    """Store a longer text as a document in sections. The same text again changes nothing."""
    if not content.strip():
        raise InputError("content is blank: there is nothing to store")
    size = len(content.encode("utf-8", "surrogatepass"))
    if size > _DOCUMENT_BYTES:
        raise TooLarge("content", size, _DOCUMENT_BYTES, instead="upload it in parts")
    memory = _caller(ctx).memory
    taken = memory.ingest(content, title=title or None, source=source or None)
    for failed in taken.failed:
        raise (SecretFound if failed.code == SecretFound.code else InputError)(failed.reason)
    document = taken.items[0]
    indexed = memory.model(most=1).waiting == 0
    return reply(
        Uploaded(
            document_id=document_id(document.name), chunks=document.chunks, status="indexed" if indexed else "stored"
        )
    )


def update_fact(
    ctx: Caller,
    *,
    target_id: _Id,
    new_title: Annotated[str, Field(min_length=1, max_length=500)],
    new_content: _Content,
    update_reason: Annotated[str, Field(max_length=1000)] = "",
) -> Annotated[CallToolResult, FactUpdated]:
    """Replace a memory from now on. The old one ends now, and stays readable as it was.

    Call it when something changed. Both are joined by SUPERSEDES.
    """
    client = _caller(ctx)
    memory, old = client.memory, meant(client, target_id)
    if old.type in _PARTS:
        raise InputError("this is a document or a section of one: upload the new text by knowmind.upload_document")
    _check_replaceable(old)
    new = _next_name(memory, old.name)
    saved = memory.replace(
        old.name,
        new,
        new_content,
        reason=update_reason or None,
        origin="agent",
        attrs={**old.attrs, "title": new_title},
        tags=list(old.tags),
        entities=list(old.entities),
        source=old.source,
        confidence=old.confidence,
    )
    return reply(
        FactUpdated(
            old_memory_id=memory_id(memory, old.name, old.id),
            new_memory_id=memory_id(memory, new, saved.ids[new]),
            supersedes_edge=edge_id(saved.edges[0]),
        )
    )


def link(ctx: Caller, *, from_id: _Id, to_id: _Id, rel_type: _RelationType) -> Annotated[CallToolResult, LinkMade]:
    """State a relation between two memories. It is one edge, read from both ends; stated again it is the same."""
    client = _caller(ctx)
    memory, ends = client.memory, (meant(client, from_id), meant(client, to_id))
    if rel_type.lower() in _REPLACING:
        _check_replaceable(ends[_REPLACING[rel_type.lower()]])
    said = {"source": ends[0].name, "type": rel_type, "target": ends[1].name}
    try:
        saved = memory.checkpoint(edges=[said], origin="agent")
    except ItemsRefused as error:  # by the table of edge types: all else was checked
        raise Refusal(error, status=_FORBIDDEN) from None
    stated = edge_id(saved.edges[0] if saved.edges else _stated(memory, said).id)
    return reply(LinkMade(edge_id=stated, inverse_edge_id=stated))


def unlink(ctx: Caller, *, from_id: _Id, to_id: _Id, rel_type: _RelationType) -> Annotated[CallToolResult, LinkTaken]:
    """Take a relation back, by either of its names. The history keeps it."""
    client = _caller(ctx)
    memory = client.memory
    said = {"source": meant(client, from_id).name, "type": rel_type, "target": meant(client, to_id).name}
    edge = _stated(memory, said)
    memory.checkpoint(unedges=[edge.id])
    return reply(LinkTaken(deleted=True))


# -- within ------------------------------------------------------------------------------------------------------------


def _check_replaceable(old: Atom) -> None:
    """Denied if it is a rule of the store: whoever may write memories could otherwise take it out of use."""
    if old.type in _RULES:
        raise Denied(f"a {old.type} is a rule of this store: its keeper changes it, not an agent")


def _best(found: Found) -> float:
    """What the best score is told as 1 by; scores below that stay as they are."""
    return max([1.0, *(hit.score for hit in found)])


def _moment(as_of: str) -> datetime:
    """The time that is meant; a date is its first moment, and a time without a zone is in UTC."""
    if not as_of.strip():
        return datetime.now(UTC)
    read = datetime.fromisoformat(as_of.strip())
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)


def _start(memory: Memory, atom: Atom) -> datetime:
    """From when it holds: as was said; else from when its text was first recorded.

    A fact that is replaced gets a version with its end, recorded then: its text is older than that version.
    """
    said = atom.valid_from or atom.occurred_at
    return said or memory.access(atom.id, as_of=atom.seq).since or atom.recorded_at


def _sections(memory: Memory, atom: Atom) -> list[dict[str, str]]:
    """The sections of a document, as relations; of anything else none."""
    if atom.type != "document":
        return []
    chunks = memory.document(atom.id).chunks[:_RELATIONS]
    return [
        _HAS_CHUNK | {"created_at": iso(one.recorded_at), "to": memory_id(memory, one.name, one.id)} for one in chunks
    ]


def _remarks(found: Found, client: Client) -> dict[str, list[str]]:
    return {"remarks": [render(remark, client.words) for remark in found.remarks]} if found.remarks else {}


def _short(memory: Memory, name: str) -> str | None:
    """What the atom of this name is called here; None if it is gone meanwhile."""
    return next((memory_id(memory, one.name, one.id) for one in memory.which(name)), None)


def _relation(edge: Edge) -> dict[str, str]:
    return {"rel_type": edge.label or edge.type.upper(), "created_at": iso(edge.recorded_at)}


def _stated(memory: Memory, said: dict[str, str]) -> Edge:
    """The edge as it is stated, under either of its names. NotFound if it is not."""
    ends = {said["source"], said["target"]}
    offset, more = 0, True
    while more:
        # Those that lead out of the source, also under the other name of the type: no other way round.
        page = memory.edges(said["source"], direction="out", type=said["type"].lower(), limit=_RELATIONS, offset=offset)
        for edge in page:
            if {edge.source, edge.target} == ends:
                return edge
        offset, more = offset + _RELATIONS, page.more
    raise NotFound(
        f"there is no relation {said['type']} between these two; knowmind.list_relations shows those there are"
    )


def _next_name(memory: Memory, name: str) -> str:
    """The name of what replaces the atom of this one: `x_v2` after `x`, `x_v3` after that. None is used twice."""
    numbered = _VERSION.fullmatch(name)
    stem, number = (name, 1) if numbered is None else (numbered[1], int(numbered[2]))
    while True:
        number += 1
        candidate = f"{stem}_v{number}"
        try:
            memory.history(candidate, limit=1)
        except Forgotten:
            continue
        except NotFound:
            return candidate


TOOLS: Final = (
    Tool(recall, "Recall", "read", wire_name="knowmind.recall", by_meaning=True, verb="search"),
    Tool(
        recall_at_time, "Recall at a time", "read", wire_name="knowmind.recall_at_time", by_meaning=True, verb="search"
    ),
    Tool(list_relations, "List relations", "read", wire_name="knowmind.list_relations", verb="edges"),
    Tool(health, "Health", "", wire_name="knowmind.health", verb="stats"),
    Tool(stats, "Count what is stored", "read", wire_name="knowmind.stats", verb="stats"),
    Tool(
        store_memory,
        "Store a memory",
        "write",
        writes=True,
        idempotent=True,
        wire_name="knowmind.store_memory",
        verb="remember",
    ),
    Tool(
        upload_document,
        "Upload a document",
        "write",
        writes=True,
        idempotent=True,
        wire_name="knowmind.upload_document",
        verb="ingest",
    ),
    Tool(update_fact, "Update a fact", "write", writes=True, wire_name="knowmind.update_fact", verb="checkpoint"),
    Tool(
        link, "Link two memories", "write", writes=True, idempotent=True, wire_name="knowmind.link", verb="checkpoint"
    ),
    Tool(unlink, "Take a link back", "write", writes=True, wire_name="knowmind.unlink", verb="checkpoint"),
)
