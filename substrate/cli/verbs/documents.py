"""The verbs of documents: ingest, document."""

from __future__ import annotations

import signal
import threading
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from substrate.cli.answer import Answer, Facts, Raw, Sheet
from substrate.cli.exits import Exit
from substrate.cli.output import Output
from substrate.cli.spelling import WORDS
from substrate.cli.stores import is_new_store, reading, writing
from substrate.cli.verbs.models import waiting_hints
from substrate.commands.files import read_text_exactly, write_text
from substrate.commands.verbs.documents import ingest_options
from substrate.errors import InputError
from substrate.messages import render
from substrate.result import iso
from substrate.text.quote import in_quotes

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.documents import Ingested

__all__ = ["document", "ingest", "take_in"]

_NAMED = 100
"""Documents and files that are printed; --json has all."""
_TABLES = (".csv", ".tsv", ".jsonl")
"""How files end that are imported, and are no documents."""
_EXAMPLES = 3
"""Links that lead to no document, and are printed."""


def ingest(given: Namespace, output: Output) -> Answer:
    """Take in files, folders and standard input; with --watch, what changes in a folder."""
    if not given.paths or (given.watch and (len(given.paths) > 1 or given.paths[0] == "-")):
        raise InputError("give a file or a folder to ingest, or - for standard input; with --watch one folder")
    if not all(given.paths):
        raise InputError("a path is empty: give a file or a folder")
    if given.watch and (given.title is not None or given.dry_run):
        raise InputError("--title and --dry-run do not work with --watch: leave them out")
    taken = [read_text_exactly("-", "the text") if path == "-" else Path(path) for path in given.paths]
    options = ingest_options(given)
    if not given.watch:
        return take_in(given, output, taken, options)
    _refuse_first(given, taken, options)
    with writing(given, create=True) as memory:
        return _watch(memory, given, output)


def take_in(given: Namespace, output: Output, taken: Sequence[Path | str], options: Mapping[str, Any]) -> Answer:
    """Take in files, folders and texts, with these options of an ingest."""
    _refuse_first(given, taken, options)
    results = []
    with writing(given, create=True) as memory:
        for what in taken:
            with output.progress("ingesting") as progress:
                results.append(memory.ingest(what, **options, progress=progress))
        answer = _answer(results)
        return replace(answer, hints=(*answer.hints, *waiting_hints(memory)))


def _refuse_first(given: Namespace, taken: Sequence[Path | str], options: Mapping[str, Any]) -> None:
    if is_new_store(given):
        from substrate.documents.ingest import refuse_first_ingest  # noqa: PLC0415 - few ingests are the first

        for what in taken:
            refuse_first_ingest(what, **options)


def _watch(memory: Memory, given: Namespace, output: Output) -> Answer:
    """Show what each look comes to, until Ctrl-C: after the look that goes on then, or at the second one at once."""
    words = ("domain", "source", "root", "actor", "session", "allow_secrets", "every")
    options = {word: getattr(given, word) for word in words}
    stop = threading.Event()
    looks = memory.follow(Path(given.paths[0]), **options, entities=not given.no_entities, stop=stop)
    output.hint("watching: Ctrl-C ends it")
    seen = []
    with suppress(KeyboardInterrupt), _interrupted(stop):
        for ingested in looks:
            seen.append(ingested)
            output.show(_answer([ingested]))
    failed = any(ingested.failed for ingested in seen)
    return Answer(hints=("stopped watching",), exit=Exit.PARTIAL if failed else Exit.OK)


