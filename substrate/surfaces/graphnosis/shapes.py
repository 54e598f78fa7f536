"""What the tools reply, with the keys of the document. Pure."""

from __future__ import annotations

from pydantic import Field

from substrate.surfaces.shape import CamelShape

__all__ = ["Applied", "CorrectionShape", "CortexStats", "Erased", "GraphStats", "Recalled", "RecalledChunk", "Stored"]


class RecalledChunk(CamelShape):
    """A chunk that was found."""

    chunk_id: str
    source_id: str
    graph: str | None
    text: str
    score: float
    source_name: str
    updated_at: str
    newer: str | None = Field(None, description="a newer chunk that says otherwise of the same thing")


class Recalled(CamelShape):
    """Chunks, best first."""

    results: list[RecalledChunk]
    total_tokens: int
    truncated: bool
    remarks: list[str] | None = None


class Stored(CamelShape):
    """Where a text is."""

    source_id: str
    graph_id: str
    node_count: int


class CorrectionShape(CamelShape):
    """A correction that waits: show the diff to the user."""

    correction_id: str
    chunk_id: str
    original_text: str
    proposed_text: str
    diff: str
    expires_at: str
    mode: str = Field(description="replacement, quoted, contradiction or sampling")


class Applied(CamelShape):
    """A correction that was made."""

    chunk_id: str
    applied: bool
    new_embedding_computed: bool
    op_log_event_id: str


class Erased(CamelShape):
    """What is gone for good."""

    deleted: bool
    chunks_removed: int
    source_removed: bool


class GraphStats(CamelShape):
    """One engram."""

    name: str
    tier: str
    sources: int
    chunks: int
    estimated_tokens: int


class CortexStats(CamelShape):
    """How much is stored."""

    cortex_path: str
    graphs: list[GraphStats]
    total_sources: int
    total_chunks: int
    embedding_model: str
    embedding_dimensions: int
    cortex_db_size_bytes: int
