"""What arguments, verbs and hints of messages are called to those who use these tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.messages import Words
from substrate.surfaces.words import agent_words

__all__ = ["words_for"]

_ARGUMENTS: Final = {
    "change": "proposal",
    "domain": "target_engram",
    "limit": "topK",
    "min_score": "minScore",
    "name": "chunkId",
    "title": "label",
    "value": "text",
}
_NOUNS: Final = {"atom": "chunk", "an atom": "a chunk", "atoms": "chunks"}


def words_for(store: str | None, tools: Mapping[str, str]) -> Words:
    """See `Surface.words_for`."""
    return agent_words(
        store,
        tools,
        camel=True,
        arguments=_ARGUMENTS,
        verbs={"ingest": "remember", "list": "stats", "stats": "stats"},
        phrases={"checkpoint": "a notebook or a command of the user: agents cannot save there"},
        nouns=_NOUNS,
    )
