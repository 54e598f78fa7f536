"""Markdown pages to ingest, of the docstrings of the standard library: real text, with the names that are in it.

The same on every installation of one version of Python; nothing is copied into the repository. Paragraphs come in a
random order, each again when all have come. Two kinds of pages, by the length of what stands under a heading:

- long: 850 to 1,450 characters. Nobody puts two into one chunk, and nobody cuts one: all have as many chunks.
- short: 250 to 850. HydraMem cuts at every heading, and has a chunk for each; ours puts two or three into one.
"""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.texts import digest_of, docstrings
from substrate.text.secrets import find_secrets

__all__ = ["KINDS", "Pages", "make"]

_LEFT_OUT = frozenset({"site-packages", "test", "tests", "idlelib", "lib2to3", "pydoc_data", "ensurepip"})
_LEAST_PARAGRAPH, _MOST_PARAGRAPH = 40, 600
_LEAST = {"long": 850, "short": 250}
"""Characters of a section, by kind; more paragraphs are added until it has so many."""
_SECTIONS = (5, 30)
"""Of a page: no fewer, and no more."""
KINDS = tuple(_LEAST)
_QUESTION_WORDS = 8
_WORD = re.compile(r"[A-Za-z]+")
_SEED = 7


@dataclass(slots=True)
class Pages:
    """File names and texts, in order; how many sections they have; questions, each with the pages that answer it."""

    texts: dict[str, str] = field(default_factory=dict)
    sections: int = 0
    questions: list[tuple[str, list[str]]] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """A file for each."""
        folder.mkdir()
        for name, text in self.texts.items():
            (folder / name).write_text(text, encoding="utf-8")


def make(kind: str, sections: int, asked: int) -> Pages:
    """Pages of a kind with so many sections, and `asked` questions: the first words of the last paragraph of a page."""
    draw, pages = random.Random(_SEED), Pages()
    paragraphs = _drawn(draw)
    openings = []
    while pages.sections < sections:
        count = min(draw.randint(*_SECTIONS), sections - pages.sections)
        number, blocks = len(pages.texts), list[str]()
        for section in range(count):
            # The first is the page's own, so that no heading stands alone.
            blocks.append(f"## Part {number}.{section}" if section else f"# Page {number}")
            length = 0
            while length < _LEAST[kind]:
                blocks.append(next(paragraphs))
                length += len(blocks[-1]) + 2
        pages.texts[f"page-{number:04}.md"] = "\n\n".join(blocks) + "\n"
        pages.sections += count
        openings.append(blocks[-1])
    for paragraph in openings[:: max(1, len(openings) // asked)][:asked]:
        answers = [name for name, text in pages.texts.items() if paragraph in text]
        pages.questions.append((" ".join(_WORD.findall(paragraph)[:_QUESTION_WORDS]), answers))
    return pages


def _drawn(draw: random.Random) -> Iterator[str]:
    """Paragraphs without end."""
    known = sorted(set(_paragraphs()), key=digest_of)
    while True:
        draw.shuffle(known)
        yield from known


def _paragraphs() -> Iterator[str]:
    """Without what looks like a heading, or like a credential, which only some refuse."""
    root = Path(sysconfig.get_path("stdlib"))
    for path in root.rglob("*.py"):
        if not _LEFT_OUT.isdisjoint(path.relative_to(root).parts):
            continue
        for text in docstrings(path):
            for part in re.split(r"\n\s*\n", text):
                paragraph = part.strip("\n")
                if (
                    _LEAST_PARAGRAPH <= len(paragraph) <= _MOST_PARAGRAPH
                    and not re.search(r"(?m)^\s*#|^\s*[-=~^]{3,}\s*$", paragraph)
                    and not find_secrets(paragraph)
                ):
                    yield paragraph
