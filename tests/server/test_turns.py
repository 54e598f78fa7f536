"""Who waits for whom: calls that write take turns; one that asks a person, who may take long, takes none."""

from __future__ import annotations

from pathlib import Path

from anyio import CapacityLimiter

from substrate.server.launch import SCOPES, Launch
from substrate.server.tools import serve_tool
from substrate.surfaces import DEFAULT_SURFACES, load_surface


def test_of_the_tools_that_write_only_those_take_turns_that_ask_nobody() -> None:
    turns = CapacityLimiter(1)
    launch = Launch(Path("store"), scopes=frozenset(SCOPES))
    surfaces = [load_surface(name) for name in DEFAULT_SURFACES]
    words = surfaces[0].words_for("store", {})
    served = [serve_tool(tool, words, launch, turns) for surface in surfaces for tool in surface.tools]
    assert {tool.name for tool in served if tool.turns is turns} == {"session_checkpoint", "memory_train"}
    assert "memory_forget" in {tool.name for tool in served if tool.resolved_params and tool.turns is None}
