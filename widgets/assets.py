"""What a widget brings into the page: its own script and style, after those that all widgets share.

A page gets one self-contained module per widget, so that nothing is fetched; the parts are put together here, as text.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["script", "style"]

_SHARED = Path(__file__).parent / "shared"


def script(folder: Path) -> str:
    """The module of the widget in `folder`."""
    return _joined(folder, "*.js")


def style(folder: Path) -> str:
    """Its style sheet."""
    return _joined(folder, "*.css")


def _joined(folder: Path, pattern: str) -> str:
    files = [*sorted(_SHARED.glob(pattern)), *sorted(folder.glob(pattern))]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
