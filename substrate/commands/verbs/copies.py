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
    "One line for each version and each edge, in order, for import and other programs. --full writes everything "
    "that a verifiable clone needs, salts included. An existing file is not overwritten.",
    (
        Example("substrate export memory.jsonl", "into a file"),
        Example("substrate export | wc -l", "to standard output"),
        Example("substrate export --full clone.jsonl", "everything that a clone needs"),
    ),
    (
        argument(
            "file", "the file to write; - is standard output (the default)", nargs="?", default="-", complete="file"
        ),
        flag("--full", help="write everything that a verifiable clone needs"),
        OUTPUT,
    ),
    only=Face.CLI,
)

IMPORT = Command(
    "import",
    "care",
    "Read an export, a table, a folder of notes or another system's file into the store.",
    "import detects the kind of the file; --from sets it. An export of substrate is added with new entry numbers "
    "and new times of recording. Each row of a CSV, TSV or JSON Lines file becomes an atom. Columns called name, "
    "value, tags and so on are its fields. --column maps other columns, and the rest goes into attrs. A file of "
    "the official memory server gives entities, notes and edges. A signed export of HydraMem gives documents, "
    "entities and relations; --secret-file checks its signature. A plain .gai file of Graphnosis gives documents "
    "and edges. Documents and folders work as in ingest. The same file again records only lines "
    "that changed. A line is left out if the store has something else that was recorded later; --older records it. "
    "With --full, a full export becomes a new store with the same entries. --store names its folder, which must be "
    "new.",
    (
        Example(
            "substrate import memory.jsonl --store second", "adds it to another store, and creates that store if needed"
        ),
        Example("substrate import clone.jsonl --full --store twin", "makes a verifiable clone"),
        Example(
            "printf 'key,remark,owner\\nrefunds,Up to 50 EUR nobody is asked,Ana\\n' > rules.csv",
            "a table of one row",
        ),
        Example(
            "substrate import rules.csv --column value=remark --type constraint --dry-run",
            "shows what it would record; without --dry-run it records v1.constraint.refunds",
        ),
    ),
    (
        argument("file", "a file or a folder; - is an export on standard input", complete="file"),
        option(
            "--from",
            metavar="KIND",
            choices=(
                "substrate",
                "server-memory",
                "hydramem",
                "cortexgraph",
                "graphnosis",
                "csv",
                "tsv",
                "jsonl",
                "documents",
            ),
            help="the kind of the file (default: detected)",
        ),
        option(
            "--column",
            metavar="FIELD=COLUMN",
            repeatable=True,
            read=column,
            help="for rows: the column for a field, such as value=remark",
        ),
        option("--type", metavar="TYPE", help="for rows: the type of atoms without one (default: note)"),
        option(
            "--domain", metavar="DOMAIN", help="the domain of entities and documents (default: main)", complete="domain"
        ),
        option(
            "--origin",
            metavar="WHO",
            choices=ORIGINS,
            help="user, agent or ingested (text by others: never opens a session)",
        ),
        option("--actor", metavar="TEXT", help="the person or agent that imports it"),
        option(
            "--secret-file",
            metavar="FILE",
            help="for a signed export of HydraMem or Graphnosis: the file with its secret",
            complete="file",
        ),
        flag("--unverified", help="for such an export: do not check the signature"),
        flag("--full", help="a full export, into a new store"),
        flag("--partial", help="of an export: record the valid lines and report the others"),
        flag("--older", help="also record lines of which the store has something later"),
        flag("--dry-run", help="compare and change nothing"),
        flag("--allow-secrets", help="also record texts that look like credentials"),
    ),
    about_cli="Exit code 12: some lines or files were refused; each is listed with the reason.",
    only=Face.CLI,
    as_agent=False,
)

BACKUP = Command(
    "backup",
    "care",
    "Copy the store into a new folder, while other processes write.",
    "The copy shows one moment. It does not hold the signing key: back up the key separately.",
    (
        Example("substrate backup copy-1", "into the new folder copy-1"),
        Example("substrate backup copy-2 --json", "the same, with the pin of that moment"),
    ),
    (argument("target", "a folder that does not exist yet", complete="folder"),),
    only=Face.CLI,
    as_agent=False,
)

RESTORE = Command(
    "restore",
    "care",
    "Restore a backup into the folder that --store names.",
    "The folder must be new or empty: nothing is overwritten. Normally the restored store keeps its key. It gets "
    "a new origin and a new key if the old store still exists, grew after the backup, or its key is missing. "
    "Then the log records the change, and auditors need the new key.",
    (
        Example("substrate restore copy-1 --store back", "into the folder back"),
        Example("substrate list --store back", "lists its atoms"),
    ),
    (argument("backup", "the folder that backup made", complete="folder"),),
    only=Face.CLI,
    as_agent=False,
)
