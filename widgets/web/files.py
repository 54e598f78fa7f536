"""The files of the web page: all of them, put together from those of the widgets, by the path that fetches them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..assets import script, style

__all__ = ["ASK", "files"]

_ROOM = "/page/"
"""Where all but the page itself are found."""
ASK = f"{_ROOM}ask"
"""Where the page asks."""
_HERE = Path(__file__).parent
_WIDGETS = ("web", "explorer", "proof_viewer")


def files(*, asks_token: bool) -> Mapping[str, tuple[str, str]]:
    """Type and text of each. `asks_token`: whether the page asks the person for a token first."""
    page = (_HERE / "index.html").read_text(encoding="utf-8")
    found = {"/": ("text/html", page.replace("ASKS", "token" if asks_token else "nothing"))}
    for widget in _WIDGETS:
        folder = _HERE.parent / widget
        found[f"{_ROOM}{widget}.js"] = "text/javascript", script(folder)
        found[f"{_ROOM}{widget}.css"] = "text/css", style(folder)
    return found
