"""Documents, as users hold them: what ingesting came to, and a document as a whole. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Final

from substrate.names import unescape_rest
from substrate.result import Result, Results
from substrate.values.atoms import Atom
from substrate.values.saved import Refused

if TYPE_CHECKING:  # some twenty classes, which take longer to make than a page to ingest
    from substrate.values.relations import Related

__all__ = ["Document", "Ingested", "IngestedDocument"]

_SHOWN: Final = 100
"""Documents and files that a notebook shows; `items`, `failed` and `missing` have all."""


@dataclass(frozen=True, slots=True, repr=False)
class IngestedDocument(Result):
    """The result of one document: its chunks are `added`, `changed`, `kept` as they were, or `tombstoned`."""

    name: str
    id: str
    """UUID of the document's atom."""
    title: str
    source: str | None
    digest: str
    """SHA-256 of the file, or of the text in UTF-8, in hexadecimal."""
    bytes: int
    added: int = 0
    changed: int = 0
    kept: int = 0
    tombstoned: int = 0
    entities: int = 0
    """Names in its text that no other text had: a name becomes an entity with the second text that has it."""
    merged: int = 0
    """Names in what was recorded of it that were known before."""
    unlisted: int = 0
    """Names in its text beyond the hundred that a chunk can list."""
    linked: int = 0
    """Edges `links_to` that were stated to other documents of its folder, by its links."""
    unresolved: int = 0
    """Links of it that lead to no document of its folder; `attrs.unresolved` of its atom has them."""
    dropped: tuple[str, ...] = ()
    """Fields of its front matter that had no room: they are in its text alone."""
    status: str = "kept"
    """new, changed, kept (nothing was recorded), or gone: its file is not there, and it was taken out of use."""
    broken_links: tuple[str, ...] = ()
    """The first few of its links that lead to no document."""
    unread: str = ""
    """Why its front matter could not be read, and is only text; empty: it was read, or there is none."""
    was_forgotten: bool = False
    """Of one that is new: whether it was forgotten before. It is taken in again."""
    only_links: bool = False
    """Of one that is changed: its text is as it was, and files that it links to came or went."""

    @property
    def chunks(self) -> int:
        """How many chunks it has now."""
        return self.added + self.changed + self.kept

    def row(self) -> dict[str, object]:
        """Its status, source, title and name."""
        return {"status": self.status, "source": self.source or "", "title": self.title, "name": self.name}


