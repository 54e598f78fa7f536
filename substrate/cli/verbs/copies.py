"""The verbs that carry a store elsewhere and back: export, import, backup, restore."""

from __future__ import annotations

import dataclasses
import io
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TextIO, cast

import substrate
from substrate.cli.answer import Answer, Facts
from substrate.cli.output import Output
from substrate.cli.stores import is_new_store, reading, store_path, writing
from substrate.cli.verbs.documents import take_in
from substrate.cli.verbs.models import waiting_hints
from substrate.cli.verbs.save import saved_answer
from substrate.commands.files import read_text
from substrate.errors import InputError, ItemsRefused
from substrate.files import expanded
from substrate.text.quote import as_command, as_word
from substrate.text.visible import as_json, visible

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.saved import Imported

__all__ = ["backup", "export", "import_lines", "restore"]

_SOME = 3
"""Names that are shown of many."""
_ALWAYS = ("recorded", "confirmed")
"""What an import counts also if there is none. Of the rest, what is empty is left out."""


def export(given: Namespace, output: Output) -> Answer:
    """Write the store as JSON Lines."""
    given.file = given.output or given.file
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
    """Read a file of this or another system into the store, or a full export into a new one."""
    if given.full:
        return _clone(given, output)
    file, said = _source(given.file), getattr(given, "from")  # the name of the option is a word of Python
    if isinstance(file, Path):
        from substrate.moving.kind import DOCUMENTS, FULL, kind_of  # noqa: PLC0415 - what reads files is for this verb

        kind = said or kind_of(file)
        if kind == DOCUMENTS:
            return _ingest(given, output)
        if kind == FULL:
            raise InputError("this is a full export, which makes a new store: give --full")
        options = _options(given)
        return _imported(given, output, file, {"from_kind": kind, **options})
    if said not in (None, "substrate"):
        raise InputError("standard input is read as an export of substrate: give a file for other kinds")
    options = {word: getattr(given, word) for word in ("partial", "allow_secrets", "dry_run", "older")}
    return _imported(given, output, file, options)


def _imported(given: Namespace, output: Output, file: Path | io.StringIO, options: dict[str, Any]) -> Answer:
    from substrate.moving import move  # noqa: PLC0415 - what reads files is for this verb

    try:
        if is_new_store(given):
            first = {key: value for key, value in options.items() if key not in ("from_kind", "origin", "actor")}
            if isinstance(file, Path):
                move.refuse_first_import(file, options["from_kind"], **first)
            else:
                move.refuse_first_lines(file, **first)
                file.seek(0)
        with _target(given) as memory, output.progress("importing") as progress:
            if isinstance(file, Path):
                imported = memory.import_file(file, **options, progress=progress)
            else:
                imported = memory.import_lines(file, **options, progress=progress)
            return _answer(imported, () if imported.dry_run else waiting_hints(memory))
    except ItemsRefused as error:
        # The message names the first few of them; they all stand in `refused`.
        raise ItemsRefused(f"{error.before}; refused: {len(error.refused)}", error.refused) from None


@contextmanager
def _target(given: Namespace) -> Iterator[Memory]:
    """The store to import into. A dry run where there is none compares with an empty one, which is gone after it."""
    if not (given.dry_run and is_new_store(given)):
        with writing(given, create=True) as memory:
            yield memory
        return
    with (
        TemporaryDirectory() as folder,
        substrate.open(Path(folder) / "store", home=Path(folder) / "home", model="none", background=False) as memory,
    ):
        yield memory


def _clone(given: Namespace, output: Output) -> Answer:
    for word in ("partial", "allow_secrets", "dry_run", "older", "from", "column"):
        if getattr(given, word):
            raise InputError("--full copies a whole log: it takes no other option than --store")
    path = store_path(given)
    with output.progress("cloning") as progress:
        head = substrate.clone(_source(given.file), path, progress=progress).head
    document = {"store": str(path), "origin": head.origin, "entries": head.size}
    hints = ("this is the same log as the original: write to only one of the two. The other becomes read-only",)
    return Answer(document, (Facts([("cloned", head), ("store", path)], "good"),), hints, is_report=True)


