"""Markdown pages to ingest: a page for each module of the standard library, made of its docstrings.

Real text with real names in it, and the same on every installation of one version of Python. Nothing is copied into the
repository.
"""

from __future__ import annotations

import ast
import re
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.texts import digest_of

__all__ = ["Pages", "make"]

_LEFT_OUT = frozenset({"site-packages", "test", "tests", "idlelib", "lib2to3", "pydoc_data", "ensurepip"})
_LEAST_DOCSTRING, _LEAST_PAGE = 60, 600
"""Characters: shorter ones say too little to stand under a heading, or to be a page."""
_HEADING = re.compile(r"(?m)^#{1,3}\s+")
_PIECE = 1600
"""Characters of a chunk at most, where a section is cut."""
_QUESTION_WORDS = 8
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(slots=True)
class Pages:
    """File names and texts, in order; how many chunks they should give; questions, each with the page it is from."""

    texts: dict[str, str] = field(default_factory=dict)
    chunks: int = 0
    questions: list[tuple[str, str]] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """A file for each."""
        folder.mkdir()
        for name, text in self.texts.items():
            (folder / name).write_text(text, encoding="utf-8")


def make(chunks: int, asked: int) -> Pages:
    """Pages that give about `chunks` chunks, and `asked` questions, the first words of a docstring each."""
    pages, openings = Pages(), []
    for name, sections in sorted(_modules(), key=lambda page: digest_of(page[0])):
        if pages.chunks >= chunks:
            break
        text = "\n".join(sections)
        pages.texts[f"{name}.md"] = text
        pages.chunks += _count(text)
        openings.append((" ".join(_WORD.findall(sections[-1])[1 : 1 + _QUESTION_WORDS]), f"{name}.md"))
    step = max(1, len(openings) // asked)
    pages.questions = openings[::step][:asked]
    return pages


def _modules() -> Iterator[tuple[str, list[str]]]:
    """Names, and sections with their headings."""
    root = Path(sysconfig.get_path("stdlib"))
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        if _LEFT_OUT.isdisjoint(parts):
            sections = _sections(path, ".".join(parts))
            if sum(map(len, sections)) >= _LEAST_PAGE:
                yield ".".join(parts), sections


def _sections(path: Path, name: str) -> list[str]:
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []  # a file that is meant not to parse
    return [f"# {name}\n\n{ast.get_docstring(tree) or ''}\n", *_below(tree, "##")]


def _below(node: ast.AST, heading: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(child) or ""
            if len(text) >= _LEAST_DOCSTRING:
                yield f"{heading} {child.name}\n\n{text}\n"
            yield from _below(child, "###")


def _count(text: str) -> int:
    return sum(-(-len(part) // _PIECE) for part in map(str.strip, _HEADING.split(text)) if part)
