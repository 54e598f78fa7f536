"""The verbs of documents: ingest, document."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from substrate.commands.files import write_text
from substrate.commands.verbs.documents import DOCUMENT, INGEST, ingest_options
from substrate.errors import InputError
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.documents import Document, Ingested

__all__ = ["document", "ingest"]


@verb(INGEST, cell=True)
def ingest(workspace: Workspace, given: Namespace, cell: str | None) -> Ingested:
    """Take in a file, a folder, or the text of a cell."""
    if (cell is None) == (not given.paths) or len(given.paths) > 1:
        raise InputError("give one file or folder: %memory ingest PATH; or a text in a cell: %%memory ingest")
    what: Path | str = Path(given.paths[0]) if cell is None else cell
    options = ingest_options(given)
    if workspace.stores.is_new:
        from substrate.documents.ingest import refuse_first_ingest  # noqa: PLC0415 - few ingests are the first

        refuse_first_ingest(what, **options)
    return workspace.memory(create=True).ingest(what, **options)


@verb(DOCUMENT)
def document(workspace: Workspace, given: Namespace, _: str | None) -> Document:
    """Give a document as a whole; with -o, write it to a file too."""
    found = workspace.memory().document(given.name, as_of=given.as_of)
    if given.output is not None:
        write_text(given.output, found.text, "the document")
    return found
