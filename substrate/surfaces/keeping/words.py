"""What arguments, verbs and hints of messages are called to those who use these tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.messages import Words
from substrate.surfaces.words import agent_words

__all__ = ["words_for"]

_ARGUMENTS: Final = {"name": "key", "names": "keys"}


def words_for(store: str | None, tools: Mapping[str, str]) -> Words:
    """See `Surface.words_for`."""
    return agent_words(store, tools, camel=True, arguments=_ARGUMENTS, verbs={"list": "memory_list_atoms"})
