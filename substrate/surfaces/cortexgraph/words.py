"""What arguments, verbs and hints of messages are called to those who use these tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.messages import Words
from substrate.surfaces.words import agent_words

__all__ = ["words_for"]

_VAULT: Final = "the option --vault of the server, which the user sets"
_ARGUMENTS: Final = {"name": "memory_id", "names": "memory_ids", "text": "content", "any_tags": "tags", "vault": _VAULT}
_VERBS: Final = {
    "access": "open_memories",
    "checkpoint": "save_memory",
    "groups": "cluster_memories",
    "index": "backfill_embeddings",
    "list": "read_graph",
    "promote": "promote_memory",
    "remember": "save_memory",
    "search": "search_memory",
    "sweep": "gc",
    "touch": "touch_memory",
}


def words_for(store: str | None, tools: Mapping[str, str]) -> Words:
    """See `Surface.words_for`."""
    return agent_words(
        store,
        tools,
        camel=False,
        arguments=_ARGUMENTS,
        verbs=_VERBS,
        nouns={"atom": "memory", "an atom": "a memory", "atoms": "memories"},
    )
