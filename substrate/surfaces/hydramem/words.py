"""What arguments, verbs and hints of messages are called to those who use these tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.messages import Words
from substrate.surfaces.words import agent_words

__all__ = ["words_for"]

_ARGUMENTS: Final = {
    "a": "from_entity",
    "as_of": "known_at",
    "b": "to_entity",
    "domain": "project",
    "entities": "entity_ids",
    "keys": "entity_id",
    "name": "entity_id",
    "names": "entity_ids",
    "session": "session_id",
    "type": "relation_type",
    "valid_at": "as_of",
    "walk": "traversal",
}
"""Their `as_of` is our `valid_at`: what held then. What was known then is not asked about here."""


def words_for(store: str | None, tools: Mapping[str, str]) -> Words:
    """See `Surface.words_for`."""
    return agent_words(
        store,
        tools,
        camel=False,
        arguments=_ARGUMENTS,
        verbs={"list": "list_entities_tool", "edges": "query_entity_relations"},
        nouns={"atom": "entity", "an atom": "an entity", "atoms": "entities"},
    )
