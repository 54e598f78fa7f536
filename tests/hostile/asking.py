"""Everything that an agent can ask a server for, and all that a model or a person could read of the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mcp.types import PromptReference, ResourceTemplateReference

from tests.agents import MCPError, Watched

__all__ = ["LISTS", "completions", "everything_listed", "prompts", "resources", "told"]

LISTS = ("list_tools", "list_prompts", "list_resources", "list_resource_templates")


def told(answer: Any) -> str:
    """An answer of the protocol as text."""
    said = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    return json.dumps(said, ensure_ascii=False, sort_keys=True)


def everything_listed(agent: Watched) -> str:
    """What a client shows its model before anything is called: tools, schemas, prompts, resources, instructions."""
    return "\n".join([*(told(agent.ask(what)) for what in LISTS), str(agent.client.instructions)])


def _asked(agent: Watched, what: str, *arguments: Any) -> str:
    try:
        return told(agent.ask(what, *arguments))
    except MCPError as error:
        return f"{error.error.code} {error.error.message} {error.error.data}"


def resources(agent: Watched, keys: tuple[str, ...]) -> Iterator[str]:
    """The head, the guide, atoms, and what there is none of."""
    uris = ["memory://head", "memory://guide", "memory://atom/", "memory://atoms", "memory://session/x"]
    for uri in [*uris, *(f"memory://atom/{key}" for key in keys)]:
        yield _asked(agent, "read_resource", uri)


def prompts(agent: Watched, texts: tuple[str, ...]) -> Iterator[str]:
    """Each prompt, filled in with these texts, one after the other."""
    for prompt in agent.ask("list_prompts").prompts:
        for text in texts:
            yield _asked(agent, "get_prompt", prompt.name, {given.name: text for given in prompt.arguments or ()})


def completions(agent: Watched, begun: tuple[str, ...]) -> Iterator[str]:
    """Each argument that can be completed, from these beginnings."""
    places: list[tuple[Any, str]] = [
        (ResourceTemplateReference(type="ref/resource", uri="memory://atom/{key}"), "key"),
        (PromptReference(type="ref/prompt", name="start_session"), "domain"),
        (PromptReference(type="ref/prompt", name="record_correction"), "about"),
        (PromptReference(type="ref/prompt", name="nope"), "key"),
    ]
    for place, name in places:
        for typed in begun:
            yield _asked(agent, "complete", place, {"name": name, "value": typed})
