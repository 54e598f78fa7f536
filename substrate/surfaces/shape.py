"""What a tool replies: a shape as structured content, and the same as text in which nothing is hidden.

The structured content has every value exactly as it is stored. Agents read texts: there every hidden character is
written as JSON writes it, so that a JSON text still holds the exact value, and no reader is fooled.

A name is no value: clients show it, and hand it to a model. So one that holds a hidden character, as no new name may,
is written out in the structured content too. Where an atom is told, its key is then its id, by which it can be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from substrate.text.visible import HIDDEN, as_json, visible

__all__ = [
    "CamelShape",
    "Contradiction",
    "Shape",
    "Tally",
    "compact_json",
    "reply",
    "reply_as_said",
    "shown",
    "with_names_shown",
]

_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: it takes as long to make one as to use it."""
_NAME: Final = re.compile(r"v[1-9][0-9]*\.[a-z][a-z0-9_]*\.")


class Shape(BaseModel):
    """Whatever is replied or taken as an object: on the wire as its fields are called, and nothing beyond them."""

    model_config = ConfigDict(populate_by_name=True, extra="forbid", frozen=True)


class Tally(Shape):
    """Counts of what was done. The list of tools does not name them: an agent needs them only when it reads them."""


class CamelShape(Shape):
    """The same in camelCase, for surfaces that spell so."""

    model_config = ConfigDict(alias_generator=to_camel)


class Contradiction(CamelShape):
    """Two atoms that contradict each other: ask which one is right, and tombstone or supersede the other."""

    first: str
    second: str
    kind: str = Field(description="value, number, date or negation")
    reason: str


def shown(text: str, keep: str = "") -> str:
    """The text as an agent reads it. Stored text has no line of a reply to itself, and hides nothing in one."""
    return visible(text, keep, as_json)


def compact_json(said: Mapping[str, Any]) -> str:
    """As it goes over the wire."""
    return shown(_COMPACT.encode(said))


def reply(shape: Shape) -> CallToolResult:
    """A reply: the shape as structured content, without what is None; and as text, for clients that read only that."""
    return reply_as_said(shape.model_dump(mode="json", by_alias=True, exclude_none=True))


def reply_as_said(said: dict[str, Any]) -> CallToolResult:
    """A reply that was put together in the words of the wire; the SDK holds it against the tool's shape."""
    told = with_names_shown(said)
    return CallToolResult(content=[TextContent(type="text", text=compact_json(told))], structured_content=told)


def with_names_shown(said: Any) -> Any:  # noqa: ANN401 - as JSON has it
    """The same, with every name that holds a hidden character written out."""
    if isinstance(said, dict):
        return {with_names_shown(word): with_names_shown(value) for word, value in said.items()}
    if isinstance(said, list):
        return [with_names_shown(value) for value in said]
    return shown(said) if isinstance(said, str) and _NAME.match(said) and HIDDEN.search(said) else said
