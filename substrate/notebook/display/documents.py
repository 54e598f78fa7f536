"""A document, and what ingesting came to, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.messages import render
from substrate.notebook.display.markup import ROWS, Child, badge, facts, footer, h, name, stored, table
from substrate.notebook.display.style import page
from substrate.notebook.spelling import WORDS, counted

if TYPE_CHECKING:
    from substrate.values.documents import Document, Ingested

__all__ = ["document", "ingested"]

_CHARACTERS = 4000
"""Of a text that an output shows; `.text` has all."""


def ingested(result: Ingested) -> str:
    """What became of each document."""
    new = [item for item in result if item.status != "kept"]
    rows = [
        [
            badge(item.status),
            name(item.name),
            stored(item.title),
            stored(item.source) if item.source else None,
            f"{item.chunks:,}",
        ]
        for item in new[:ROWS]
    ]
    failed: Child = [
        h("div", badge("not taken", "bad"), stored(f"{one.item}: {render(one.reason, WORDS)}"))
        for one in result.failed[:ROWS]
    ]
    changes = {"added": result.added, "changed": result.changed, "kept": result.kept, "tombstoned": result.tombstoned}
    verb = "would record" if result.dry_run else "recorded"
    done = f"{counted(len(result), 'document')}, {verb} {counted(result.recorded, 'entry', 'entries')}"
    return page(
        done if result.items else "there is nothing to ingest",
        table(["", "document", "title", "source", "chunks"], rows) if rows else None,
        failed,
        facts({f"chunks {word}": f"{count:,}" for word, count in changes.items() if count}),
        footer(
            f"… and {len(new) - ROWS:,} more" if len(new) > ROWS else "",
            f"{counted(len(result.missing), 'file is', 'files are')} gone: --prune takes their documents out of use"
            if result.missing
            else "",
        ),
        beside=stored(result.domain),
    )


def document(result: Document) -> str:
    """The beginning of its text, and what is known of it."""
    return page(
        stored(result.title),
        h("div", stored(result.text, _CHARACTERS)),
        facts(
            {
                "name": name(result.name),
                "source": stored(result.source) if result.source else None,
                "format": result.media_type,
                "chunks": f"{len(result.chunks):,}",
                "digest": result.digest,
                "edited since": f"{len(result.edited):,} chunks" if result.edited else "",
                "forgotten": f"{result.missing:,} chunks" if result.missing else "",
            }
        ),
        beside=None if result.exact else badge("not as it was ingested", "bad"),
    )
