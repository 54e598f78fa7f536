"""What a launch serves: the tools of its surfaces, each by one name, and what they are called to clients.

1. Two surfaces that have a tool, a prompt or an address in common cannot be told apart by a client: such a launch is
   refused, with the commands that serve both.
2. `only` chooses among the tools; what is not there is refused, with the names that are near it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from substrate.errors import InputError
from substrate.messages import Words
from substrate.server.launch import Launch
from substrate.surfaces import load_surface
from substrate.surfaces.surface import Surface, underscored
from substrate.surfaces.tool import Tool
from substrate.text.quote import as_command

__all__ = ["Selection", "select"]

_NEAR: Final = 3


@dataclass(frozen=True, slots=True)
class Selection:
    """The surfaces of a launch, and which of their tools are served."""

    launch: Launch
    surfaces: tuple[Surface, ...]
    tools: tuple[tuple[Surface, Tool], ...]
    listed: Mapping[str, str]
    """From the wire name of each to how it is listed."""

    def words(self, surface: Surface) -> Words:
        """What arguments, verbs and hints are called to those who use this surface here."""
        return surface.words_for(None if self.launch.hosted else str(self.launch.store), self.listed)

    def can(self, tool: str, scopes: frozenset[str]) -> bool:
        """Whether those who have these scopes can call this tool here."""
        return any(one.name == tool and one.scopes <= scopes for _, one in self.tools)


@lru_cache(16)
def select(launch: Launch) -> Selection:
    """What this launch serves. InputError, with what to type instead, if it cannot be."""
    surfaces = tuple(load_surface(name) for name in launch.surfaces)
    tools = tuple(_chosen(launch, surfaces))
    _refuse_clashes(launch, surfaces, tools)
    listed = {tool.name: underscored(tool.name) if launch.underscores else tool.name for _, tool in tools}
    return Selection(launch, surfaces, tools, listed)


def _chosen(launch: Launch, surfaces: tuple[Surface, ...]) -> Iterator[tuple[Surface, Tool]]:
    names = [tool.name for surface in surfaces for tool in surface.tools]
    known = {underscored(name) for name in names}
    for name in launch.only:
        if underscored(name) not in known:
            near = get_close_matches(name, names, _NEAR, 0.4)
            raise InputError(
                f"no tool of {', '.join(launch.surfaces)} is called {name!r}; "
                + (f"near it: {', '.join(near)}" if near else f"there is: {', '.join(names)}")
            )
    wanted = {underscored(name) for name in launch.only} or known
    for surface in surfaces:
        yield from ((surface, tool) for tool in surface.tools if underscored(tool.name) in wanted)


def _refuse_clashes(launch: Launch, surfaces: tuple[Surface, ...], tools: tuple[tuple[Surface, Tool], ...]) -> None:
    named = [(f"a tool {tool.name}", underscored(tool.name), surface.name) for surface, tool in tools]
    for surface in surfaces:
        named += [(f"a prompt {one.name}", f"prompt {one.name}", surface.name) for _, one in surface.prompts]
        named += [(f"a resource {one.address}", one.address, surface.name) for one in surface.resources]
    first: dict[str, str] = {}
    for what, key, name in named:
        if first.setdefault(key, name) != name:
            commands = " and ".join(_config_command(launch, alone) for alone in (first[key], name))
            raise InputError(
                f"the surfaces {first[key]} and {name} both have {what}, so one server cannot serve both. "
                f"Give the client two servers on this store: {commands}"
            )


def _config_command(launch: Launch, surface: str) -> str:
    store = str(launch.store)
    return f"`{as_command('substrate', 'mcp-config', '--client', 'NAME', '--surface', surface, '--store', store)}`"
