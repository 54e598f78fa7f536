"""The frame of rich display: a title, the content, and the one style sheet.

The sheet is put into each output, since a saved notebook is shown where nothing of ours runs. Without it, outputs are
plain tables.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from substrate.notebook.display.markup import Child, Markup, h
from substrate.result import UNTYPESET

__all__ = ["page"]


@cache
def _sheet() -> Markup:
    text = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    return Markup(f"<style>{' '.join(text.split())}</style>")


def page(title: Child, *content: Child, beside: Child = None) -> str:
    """An output: a title, what stands beside it, and the content."""
    head = h("div", h("span", title, css="ss-title"), h("span", beside, css="ss-faint"), css="ss-head")
    return _sheet() + h("div", head, content, css=f"substrate-shown {UNTYPESET}")
