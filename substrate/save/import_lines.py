"""The verb import: a plain export, or what another program wrote like one, replayed into this store."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TextIO, TypedDict

from substrate.errors import InputError, ItemsRefused, StoreDamaged
from substrate.files import bounded_lines, expanded, users_file
from substrate.limits import LIMITS, check_size
from substrate.log.log import Log
from substrate.messages import IMPORT_FULL, Item, Message
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.input import ATOM_FIELDS, EDGE_FIELDS
from substrate.save.new_store import refuse_first_checkpoint
from substrate.values.progress import Progress
from substrate.values.saved import Refused, Saved

__all__ = ["import_lines", "refuse_first_import"]

_BATCH: Final = 1000
_BYTES: Final = 4 * 1024 * 1024
_KINDS: Final = {"put": "atoms", "tombstone": "tombstones", "edge": "edges", "unedge": "unedges"}
_INFORMATION: Final = ("kind", "recorded_at")
_DAMAGED: Final = "damaged"
"""Of a line that stands for an entry which the exported store could not read: see `care/export`."""
# A line says all there is to say: what it does not name is not to be kept from the version before.
_NO_ATOM_FIELDS: Final = dict.fromkeys(ATOM_FIELDS)
_NO_EDGE_FIELDS: Final = dict.fromkeys(EDGE_FIELDS)
_Fields = dict[str, object]


class _Items(TypedDict):
    atoms: list[_Fields]
    tombstones: list[_Fields]
    edges: list[_Fields]
    unedges: list[_Fields]


@dataclass(slots=True)
class _Chunk:
    """Lines that can be one checkpoint: none of them takes back what another of them says."""

    atoms: list[_Fields] = field(default_factory=list)
    tombstones: list[_Fields] = field(default_factory=list)
    edges: list[_Fields] = field(default_factory=list)
    unedges: list[_Fields] = field(default_factory=list)
    lines: dict[str, list[int]] = field(default_factory=lambda: {word: [] for word in _KINDS.values()})
    said: dict[object, str] = field(default_factory=dict)
    size: int = 0

    def items(self) -> _Items:
        """What a checkpoint takes."""
        return {
            "atoms": self.atoms,
            "tombstones": self.tombstones,
            "edges": self.edges,
            "unedges": self.unedges,
        }

    def fits(self, kind: str, key: object, size: int) -> bool:
        """Whether a line can be added."""
        if sum(map(len, self.lines.values())) >= _BATCH or self.size + size > _BYTES:
            return False
        return self.said.get(key, kind) == kind and not (kind in ("tombstone", "unedge") and key in self.said)


class _Runs:
    """From when each name's latest value holds, by when it was first recorded: that must not become today."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[int | None, object]] = {}

    def put(self, name: str, value: object, recorded_at: object) -> object:
        """When the value was first recorded; None if it is the first thing said of the name: it holds from ever."""
        said = hash(value) if isinstance(value, str) else 0
        before = self._latest.get(name)
        since = None if before is None else before[1] if before[0] == said else recorded_at
        self._latest[name] = (said, since)
        return since

    def end(self, name: str) -> None:
        """It is out of use: the same value again is another statement."""
        self._latest[name] = (None, None)


def import_lines(
    log: Log,
    source: str | Path | TextIO,
    *,
    partial: bool = False,
    allow_secrets: bool = False,
    progress: Progress | None = None,
) -> Saved:
    """See `Memory.import_lines`."""
    results: list[Saved] = []
    damaged: list[Refused] = []
    for chunk, done, total in _chunks(source, damaged):
        # Who wrote a line, and where, is what the line says.
        batch = Batch.of(**chunk.items())
        try:
            saved = checkpoint(log, batch, said={}, partial=partial, allow_secrets=allow_secrets, is_import=True)
        except ItemsRefused as error:
            first = min(map(min, filter(None, chunk.lines.values())))
            before = f"what came before line {first} is saved" if results else "nothing was saved"
            raise _refusal(_refused_by(error, chunk), before) from None
        results.append(replace(saved, refused=tuple(_at_line(refused, chunk) for refused in saved.refused)))
        if progress is not None:
            progress(done, total)
    if not results:
        raise _nothing()
    together = _together(results)
    return replace(together, refused=(*damaged, *together.refused))