@dataclass(frozen=True, slots=True, repr=False)
class Ingested(Results[IngestedDocument]):
    """The result of an ingest, by document, in the order of their sources. `failed` lists the refused files."""

    items: tuple[IngestedDocument, ...]
    failed: tuple[Refused, ...] = ()
    """Files that were not taken: `item` is the file, `code` and `reason` say why."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How many files and folders were not looked at, by reason: hidden ones, those of no known format."""
    missing: tuple[str, ...] = ()
    """Documents that were ingested from this folder before, and whose files are not there: they stay in use."""
    recorded: int = 0
    """Entries that were recorded; 0: all was there already."""
    domain: str = ""
    dry_run: bool = False
    note: str = ""
    """Of a folder that is followed: why nothing was looked at, such as that it is not there."""
    related: Related | None = None
    """The verdicts on relations in the chunks that were given; None: there were none."""
    missing_sources: tuple[str, ...] = ()
    """The sources of the documents in `missing`, in the same order."""
    unknown: tuple[str, ...] = ()
    """The first few files of no known format."""

    @property
    def added(self) -> int:
        """Chunks that are new."""
        return sum(item.added for item in self.items)

    @property
    def changed(self) -> int:
        """Chunks that got a new version."""
        return sum(item.changed for item in self.items)

    @property
    def kept(self) -> int:
        """Chunks that stay as they were."""
        return sum(item.kept for item in self.items)

    @property
    def tombstoned(self) -> int:
        """Chunks that were taken out of use."""
        return sum(item.tombstoned for item in self.items)

    @property
    def linked(self) -> int:
        """Edges to other documents that were stated, by links."""
        return sum(item.linked for item in self.items)

    @property
    def unresolved(self) -> int:
        """Links of documents that changed, or of which a link changed, that lead to no document."""
        return sum(item.unresolved for item in self.items)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The sums, and the refused files with their reasons."""
        would = "would be: " if self.dry_run else ""
        sums = f"{self.added:,} added, {self.changed:,} changed, {self.kept:,} kept, {self.tombstoned:,} tombstoned"
        told = [f"{would}{len(self.items):,} documents, chunks: {sums}"]
        if self.linked or self.unresolved:
            told.append(f"links to other documents: {self.linked:,} stated, {self.unresolved:,} lead to none")
        back = [item.source or item.title for item in self.items if item.was_forgotten]
        told += [
            f"forgotten before, {'would be' if self.dry_run else 'is'} taken in again: {one}" for one in back[:_SHOWN]
        ]
        told += [f"{len(back) - _SHOWN:,} more were forgotten before"] if len(back) > _SHOWN else []
        dropped = [item for item in self.items if item.dropped]
        told += [f"no room for fields of {item.source}: {', '.join(item.dropped)}" for item in dropped[:_SHOWN]]
        unread = [item for item in self.items if item.unread]
        told += [f"front matter of {item.source or item.title} is not read: {item.unread}" for item in unread[:_SHOWN]]
        told += [f"not taken: {one.item}: {one.reason}" for one in self.failed[:_SHOWN]]
        gone = self.missing_sources or self.missing
        told += [f"file is gone: {file}" for file in gone[:_SHOWN]]
        rest = {"failed": len(self.failed) - _SHOWN, "missing": len(self.missing) - _SHOWN}
        told += [f"{count:,} more are in .{where}" for where, count in rest.items() if count > 0]
        told += [f"skipped, {why}: {count:,}" for why, count in self.skipped.items()]
        told += [f"first of no known format: {', '.join(self.unknown)}"] if self.unknown else []
        return (*told, *([self.note] if self.note else []))

    def __repr__(self) -> str:
        return super(Ingested, self).__repr__() + "".join(f"\n({word})" for word in self.remarks)

    def _repr_html_(self) -> str:
        news = tuple(item for item in self.items if item.status != "kept")
        table = super(Ingested, Ingested(news[:_SHOWN]))._repr_html_() if news else ""
        more = [f"{len(news) - _SHOWN:,} more documents are in .items"] if len(news) > _SHOWN else []
        return table + "".join(f"<p>{escape(word)}</p>" for word in (*more, *self.remarks))

    def to_dict(self) -> dict[str, object]:
        """Its documents, with the sums."""
        sums = {"added": self.added, "changed": self.changed, "kept": self.kept, "tombstoned": self.tombstoned}
        return {**super(Ingested, self).to_dict(), "documents": len(self.items), **sums, "recorded": self.recorded}


@dataclass(frozen=True, slots=True, repr=False)
class Document(Result):
    """A document as a whole, as it was ingested."""

    name: str
    id: str
    title: str
    text: str
    chunks: tuple[Atom, ...]
    """In order. Joined, their values are the text."""
    source: str | None
    digest: str
    """SHA-256 of what was ingested: the file, or the text in UTF-8."""
    bytes: int
    media_type: str
    recorded_at: datetime
    seq: int
    """The version of the document: the position of its entry in the log."""
    modified: str | None = None
    """When the file was last changed before it was ingested, in ISO 8601."""
    exact: bool = True
    """Whether the text is what was ingested, by its digest. False if chunks were forgotten since."""
    missing: int = 0
    """Chunks that were forgotten since."""
    edited: tuple[str, ...] = ()
    """Chunks that someone changed or took out of use since: `text` has what was ingested, search finds what is now."""

    @property
    def domain(self) -> str:
        """The domain it is in, by what follows `v1.domain.`."""
        return unescape_rest(self.name.split(".")[2])

    def row(self) -> dict[str, object]:
        """Its fields, with the number of its chunks in their place."""
        return {**self.to_dict(), "chunks": len(self.chunks)}
