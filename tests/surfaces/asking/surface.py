from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from mcp.server.mcpserver import Resolve
from mcp.types import CallToolResult
from pydantic import Field

from substrate.surfaces.arguments import Caller
from substrate.surfaces.sampling import Answer, Question, Sample, Sampled, Unanswered, answer_of, ask_model, model_of
from substrate.surfaces.shape import Shape, reply
from substrate.surfaces.tool import Tool
from tests.surfaces.toy.surface import SURFACE as TOY

TASK = "Is the note kind?"


class Kind(Answer):
    kind: bool
    certainty: Annotated[float, Field(ge=0, le=1)]


class Judged(Shape):
    answer: str
    model: str = ""


def _question(note: str) -> Question | None:
    return Question(TASK, {"note": note}, Kind) if note else None


async def _ask(ctx: Caller, question: Annotated[Question | None, Resolve(_question)]) -> Sample | Sampled:
    return await ask_model(ctx, question)


def judge(*, note: str = "", said: Annotated[Sampled, Resolve(_ask)]) -> Annotated[CallToolResult, Judged]:  # noqa: ARG001 - asked about
    """Judge a note. Call it when in doubt."""
    answer = answer_of(said, Kind)
    if isinstance(answer, Unanswered):
        return reply(Judged(answer=answer.why))
    return reply(Judged(answer="kind" if answer.kind else "unkind", model=model_of(said)))


SURFACE = replace(
    TOY,
    name="asking",
    tools=(Tool(judge, "Judge a note", "read", asks_user=True),),
    instructions=(),
    prompts=(),
    resources=(),
)
