"""What arguments, verbs and hints of messages are called to those who use these tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.messages import Words
from substrate.surfaces.words import agent_words

__all__ = ["words_for"]

_ARGUMENTS: Final = {
    "after": "offset",
    "name": "key",
    "names": "keys",
    "task": "taskContext",
    "tombstones": "tombstone",
    "unedges": "unedge",
}


def words_for(store: str | None, tools: Mapping[str, str]) -> Words:
    """See `Surface.words_for`."""
    return agent_words(
        store,
        tools,
        camel=True,
        arguments=_ARGUMENTS,
        verbs={"checkpoint": "session_checkpoint", "list": "memory_list_atoms", "which": "memory_search"},
        phrases={"edges": "fewer keys"},
    )