def refuse_first_import(source: str | Path | TextIO, *, partial: bool = False, allow_secrets: bool = False) -> None:
    """Raise what `Memory.import_lines` raises in a new store before it saves anything, so that no store is made for it.

    It reads up to the first lines that can be saved. A file that is open already is to be read from its start again.
    """
    refused: list[Refused] = []
    with closing(_chunks(source, [])) as chunks:
        for chunk, _, _ in chunks:
            try:
                refuse_first_checkpoint(**chunk.items(), partial=partial, allow_secrets=allow_secrets, is_import=True)
            except ItemsRefused as error:
                refused += _refused_by(error, chunk)
                if not partial:
                    break
            else:
                return
    raise _refusal(refused, "nothing was saved") if refused else _nothing()


def _nothing() -> InputError:
    return InputError("there is nothing to import: no line says put, tombstone, edge or unedge")


def _refused_by(error: ItemsRefused, chunk: _Chunk) -> list[Refused]:
    return [_at_line(refused, chunk) for refused in error.refused if isinstance(refused, Refused)]


def _refusal(refused: Sequence[Refused], before: str) -> ItemsRefused:
    told = [part for item in refused[:5] for part in (item.item, ": ", item.reason, "; ")]
    return ItemsRefused(Message(*told, before), tuple(refused), before)


def _at_line(refused: Refused, chunk: _Chunk) -> Refused:
    if not isinstance(refused.item, Item):
        return refused
    return replace(refused, item=f"line {chunk.lines[refused.item.argument][refused.item.at]}")


def _together(results: list[Saved]) -> Saved:
    def joined(names: Callable[[Saved], tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for saved in results for name in names(saved)))

    first = next((saved.seqs.start for saved in results if saved.seqs), results[-1].seqs.start)
    return Saved(
        range(first, results[-1].seqs.stop),
        results[-1].head,
        joined(lambda saved: saved.recorded),
        joined(lambda saved: saved.confirmed),
        joined(lambda saved: saved.tombstoned),
        joined(lambda saved: saved.edges),
        joined(lambda saved: saved.unedged),
        joined(lambda saved: saved.dangling),
        tuple(refused for saved in results for refused in saved.refused),
        tuple(found for saved in results for found in saved.conflicts),
        joined(lambda saved: saved.unchecked),
        {name: atom for saved in results for name, atom in saved.ids.items()},
    )


def _chunks(source: str | Path | TextIO, damaged: list[Refused]) -> Generator[tuple[_Chunk, int, int]]:
    """The lines in groups, with how many bytes were read, of how many (0 if that is not known).

    `damaged` gets the lines that say of an entry that the exported store could not read it.
    """
    chunk, runs, counted = _Chunk(), _Runs(), _Counted()
    read = number = saved = 0
    with _reader(source) as (lines, total):
        for number, text in enumerate(bounded_lines(lines, LIMITS["line_bytes"]), 1):
            read += len(text) + 1
            fields = _parse(number, text)
            counted.take(text, saved)
            if fields is None:
                continue
            kind = str(fields["kind"])
            if kind == _DAMAGED:
                damaged.append(Refused(f"line {number}", StoreDamaged.code, "it was damaged in the exported store"))
                continue
            key = _key(number, kind, fields)
            if not chunk.fits(kind, key, len(text)):
                yield chunk, read, total
                chunk, saved = _Chunk(), number - 1
            _add(chunk, kind, fields, runs)
            chunk.said[key] = kind
            chunk.lines[_KINDS[kind]].append(number)
            chunk.size += len(text)
        counted.close(saved)
        if any(chunk.lines.values()):
            yield chunk, read, total


