"""What the client's own model is asked of a relation that texts and the graph leave open, and what it may decide.

1. It is asked only if a text speaks of both ends, the verdict is `unsupported`, and the client may read that text.
2. Its word raises the verdict only with a quotation that stands in the text and names both ends: the engine checks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from substrate.errors import NotFound
from substrate.surfaces.sampling import Answer, Question, Sampled, Unanswered, answer_of, model_of

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory
    from substrate.surfaces.hydramem.arguments import Said
    from substrate.values.relations import Vetted

__all__ = ["judgement_of", "question_about"]

_TASK: Final = (
    "A relation was proposed between two entities. Tell whether the text states it, in this direction. Use the text "
    "alone, and not what you know besides. If it does, quote the passage word for word, with both names in it."
)
_BEFORE: Final = 1_000
"""Characters of a long text that are shown before the sentence that names both."""


class Judgement(Answer):
    """The answer of a model."""

    stated: bool
    confidence: Annotated[float, Field(ge=0, le=1)]
    quote: Annotated[str, Field(max_length=2_000)]


def question_about(said: Said, vetted: Vetted, text: str | None) -> Question | None:
    """What to ask about a relation, of which `text` was given; None: there is nothing to ask."""
    if vetted.verdict != "unsupported" or "read" not in said.client.scopes:
        return None
    if vetted.cited is not None:
        text = _chunk(said.memory, vetted.cited)
    elif vetted.evidence["text"] == "nothing":
        return None
    if not text:
        return None
    begins = text.find(vetted.sentence) if vetted.sentence else 0
    ends = {"entity": vetted.source, "relation": vetted.label or vetted.type, "other entity": vetted.target}
    return Question(_TASK, {**ends, "text": text[max(0, begins - _BEFORE) :]}, Judgement)


def _chunk(memory: Memory, name: str) -> str | None:
    """What a chunk says, without a trace of its use; None: it went meanwhile."""
    try:
        (version,) = memory.history(name, limit=1)
    except NotFound:
        return None
    return None if version.atom is None else version.atom.value


def judgement_of(said: Sampled) -> dict[str, Any] | None:
    """What the model says, as `vet` and `relate` take it; None: it says nothing."""
    answer = answer_of(said, Judgement)
    if isinstance(answer, Unanswered):
        return None
    return {
        "by": model_of(said) or "unnamed",
        "score": answer.confidence if answer.stated else 0.0,
        "quote": answer.quote if answer.stated else "",
    }
