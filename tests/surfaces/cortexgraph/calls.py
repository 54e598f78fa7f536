"""Calls of the surface that its tests share."""

from __future__ import annotations

from typing import Any, Final

from tests.agents import Agent

__all__ = ["NOWHERE", "SURFACE", "refused"]

SURFACE: Final = {"surfaces": ("cortexgraph",)}
NOWHERE: Final = "00000000-0000-4000-8000-000000000000"


def refused(agent: Agent, tool: str, **arguments: Any) -> dict[str, Any]:
    """The error of a call; where the document promises `success`, the structured content has it."""
    result = agent.call(tool, **arguments)
    assert result.is_error, result.structured_content
    error = result.meta["error"]  # type: ignore[index]
    if result.structured_content is not None:
        assert result.structured_content == {"success": False, "message": error["message"]}
    return dict(error)