@contextmanager
def _interrupted(stop: threading.Event) -> Iterator[None]:
    """In the block the first Ctrl-C sets the event. As an exception it would be lost if it came in a finalizer."""

    def first(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        stop.set()

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _answer(results: Sequence[Ingested]) -> Answer:
    """What became of each document, and the sums."""
    items = [item for result in results for item in result]
    failed = [one for result in results for one in result.failed]
    new = [item for item in items if item.status != "kept"]
    rows: list[tuple[str, object]] = [
        ("links changed" if item.only_links else item.status, f"{item.name} {_shown(item.source)}")
        for item in new[:_NAMED]
    ]
    rows += [("more documents", len(new) - _NAMED)] if len(new) > _NAMED else []
    rows += [("not taken", f"{_shown(one.item)}: {render(one.reason, WORDS)}") for one in failed[:_NAMED]]
    rows += [("more not taken", len(failed) - _NAMED)] if len(failed) > _NAMED else []
    for result in results:
        gone = zip(result.missing[:_NAMED], result.missing_sources, strict=False)
        rows += [("file is gone", f"{name} {_shown(source)}") for name, source in gone]
    rows += [("note", result.note) for result in results if result.note]
    counts = {
        "documents": len(items),
        "chunks added": sum(result.added for result in results),
        "chunks changed": sum(result.changed for result in results),
        "chunks kept": sum(result.kept for result in results),
        "chunks tombstoned": sum(result.tombstoned for result in results),
        "entries recorded": sum(result.recorded for result in results),
    }
    linked, unresolved = (sum(getattr(result, word) for result in results) for word in ("linked", "unresolved"))
    if linked or unresolved:
        counts |= {"links stated": linked, "links that lead to no document": unresolved}
    back = [item for item in items if item.was_forgotten]
    rows += [("forgotten before, and new again", _shown(item.source or item.title)) for item in back[:_NAMED]]
    counts |= {"documents that were forgotten before": len(back)} if back else {}
    dropped = [f"{_shown(item.source)}: {in_quotes(', '.join(item.dropped))}" for item in new if item.dropped]
    rows += [("no room for fields of", told) for told in dropped[:_NAMED]]
    unread = [f"{_shown(item.source or item.title)}: {item.unread}" for item in new if item.unread]
    rows += [("front matter is not read", told) for told in unread[:_NAMED]]
    is_dry = any(result.dry_run for result in results)
    if items or not rows:
        rows += [(f"would be: {word}" if is_dry else word, count) for word, count in counts.items()]
    broken = [f"{_shown(link)} in {_shown(item.source)}" for item in new for link in item.broken_links]
    rows += [("leads to no document", told) for told in broken[:_EXAMPLES]]
    rows += [(f"skipped, {why}", count) for result in results for why, count in result.skipped.items()]
    rows += [("of no known format", _shown(file)) for result in results for file in result.unknown]
    hints = []
    if any(result.missing for result in results):
        hints.append("file is gone: its document stays in use; --prune takes such documents out of use")
    if any(file.endswith(_TABLES) for result in results for file in result.unknown):
        hints.append("tables and exports in a folder are imported one by one: substrate import FILE")
    if failed and not is_dry:
        hints.append("refused files are not saved; all others are")
    if is_dry:
        hints.append("Nothing was written. Repeat without --dry-run to ingest the above.")
    document = results[0].to_dict() if len(results) == 1 else {"results": [result.to_dict() for result in results]}
    exit_code = Exit.PARTIAL if failed else Exit.OK
    mark = "doubt" if failed else ""
    return Answer(document, (Facts(rows, mark),), tuple(hints), is_report=True, exit=exit_code)


def _shown(source: str | None) -> str:
    return "" if source is None else in_quotes(source)


def document(given: Namespace, output: Output) -> Answer:
    """Print a document to the byte, or write it to a file."""
    with reading(given) as memory:
        found = memory.document(given.name, as_of=given.as_of)
    hints = () if found.exact else (f"{found.missing:,} of its chunks were forgotten: this is the rest",)
    exit_code = Exit.OK if found.exact else Exit.PARTIAL
    if given.output is not None:
        write_text(given.output, found.text, "the document")
        facts = Facts([("document", found.name), ("file", given.output), ("bytes", len(found.text.encode()))], "good")
        return Answer({"name": found.name, "file": given.output}, (facts,), hints, is_report=True, exit=exit_code)
    if output.on_terminal:
        facts_ = [
            ("name", found.name),
            ("source", found.source),
            ("format", found.media_type),
            ("recorded", iso(found.recorded_at)),
            ("chunks", len(found.chunks)),
            ("digest", found.digest),
        ]
        return Answer(found.to_dict(), (Sheet(found.title, found.text, facts_),), hints, exit=exit_code)
    return Answer(found.to_dict(), (Raw(found.text, exact=True),), hints, exit=exit_code)