def _ingest(given: Namespace, output: Output) -> Answer:
    """A folder or a document: the verb ingest takes it in, with the options that it shares."""
    if given.column or given.type is not None:
        raise InputError("--column and --type are of rows: documents have none")
    options = {word: getattr(given, word) for word in ("domain", "actor", "allow_secrets", "dry_run")}
    return take_in(given, output, [expanded(given.file)], options)


def _options(given: Namespace) -> dict[str, Any]:
    columns = dict(given.column) if given.column else None
    words = ("domain", "type", "origin", "actor", "allow_secrets", "dry_run", "unverified", "older")
    secret = None if given.secret_file is None else read_text(given.secret_file, "the secret").rstrip("\r\n")
    said = {word: getattr(given, word) for word in words}
    return {**said, "columns": columns, "partial": given.partial or None, "secret": secret}


def _answer(imported: Imported, waiting: tuple[str, ...]) -> Answer:
    counts = {
        "recorded": imported.recorded,
        "confirmed": imported.confirmed,
        "tombstoned": imported.tombstoned,
        "edges": imported.edges,
        "unedged": imported.unedged,
        "dangling": imported.dangling,
    }
    rows: list[tuple[str, object]] = [(what, len(names)) for what, names in counts.items() if names or what in _ALWAYS]
    if imported.changed:
        rows.insert(1, ("of these changed", len(imported.changed)))
    if imported.spaces:
        rows.insert(2, ("only in spaces", len(imported.spaces)))
    if imported.older:
        rows.append(("left out", len(imported.older)))
    answer = saved_answer(imported, rows)
    hints = [*answer.hints, *waiting]
    if imported.changed:
        some = ", ".join(as_word(name) for name in imported.changed[:_SOME])
        hints.append(f"these names were in use before: the import gives them a new version: {some}")
    if imported.forgotten:
        some, left = ", ".join(map(as_word, imported.forgotten[:_SOME])), len(imported.forgotten) - _SOME
        rest = f" and {left:,} more" if left > 0 else ""
        again = f"substrate forget {as_word(imported.forgotten[0])}"
        hints.append(f"forgotten before, and brought back by this import: {some}{rest}. To erase one again: {again}")
    if gone := [name for name in imported.tombstoned if name not in imported.recorded]:
        more = f" and {len(gone) - _SOME:,} more" if len(gone) > _SOME else ""
        hints.append(f"taken out of use by this import: {', '.join(map(as_word, gone[:_SOME]))}{more}")
    if imported.older:
        count = "1 atom or edge" if len(imported.older) == 1 else f"{len(imported.older):,} atoms or edges"
        hints.append(
            f"the store has something else of {count} in this file, recorded later: these lines were left out. "
            "To put them back: repeat with --older"
        )
    if imported.shared_names:
        own, given = next(iter(imported.shared_names.items()))
        count = "1 row has" if len(imported.shared_names) == 1 else f"{len(imported.shared_names):,} rows have"
        hints.append(
            f"{count} the name of an earlier row and another text. Such a row is an atom of its own: a row of "
            f"{as_word(given)} became {as_word(own)}. To name rows by another column: --column name=COLUMN"
        )
    if imported.dry_run:
        hints.append("Nothing was written. Repeat without --dry-run to import the above.")
    return dataclasses.replace(answer, hints=tuple(hints))


def _source(file: str) -> Path | io.StringIO:
    return io.StringIO(read_text("-", "the files to import")) if file == "-" else expanded(file)


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
        document |= {"before": restored.before, "new_key": True}
        facts += [("before", restored.before), ("key", "new: the key of the backup no longer signs")]
        hints.append(
            "the store has a new origin and a new key. Older keys and pins do not verify its new proofs. Give "
            f"your auditors the new key: {as_command('substrate', 'key', '--store', str(path))}"
        )
    if (given_up := restored.abandoned) is not None:
        document["abandoned"] = {"origin": given_up.origin, "size": given_up.size, "root": given_up.root.hex()}
        facts.append(("given up", f"{given_up.origin} at size {given_up.size}, root {given_up.root.hex()[:16]}"))
    return Answer(document, (Facts(facts, "good"),), tuple(hints), is_report=True)
