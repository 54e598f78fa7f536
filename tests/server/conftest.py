from __future__ import annotations

from tests.agent_fixtures import agent, home, store

__all__ = ["agent", "home", "store"]
