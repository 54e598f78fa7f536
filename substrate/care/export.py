"""The verb export: a store as JSON Lines. Plain: what was said, in order, by name.

    {"substrate":1,"kind":"plain","entries":n,"counted":true}
    {"kind":"put","recorded_at":...,"name":...,"value":...}    and so on: put, tombstone, edge, unedge
    {"kind":"tombstone","recorded_at":...,"name":...,"took_back":[...]}    an undo left nothing; what was recorded then
    {"substrate":1,"kind":"plain","end":<number of lines before>}

"counted" says that the last line will come: so an import notices that lines are missing. Exports of earlier versions
have neither; their importer passes over both. Full: what a verifiable clone needs, see `log/copies/clone.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO
from uuid import UUID

from substrate.atoms.bodies import replay_checked
from substrate.atoms.links import is_hidden_name
from substrate.atoms.moments import last_seq
from substrate.atoms.resolve import name_of
from substrate.atoms.validity import all_taken_back
from substrate.codec import read_body
from substrate.errors import Denied, InputError
from substrate.files import expanded, new_file, users_file
from substrate.kv.api import ReadTransaction
from substrate.log.copies.clone import export_full
from substrate.log.log import Log
from substrate.log.replay import BATCH, Logged
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.result import iso
from substrate.schema import RENAMED, UNDOES
from substrate.values.progress import Progress
from substrate.values.times import from_microseconds
from substrate.veil import bare, hidden_in

__all__ = ["export", "line_of"]

_TIMES = ("occurred_at", "valid_from", "valid_to")
_WORDS = {Kind.PUT: "put", Kind.TOMBSTONE: "tombstone", Kind.EDGE: "edge", Kind.UNEDGE: "unedge"}


def export(log: Log, to: str | Path | TextIO, *, full: bool, progress: Progress | None) -> int:
    """See `Memory.export`."""
    count = 0
    with _writer(to) as write:

        def write_line(line: dict[str, Json]) -> None:
            nonlocal count
            write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1

        if full:
            with log.snapshot() as transaction:
                if hidden_in(transaction) is not None:
                    raise Denied(
                        "a full export holds all there is, and this client may not see all of it: ask a person"
                    )
                export_full(transaction, write_line, progress)
        else:
            _export_plain(log, write_line, progress)
            write_line({"substrate": 1, "kind": "plain", "end": count})
    return count


@contextmanager
def _writer(to: str | Path | TextIO) -> Iterator[Callable[[str], object]]:
    if not isinstance(to, str | Path):
        yield to.write
        return
    path = expanded(to)
    with users_file(path):
        try:
            # It holds everything, a full one even the salts: it is nobody else's to read.
            with new_file(path, 0o600) as file:
                yield file.write
        except FileExistsError:
            raise InputError(f"{path} is there already: give another name, or move it away") from None


def _export_plain(log: Log, write_line: Callable[[dict[str, Json]], None], progress: Progress | None) -> None:
    """A batch at a time, each from a snapshot of its own: whoever reads the lines slowly keeps nobody waiting.

    The log only grows, so the batches fit together; what is forgotten in between is left out. So are versions that an
    undo took back: an import would take them for what held. The end of an atom or edge of which an undo left nothing
    names when they were recorded, for a store that got them by an export from before the undo.

    StoreDamaged if an entry does not commit to its body: an import would make what was put there provable.
    """
    with log.snapshot() as transaction:
        size = last_seq(transaction) + 1
        undone = all_taken_back(bare(transaction))
    write_line({"substrate": 1, "kind": "plain", "entries": size, "counted": True})
    in_use: set[bytes] = set()
    took_back: dict[bytes, list[Json]] = {}
    for start in range(0, size, BATCH):
        with log.snapshot() as transaction:
            entries = replay_checked(transaction, start, min(start + BATCH, size))
            lines = []
            for entry in entries:
                if entry.kind not in _WORDS or entry.body is None:
                    continue
                if entry.seq in undone:
                    took_back.setdefault(entry.subject, []).append(iso(from_microseconds(entry.time)))
                elif _says_something(entry, in_use):
                    lines.append(line_of(transaction, entry, entry.body))
                elif entry.subject in took_back:
                    line = line_of(transaction, entry, entry.body)
                    lines.append({**line, "took_back": took_back.pop(entry.subject)})  # each is named once
        for line in lines:
            write_line(line)
        if progress is not None:
            progress(min(start + BATCH, size), size)


def _says_something(entry: Logged, in_use: set[bytes]) -> bool:
    """Whether it is no tombstone or unedge of what is out of use in the lines so far, since the rest was forgotten."""
    if entry.kind in (Kind.PUT, Kind.EDGE):
        in_use.add(entry.subject)
        return True
    known = entry.subject in in_use
    in_use.discard(entry.subject)
    return known


def line_of(transaction: ReadTransaction, entry: Logged, body: bytes) -> dict[str, Json]:
    """What an entry says, as a person would: names for ids, times as text. Of one that is damaged, just that."""
    recorded_at = iso(from_microseconds(entry.time))
    members, damage = read_body(entry.kind, body)
    if damage is not None:
        return {"kind": "damaged", "recorded_at": recorded_at, "seq": entry.seq, "reason": damage}
    line: dict[str, Json] = {"kind": _WORDS[entry.kind], "recorded_at": recorded_at}
    for field, value in members.items():
        if field in (RENAMED, UNDOES):
            continue  # what was learnt does not go along, and an import is no undo
        if field == "cited" and is_hidden_name(transaction, value):
            continue
        if field in _TIMES and isinstance(value, int):
            line[field] = iso(from_microseconds(value))
        elif (field in ("source", "target") and entry.kind in (Kind.EDGE, Kind.UNEDGE)) or field == "parent":
            line[field] = _named(transaction, str(value))
        elif field == "windows" and isinstance(value, list):
            line[field] = [_window(pair) for pair in value]
        else:
            line[field] = value
    return line


def _named(transaction: ReadTransaction, subject: str) -> str:
    return name_of(transaction, bytes.fromhex(subject)) or str(UUID(subject))


def _window(pair: Json) -> Json:
    ends = zip(("start", "end"), pair if isinstance(pair, list) else (), strict=False)
    return {word: iso(from_microseconds(end)) for word, end in ends if isinstance(end, int)}
