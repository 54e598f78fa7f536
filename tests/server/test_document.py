from __future__ import annotations

from pathlib import Path

from substrate.server.document import page

ROOT = Path(__file__).parents[2]


def test_the_page_of_tools_is_what_the_server_publishes() -> None:
    assert (ROOT / "docs" / "tools.md").read_text(encoding="utf-8") == page(), "run make docs"
