"""Carry a store elsewhere and back: export, import, backup, restore."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag

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
    ),
    only=Face.CLI,
)

IMPORT = Command(
    "import",
    "care",
    "Read an export into the store.",
    "A plain export is recorded like any other atoms and edges, after what is there: with new seqs and new times of "
    "recording. With --full, a full export becomes a new store, entry by entry the same as the one it came from; "
    "--store says where, and there must be none yet.",
    (
        Example(
            "substrate import memory.jsonl --store second", "records it in another store, which is made if need be"
        ),
        Example("substrate import clone.jsonl --full --store twin", "makes a verifiable clone"),
    ),
    (
        argument("file", "an export, or - for standard input", complete="file"),
        flag("--full", help="a full export, into a new store"),
        flag("--partial", help="record the lines that are valid, and report the others"),
        flag("--allow-secrets", help="record what looks like a credential, too"),
    ),
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
