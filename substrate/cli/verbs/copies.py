"""The verbs that carry a store elsewhere and back: export, import, backup, restore."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from pathlib import Path
from typing import TextIO, cast

import substrate
from substrate.cli.answer import Answer, Facts
from substrate.cli.output import Output
from substrate.cli.stores import is_new_store, reading, store_path, writing
from substrate.cli.verbs.save import saved_answer
from substrate.commands.files import read_text
from substrate.errors import InputError, ItemsRefused
from substrate.files import expanded, users_file
from substrate.text.quote import as_command, as_word
from substrate.text.visible import as_json, visible

__all__ = ["backup", "export", "import_lines", "restore"]

_FIRST = 1000
"""Characters of a first line that tell what a file is."""


def export(given: Namespace, output: Output) -> Answer:
    """Write the store as JSON Lines."""
    if given.file == "-":
        if output.json:
            raise InputError("an export is JSON Lines already: --json needs a file to export to")
        with reading(given) as memory:
            memory.export(cast("TextIO", _Shown()) if output.on_terminal else sys.stdout, full=given.full)
        return Answer()
    with reading(given) as memory, output.progress("exporting") as progress:
        lines = memory.export(expanded(given.file), full=given.full, progress=progress)
    hints = ("it holds the salts of every entry: keep it as safe as the store",) if given.full else ()
    document = {"file": given.file, "lines": lines, "full": given.full}
    return Answer(
        document, (Facts([("exported", f"{lines:,} lines"), ("file", given.file)], "good"),), hints, is_report=True
    )


class _Shown(io.TextIOBase):
    """Standard output that is a terminal: the lines are the same JSON, but do nothing else than show."""

    def write(self, text: str) -> int:
        sys.stdout.write(visible(text, "\n\t", as_json))
        return len(text)


def import_lines(given: Namespace, output: Output) -> Answer:
    """Read an export into the store, or into a new one."""
    if given.full and (given.partial or given.allow_secrets):
        raise InputError("--full takes a log as it is: --partial and --allow-secrets mean nothing with it")
    lines = _source(given.file)
    if given.full:
        path = store_path(given)
        with output.progress("cloning") as progress:
            head = substrate.clone(lines, path, progress=progress).head
        document = {"store": str(path), "origin": head.origin, "entries": head.size}
        hints = (
            "it is the same log as the one it came from: write to one of the two only, or the other can only be read",
        )
        return Answer(document, (Facts([("cloned", head), ("store", path)], "good"),), hints, is_report=True)
    _refuse_full(lines)
    options = {"partial": given.partial, "allow_secrets": given.allow_secrets}
    try:
        if is_new_store(given):
            from substrate.save.import_lines import refuse_first_import  # noqa: PLC0415 - few imports are the first

            refuse_first_import(lines, **options)
            if isinstance(lines, io.StringIO):
                lines.seek(0)
        with writing(given, create=True) as memory, output.progress("importing") as progress:
            saved = memory.import_lines(lines, **options, progress=progress)
    except ItemsRefused as error:
        # The message names the first few of them; they all stand in `refused`.
        raise ItemsRefused(f"{error.before}; refused: {len(error.refused)}", error.refused) from None
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
    return io.StringIO(read_text("-", "what to import")) if file == "-" else expanded(file)


def backup(given: Namespace, output: Output) -> Answer:
    """Copy the store into a new folder."""
    with reading(given) as memory, output.progress("copying") as progress:
        pin = memory.backup(given.target, progress)
    document = {"backup": given.target, "origin": pin.head.origin, "entries": pin.head.size, "pin": str(pin)}
    facts = Facts([("backup", given.target), ("holds", pin.head)], "good")
    hints = (f"the signing key is not in it; to bring it back: substrate restore {as_word(given.target)} --store PATH",)
    return Answer(document, (facts,), hints, is_report=True)


def restore(given: Namespace, output: Output) -> Answer:
    """Bring a backup back."""
    path = store_path(given)
    with output.progress("restoring"):
        restored = substrate.restore(given.backup, path)
    document: dict[str, object] = {"store": str(path), "origin": restored.origin, "key": str(restored.key)}
    facts: list[tuple[str, object]] = [("restored", path), ("origin", restored.origin)]
    hints = []
    if restored.before is not None:
        document["before"] = restored.before
        facts.append(("before", restored.before))
        hints.append(
            "the log goes on under a new origin and a new key: older keys and pins do not verify new proofs, so give "
            f"whoever checks them the new key: {as_command('substrate', 'key', '--store', str(path))}"
        )
    if (given_up := restored.abandoned) is not None:
        document["abandoned"] = {"origin": given_up.origin, "size": given_up.size, "root": given_up.root.hex()}
        facts.append(("given up", f"{given_up.origin} at size {given_up.size}, root {given_up.root.hex()[:16]}"))
    return Answer(document, (Facts(facts, "good"),), tuple(hints), is_report=True)
