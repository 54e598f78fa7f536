"""What a document says of itself by a chunk that is forgotten: its title, aliases, tags, front matter, links.

An ingest makes them of the text. So they go with the text: the versions of the document that have them are erased, and
a document in use gets a version without them first, titled as its source is.

1. With a chunk that holds the front matter goes all that was read from it, whatever its words: YAML may spell them in
   another way.
2. Else a field, alias, tag or link goes, alone, if the chunk has its words. Names of fields are not compared.
3. A title goes if it is a line of the chunk, or all of it. One that a person gave in a checkpoint is theirs and stays.
4. Versions of the document that were made of other versions of the chunk stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from substrate.atoms.bodies import bodies_or_damage
from substrate.codec import Draft, draft_forget, draft_put
from substrate.entities.naming import INGESTED
from substrate.kv.api import ReadTransaction
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import UNDOES, is_id
from substrate.views.atoms import VersionRow, names, versions_of

__all__ = ["Titles"]

_CHUNK: Final = "v1.chunk."
_CALLED: Final = "called"
_FRONT_MATTER: Final = "front_matter"
_LISTS: Final = ("aliases", "unresolved")
_UNTITLED: Final = "Untitled"
_CUT: Final = "…"
"""A long title ends so, perhaps amid a word."""
_LONG: Final = 60
"""Characters of a title that may be cut without a sign: a surface titles a note by its first 80."""
_NEVER: Final = 1 << 62
_WORD: Final = re.compile(r"\w+")
_BEGIN: Final = re.compile("\ufeff?---[ \\t]*+\\r?\\n")
_END: Final = re.compile(r"(?:^|(?<=\n))(?:---|\.\.\.)[ \t]*+(?:\r?\n|\r?\Z)")
_TITLED: Final = re.compile(r"(?:^|[{,?])\s*[\"']?\s*title\s*[\"']?\s*:|\\", re.IGNORECASE | re.MULTILINE)
"""Front matter that gives the title, or may: it can be spelled with a backslash."""


class _Lost(NamedTuple):
    """The text of a version of a chunk that goes."""

    whole: str
    """Its words; see `_words`."""
    lines: Collection[str]
    """Those of each line."""
    front: str | None
    """The front matter up to the end of this chunk, if a part of it is in the chunk."""
    seqs: range
    """Where versions of the document stand that were made with this version of the chunk."""


class Titles:
    """The chunks that go in one append, by the documents that they are parts of."""

    def __init__(self, transaction: ReadTransaction) -> None:
        self._transaction = transaction
        self._lost: dict[bytes, list[_Lost]] = {}

    def lose(self, rows: Iterable[VersionRow]) -> None:
        """Take note of versions of one atom that go."""
        chunks = [row for row in rows if row.kind is Kind.PUT and (row.name or "").startswith(_CHUNK)]
        ends = self._ends_of(chunks[0].subject) if chunks else {}
        for row in chunks:
            said = self._said(row) or {}
            parent = said.get("parent")
            if isinstance(parent, str) and is_id(parent):
                text = str(said.get("value"))
                lines = {*map(_words, text.splitlines())}
                lost = _Lost(_words(text), lines, self._front_in(row, text), range(row.seq, ends[row.seq]))
                self._lost.setdefault(bytes.fromhex(parent), []).append(lost)

    @property
    def count(self) -> int:
        """How many documents are concerned."""
        return len(self._lost)

    def drafts(self, gone: Collection[bytes], erased: Collection[int]) -> Iterator[Draft]:
        """What the documents come to that stay: a version without these words if one in use has them, and a forget.

        `gone` are atoms of which nothing stays, and `erased` the seqs that go anyway.
        """
        for document, lost in self._lost.items():
            rows = [] if document in gone else list(versions_of(self._transaction, document))
            there = [row for row in rows if row.name is not None and row.seq not in erased]
            made = self._made_of(there, lost)
            if not made:
                continue
            now = rows[0]
            if now.seq in made:
                said = made[now.seq]
                fields = {key: one for key, one in said.items() if key not in ("name", "value", UNDOES)}
                yield draft_put(now.name or "", str(said["value"]), fields)
            yield draft_forget(document, made)

    def _made_of(self, rows: list[VersionRow], lost: list[_Lost]) -> dict[int, dict[str, Json]]:
        """The versions of a document that say something of what goes, by seq, without it. `rows`: the newest first."""
        made: dict[int, dict[str, Json]] = {}
        source: _Source | None = None
        for row in reversed(rows):
            said = self._said(row)
            if said is None:
                continue
            if source is None or said.get("origin") == INGESTED:
                source = _source_of(row, said, lost)
            left = _without(said, source)
            if left != said:
                made[row.seq] = left
        return made

    def _said(self, row: VersionRow) -> dict[str, Json] | None:
        (body,) = bodies_or_damage(self._transaction, [row.seq]) if row.kind is Kind.PUT else (None,)
        return None if body is None or body.damage is not None else dict(body.members)

    def _front_in(self, row: VersionRow, text: str) -> str | None:
        """The front matter up to the end of a chunk, if the chunk holds a part of it. It may be in several chunks."""
        if _BEGIN.match(text):
            return _up_to_end(text)
        before = ""
        for other in names(self._transaction, f"{(row.name or '').rpartition('.')[0]}."):
            if other.subject == row.subject:
                return _up_to_end(before + text) if before else None
            if other.kind is not Kind.PUT:
                continue
            before += str((self._said(other) or {}).get("value") or "")
            if not _BEGIN.match(before) or _up_to_end(before) != before:
                return None
        return None

    def _ends_of(self, subject: bytes) -> dict[int, int]:
        """By the seq of each version of a chunk: where an ingest wrote over it, or took it out of use."""
        ends: dict[int, int] = {}
        end = _NEVER
        for row in versions_of(self._transaction, subject):
            ends[row.seq] = end
            (body,) = bodies_or_damage(self._transaction, [row.seq])
            if body is not None and body.members.get("origin") == INGESTED:
                end = row.seq
        return ends


class _Source(NamedTuple):
    """What the text gave a document, by the version that an ingest recorded: later ones have it of this."""

    title: Json
    """None: a person gave the title."""
    tags: Collection[str]
    occurred_at: Json
    lost: Sequence[_Lost]
    """The chunks that go of those that it was made of."""
    has_lost_front: bool
    has_lost_title: bool
    """Whether its front matter goes, and the title with that."""


def _source_of(row: VersionRow, said: Mapping[str, Json], lost: Iterable[_Lost]) -> _Source:
    attrs = _attrs(said)
    lost = [one for one in lost if row.seq in one.seqs]
    fronts = [one.front for one in lost if one.front is not None and _FRONT_MATTER in attrs]
    if said.get("origin") != INGESTED:
        return _Source(None, (), None, lost, has_lost_front=bool(fronts), has_lost_title=False)
    tags = said.get("tags")
    return _Source(
        None if _CALLED in attrs else said.get("value"),
        [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else (),
        said.get("occurred_at"),
        lost,
        has_lost_front=bool(fronts),
        has_lost_title=any(_up_to_end(front) == front or _TITLED.search(front) for front in fronts),
    )


def _without(said: Mapping[str, Json], source: _Source) -> dict[str, Json]:
    """A version of a document without what goes."""
    lost, texts = source.lost, [one.whole for one in source.lost]
    attrs = _attrs(said)
    for key in _LISTS:
        if key in attrs:
            attrs[key] = None if source.has_lost_front and key == "aliases" else _left(attrs[key], texts)
    if _FRONT_MATTER in attrs:  # that it is there says that front matter was looked for
        attrs[_FRONT_MATTER] = (None if source.has_lost_front else _left(attrs[_FRONT_MATTER], texts)) or {}
    if source.has_lost_title or _is_title(attrs.get(_CALLED), lost):
        attrs.pop(_CALLED, None)
    left = dict(said)
    if attrs or "attrs" in said:
        left["attrs"] = {key: one for key, one in attrs.items() if one is not None}
    title = said.get("value")
    if title == source.title and (source.has_lost_title or _is_title(title, lost)):
        left["value"] = _name_of(said.get("source"))
    tags = said.get("tags")
    if isinstance(tags, list):
        read = [tag for tag in source.tags if source.has_lost_front or _is_in(tag, texts)]
        left["tags"] = [tag for tag in tags if tag not in read]
    if source.has_lost_front and said.get("occurred_at") == source.occurred_at:
        left.pop("occurred_at", None)
    return left


def _attrs(said: Mapping[str, Json]) -> dict[str, Json]:
    attrs = said.get("attrs")
    return dict(attrs) if isinstance(attrs, dict) else {}


def _name_of(source: Json) -> str:
    """The name of the source, which stands in the place of a title."""
    named = source.rstrip("/").rpartition("/")[2].strip() if isinstance(source, str) else ""
    return named or _UNTITLED


def _up_to_end(text: str) -> str:
    """Front matter without the line that ends it and what is behind; all of the text, if that line is not there."""
    begin = _BEGIN.match(text)
    end = None if begin is None else _END.search(text, begin.end())
    return text if end is None else text[: end.start()]


def _left(said: Json, texts: list[str]) -> Json:
    """A value without the entries whose words are in the texts; None if nothing is left."""
    if isinstance(said, str):
        return None if _is_in(said, texts) else said
    if isinstance(said, list):
        return [left for one in said if (left := _left(one, texts)) is not None or one is None] or None
    if isinstance(said, dict):
        fields = {key: _left(one, texts) for key, one in said.items()}
        return {key: one for key, one in fields.items() if one is not None or said[key] is None} or None
    return said


def _words(text: str) -> str:
    """The words of a text and nothing else, a space around each: markup and line ends make no difference."""
    words = _WORD.findall(text.casefold())
    return f" {' '.join(words)} " if words else ""


def _is_in(said: str, texts: list[str]) -> bool:
    """Whether the words stand in one of the texts, one after the other. What ends in `…` may end amid a word."""
    words = _words(said)
    words = words.rstrip() if said.endswith(_CUT) else words
    return words != "" and any(words in text for text in texts)


def _is_title(said: Json, lost: Iterable[_Lost]) -> bool:
    """Whether a title is a line of a chunk that goes, or all of it; of a long one, whether one of them begins so."""
    words = _words(said) if isinstance(said, str) else ""
    if not isinstance(said, str) or not words:
        return False
    if said.endswith(_CUT) or len(said) >= _LONG:
        return any(text.startswith(words.rstrip()) for one in lost for text in (one.whole, *one.lines))
    return any(words == one.whole or words in one.lines for one in lost)
