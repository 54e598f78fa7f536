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
    "Take in files and folders as documents that search finds by their passages.",
    "Markdown, plain text, reStructuredText, HTML, Jupyter notebooks, and PDF if pypdf is installed; in UTF-8, at most "
    "10 MB each. A document is kept in chunks, which joined are the file. The same file again records only what "
    "changed in it: it is known by its source, the folder's own name and the path below it. So two folders of one name "
    "need two domains, or --source. No link is followed. Files that cannot be taken are named with the reason, and the "
    "others are saved.",
    (
        Example(
            "printf '# Heads\\n\\nA head is signed with Ed25519.\\n' | "
            "substrate ingest - --source heads.md --domain handbook",
            "takes in a text; prints the document's name",
        ),
        Example("substrate search 'how are heads signed' --domain handbook --type chunk", "finds the passage"),
        Example("%%memory ingest --source heads.md --domain handbook\n# Heads\n\nA head is signed with Ed25519.\n"),
    ),
    (
        argument("paths", "files and folders", metavar="PATH", nargs="*", default=(), complete="file"),
        option("--domain", metavar="DOMAIN", help="the domain they belong to (default: main)", complete="domain"),
        option("--title", metavar="TEXT", help="the title of a single document; else the file has it"),
        option("--source", metavar="NAME", help="in front of each path, in place of the folder's own name"),
        option("--root", metavar="FOLDER", help="refuse paths that are not below this folder", complete="folder"),
        flag("--no-entities", help="do not look for names in the texts; it takes half the time"),
        flag("--prune", help="take documents out of use whose files are gone from the folder"),
        flag("--dry-run", help="compare, and change nothing"),
        option("--actor", metavar="TEXT", help="who takes them in"),
        option("--session", metavar="TEXT", help="in which session"),
        flag("--allow-secrets", help="save what looks like a credential, too"),
        flag("--watch", help="go on, and take in what changes in the folder, until Ctrl-C", face=Face.CLI),
        option(
            "--every",
            metavar="SECONDS",
            read=seconds,
            default=2.0,
            help="how often --watch looks at the folder (default: 2)",
            face=Face.CLI,
        ),
    ),
    about_notebook="In a cell, what stands below the line is taken in as a text.",
    about_cli="With - standard input is taken in as a text. The store is made if there is none. With --watch, the "
    "document of a deleted file is taken out of use; if the folder is missing, unreadable or suddenly empty, nothing "
    "is. Exit code 12: some files were not taken.",
)

DOCUMENT = Command(
    "document",
    "read",
    "Print a document as it was ingested.",
    "The text of the file, byte for byte; of HTML, notebooks and PDF the text that was found in them. It is checked "
    "against the digest of what was ingested. What a document is called, which tells: by its source or its title.",
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
    about_cli="Exit code 12: chunks of it were forgotten, and the rest is printed.",
)
