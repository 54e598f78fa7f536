"""Row 24, every tool of every surface under every scope, resources, prompts, completion and the server's page.

Arguments are made from the schemas of the tools, so that a tool of tomorrow is asked too: each text is a probe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.hiding.hidden import HiddenAtoms
from substrate.server.launch import SCOPES
from substrate.surfaces import SURFACES
from tests.agents import Agent, MCPError, User, home_for_a_module, in_memory
from tests.hiding.canaries import CANARIES, fill
from tests.hostile.asking import completions, everything_listed, prompts, resources, told

PROBES = ("zebra ledger", "v1.fact.open", "open", "ID", "vault")
"""None has a canary. ID stands for the id of a hidden atom."""
PROJECT = "vault_nightjar"
"""The hidden domain, as the project of calls that say none: an answer may repeat it."""
LEAKING = {
    "atoms": {"memory_search", "memory_access", "memory_list_atoms", "memory_context", "memory_session_bootstrap"},
    "keeping": {"memory_status", "memory_history"},
    "knowmind": {"knowmind.recall", "knowmind.recall_at_time", "knowmind.list_relations"},
    "cortexgraph": {"search_memory", "search_unified", "read_graph", "open_memories"},
    "hydramem": {"hydra_search_tool", "list_entities_tool", "priming_context_tool", "expand_context_tool"},
    "graphnosis": {"recall"},
}
"""Who would tell of a hidden atom without the veil."""
LAUNCHES = [(surface, SCOPES) for surface in SURFACES] + [("atoms", (scope,)) for scope in SCOPES]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The store, and the id of a hidden atom."""
    folder = tmp_path_factory.mktemp("tools")
    with pytest.MonkeyPatch.context() as patch, home_for_a_module(folder / "home"):
        patch.setenv("SUBSTRATE_MODEL", "none")
        with substrate.open(folder / "store", background=False) as memory:
            fill(memory)
            hidden = memory.access("v1.fact.zebra_nightjar").atom.id
        yield folder / "store", hidden


def value_for(schema: Mapping[str, Any], probe: str, defs: Mapping[str, Any]) -> Any:  # noqa: PLR0911
    """A value that fits the schema, with the probe wherever a text can be."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    for one in schema.get("anyOf", ()):
        if one.get("type") != "null":
            return value_for(one, probe, defs)
    if "enum" in schema or "const" in schema:
        return schema["enum"][0] if "enum" in schema else schema["const"]
    match schema.get("type"):
        case "string":
            return probe
        case "array":
            return [value_for(schema.get("items", {"type": "string"}), probe, defs)] * schema.get("minItems", 1)
        case "integer" | "number":
            return schema.get("default") or schema.get("minimum", 1)
        case "boolean":
            return True
        case "object":
            known = schema.get("properties", {})
            return {name: value_for(known[name], probe, defs) for name in schema.get("required", ())}
    return probe


def calls(tool: Any, hidden: str) -> Iterator[dict[str, Any]]:
    """Arguments: the required ones, then all of them."""
    schema = tool.input_schema
    known, defs = schema.get("properties", {}), schema.get("$defs", {})
    for probe in PROBES:
        text = hidden if probe == "ID" else probe
        yield {name: value_for(known[name], text, defs) for name in schema.get("required", ())}
    yield {name: value_for(known[name], PROBES[0], defs) for name in known}


def everything(agent: Agent, hidden: str) -> Iterator[tuple[str, str]]:
    """Who was asked, and all that came back."""
    for name, tool in agent.tools.items():
        for arguments in calls(tool, hidden):
            try:
                yield name, told(agent.send(name, arguments))
            except MCPError as error:
                yield name, f"{error.error.message} {error.error.data}"
    listed: Any = agent
    yield "lists", everything_listed(listed)
    for what, texts in (
        ("resources", resources(listed, ("v1.fact.open", hidden, "v1.fact.zebra_nightja"))),
        ("prompts", prompts(listed, ("zebra", hidden))),
        ("completion", completions(listed, ("", "v1.", "v1.fact.zebra", "v1.domain.", "zebra"))),
    ):
        yield from ((what, text) for text in texts)


@pytest.mark.parametrize(
    ("surface", "scopes"), LAUNCHES, ids=lambda one: one if isinstance(one, str) else "+".join(one)
)
def test_no_tool_tells_an_agent_of_a_hidden_atom(
    store: tuple[Path, str], surface: str, scopes: tuple[str, ...]
) -> None:
    path, hidden = store
    with in_memory(path, scopes=frozenset(scopes), launch=launch(surface), user=User("decline")) as agent:
        for who, text in everything(agent, hidden):
            assert not leaks(text), (who, text)


def launch(surface: str) -> dict[str, Any]:
    return {"surfaces": (surface,), "wait_s": 0.0, "project": PROJECT}


def leaks(text: str) -> bool:
    left = text.lower().replace(PROJECT, "")
    return any(canary in left for canary in CANARIES)


@pytest.mark.slow
def test_a_server_without_the_veil_is_caught(store: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    path, hidden = store
    monkeypatch.setattr(HiddenAtoms, "under", lambda *_: None)
    leaking: dict[str, set[str]] = {}
    for surface in SURFACES:
        with in_memory(path, scopes=frozenset(SCOPES), launch=launch(surface), user=User("decline")) as agent:
            leaking[surface] = {who for who, text in everything(agent, hidden) if leaks(text)}
    for surface, tools in LEAKING.items():
        assert tools <= leaking[surface]
    assert {"resources", "completion"} <= leaking["atoms"]
