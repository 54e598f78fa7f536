"""What the tools reply, in the words of the document. Times are seconds since 1970, as with the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from substrate.surfaces.cortexgraph.arguments import without_reserved
from substrate.surfaces.shape import Shape

if TYPE_CHECKING:  # a server lists its tools before the values are loaded
    from substrate.values.review.fading import FadingAtom

__all__ = [
    "Backfilled",
    "Clusters",
    "Collected",
    "Consolidated",
    "FoundNotes",
    "Graph",
    "KeepAdvice",
    "Metrics",
    "MetricsReset",
    "Opened",
    "Pagination",
    "PromotedNotes",
    "RecallAdvice",
    "Recalled",
    "RelationMade",
    "SavedNote",
    "TouchedNote",
    "UnifiedNotes",
    "told_note",
]


class Pagination(Shape):
    """Where a page stands."""

    page: int
    page_size: int
    total_count: int
    total_pages: int
    has_more: bool
    has_previous: bool


class SavedNote(Shape):
    """A memory that was saved."""

    success: bool
    memory_id: str = ""
    message: str
    has_embedding: bool = False
    enrichment_applied: bool = False
    auto_entities: int = 0
    calculated_strength: float = 1.0
    conflicts: list[str] | None = Field(None, description="ids of memories that this one contradicts: ask the user")


class FoundNote(Shape):
    """A memory that matches."""

    id: str
    content: str
    tags: list[str]
    score: float
    similarity: float
    use_count: int
    last_used: int
    age_days: float
    review_priority: float
    status: str
    review_candidate: bool | None = None


class FoundNotes(Shape):
    """Memories that match, the best first."""

    success: bool
    count: int
    results: list[FoundNote]
    pagination: Pagination
    note: str | None = None


class UnifiedNote(Shape):
    """A memory, or a passage of a document, that matches."""

    content: str
    title: str
    source: str
    score: float
    path: str
    memory_id: str
    tags: list[str]
    created_at: int
    last_used: int


class UnifiedNotes(Shape):
    """What matches in short-term and long-term memory, the best first."""

    success: bool
    count: int
    results: list[UnifiedNote]
    pagination: Pagination
    note: str | None = None


class TouchedNote(Shape):
    """A memory that was reinforced."""

    success: bool
    memory_id: str = ""
    old_score: float = 0.0
    new_score: float = 0.0
    use_count: int = 0
    strength: float = 1.0
    message: str


class Opened(Shape):
    """Memories by their ids."""

    success: bool
    count: int
    memories: list[dict[str, Any]]
    not_found: list[str]
    pagination: Pagination


class Graph(Shape):
    """Memories, and the relations between them."""

    success: bool
    memories: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    stats: dict[str, Any]
    pagination: Pagination
    truncated: bool | None = Field(None, description="true: there are more relations of these memories")


class Collected(Shape):
    """What has faded, and was taken out of use."""

    success: bool
    dry_run: bool = True
    removed_count: int = 0
    archived_count: int = 0
    freed_score_sum: float = 0.0
    memory_ids: list[str] = Field(default_factory=list)
    total_affected: int = 0
    message: str


class PromotedNotes(Shape):
    """What was promoted to the vault."""

    success: bool
    dry_run: bool = False
    candidates_found: int = 0
    promoted_count: int = 0
    promoted_ids: list[str] = Field(default_factory=list)
    candidates: list[dict[str, Any]] = Field(default_factory=list)
    message: str


class KeepAdvice(Shape):
    """Whether a message is to be saved."""

    should_save: bool
    confidence: float
    suggested_entities: list[str]
    suggested_tags: list[str]
    suggested_strength: float
    reasoning: str
    phrase_signals: dict[str, bool]


class RecallAdvice(Shape):
    """Whether a message asks for what was said before."""

    should_search: bool
    confidence: float
    suggested_query: str
    suggested_tags: list[str]
    suggested_entities: list[str]
    reasoning: str


class Recalled(Shape):
    """What a message reinforced."""

    success: bool
    enabled: bool = True
    topics_found: list[str] = Field(default_factory=list)
    memories_found: int = 0
    memories_reinforced: list[str] = Field(default_factory=list)
    mode: str = "silent"
    message: str


class Clusters(Shape):
    """Memories that say nearly the same, in clusters or in pairs."""

    success: bool
    mode: str
    clusters: list[dict[str, Any]] | None = None
    clusters_found: int | None = None
    strategy: str | None = None
    threshold: float | None = None
    duplicates: list[dict[str, Any]] | None = None
    duplicates_found: int | None = None
    message: str | None = None


class Consolidated(Shape):
    """What became of clusters."""

    success: bool
    mode: str = ""
    candidates_found: int = 0
    consolidated_clusters: int = 0
    linked_clusters: int = 0
    results: list[dict[str, Any]] = Field(default_factory=list)
    message: str


class RelationMade(Shape):
    """A relation that was stated."""

    success: bool
    relation_id: str = ""
    from_: str = Field("", alias="from")
    to: str = ""
    type: str = ""
    strength: float = 1.0
    message: str


class Backfilled(Shape):
    """Vectors that were made."""

    success: bool
    dry_run: bool = False
    processed: int = 0
    errors: int = 0
    model: str = ""
    total_memories: int = 0
    memories_without_embeddings: int = 0
    would_process: int = 0
    message: str


class Metrics(Shape):
    """By tool: count, errors, and in milliseconds avg, min, max, p50, p95, p99."""

    success: bool
    operations: dict[str, dict[str, float]]


class MetricsReset(Shape):
    """Counted from now on."""

    success: bool
    message: str


def told_note(note: FadingAtom, *, scores: bool) -> dict[str, Any]:
    """A memory as open_memories and read_graph tell it."""
    atom = note.atom
    context = atom.attrs.get("context")
    said: dict[str, Any] = {
        "id": atom.id,
        "content": atom.value,
        "entities": list(atom.entities),
        "tags": without_reserved(atom.tags),
        "source": atom.source or "",
        "context": context if isinstance(context, str) else "",
        "created_at": int(note.created_at.timestamp()),
        "last_used": int(note.last_used.timestamp()),
        "use_count": note.uses,
        "strength": note.strength,
        "status": note.status,
    }
    if (meta := atom.attrs.get("meta")) is not None:
        said["meta"] = meta
    if (path := atom.attrs.get("promoted_to")) is not None:
        said["promoted_to"] = path
    if scores:
        said |= {"score": round(note.score, 4), "age_days": round(note.age_days, 2)}
    return said
