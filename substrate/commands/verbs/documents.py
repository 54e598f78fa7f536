"""Documents: ingest, document."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import AS_OF, NAME, OUTPUT
from substrate.commands.readers import seconds

__all__ = ["DOCUMENT", "INGEST", "ingest_options"]


def ingest_options(given: Namespace) -> dict[str, Any]:
    """What an ingest is called with, beside what is to be ingested."""
    words = ("domain", "title", "source", "root", "prune", "dry_run", "actor", "session", "allow_secrets")
    return {**{word: getattr(given, word) for word in words}, "entities": not given.no_entities}


INGEST = Command(
    "ingest",
    "save",
    "Ingest files and folders as documents. Search finds their passages.",
    "It reads Markdown, plain text, reStructuredText, HTML, Jupyter notebooks, and PDF with the extra pdf. Files "
    "are UTF-8, at most 10 MB each. A document is stored in chunks; joined, they are the file. The same file "
    "again records only its changes. A file is known by its source: the name of the folder and the path below "
    "it. So two folders with the same name need two domains, or --source. Links are not followed. Files that "
    "cannot be read are listed with the reason, and the others are saved.",
    (
        Example(
            "printf '# Heads\\n\\nA head is signed with Ed25519.\\n' | "
            "substrate ingest - --source heads.md --domain handbook",
            "ingests a text; prints the document's name",
        ),
        Example("substrate search 'how are heads signed' --domain handbook --type chunk", "finds the passage"),
        Example("%%memory ingest --source heads.md --domain handbook\n# Heads\n\nA head is signed with Ed25519.\n"),
    ),
    (
        argument("paths", "files and folders", metavar="PATH", nargs="*", default=(), complete="file"),
        option("--domain", metavar="DOMAIN", help="the domain they belong to (default: main)", complete="domain"),
        option("--title", metavar="TEXT", help="the title of a single document (default: from the file)"),
        option("--source", metavar="NAME", help="the source to put before each path (default: the folder's name)"),
        option("--root", metavar="FOLDER", help="refuse paths that are not below this folder", complete="folder"),
        flag("--no-entities", help="do not look for names in the texts; twice as fast"),
        flag("--prune", help="take documents out of use if their files are gone"),
        flag("--dry-run", help="compare and change nothing"),
        option("--actor", metavar="TEXT", help="the person or agent that ingests them"),
        option("--session", metavar="TEXT", help="the session it belongs to"),
        flag("--allow-secrets", help="also save texts that look like credentials"),
        flag("--watch", help="keep running and ingest changed files, until Ctrl-C", face=Face.CLI),
        option(
            "--every",
            metavar="SECONDS",
            read=seconds,
            default=2.0,
            help="how often --watch looks at the folder (default: 2)",
            face=Face.CLI,
        ),
    ),
    about_notebook="In a cell, the lines below the first are ingested as a text.",
    about_cli="With - it ingests standard input as a text. If no store exists, ingest creates one. With --watch, the "
    "document of a deleted file goes out of use, and a document that was forgotten stays out. If the folder is "
    "missing, unreadable or suddenly empty, nothing changes. Exit code 12: some files were refused.",
    as_agent=False,
)

DOCUMENT = Command(
    "document",
    "read",
    "Print a document as it was ingested.",
    "It prints the file byte for byte. For HTML, notebooks and PDF it prints the extracted text. The text is "
    "checked against its digest. To find the name of a document by its source or title, use which.",
    (
        Example("substrate document v1.document.handbook.c4397663528d2c3e843355416dc6db", "its text"),
        Example(
            "substrate document v1.document.handbook.c4397663528d2c3e843355416dc6db --json",
            "with its chunks and its digest",
        ),
        Example("substrate which heads.md --kind document", "the name of the document with this source"),
        Example("%memory document v1.document.handbook.c4397663528d2c3e843355416dc6db"),
    ),
    (NAME, AS_OF, OUTPUT),
    about_cli="Exit code 12: some chunks were forgotten; the rest is printed.",
)
