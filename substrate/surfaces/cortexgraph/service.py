"""Tools about the server itself: vectors that are missing, and how long calls take."""

from __future__ import annotations

from typing import Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from substrate.surfaces.arguments import Caller
from substrate.surfaces.cortexgraph.arguments import caller, failure
from substrate.surfaces.cortexgraph.shapes import Backfilled, Metrics, MetricsReset
from substrate.surfaces.shape import reply, reply_as_said
from substrate.surfaces.tool import Tool, progress_of

__all__ = ["BACKFILL_EMBEDDINGS", "GET_PERFORMANCE_METRICS", "RESET_PERFORMANCE_METRICS"]

_DEFAULT: Final = "all-MiniLM-L6-v2"
_MOST: Final = 10_000


def backfill_embeddings(
    ctx: Caller,
    *,
    model: Annotated[str, Field(min_length=1, max_length=200)] = _DEFAULT,
    limit: Annotated[int | None, Field(ge=1, le=_MOST)] = None,
    force: bool = False,
    dry_run: bool = False,
) -> Annotated[CallToolResult, Backfilled]:
    """Make missing vectors now, as after an import; it happens in the background anyway. Nothing is downloaded."""
    client = caller(ctx)
    memory = client.memory
    before = memory.model()
    other = bool(before.model) and model != before.model
    if other and not dry_run:
        client.require("admin", "another model")
        memory.use_model(model)
        before = memory.model()
    waiting = memory.stats().atoms if other and dry_run else before.waiting
    would = waiting if limit is None else min(waiting, limit)
    if dry_run:
        told = f"{would:,} versions would be embedded by {model}; nothing is changed yet"
        return _told(memory.stats().atoms, waiting, model, told, dry_run=True, would_process=would)
    indexed = memory.index(progress_of(ctx), limit=limit)
    left = memory.model().waiting
    told = f"{indexed.embedded:,} embedded by {indexed.model}" if indexed.embedded else "all have vectors already"
    told += " (the same model makes the same vectors, so none was made again)" if force and not other else ""
    return _told(memory.stats().atoms, left, indexed.model, told, processed=indexed.embedded)


def _told(total: int, waiting: int, model: str, message: str, **said: Any) -> CallToolResult:  # noqa: ANN401
    return reply(
        Backfilled(
            success=True,
            total_memories=total,
            memories_without_embeddings=min(waiting, total),  # what waits are versions: of a memory, several
            model=model,
            message=message,
            **said,
        )
    )


def get_performance_metrics(ctx: Caller) -> Annotated[CallToolResult, Metrics]:
    """How often each tool was called, and how many milliseconds it took."""
    counted = {name: dict(one) for name, one in caller(ctx).meter.read().items()}
    return reply_as_said({"success": True, "operations": counted})


def reset_performance_metrics(ctx: Caller) -> Annotated[CallToolResult, MetricsReset]:
    """Reset what get_performance_metrics counts."""
    caller(ctx).meter.reset()
    return reply(MetricsReset(success=True, message="the metrics are reset"))


BACKFILL_EMBEDDINGS = Tool(
    backfill_embeddings, "Make missing vectors", "write", writes=True, idempotent=True, failure=failure, verb="index"
)
GET_PERFORMANCE_METRICS = Tool(get_performance_metrics, "How long calls take", "read", verb="stats")
RESET_PERFORMANCE_METRICS = Tool(
    reset_performance_metrics, "Reset the counts of calls", "write", writes=True, verb="stats"
)
