"""Tools that let notes fade, go, or stay for good. The docstring of a tool is what an agent reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import InputError, NameInvalid, NotFound
from substrate.messages import Verb
from substrate.surfaces.arguments import Caller
from substrate.surfaces.cortexgraph.arguments import MemoryId, caller, failure, preview
from substrate.surfaces.cortexgraph.shapes import Collected, PromotedNotes, TouchedNote
from substrate.surfaces.shape import reply
from substrate.surfaces.tool import Tool
from substrate.text.quote import as_command

if TYPE_CHECKING:
    from substrate.values.review.fading import Promotion

__all__ = ["GC", "PROMOTE_MEMORY", "TOUCH_MEMORY"]

_MOST: Final = 10_000
_TARGET: Final = "obsidian"
_SHOWN: Final = 10
_PREVIEW: Final = 100


def touch_memory(
    ctx: Caller,
    *,
    memory_id: MemoryId,
    boost_strength: bool = False,
) -> Annotated[CallToolResult, TouchedNote]:
    """Reinforce a memory that you have used, so that it fades later.

    Call it when a memory helped you to answer.
    """
    try:
        (touched,) = caller(ctx).memory.touch(memory_id, boost=boost_strength)
    except NameInvalid:
        raise NotFound("no memory has this id: ", Verb("search"), " gives the ids of those there are") from None
    return reply(
        TouchedNote(
            success=True,
            memory_id=touched.id,
            old_score=round(touched.before, 4),
            new_score=round(touched.after, 4),
            use_count=touched.uses,
            strength=touched.strength,
            message=f"used {touched.uses:,} times; the score rose from {touched.before:.2f} to {touched.after:.2f}",
        )
    )


def gc(
    ctx: Caller,
    *,
    dry_run: bool = True,
    archive_instead: bool = False,
    limit: Annotated[int | None, Field(ge=1, le=_MOST)] = None,
) -> Annotated[CallToolResult, Collected]:
    """Take memories out of use that have faded below 0.05, of this surface only. Nothing is erased.

    Call it now and then, first as a dry run, and show the user what would go.
    """
    client = caller(ctx)
    swept = client.memory.sweep(archive=archive_instead, limit=limit, dry_run=dry_run, session=client.session)
    count = f"{swept.total:,} {'memory' if swept.total == 1 else 'memories'}"
    erase = as_command("substrate", "forget", "--store", client.store, "--", "ID")
    if not swept.total:
        told = "nothing has faded below 0.05"
    elif dry_run:
        told = f"{count} would be {'archived' if archive_instead else 'removed'}; nothing is changed yet"
    elif archive_instead:
        told = f"{count} archived; status archived lists them"
    else:
        told = f"{count} taken out of use; the history stays. To erase one for good, the user can run `{erase}`"
    return reply(
        Collected(
            success=True,
            dry_run=dry_run,
            removed_count=0 if dry_run or archive_instead else swept.total,
            archived_count=swept.total if archive_instead and not dry_run else 0,
            freed_score_sum=round(swept.score_sum, 4),
            memory_ids=[one.id for one in swept.items],
            total_affected=swept.total,
            message=told,
        )
    )


def promote_memory(
    ctx: Caller,
    *,
    memory_id: MemoryId = "",
    auto_detect: bool = False,
    dry_run: bool = False,
    target: str = _TARGET,
    force: Annotated[bool, Field(description="also if it is not worth it yet")] = False,
) -> Annotated[CallToolResult, PromotedNotes]:
    """Keep memories for good, as notes in the user's vault; they are never collected.

    Call it when the user wants something kept. A memory is worth it from a score of 0.65 on, with 3 uses or an age
    of a day.
    """
    if target != _TARGET:
        raise InputError(f"target is {_TARGET}: there is no other")
    if bool(memory_id) == auto_detect:
        raise InputError("give a memory_id, or set auto_detect; not both")
    client = caller(ctx)
    promoted = client.memory.promote(
        memory_id or None, vault=client.vault, force=force, dry_run=dry_run, session=client.session
    )
    count = f"{len(promoted):,} {'memory' if len(promoted) == 1 else 'memories'}"
    told = f"{count} would be promoted" if dry_run else f"{count} promoted to the vault"
    return reply(
        PromotedNotes(
            success=True,
            dry_run=dry_run,
            candidates_found=promoted.total,
            promoted_count=0 if dry_run else len(promoted),
            promoted_ids=[] if dry_run else [one.id for one in promoted],
            candidates=[_candidate(one) for one in promoted[:_SHOWN]],
            message=told if len(promoted) else "no memory is worth it yet",
        )
    )


def _candidate(one: Promotion) -> dict[str, Any]:
    said = {
        "id": one.id,
        "content_preview": preview(one.faded.atom.value, _PREVIEW),
        "reason": one.reason,
        "score": round(one.faded.score, 4),
        "use_count": one.faded.uses,
        "age_days": round(one.faded.age_days, 2),
    }
    return said if one.path is None else {**said, "path": one.path}


TOUCH_MEMORY = Tool(touch_memory, "Reinforce a memory", "train", writes=True, failure=failure, verb="touch")
GC = Tool(gc, "Take faded memories out of use", "write", writes=True, destructive=True, failure=failure, verb="sweep")
PROMOTE_MEMORY = Tool(promote_memory, "Keep memories for good", "admin", writes=True, failure=failure, verb="promote")
