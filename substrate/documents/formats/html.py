"""HTML: the text that is seen, a line for each block, with `#` before headings. What runs or styles is left out."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from substrate.documents.chunk import Section
from substrate.documents.formats.extracted import Extracted, decode, title_from
from substrate.documents.formats.tags import Tag, read_tags

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
    for tag in read_tags(decode(data)):
        reader.take(tag)
    return reader.extracted()


class _Reader:
    def __init__(self) -> None:
        self._blocks: list[tuple[str, int]] = []
        """Each with its depth as a heading; 0: none."""
        self._said: list[str] = []
        self._unseen: list[str] = []
        self._open: Counter[str] = Counter()
        """How many there are of each in `_unseen`, which may be long."""
        self._verbatim = 0
        self._depth = 0
        self._is_title = False
        self._title: list[str] = []

    def take(self, tag: Tag) -> None:
        """The next tag or text of the page."""
        if not tag.name:
            self._say(tag.text)
        elif tag.closes:
            self._close(tag.name)
        elif not tag.is_empty or tag.name not in _UNSEEN:
            self._begin(tag.name)

    def _begin(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
            self._open[tag] += 1
        if tag in _BLOCKS or tag in _HEADINGS:
            self._end_block()
        self._depth = _HEADINGS.get(tag, self._depth)
        self._is_title = self._is_title or tag == "title"
        self._verbatim += tag == "pre"
        if tag == "li":
            self._said.append("- ")

    def _close(self, tag: str) -> None:
        if self._open[tag]:
            while (last := self._unseen.pop()) != tag:
                self._open[last] -= 1
            self._open[tag] -= 1
        if tag in _BLOCKS or tag in _HEADINGS:
            self._end_block()
        self._depth = 0 if tag in _HEADINGS else self._depth
        self._is_title = self._is_title and tag != "title"
        self._verbatim = max(self._verbatim - (tag == "pre"), 0)

    def _say(self, text: str) -> None:
        if not self._unseen:
            (self._title if self._is_title else self._said).append(text)

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
        title = title_from("".join(self._title)) or title_from(first)
        return Extracted("".join(parts), tuple(sections), title, exact=False)
