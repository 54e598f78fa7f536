"""What a document says of itself in the words of a chunk that is forgotten: its title, aliases, front matter, links.

An ingest makes them of the text. So they go with the text: the versions of the document that have them are erased, and
a document in use gets a version without them first, titled as its source is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from substrate.atoms.bodies import body_of
from substrate.codec import Draft, draft_forget, draft_put
from substrate.kv.api import ReadTransaction
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import is_id
from substrate.views.atoms import VersionRow, versions_of

__all__ = ["Titles"]

_CHUNK: Final = "v1.chunk."
_OF_TEXT: Final[Mapping[str, Json]] = {"called": None, "aliases": None, "unresolved": None, "front_matter": {}}
"""The attrs of a document that an ingest makes of its text, and what stands in their place when that is gone."""
_UNTITLED: Final = "Untitled"
_WORD: Final = re.compile(r"\w+")


class Titles:
    """The chunks that go in one append, by the documents that they are parts of."""

    def __init__(self, transaction: ReadTransaction) -> None:
        self._transaction = transaction
        self._texts: dict[bytes, list[str]] = {}

    def lose(self, rows: Iterable[VersionRow]) -> None:
        """Take note of versions that go."""
        for row in rows:
            if row.kind is not Kind.PUT or not (row.name or "").startswith(_CHUNK):
                continue
            body = body_of(self._transaction, row.seq)
            said = {} if body is None or body.damage is not None else body.members
            parent = said.get("parent")
            if isinstance(parent, str) and is_id(parent):
                self._texts.setdefault(bytes.fromhex(parent), []).append(_words(str(said.get("value"))))

    @property
    def count(self) -> int:
        """How many documents are concerned."""
        return len(self._texts)

    def drafts(self, gone: Collection[bytes], erased: Collection[int]) -> Iterator[Draft]:
        """What the documents come to that stay: a version without these words if one in use has them, and a forget.

        `gone` are atoms of which nothing stays, and `erased` the seqs that go anyway.
        """
        for document, texts in self._texts.items():
            rows = [] if document in gone else list(versions_of(self._transaction, document))
            there = [row for row in rows if row.name is not None and row.seq not in erased]
            made = {row.seq: said for row in there if (said := self._made_of(row, texts)) is not None}
            if not made:
                continue
            now = rows[0]
            if now.seq in made:
                said = made[now.seq]
                fields = {key: one for key, one in said.items() if key not in ("name", "value")}
                yield draft_put(now.name or "", str(said["value"]), fields)
            yield draft_forget(document, made)

    def _made_of(self, row: VersionRow, texts: list[str]) -> dict[str, Json] | None:
        """A version of a document without what these texts say; None if it says nothing of that."""
        body = body_of(self._transaction, row.seq) if row.kind is Kind.PUT else None
        if body is None or body.damage is not None:
            return None
        said = dict(body.members)
        attrs = said.get("attrs")
        left = dict(attrs) if isinstance(attrs, dict) else {}
        for key, instead in _OF_TEXT.items():
            if key in left and any(_is_in(text, texts) for text in _strings(left[key])):
                left[key] = instead
        left = {key: one for key, one in left.items() if one is not None}
        title = _without(said.get("value"), said.get("source"), texts)
        if left == (attrs or {}) and title == said.get("value"):
            return None
        return {**said, "value": title, "attrs": left}


def _without(title: Json, source: Json, texts: list[str]) -> Json:
    """The title, or the name of the source in its place if these texts have it."""
    if not isinstance(title, str) or not _is_in(title, texts):
        return title
    named = source.rstrip("/").rpartition("/")[2].strip() if isinstance(source, str) else ""
    return named or _UNTITLED


def _strings(said: Json) -> Iterator[str]:
    """Every text in a value, however deep."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, list):
        for one in said:
            yield from _strings(one)
    elif isinstance(said, dict):
        for key, one in said.items():
            yield key
            yield from _strings(one)


def _words(text: str) -> str:
    """The words of a text and nothing else, a space before each: markup and line ends make no difference."""
    return "".join(f" {word}" for word in _WORD.findall(text.casefold()))


def _is_in(said: str, texts: list[str]) -> bool:
    """Whether the words stand in one of the texts, one after the other. The last may be cut: a long title is."""
    words = _words(said)
    return words != "" and any(words in text for text in texts)