class _Counted:
    """Whether all lines of an export are there. One that does not say that it is counted is taken as it is."""

    def __init__(self) -> None:
        self._lines: int | None = None

    def take(self, text: str, saved: int = 0) -> None:
        """The next line. InputError if it is the last one of an export, and others are missing."""
        said = _header(text)
        if said is None:
            if self._lines is not None and text.strip():
                self._lines += 1
        elif type(said.get("end")) is int:
            if self._lines not in (None, said["end"]):
                raise _incomplete(f"{self._lines:,} of {said['end']:,} lines are there", saved)
            self._lines = None
        else:
            self.close(saved)
            self._lines = 1 if said.get("counted") is True else None

    def close(self, saved: int = 0) -> None:
        """There are no more lines, or another export follows. InputError if the last line of this one is missing."""
        if self._lines is not None:
            raise _incomplete(f"it ends after {self._lines:,} lines, without its last one", saved)


def _header(text: str) -> _Fields | None:
    """What the first or the last line of a plain export says; None of any other line."""
    if '"substrate"' not in text:
        return None
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) and "substrate" in said and said.get("kind") == "plain" else None


def _incomplete(what: str, saved: int) -> InputError:
    before = f"lines up to {saved:,} are saved" if saved else "nothing was saved"
    return InputError(
        f"the export is not complete: {what}; {before}. Export again. To import only what is there, remove line 1"
    )


def _add(chunk: _Chunk, kind: str, fields: _Fields, runs: _Runs) -> None:
    recorded_at = fields.get("recorded_at")
    item = {word: value for word, value in fields.items() if word not in _INFORMATION}
    if kind == "put":
        since = runs.put(str(item.get("name")), item.get("value"), recorded_at)
        if since is not None:
            item.setdefault("occurred_at", since)
        chunk.atoms.append({**_NO_ATOM_FIELDS, **item})
    elif kind == "tombstone":
        runs.end(str(item.get("name")))
        item.setdefault("occurred_at", recorded_at)  # from when it was out of use must not become today either
        chunk.tombstones.append(item)
    else:
        (chunk.edges if kind == "edge" else chunk.unedges).append({**_NO_EDGE_FIELDS, **item})


def _parse(number: int, text: str) -> _Fields | None:
    """The fields of a line; None of one that says nothing."""
    if not text.strip():
        return None
    check_size(f"line {number}", len(text), "line_bytes")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"line {number} is not JSON") from None
    if not isinstance(fields, dict):
        raise InputError(f"line {number} is not a JSON object")
    if "substrate" in fields:
        if fields.get("kind") != "plain":
            raise InputError("this is a full export, which makes a new store: ", IMPORT_FULL)
        return None
    kind = fields.get("kind")
    if not isinstance(kind, str) or kind not in (*_KINDS, _DAMAGED):
        raise InputError(f"line {number}: kind must be one of {', '.join(_KINDS)}")
    return fields


def _key(number: int, kind: str, fields: _Fields) -> object:
    """What a line is about: a name, or the two ends and the type of an edge."""
    if kind in ("put", "tombstone"):
        if not isinstance(fields.get("name"), str):
            raise InputError(f"line {number} has no name")
        return fields["name"]
    return tuple(str(fields.get(word)) for word in ("source", "type", "target"))


def _refuse_incomplete(file: TextIO) -> None:
    """InputError if lines are missing, before the first one is saved. What else is wrong is told when it is read."""
    counted, limit = _Counted(), LIMITS["line_bytes"]
    for text in bounded_lines(file, limit):
        if len(text) > limit:
            break
        counted.take(text)
    else:
        counted.close()
    file.seek(0)


@contextmanager
def _reader(source: str | Path | TextIO) -> Iterator[tuple[TextIO, int]]:
    if not isinstance(source, str | Path):
        yield source, 0
        return
    path = expanded(source)
    with users_file(path):
        try:
            with path.open(encoding="utf-8") as file:
                if file.seekable():
                    _refuse_incomplete(file)
                yield file, path.stat().st_size
        except FileNotFoundError:
            raise InputError(f"there is no file {path}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path} is not UTF-8 text") from None
