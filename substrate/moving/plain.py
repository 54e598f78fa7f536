"""Our own plain export, or what another program wrote like one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from substrate.atoms.moments import read_time
from substrate.errors import InputError, SchemaInvalid, StoreDamaged
from substrate.files import bounded_lines, expanded, refuse_pipe, users_file
from substrate.limits import LIMITS, check_size
from substrate.messages import IMPORT_FULL
from substrate.moving.line import KINDS, Broken, Fields, Line, Lines, Read, at_line
from substrate.save.input import ATOM_FIELDS, EDGE_FIELDS

__all__ = ["open_plain"]

_TOOK_BACK: Final = "took_back"
_INFORMATION: Final = ("kind", "recorded_at", _TOOK_BACK)
_DAMAGED: Final = "damaged"
"""Of a line that stands for an entry which the exported store could not read: see `care/export`."""
# A line says all there is to say: what it does not name is not to be kept from the version before.
_NO_ATOM_FIELDS: Final = dict.fromkeys(ATOM_FIELDS)
_NO_EDGE_FIELDS: Final = dict.fromkeys(EDGE_FIELDS)


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


@contextmanager
def open_plain(source: str | Path | TextIO) -> Iterator[Lines]:
    """The lines of an export. InputError if it is none, or if lines are missing. What was damaged is told.

    A file that is open already is read from where it stands.
    """
    with _reader(source) as (file, total):
        yield Lines(_lines(file), total)


def _lines(file: TextIO) -> Iterator[Read]:
    runs, counted = _Runs(), _Counted()
    read = 0
    for number, text in enumerate(bounded_lines(file, LIMITS["line_bytes"]), 1):
        read += len(text) + 1
        fields = _parse(number, text)
        counted.take(text)
        if fields is None:
            continue
        kind = str(fields["kind"])
        if kind == _DAMAGED:
            yield at_line(number, StoreDamaged.code, "it was damaged in the exported store")
        else:
            _check_key(number, kind, fields)
            item = _item(kind, fields, runs)
            is_dated = "occurred_at" not in fields
            time, took_back = _recorded_at(fields.get("recorded_at")), _took_back(kind, fields)
            yield Line(number, kind, item, len(text), read, recorded_at=time, is_dated=is_dated, took_back=took_back)
    counted.close()


class _Counted:
    """Whether all lines of an export are there. One that does not say that it is counted is taken as it is."""

    def __init__(self) -> None:
        self._lines: int | None = None

    def take(self, text: str) -> None:
        """The next line. Broken if it is the last one of an export, and others are missing."""
        said = _header(text)
        if said is None:
            if self._lines is not None and text.strip():
                self._lines += 1
        elif type(said.get("end")) is int:
            if self._lines not in (None, said["end"]):
                raise _incomplete(f"{self._lines:,} of {said['end']:,} lines are there")
            self._lines = None
        else:
            self.close()
            self._lines = 1 if said.get("counted") is True else None

    def close(self) -> None:
        """There are no more lines, or another export follows. Broken if the last line of this one is missing."""
        if self._lines is not None:
            raise _incomplete(f"it ends after {self._lines:,} lines, without its last one")


def _header(text: str) -> Fields | None:
    """What the first or the last line of a plain export says; None of any other line."""
    if '"substrate"' not in text:
        return None
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) and "substrate" in said and said.get("kind") == "plain" else None


def _incomplete(what: str) -> Broken:
    return Broken(f"the export is not complete: {what}", "Export again. To import only what is there, remove line 1")


def _recorded_at(value: object) -> int | None:
    try:
        return read_time(value, "recorded_at")
    except SchemaInvalid:
        return None


def _took_back(kind: str, fields: Fields) -> frozenset[int] | None:
    times = fields.get(_TOOK_BACK)
    if kind not in ("tombstone", "unedge") or not isinstance(times, list):
        return None
    return frozenset(time for value in times if (time := _recorded_at(value)) is not None)


def _item(kind: str, fields: Fields, runs: _Runs) -> Fields:
    recorded_at = fields.get("recorded_at")
    item = {word: value for word, value in fields.items() if word not in _INFORMATION}
    if kind == "put":
        since = runs.put(str(item.get("name")), item.get("value"), recorded_at)
        if since is not None:
            item.setdefault("occurred_at", since)
        return {**_NO_ATOM_FIELDS, **item}
    if kind == "tombstone":
        if _TOOK_BACK not in fields:  # else nothing was said of it
            runs.end(str(item.get("name")))
        item.setdefault("occurred_at", recorded_at)  # from when it was out of use must not become today either
        return item
    return {**_NO_EDGE_FIELDS, **item}


def _parse(number: int, text: str) -> Fields | None:
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
    if not isinstance(kind, str) or kind not in (*KINDS, _DAMAGED):
        raise InputError(f"line {number}: kind must be one of {', '.join(KINDS)}")
    return fields


def _check_key(number: int, kind: str, fields: Fields) -> None:
    if kind in ("put", "tombstone") and not isinstance(fields.get("name"), str):
        raise InputError(f"line {number} has no name")


def _refuse_incomplete(file: TextIO) -> None:
    """InputError if lines are missing, before the first one is saved. What else is wrong is told when it is read."""
    counted, limit = _Counted(), LIMITS["line_bytes"]
    try:
        for text in bounded_lines(file, limit):
            if len(text) > limit:
                break
            counted.take(text)
        else:
            counted.close()
    except Broken as error:
        raise error.told(0) from None
    file.seek(0)


@contextmanager
def _reader(source: str | Path | TextIO) -> Iterator[tuple[TextIO, int]]:
    if not isinstance(source, str | Path):
        yield source, 0
        return
    path = expanded(source)
    with users_file(path):
        refuse_pipe(path)
        try:
            with path.open(encoding="utf-8") as file:
                if file.seekable():
                    _refuse_incomplete(file)
                yield file, path.stat().st_size
        except FileNotFoundError:
            raise InputError(f"there is no file {path}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path} is not UTF-8 text") from None
