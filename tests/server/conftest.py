from __future__ import annotations

from tests.mcp_fixtures import agent, home, mode, store

__all__ = ["agent", "home", "mode", "store"]
