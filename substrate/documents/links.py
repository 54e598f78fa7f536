"""Links in Markdown between the documents of a folder: `[[Note]]`, `![[Note#part|shown]]`, `[text](../other.md)`. Pure.

Links in code are none. A link leads to one of the sources that are given, or to nothing: no file is looked for, and no
path leads out of the folder. All takes time linear in the text and in the number of sources, whatever they say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from substrate.documents.formats.catalogue import MARKDOWN, media_type_of

__all__ = ["Link", "Linked", "Targets", "find_links"]

MOST: Final = 1000
"""Links of a document that are looked at."""
_SHOWN: Final = 200
"""Characters of a link that leads nowhere."""
_UNRESOLVED: Final = 100
_TOLD: Final = 16_384
"""Links that lead nowhere and are listed, and the bytes that they have as JSON: attrs have room for them."""
_SUFFIXES: Final = 8
"""Folders before a name that a link can say, to tell it from others of that name."""
_LINK: Final = re.compile(
    r"(!?)\[\[([^\[\]\r\n]{1,1000}+)\]\]"
    r"|\]\((?:<([^<>\r\n]{1,1000}+)>|((?:[^\s()<>]|\([^\s()<>]{0,200}+\)){1,1000}+)(?=[ \t\r\n)]))"
)
_FENCE: Final = re.compile(r"^[ \t>]*+(`{3,}+|~{3,}+)([^\r\n]*+)", re.MULTILINE)
_TICKS: Final = re.compile(r"`++|\n[ \t\r]*+\n")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:|//")


class Link(NamedTuple):
    """A link as it is written: a name (`[[name]]`), or a path from where the document lies."""

    target: str
    is_name: bool


class Linked(NamedTuple):
    """Where the links of a document lead: to these sources; and those that lead nowhere."""

    sources: tuple[str, ...]
    unresolved: tuple[str, ...] = ()
    more: int = 0
    """Links beyond those that are looked at or listed."""


# -- in a text ---------------------------------------------------------------------------------------------------------


def find_links(text: str) -> tuple[dict[Link, None], int]:
    """The links in a text to other documents, each once, and how many there are beyond what is looked at."""
    if "[[" not in text and "](" not in text:
        return {}, 0
    found: dict[Link, None] = {}
    more = 0
    for match in _LINK.finditer(_without_code(text)):
        link = _name(match[2], is_shown=bool(match[1])) if match[2] is not None else _path(match[3] or match[4])
        if link is None or link in found:
            continue
        if len(found) < MOST:
            found[link] = None
        else:
            more += 1
    return found, more


def _name(said: str, *, is_shown: bool) -> Link | None:
    """What stands in double brackets; None if it is a part of this very document, or a picture that is shown."""
    target = said.partition("|")[0].rstrip("\\").partition("#")[0].strip()
    dot = target.rfind(".")
    if not target or (is_shown and dot > 0 and " " not in target[dot:] and media_type_of(target) is None):
        return None
    return Link(target, is_name=True)


def _path(said: str) -> Link | None:
    """What a link of Markdown leads to; None if that is no document of the folder: another site, a picture, a part."""
    if _SCHEME.match(said):
        return None
    target = said.partition("#")[0].partition("?")[0]
    is_document = media_type_of(unquote(target).rpartition("/")[2]) is not None
    return Link(target, is_name=False) if is_document else None  # as it is written: nothing is kept that is not read


def _without_code(text: str) -> str:
    """The text with its blocks and spans of code left out."""
    if "`" not in text and "~~~" not in text:
        return text
    kept: list[str] = []
    at, fence = 0, ""
    for match in _FENCE.finditer(text):
        marks, behind = match[1], match[2]
        if not fence and not (marks[0] == "`" and "`" in behind):
            kept.append(text[at : match.start()])
            fence = marks
        elif fence and marks[0] == fence[0] and len(marks) >= len(fence) and not behind.strip():
            at, fence = match.end(), ""
    if not fence:
        kept.append(text[at:])
    return "\n".join(_without_spans(part) for part in kept)


def _without_spans(text: str) -> str:
    """The text without what stands between equal runs of backticks in a paragraph."""
    kept: list[str] = []
    at = 0
    runs: list[tuple[int, int]] = []
    for start, end in (*((match.start(), match.end()) for match in _TICKS.finditer(text)), (len(text), len(text))):
        if text[start:end].startswith("`"):
            runs.append((start, end))
            continue
        for begin, stop in _spans(runs):
            kept.append(text[at:begin])
            at = stop
        runs = []
    return " ".join((*kept, text[at:]))


def _spans(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """From where to where code stands, given the runs of backticks of one paragraph."""
    places: dict[int, list[int]] = {}
    for place in reversed(range(len(runs))):
        places.setdefault(runs[place][1] - runs[place][0], []).append(place)
    at = 0
    while at < len(runs):
        same = places[runs[at][1] - runs[at][0]]
        while same and same[-1] <= at:
            same.pop()
        if same:
            yield runs[at][0], runs[same[-1]][1]
            at = same[-1]
        at += 1


# -- among the sources of a folder -------------------------------------------------------------------------------------


class Targets:
    """The sources that links can lead to: the name of a folder and the path below it, such as `docs/guide/start.md`."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._sources: Collection[str] = frozenset(sources)
        self._paths: dict[str, str] = {}
        """All, by their spelling without case."""
        self._ends: dict[str, str] = {}
        """By the ends of their paths, with and without the suffix: of several, that of the shortest path."""
        for source in sorted(self._sources, key=lambda one: (one.count("/"), one)):
            path = _folded(source)
            self._paths.setdefault(path, source)
            bare = path.rpartition(".")[0] if media_type_of(source) == MARKDOWN else None
            start = len(path)
            for _ in range(_SUFFIXES):
                start = path.rfind("/", 0, start)
                if start < 0:
                    break
                self._ends.setdefault(path[start + 1 :], source)
                if bare is not None:
                    self._ends.setdefault(f"{bare[start + 1 :]}\n", source)  # no name has it

    def resolve(self, own: str, links: Iterable[Link], more: int = 0) -> Linked:
        """Where the links of a document of this source lead; not to itself."""
        found: dict[str, None] = {}
        unresolved: dict[str, None] = {}
        for link in links:
            source = self._named(own, link.target) if link.is_name else self._at(own, link.target)
            if source is None:
                unresolved[link.target[:_SHOWN]] = None
            elif source != own:
                found[source] = None
        told = list(islice(unresolved, _UNRESOLVED))
        while len(json.dumps(told, ensure_ascii=False).encode()) > _TOLD:
            told = told[: len(told) // 2]
        return Linked(tuple(found), tuple(told), more + len(unresolved) - len(told))

    def _named(self, own: str, name: str) -> str | None:
        """What `[[name]]` means: beside this document first, then the shortest path that ends so."""
        end = _folded(name.removeprefix("/"))
        folder = _folded(own.rpartition("/")[0])
        root = folder.partition("/")[0]
        for before in dict.fromkeys((root, folder) if "/" in end or name.startswith("/") else (folder,)):
            for suffix in ("", ".md", ".markdown"):
                source = self._paths.get(f"{before}/{end}{suffix}")
                if source is not None:
                    return source
        return self._ends.get(f"{end}\n") or self._ends.get(end)

    def _at(self, own: str, path: str) -> str | None:
        """The source at a path from where this document lies; a path that begins with / is one from the root."""
        parts = own.split("/")[: 1 if path.startswith("/") else -1]
        for part in unquote(path).split("/"):
            if part == "..":
                if len(parts) <= 1:
                    return None
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        exact = "/".join(parts)
        return exact if exact in self._sources else self._paths.get(_folded(exact))


def _folded(text: str) -> str:
    return text.casefold() if text.isascii() else normalize("NFC", text).casefold()
