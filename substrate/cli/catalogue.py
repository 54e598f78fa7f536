"""The verbs of the command line, in the order in which help and docs show them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from substrate.cli.verbs.agents import hooks, serve, tokens
from substrate.cli.verbs.agents.proposed import PROPOSED_VERB
from substrate.commands.catalogue import GROUPS, commands_of
from substrate.commands.command import Command, Face

__all__ = ["TITLES", "VERBS"]

VERBS: tuple[Command, ...] = tuple(
    sorted(
        (
            *commands_of(Face.CLI),
            serve.MCP,
            serve.MCP_CONFIG,
            serve.LIST_SURFACES,
            tokens.TOKEN,
            tokens.QUOTA,
            hooks.HOOKS,
            hooks.HOOK,
            hooks.TRANSCRIPT,
            PROPOSED_VERB,
        ),
        key=lambda verb: list(GROUPS).index(verb.group),
    )
)

TITLES: Mapping[str, str] = MappingProxyType(
    {group: title for group, title in GROUPS.items() if any(verb.group == group for verb in VERBS)}
)
"""Each group that has verbs here, with its heading."""
