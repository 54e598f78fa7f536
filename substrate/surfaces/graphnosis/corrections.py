"""correct and apply: a correction is worked out, waits for ten minutes, and is made when the user agrees."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

from mcp.server.mcpserver import Resolve
from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import InputError, NameInvalid, NotFound
from substrate.limits import LIMITS
from substrate.result import iso
from substrate.surfaces.arguments import Caller
from substrate.surfaces.graphnosis.engrams import caller
from substrate.surfaces.graphnosis.shapes import Applied, CorrectionShape
from substrate.surfaces.sampling import Answer, Question, Sample, Sampled, answer_of, ask_model
from substrate.surfaces.shape import reply
from substrate.surfaces.tool import Tool
from substrate.text.quote import in_quotes

__all__ = ["APPLY", "CORRECT"]

_SAMPLING: Final = "sampling"
_TASK: Final = (
    "Rewrite the text so that it says what the correction says. Change as little as possible: keep every other word, "
    "and add nothing that the correction does not say. If the correction does not tell what to change, answer null."
)
_SHOWN: Final = 4000
"""Characters of a text that a model may rewrite: of a longer one it would see only the beginning."""
_HOW: Final = (
    "the words do not tell how the text should read. Say what goes and what comes (change A to B), or give the whole "
    'new text in quotes: it should read "..."'
)
_Id = Annotated[str, Field(min_length=1, max_length=LIMITS["name_bytes"])]
_Words = Annotated[str, Field(min_length=1, max_length=LIMITS["query_characters"])]


class Rewritten(Answer):
    """What the model makes of it."""

    text: str | None


class Worked(NamedTuple):
    """A chunk, and what the words of a correction come to; None: they do not tell."""

    id: str
    seq: int
    original: str
    value: str | None
    mode: str | None


def find_correction(ctx: Caller, chunkId: str, proposal: str) -> Worked:
    """What the words alone come to."""
    try:
        found = caller(ctx).memory.correction(chunkId, proposal)
    except NameInvalid:
        raise NotFound(f"there is no chunk {in_quotes(chunkId)}: take a chunkId from recall") from None
    return Worked(found.id, found.seq, found.original, found.value, found.mode)


def _question(proposal: str, found: Annotated[Worked, Resolve(find_correction)]) -> Question | None:
    if found.value is not None or len(found.original) > _SHOWN:
        return None
    return Question(_TASK, {"text": found.original, "correction": proposal}, Rewritten)


async def _ask(ctx: Caller, question: Annotated[Question | None, Resolve(_question)]) -> Sample | Sampled:
    return await ask_model(ctx, question)


def correct(
    ctx: Caller,
    *,
    chunkId: _Id,  # noqa: ARG001 - its resolver takes it
    proposal: Annotated[_Words, Field(description="the change, in words")],
    found: Annotated[Worked, Resolve(find_correction)],
    said: Annotated[Sampled, Resolve(_ask)],
) -> Annotated[CallToolResult, CorrectionShape]:
    """Propose a correction of a chunk. Nothing is changed: show the diff to the user, then call apply."""
    value, mode = found.value, found.mode or _SAMPLING
    if value is None:
        answer = answer_of(said, Rewritten)
        value = answer.text if isinstance(answer, Rewritten) else None
    if value is None or not value.strip():
        raise InputError(_HOW)
    waits = caller(ctx).memory.propose(value, name=found.id, expect=found.seq, reason=proposal[:1000])
    return reply(
        CorrectionShape(
            correction_id=waits.id,
            chunk_id=found.id,
            original_text=found.original,
            proposed_text=value,
            diff=waits.diff,
            expires_at=iso(waits.expires_at or waits.made_at),
            mode=mode,
        )
    )


def apply(ctx: Caller, *, correctionId: _Id) -> Annotated[CallToolResult, Applied]:
    """Make a correction that correct proposed, after the user agreed. The old text stays in the history."""
    memory = caller(ctx).memory
    accepted = memory.accept(correctionId, kind="correction", origin="agent")
    chunk = accepted.saved.ids[accepted.name] if accepted.saved is not None else accepted.name
    model = memory.model()
    return reply(
        Applied(
            chunk_id=chunk,
            applied=True,
            new_embedding_computed=bool(model.dimensions) and model.upto > accepted.seq,
            op_log_event_id=f"op_{accepted.seq}",
        )
    )


CORRECT = Tool(correct, "Propose a correction", "write", writes=True, asks_user=True, also=("read",), verb="checkpoint")
APPLY = Tool(apply, "Apply a correction", "write", writes=True, also=("read",), verb="checkpoint")
