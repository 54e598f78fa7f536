"""The seam: what a surface is made of.

It is data and plain functions. The server runs them, and adds nothing of its own that belongs to one surface.

A surface is a folder: `tools`, `shapes`, `guide`, `prompts`, `words`, `divergences`, and `surface`, which puts them
together. docs/surfaces/README.md tells how one is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from mcp.server.mcpserver.prompts import Prompt

from substrate.messages import Words
from substrate.surfaces.tool import Tool

if TYPE_CHECKING:  # a server lists its tools before the engine is loaded
    from substrate.memory import Memory

__all__ = ["COMPLETED", "Completed", "Divergence", "Resource", "Surface", "spelled", "underscored"]

COMPLETED: Final = 100
"""As many values as the protocol allows for a completion."""


class Completed(NamedTuple):
    """What someone may be about to type: values, and whether there are more."""

    values: Sequence[str]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Divergence:
    """Something that a tool does otherwise than the server that agents know it from, on purpose."""

    tool: str
    theirs: str
    ours: str
    why: str
    held_by: str
    """The test: `tests/surfaces/test_saving.py::test_...`."""


@dataclass(frozen=True, slots=True)
class Resource:
    """Something to read by its address.

    `read` is handed the context and the parts of the address by their names; its docstring is the description. Errors
    of the one tree become replies, as with tools.
    """

    address: str
    read: Callable[..., str]
    title: str
    mime_type: str = "application/json"


def _nothing(_: str) -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """A set of tools, and all that an agent or a person is told about them."""

    name: str
    purpose: str
    """For whom it is, in one line."""
    tools: tuple[Tool, ...]
    ids: str
    """What an id looks like to its clients."""
    words_for: Callable[[str | None, Mapping[str, str]], Words]
    """What arguments, verbs and hints are called in messages to those who use the store in this folder. The mapping has
    the tools that are served, of whichever surface: from the wire name to how it is listed here."""
    most_bytes: int
    """What `tools/list` takes at most: it stands in every conversation."""
    guide: str = ""
    """How to work with these tools, to be read once."""
    instructions: tuple[tuple[str, str], ...] = ()
    """Sentences that come with the tools, each with the tool that it is about: who cannot call it is not told."""
    prompts: tuple[tuple[str, Prompt], ...] = ()
    """Ways of working that a person picks from a menu, each with the tool that it needs."""
    resources: tuple[Resource, ...] = ()
    completion: Mapping[str, Callable[[Memory, str], Completed]] = field(default_factory=dict)
    """By argument of a prompt or part of an address: what completes what was typed."""
    divergences: tuple[Divergence, ...] = ()
    error_fields: Callable[[str], Mapping[str, object]] = _nothing
    """What `_meta.error` has beside our own, by the code of the error: such as a status of HTTP."""


def underscored(name: str) -> str:
    """A wire name without dots, for clients that withhold all tools of a server if one has a dot in its name."""
    return name.replace(".", "_")


def spelled(text: str, tools: Mapping[str, str]) -> str:
    """A text of ours, with the names of tools as they are listed. Never of what is stored."""
    for name, listed in tools.items():
        text = text if name == listed else text.replace(name, listed)
    return text
