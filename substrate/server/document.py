"""docs/tools.md, written from the server itself. `make docs` does it; a test holds the page to it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import anyio
from mcp.types import Prompt
from mcp.types import Tool as ToolListed

from substrate.server.clients import Clients
from substrate.server.compose import compose, listed_bytes
from substrate.server.launch import SCOPES, Launch
from substrate.server.tools import shape_of
from substrate.surfaces import DEFAULT_SURFACES, SURFACES, load_surface
from substrate.surfaces.surface import Surface
from substrate.surfaces.tool import Tool

__all__ = ["MOST_BYTES", "page"]

MOST_BYTES: Final = 22_000
"""What `tools/list` of the surfaces that are served by default takes at most, together."""

_TOP: Final = """\
# The tools of the MCP server

This page shows what `substrate mcp` publishes to clients. [mcp.md](mcp.md) tells how to start the server and what the
words mean. `make docs` writes this page from the server itself. A client sees a tool if the server has its scope; by
default read, write and train. Every reply is structured content by the published schema, and the same as text. The text
is compact JSON; only memory_session_bootstrap replies with plain lines. An error is a reply with `isError`, a `code`,
and a message that says what to do next.

The list of tools is part of every conversation, about one token for four bytes. So the list describes replies by names
and plain types, one level deep. The server checks each reply against the whole shape. With all scopes:
"""


def page() -> str:
    """The whole page."""
    return anyio.run(_page)


async def _page() -> str:
    parts = [await _sizes()]
    for name in SURFACES:
        surface = load_surface(name)
        with Clients(Launch(Path("store"), (name,), frozenset(SCOPES))) as clients:
            server = compose(clients)
            listed = {tool.name: tool for tool in await server.list_tools()}
            told = " ".join(sentence for _, sentence in surface.instructions)
            parts.append(f"\n## Surface `{name}`\n\nFor {surface.purpose}. An id is {surface.ids}.\n\n{told}\n")
            parts += [_tool(listed[tool.name], tool) for tool in surface.tools]
            parts += [*_divergences(surface), *_prompts(await server.list_prompts())]
    with Clients(Launch(Path("store"), DEFAULT_SURFACES, frozenset(SCOPES))) as clients:
        server = compose(clients)
        resources = [(str(one.uri), one.title, one.description) for one in await server.list_resources()]
        templates = [(one.uri_template, one.title, one.description) for one in await server.list_resource_templates()]
    parts.append("\n## Resources\n\n| address | what it is |\n|---|---|\n")
    parts += [f"| `{uri}` | {_cell(title)}. {_cell(about)} |\n" for uri, title, about in [*resources, *templates]]
    return "".join([_TOP, *parts])


async def _sizes() -> str:
    """What lists of tools take, beside what they may take."""
    rows: list[tuple[str, tuple[str, ...], int]] = [
        (f"`{name}`", (name,), load_surface(name).most_bytes) for name in SURFACES
    ]
    rows.append(("together, as by default", DEFAULT_SURFACES, MOST_BYTES))
    said = ["\n| surface | tools | bytes of `tools/list` | at most |\n|---|---|---|---|\n"]
    for title, names, most in rows:
        with Clients(Launch(Path("store"), names, frozenset(SCOPES))) as clients:
            listed = await compose(clients).list_tools()
        said.append(f"| {title} | {len(listed)} | {listed_bytes(listed):,} | {most:,} |\n")
    return "".join(said)


def _divergences(surface: Surface) -> list[str]:
    if not surface.divergences:
        return []
    top = f"\n### What `{surface.name}` does otherwise than the original, on purpose\n\n"
    rows = [
        f"| `{one.tool}` | {_cell(one.theirs)} | {_cell(one.ours)} | {_cell(one.why)} |\n"
        for one in surface.divergences
    ]
    return [top, "| tool | theirs | ours | why |\n|---|---|---|---|\n", *rows]


def _prompts(prompts: list[Prompt]) -> list[str]:
    if not prompts:
        return []
    top = "\n### Prompts\n\nWays of working that a person picks from a menu of the client.\n\n"
    return [top, "| prompt | what it does | arguments |\n|---|---|---|\n", *map(_prompt, prompts)]


def _tool(tool: ToolListed, of: Tool) -> str:
    notes = tool.annotations
    if notes is None or tool.output_schema is None or tool.description is None:
        raise AssertionError("every tool has annotations, a description and an output schema")
    hints = ["reads only"] if notes.read_only_hint else ["writes"]
    hints += ["destructive"] if notes.destructive_hint else []
    hints += ["idempotent"] if notes.idempotent_hint and not notes.read_only_hint else []
    scope = ", ".join(sorted(of.scopes))
    said = [f"\n### {tool.name}\n\n*{tool.title}*; scope `{scope}`; {', '.join(hints)}.\n\n{tool.description}\n"]
    if properties := tool.input_schema["properties"]:
        required = tool.input_schema.get("required", [])
        said.append("\n| argument | type | default | what it is |\n|---|---|---|---|\n")
        for name, schema in properties.items():
            default = "required" if name in required else _default(schema.get("default"))
            said.append(f"| `{name}` | {_type(schema)} | {default} | {_cell(schema.get('description'))} |\n")
    fields = ", ".join(f"`{field.alias or name}`" for name, field in shape_of(of).model_fields.items())
    said.append(f"\nReplies: {fields}.\n")
    return "".join(said)


def _prompt(prompt: Prompt) -> str:
    arguments = "; ".join(f"`{one.name}`: {_cell(one.description)}" for one in prompt.arguments or ())
    return f"| `{prompt.name}` | {_cell(prompt.description)} | {arguments} |\n"


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "$ref" in schema:
        return "object"
    if schema.get("type") == "array":
        return f"{_type(schema['items'])}[]"
    return str(schema.get("type", "any"))


def _default(value: object) -> str:
    match value:
        case None | "" | []:
            return ""
        case bool():
            return str(value).lower()
        case _:
            return f"{value}"


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
