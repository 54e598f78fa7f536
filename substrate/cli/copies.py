"""The verbs that carry a store elsewhere and back: export, import, backup, restore."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from pathlib import Path
from shlex import quote
from typing import TextIO, cast

import substrate
from substrate.cli.answer import Answer, Facts
from substrate.cli.escape import in_json
from substrate.cli.inputs import read_text
from substrate.cli.output import Output
from substrate.cli.save import saved_answer
from substrate.cli.stores import reading, store_path, writing
from substrate.cli.verb import Example, Verb, argument, flag
from substrate.errors import InputError, ItemsRefused
from substrate.kv.translate import users_file

__all__ = ["BACKUP", "EXPORT", "IMPORT", "RESTORE"]

_FIRST = 1000
"""Characters of a first line that tell what a file is."""


def _export(given: Namespace, output: Output) -> Answer:
    if given.file == "-":
        if output.json:
            raise InputError("an export is JSON Lines already: --json needs a file to export to")
        with reading(given) as memory:
            memory.export(cast("TextIO", _Shown()) if output.on_terminal else sys.stdout, full=given.full)
        return Answer()
    with reading(given) as memory, output.progress("exporting") as progress:
        lines = memory.export(Path(given.file).expanduser(), full=given.full, progress=progress)
    hints = ("it holds the salts of every entry: keep it as safe as the store",) if given.full else ()
    document = {"file": given.file, "lines": lines, "full": given.full}
    return Answer(
        document, (Facts([("exported", f"{lines:,} lines"), ("file", given.file)], "good"),), hints, is_report=True
    )


class _Shown(io.TextIOBase):
    """Standard output that is a terminal: the lines are the same JSON, but do nothing else than show."""

    def write(self, text: str) -> int:
        sys.stdout.write(in_json(text))
        return len(text)


EXPORT = Verb(
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
    _export,
)


def _import(given: Namespace, output: Output) -> Answer:
    if given.full and (given.partial or given.allow_secrets):
        raise InputError("--full takes a log as it is: --partial and --allow-secrets mean nothing with it")
    lines = _source(given.file)
    if given.full:
        path = store_path(given)
        with output.progress("cloning") as progress:
            head = substrate.clone(lines, path, progress=progress).head
        document = {"store": str(path), "origin": head.origin, "entries": head.size}
        hints = (
            "it is the same log as the one it came from: write to one of the two only, or the other is rolled back",
        )
        return Answer(document, (Facts([("cloned", head), ("store", path)], "good"),), hints, is_report=True)
    _refuse_full(lines)
    with writing(given, create=True) as memory, output.progress("importing") as progress:
        try:
            saved = memory.import_lines(
                lines, partial=given.partial, allow_secrets=given.allow_secrets, progress=progress
            )
        except ItemsRefused as error:
            # The message names the first few, and last how far it got; they all stand in `refused`.
            how_far = str(error).rpartition("; ")[2]
            raise ItemsRefused(f"{how_far}; refused: {len(error.refused)}", error.refused) from None
    counts = {
        "recorded": saved.recorded,
        "confirmed": saved.confirmed,
        "tombstoned": saved.tombstoned,
        "edges": saved.edges,
        "unedged": saved.unedged,
        "dangling": saved.dangling,
    }
    return saved_answer(saved, [(what, len(names)) for what, names in counts.items()])


def _refuse_full(lines: Path | io.StringIO) -> None:
    """InputError, before a store is made for it, if there is nothing to import plainly."""
    if isinstance(lines, io.StringIO):
        first = lines.readline(_FIRST)
        lines.seek(0)
    else:
        with users_file(lines), lines.open(encoding="utf-8", errors="replace") as file:
            first = file.readline(_FIRST)
    if '"substrate"' in first and '"full"' in first:
        raise InputError("this is a full export, which makes a new store: give --full")


def _source(file: str) -> Path | io.StringIO:
    return io.StringIO(read_text("-", "what to import")) if file == "-" else Path(file).expanduser()


IMPORT = Verb(
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
        flag("--partial", help="record the lines that are valid, and tell which were not"),
        flag("--allow-secrets", help="record what looks like a credential, too"),
    ),
    _import,
)


def _backup(given: Namespace, output: Output) -> Answer:
    with reading(given) as memory, output.progress("copying") as progress:
        pin = memory.backup(Path(given.target).expanduser(), progress)
    document = {"backup": given.target, "origin": pin.head.origin, "entries": pin.head.size, "pin": str(pin)}
    facts = Facts([("backup", given.target), ("holds", pin.head)], "good")
    hints = (f"the signing key is not in it; to bring it back: substrate restore {quote(given.target)} --store PATH",)
    return Answer(document, (facts,), hints, is_report=True)


BACKUP = Verb(
    "backup",
    "care",
    "Copy the store into a new folder, while others write.",
    "The copy is of one moment. The signing key is not in it: back that up too, and apart from it.",
    (
        Example("substrate backup copy-1", "into the new folder copy-1"),
        Example("substrate backup copy-2 --json", "the same, with the pin of that moment"),
    ),
    (argument("target", "a folder that is not there yet", complete="folder"),),
    _backup,
)


def _restore(given: Namespace, output: Output) -> Answer:
    path = store_path(given)
    with output.progress("restoring"):
        restored = substrate.restore(Path(given.backup).expanduser(), path)
    document: dict[str, object] = {"store": str(path), "origin": restored.origin, "key": str(restored.key)}
    facts: list[tuple[str, object]] = [("restored", path), ("origin", restored.origin)]
    hints = []
    if (given_up := restored.abandoned) is not None:
        document["abandoned"] = {"origin": given_up.origin, "size": given_up.size, "root": given_up.root.hex()}
        facts.append(("given up", f"{given_up.origin} at size {given_up.size}, root {given_up.root.hex()[:16]}"))
        hints.append(
            "the log goes on under a new origin and a new key: give whoever checks proofs the new key or a new pin"
        )
    return Answer(document, (Facts(facts, "good"),), tuple(hints), is_report=True)


RESTORE = Verb(
    "restore",
    "care",
    "Bring a backup back, into the folder that --store says.",
    "The folder must not be there yet, or be empty: nothing is overwritten. It is the one way to go back in time. If "
    "the store went on after the backup, or its key is not here, the log goes on under a new origin and a new key, "
    "from an entry that says what was given up, so that nobody mistakes the one for the other.",
    (
        Example("substrate restore copy-1 --store back", "into the folder back"),
        Example("substrate list --store back", "what it holds"),
    ),
    (argument("backup", "the folder that backup made", complete="folder"),),
    _restore,
)
