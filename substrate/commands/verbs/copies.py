"""Carry a store elsewhere and back: export, import, backup, restore."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import ORIGINS, OUTPUT
from substrate.commands.readers import column

__all__ = ["BACKUP", "EXPORT", "IMPORT", "RESTORE"]

EXPORT = Command(
    "export",
    "care",
    "Write the store as JSON Lines.",
    "Every version and every edge statement in order, by name, as import and other programs read it. --full writes "
    "what a clone needs that can be verified entry by entry, salts included. A file must not be there yet.",
    (
        Example("substrate export memory.jsonl", "into a file"),
        Example("substrate export | wc -l", "to standard output"),
        Example("substrate export --full clone.jsonl", "all that a clone needs"),
    ),
    (
        argument("file", "where to; - is standard output (the default)", nargs="?", default="-", complete="file"),
        flag("--full", help="with all that a verifiable clone needs"),
        OUTPUT,
    ),
    only=Face.CLI,
)

IMPORT = Command(
    "import",
    "care",
    "Read an export, a table, a folder of notes or another system's file into the store.",
    "The kind of file is told by looking at it; --from says it where that cannot be told. An export of substrate is "
    "recorded after what is there, with new seqs and new times of recording. A row of a CSV, TSV or JSON Lines file "
    "becomes an atom: columns called name, value, tags and so on are its fields, --column maps others, and the rest "
    "stands in attrs. The official memory server's file gives entities, notes and edges; a signed export of "
    "HydraMem its documents, entities and relations, checked with --secret-file. Documents and folders are taken in "
    "as ingest does. The same file again changes nothing. With --full, a full export becomes a new store, "
    "entry by entry the same as the one it came from; --store says where, and there must be none yet.",
    (
        Example(
            "substrate import memory.jsonl --store second", "records it in another store, which is made if need be"
        ),
        Example("substrate import clone.jsonl --full --store twin", "makes a verifiable clone"),
        Example(
            "printf 'key,remark,owner\\nrefunds,Up to 50 EUR nobody is asked,Ana\\n' > rules.csv",
            "a table of one row",
        ),
        Example(
            "substrate import rules.csv --column value=remark --type constraint --dry-run",
            "what it would record; without --dry-run it records v1.constraint.refunds",
        ),
    ),
    (
        argument("file", "a file or a folder; - is an export on standard input", complete="file"),
        option(
            "--from",
            metavar="KIND",
            choices=("substrate", "server-memory", "hydramem", "csv", "tsv", "jsonl", "documents"),
            help="which kind of file it is; default: told by looking at it",
        ),
        option(
            "--column",
            metavar="FIELD=COLUMN",
            repeatable=True,
            read=column,
            help="of rows: the column that is this field, as in value=remark",
        ),
        option("--type", metavar="TYPE", help="of rows: the type of atoms that do not say theirs (default: note)"),
        option(
            "--domain", metavar="DOMAIN", help="the domain of entities and documents (default: main)", complete="domain"
        ),
        option(
            "--origin",
            metavar="WHO",
            choices=ORIGINS,
            help="whose word the file is; ingested: of others, so that it opens no session",
        ),
        option("--actor", metavar="TEXT", help="who imports it"),
        option(
            "--secret-file",
            metavar="FILE",
            help="of a signed export of HydraMem: the file with the secret it is signed with",
            complete="file",
        ),
        flag("--unverified", help="of such an export: take it without checking its signature"),
        flag("--full", help="a full export, into a new store"),
        flag("--partial", help="of an export: record the lines that are valid, and report the others"),
        flag("--dry-run", help="compare, and change nothing"),
        flag("--allow-secrets", help="record what looks like a credential, too"),
    ),
    about_cli="Exit code 12: some lines or files were not taken; each is named with the reason.",
    only=Face.CLI,
)

BACKUP = Command(
    "backup",
    "care",
    "Copy the store into a new folder, while others write.",
    "The copy is of one moment. The signing key is not in it: back that up too, and apart from it.",
    (
        Example("substrate backup copy-1", "into the new folder copy-1"),
        Example("substrate backup copy-2 --json", "the same, with the pin of that moment"),
    ),
    (argument("target", "a folder that is not there yet", complete="folder"),),
    only=Face.CLI,
)

RESTORE = Command(
    "restore",
    "care",
    "Bring a backup back, into the folder that --store says.",
    "The folder must not be there yet, or be empty: nothing is overwritten. It is the one way to go back in time. If "
    "the store went on after the backup, is still there, or its key is not here, the log goes on under a new origin "
    "and a new key, from an entry that says what was given up, so that nobody mistakes the one for the other.",
    (
        Example("substrate restore copy-1 --store back", "into the folder back"),
        Example("substrate list --store back", "what it holds"),
    ),
    (argument("backup", "the folder that backup made", complete="folder"),),
    only=Face.CLI,
)
