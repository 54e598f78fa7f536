"""Tools that read a message: whether it is to be kept, asks to recall, or touches on what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

from mcp.types import CallToolResult
from pydantic import Field

from substrate.limits import LIMITS
from substrate.surfaces.arguments import Caller
from substrate.surfaces.cortexgraph.arguments import caller, failure
from substrate.surfaces.cortexgraph.ranking import Looked, look
from substrate.surfaces.cortexgraph.shapes import KeepAdvice, RecallAdvice, Recalled
from substrate.surfaces.shape import reply
from substrate.surfaces.tool import Tool
from substrate.text.terms import query_terms

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.hits import Cues

__all__ = ["ANALYZE_FOR_RECALL", "ANALYZE_MESSAGE", "AUTO_RECALL"]

_KEEP_FROM, _ASK_FROM, _STRONG_FROM = 0.7, 0.4, 0.9
_ENTITIES: Final = 10
_TOPICS: Final = 10
_TOPIC_LETTERS: Final = 4
_RELEVANT: Final = 0.3
"""How well a memory must match a message to be reinforced by it."""
_REINFORCED: Final = 3
_COOLDOWN_S: Final = 300
_SIGNALS: Final[Mapping[str, tuple[str, ...]]] = {
    "save_request": ("keep",),
    "critical_marker": ("critical",),
    "importance_marker": ("importance",),
    "exclusion_pattern": ("exclusion",),
    "uncertainty_marker": ("doubt",),
}
"""The document's words for kinds of phrases."""
_DECIDED: Final = frozenset({"decision", "preference", "constraint"})
"""The types that its decision_marker stands for. A plain fact is none."""
_TOLD: Final[Mapping[str, str]] = {
    "keep": "a request to keep it",
    "statement": "a statement to keep",
    "fact": "a fact about the user",
    "critical": "marked as critical",
    "importance": "marked as important",
    "doubt": "it sounds unsure",
    "exclusion": "it asks or orders something",
    "recall": "it asks for what was said",
}

Message = Annotated[str, Field(pattern=r"\S", max_length=LIMITS["query_characters"])]


def analyze_message(ctx: Caller, *, message: Message) -> Annotated[CallToolResult, KeepAdvice]:
    """Judge whether a message is worth saving. From a confidence of 0.7 on save it; from 0.4 on ask the user."""
    memory = caller(ctx).memory
    cues = memory.cues(message)
    confidence = round(cues.keep, 2)
    return reply(
        KeepAdvice(
            should_save=confidence >= _KEEP_FROM,
            confidence=confidence,
            suggested_entities=_entities(memory, message),
            suggested_tags=[] if cues.type is None else [cues.type],
            suggested_strength=2.0 if confidence >= _STRONG_FROM else 1.5 if confidence >= _KEEP_FROM else 1.0,
            reasoning=_reasoning(cues, confidence),
            phrase_signals={
                **{word: any(cues.phrases.get(kind) for kind in kinds) for word, kinds in _SIGNALS.items()},
                "decision_marker": cues.type in _DECIDED,
            },
        )
    )


def _entities(memory: Memory, message: str) -> list[str]:
    return [one.name for one in memory.extract(message)][:_ENTITIES]


def _reasoning(cues: Cues, confidence: float) -> str:
    advice = "save it" if confidence >= _KEEP_FROM else "ask the user first" if confidence >= _ASK_FROM else "leave it"
    said = [f"a {cues.type}"] if cues.type is not None else []
    said += [_quoted(_TOLD[kind], phrases) for kind, phrases in cues.phrases.items() if kind in _TOLD]
    return f"{advice}: {'; '.join(said) if said else 'no words that say that it should be kept'}"


def _quoted(told: str, phrases: Sequence[str]) -> str:
    return f"{told} ({', '.join(phrase.removeprefix('^') for phrase in phrases[:2])})"


def analyze_for_recall(ctx: Caller, *, message: Message) -> Annotated[CallToolResult, RecallAdvice]:
    """Judge whether a message asks for what was said before. From a confidence of 0.7 on search for it."""
    memory = caller(ctx).memory
    cues = memory.cues(message)
    confidence = round(cues.recall, 2)
    entities = _entities(memory, message)
    asked = cues.phrases.get("recall", ())
    return reply(
        RecallAdvice(
            should_search=confidence >= _KEEP_FROM,
            confidence=confidence,
            suggested_query=cues.query or " ".join(entities[:3]),
            suggested_tags=[],
            suggested_entities=entities,
            reasoning=_quoted(_TOLD["recall"], asked) if asked else "no words that ask for what was said before",
        )
    )


def auto_recall_process_message(ctx: Caller, *, message: Message) -> Annotated[CallToolResult, Recalled]:
    """Reinforce the memories that a message is about: the best three, at most every five minutes.

    Call it when the user speaks of a subject at length.
    """
    memory = caller(ctx).memory
    topics = _topics(memory, message)
    if not memory.watching:
        told = "nothing is reinforced: the user has switched watching off"
        return reply(Recalled(success=True, enabled=False, topics_found=topics, message=told))
    # Of a question for what was said, its subject: the words around it are in no memory.
    subject = memory.cues(message).query or message
    candidates, _ = look(memory, Looked(subject, ("active", "promoted"), (), _TOPICS))
    found = sorted((one for one in candidates if one.relevance >= _RELEVANT), key=lambda one: -one.relevance)
    ids = [one.note.id for one in found[:_REINFORCED] if one.note.status != "archived"]
    touched = memory.touch(ids, every=_COOLDOWN_S) if ids else ()
    if ids and not touched:
        told = f"{len(found)} found; none was reinforced, since some were in the last five minutes"
    else:
        told = f"{len(found)} found, {len(touched)} reinforced" if found else "no memory is about this"
    return reply(
        Recalled(
            success=True,
            topics_found=topics,
            memories_found=len(found),
            memories_reinforced=[one.id for one in touched],
            message=told,
        )
    )


def _topics(memory: Memory, message: str) -> list[str]:
    """Names in the message, then its words that say something."""
    names = _entities(memory, message)
    known = {name.casefold() for name in names}
    words = (term.spelling for term in query_terms(message))
    others = [word for word in words if len(word) >= _TOPIC_LETTERS and word.casefold() not in known]
    return list(dict.fromkeys([*names, *others]))[:_TOPICS]


ANALYZE_MESSAGE = Tool(analyze_message, "Judge what to save", "read", verb="cues")
ANALYZE_FOR_RECALL = Tool(analyze_for_recall, "Judge what to recall", "read", verb="cues")
AUTO_RECALL = Tool(
    auto_recall_process_message, "Reinforce what is spoken of", "train", writes=True, by_meaning=True,
    also=("read",), failure=failure, verb="touch",
)  # fmt: skip
