"""What arguments, verbs and hints of messages are called to those who use these tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.messages import Words
from substrate.surfaces.words import agent_words

__all__ = ["words_for"]

_ARGUMENTS: Final = {
    "as_of": "known_at",
    "limit": "k",
    "name": "memory_id",
    "text": "content",
    "type": "rel_type",
    "valid_at": "as_of",
    "value": "content",
}
_NOUNS: Final = {"atom": "memory", "an atom": "a memory", "atoms": "memories"}


def words_for(store: str | None, tools: Mapping[str, str]) -> Words:
    """See `Surface.words_for`."""
    return agent_words(
        store,
        tools,
        camel=False,
        arguments=_ARGUMENTS,
        verbs={"checkpoint": "knowmind.store_memory", "stats": "knowmind.stats", "edges": "knowmind.list_relations"},
        nouns=_NOUNS,
    )
