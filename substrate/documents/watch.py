"""Following a folder: it is looked at again and again, and what changed is ingested.

1. A file is read again if its size or time is another one, or if it was changed so lately that the next change may bear
   the same time. What was read is compared by its digest.
2. The document of a file that is gone is taken out of use, but only while the folder itself is fine: one that is
   missing, cannot be read or is suddenly empty is a fault of the folder, and is told.
3. A document that was forgotten stays out, and is told: who erases it does not expect that it comes back by itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from substrate.documents.files import Found, Listed, Root, locate, open_root
from substrate.documents.formats.catalogue import MARKDOWN, media_type_of
from substrate.documents.ingest import ingest_listed
from substrate.documents.request import Request, source_of
from substrate.documents.sources import gone_from
from substrate.documents.write import Writer
from substrate.errors import Denied, InputError, QuotaReached, SchemaInvalid
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.text.quote import in_quotes
from substrate.values.documents import Ingested
from substrate.values.progress import Progress

__all__ = ["FolderWatch"]

_FRESH_NS: Final = 2_000_000_000
"""A file that was changed less than this ago may change again and bear the same time."""


class FolderWatch:
    """A folder that is followed. `look` is one look at it."""

    def __init__(self, log: Log, folder: Path, request: Request) -> None:
        """SchemaInvalid if it is no path; PathEscape if it is not below the root that was given."""
        if not isinstance(folder, Path):
            raise SchemaInvalid("give the folder to follow as a pathlib.Path")
        if request.title is not None or request.media_type is not None:
            raise InputError(Arg("title"), " and ", Arg("media_type"), " are of one document")
        self._log = log
        self._folder = folder
        self._request = replace(request, keeps_out=True)
        self._seen: dict[tuple[str, ...], tuple[int, int]] = {}
        self._there: set[tuple[str, ...]] = set()
        self._told: set[tuple[str, str]] = set()
        self._note = ""

    def looks(self, every_s: float, stop: threading.Event) -> Iterator[Ingested]:
        """Look at it every so many seconds, until `stop` is set; each look that found something."""
        if isinstance(every_s, bool) or not isinstance(every_s, int | float) or not 0 < every_s < float("inf"):
            raise SchemaInvalid(Arg("every"), " must be a number of seconds above 0")
        while not stop.is_set():
            ingested = self.look()
            if ingested is not None:
                yield ingested
            stop.wait(every_s)

    def look(self, progress: Progress | None = None) -> Ingested | None:
        """What changed since the last look, ingested; None if nothing did. A fault of the folder is told once."""
        path, below = locate(self._folder, self._request.root)
        try:
            with open_root(path) as root:
                listed = root.find(below)
                return self._take(root, below, listed, progress)
        except (InputError, Denied) as error:
            return self._faulty(f"the folder cannot be read ({error.message})")

    def _take(self, root: Root, below: tuple[str, ...], listed: Listed, progress: Progress | None) -> Ingested | None:
        with self._log.snapshot() as transaction:
            gone = gone_from(transaction, self._request, root, below, listed)
        if gone and not listed.files:
            return self._faulty(f"the folder {in_quotes(str(self._folder))} has no documents any more")
        note, self._note = self._note, ""
        there = {file.parts for file in listed.files}
        # Where a link leads depends on which files there are: when one comes or goes, all that have links are read.
        is_other = there != self._there
        changed = [
            file
            for file in listed.files
            if self._seen.get(file.parts) != (file.size, file.modified_ns)
            or (is_other and media_type_of(file.parts[-1]) == MARKDOWN)
        ]
        writer = Writer(self._log, self._request)
        asked_at = time.time_ns()
        try:
            # First what is gone: in a store that is full, it makes room for the rest.
            for document in gone:
                writer.drop(document.name)
            ingest_listed(writer, root, below, listed, changed, progress)
            ingested = writer.finish()
        except QuotaReached as full:
            told = writer.told(full)
            self._note = told.message
            saved = told.report if isinstance(told.report, Ingested) else Ingested((), domain=self._request.domain)
            done = {item.source for item in saved}
            read = [file for file in changed if source_of(root.name, file.parts, self._request) in done]
            for file in set(changed) - set(read):
                self._seen.pop(file.parts, None)
            self._remember(root, listed, read, saved, asked_at)
            self._there = there
            items = tuple(item for item in saved if item.status != "kept")
            return replace(saved, items=items, skipped={}, note=told.message) if items or note != told.message else None
        finally:
            writer.close()
        self._remember(root, listed, changed, ingested, asked_at)
        self._there = there
        failed = tuple(one for one in ingested.failed if (one.item, one.code) not in self._told)
        self._told = {(one.item, one.code) for one in ingested.failed}
        items = tuple(item for item in ingested if item.status != "kept")
        return replace(ingested, items=items, failed=failed, skipped={}) if items or failed else None

    def _remember(self, root: Root, listed: Listed, changed: list[Found], ingested: Ingested, asked_at: int) -> None:
        """Which files need not be read at the next look: those that were, and are not all too fresh."""
        failed = {one.item for one in ingested.failed}
        kept = {file.parts for file in listed.files}
        self._seen = {parts: seen for parts, seen in self._seen.items() if parts in kept}
        for file in changed:
            is_fresh = asked_at - file.modified_ns < _FRESH_NS
            if not is_fresh and source_of(root.name, file.parts, self._request) not in failed:
                self._seen[file.parts] = (file.size, file.modified_ns)

    def _faulty(self, why: str) -> Ingested | None:
        note = f"{why}: nothing was taken out of use"
        if note == self._note:
            return None
        self._note = note
        return Ingested((), domain=self._request.domain, note=note)
