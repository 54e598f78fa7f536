"""The gardener: a run, what all runs came to, and edges that look spurious; and the shapes of these replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from mcp.types import CallToolResult

from substrate.result import iso
from substrate.surfaces.arguments import Caller
from substrate.surfaces.hydramem.arguments import Confidence, Project, Said, SessionId, asked, shown_name
from substrate.surfaces.hydramem.shapes import told
from substrate.surfaces.shape import Shape, Tally
from substrate.surfaces.tool import Tool, progress_of
from substrate.text.quote import in_quotes

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.values.review.garden import Tended

__all__ = ["TOOLS"]

_TOLD: Final = 10
_CHARACTERS: Final = 60
"""Relations that the reply of a run names, and characters of a name."""


class GardenRun(Tally):
    """What one run did."""

    project: str
    candidates_proposed: int
    relations_accepted: int
    relations_rejected: int
    sessions_considered: int
    sessions_used: int
    session_entries_considered: int
    session_entries_used: int
    session_entries_filtered_repeat_threshold: int
    nodes_pruned: int
    edges_pruned: int
    last_run: str
    run: int
    """By which the user undoes it."""
    note: str | None = None
    """The first relations that it stated, in words."""


class GardenStatus(Tally):
    """What all runs came to."""

    last_run: str
    """Empty: there was none."""
    total_runs: int
    relations_proposed: int
    relations_accepted: int
    session_entries_filtered_repeat_threshold: int
    is_running: bool


class EdgesSuggested(Shape):
    """Edges that look spurious: pairs of entity ids, the worst first, and how spurious each looks."""

    method: str
    suggested_edges: list[list[str]]
    scores: dict[str, float]
    edges_analysed: int
    auc: float | None = None
    pruning: dict[str, Any]


def run_night_gardener(
    ctx: Caller, *, project: Project = "", session_id: SessionId = ""
) -> Annotated[CallToolResult, GardenRun]:
    """State relations that texts and sessions support, each checked. Call it now and then; the user can undo a run."""
    said = asked(ctx, project, session_id)
    done = cast("Tended", said.memory.tend(said.project, progress=progress_of(ctx)))
    return told(
        GardenRun(
            project=said.project,
            candidates_proposed=done.proposed,
            relations_accepted=done.accepted,
            relations_rejected=done.rejected,
            sessions_considered=done.sessions,
            sessions_used=done.sessions_used,
            session_entries_considered=done.entries,
            session_entries_used=done.entries_used,
            session_entries_filtered_repeat_threshold=done.entries_filtered,
            nodes_pruned=len(done.tombstoned),
            edges_pruned=len(done.unedged),
            last_run=iso(done.time),
            run=done.run or 0,
            note=_stated(said, done),
        ),
        "note",
    )


def _stated(said: Said, done: Tended) -> str | None:
    """The relations that a run stated, in words; names are quoted as data. None for a client that may not read."""
    stated = [one for one in done if one.verdict == "accepted"]
    if not stated or "read" not in said.client.scopes:
        return None
    told = [f"{_quoted(said, one.source)} {one.type} {_quoted(said, one.target)}" for one in stated[:_TOLD]]
    more = [f"and {len(stated) - _TOLD:,} more"] if len(stated) > _TOLD else []
    return f"stated: {'; '.join([*told, *more])}"


def _quoted(said: Said, atom: str) -> str:
    return in_quotes(shown_name(said, atom)[:_CHARACTERS])


def get_garden_status_tool(
    ctx: Caller, *, project: Project = "", session_id: SessionId = ""
) -> Annotated[CallToolResult, GardenStatus]:
    """Tell when the gardener last ran, and whether it runs now. Call it before you start it."""
    said = asked(ctx, project, session_id)
    found = said.memory.tending(said.project, limit=1)
    return told(
        GardenStatus(
            last_run="" if found.last is None else iso(found.last),
            total_runs=found.runs,
            relations_proposed=found.proposed,
            relations_accepted=found.accepted,
            session_entries_filtered_repeat_threshold=found.entries_filtered,
            is_running=found.is_running,
        )
    )


def train_gnn_tool(
    ctx: Caller,
    *,
    threshold: Confidence = 0.6,
    dry_run: bool = True,
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, EdgesSuggested]:
    """Suggest spurious edges. Call it when the graph looks wrong, and ask the user before you set dry_run to false."""
    said = asked(ctx, project, session_id)
    if not dry_run:
        said.client.require("write", "to take edges back")
    found = said.memory.prune(said.project, threshold=threshold, dry_run=dry_run)
    removed = sum(one.removed for one in found)
    return told(
        EdgesSuggested(
            method=found.method,
            suggested_edges=[[one.source_id, one.target_id] for one in found],
            scores={f"{one.source_id}|{one.target_id}": one.score for one in found},
            edges_analysed=found.edges,
            auc=found.auc,
            pruning={"removed": removed, "skipped_kept": 0 if dry_run else len(found) - removed, "dry_run": dry_run},
        ),
        "auc",
    )


TOOLS = (
    Tool(run_night_gardener, "Tend the graph", "write", writes=True, idempotent=True, also=("train",), verb="tend"),
    Tool(get_garden_status_tool, "Runs of the gardener", "read"),
    Tool(train_gnn_tool, "Edges that look spurious", "read", writes=True, destructive=True, verb="prune"),
)
