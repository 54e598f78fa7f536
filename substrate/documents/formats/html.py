"""HTML: the text that is seen, a line for each block, with `#` before headings. What runs or styles is left out."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

from substrate.documents.chunk import Section
from substrate.documents.formats.extracted import Extracted, decode, title_from

__all__ = ["read_html"]

_UNSEEN: Final = frozenset(("script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select"))
_BLOCKS: Final = frozenset(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
    )
)
_HEADINGS: Final = {f"h{depth}": depth for depth in range(1, 7)}
_SPACES: Final = re.compile(r"\s+")


def read_html(data: bytes) -> Extracted:
    """The text of a page. SchemaInvalid if it is not UTF-8."""
    reader = _Reader()
    reader.feed(decode(data))
    reader.close()
    return reader.extracted()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._blocks: list[tuple[str, int]] = []
        """Each with its depth as a heading; 0: none."""
        self._said: list[str] = []
        self._unseen: list[str] = []
        self._verbatim = 0
        self._depth = 0
        self._is_title = False
        self._title = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _UNSEEN:
            self._unseen.append(tag)
        if tag in _BLOCKS or tag in _HEADINGS:
            self._end_block()
        self._depth = _HEADINGS.get(tag, self._depth)
        self._is_title = self._is_title or tag == "title"
        self._verbatim += tag == "pre"
        if tag == "li":
            self._said.append("- ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNSEEN:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            while self._unseen.pop() != tag:
                pass
        if tag in _BLOCKS or tag in _HEADINGS:
            self._end_block()
        self._depth = 0 if tag in _HEADINGS else self._depth
        self._is_title = self._is_title and tag != "title"
        self._verbatim = max(self._verbatim - (tag == "pre"), 0)

    def handle_data(self, data: str) -> None:
        if self._is_title and not self._unseen:
            self._title += data
        elif not self._unseen:
            self._said.append(data)

    def _end_block(self) -> None:
        joined = "".join(self._said)
        text = joined.strip("\r\n") if self._verbatim else _SPACES.sub(" ", joined).strip()
        self._said.clear()
        if text and text != "-":
            self._blocks.append((f"{'#' * self._depth} {text}" if self._depth else text, self._depth))

    def extracted(self) -> Extracted:
        """The text, once the page has been read."""
        self._end_block()
        parts: list[str] = []
        sections = []
        at = 0
        for text, depth in self._blocks:
            if depth:
                sections.append(Section(at, depth))
            parts.append(text + "\n\n")
            at += len(parts[-1])
        first = next((text.lstrip("# ") for text, depth in self._blocks if depth), "")
        title = title_from(self._title) or title_from(first)
        return Extracted("".join(parts), tuple(sections), title, exact=False)
