"""Rows with named columns, such as CSV, TSV and JSON files and data frames have: a row becomes an atom.

A column is taken for what its name says: `name` or `key`, `value` or `text`, tags, source and the other fields of an
atom. Each object of a JSON file has columns of its own. `columns` says it of columns with other names. What no field
takes stands in the atom's attrs, by the column's name. Texts and attrs keep the spaces at their start and end; a cell
of nothing but spaces is empty. A row without a name gets one made of its text, so that the same row has the same name
each time. Two rows of one name and two texts are two atoms.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final, Protocol, TypeAlias, runtime_checkable

from substrate.errors import InputError, SchemaInvalid, SubstrateError
from substrate.files import bounded_lines, users_file
from substrate.limits import LIMITS
from substrate.messages import Arg
from substrate.moving.line import Broken, Fields, Line, Lines, Read, at_line
from substrate.names import check_name, escape_rest, slug_of
from substrate.text.quote import as_word

__all__ = ["FIELDS", "Columns", "frame_lines", "open_csv", "open_json_rows"]

FIELDS: Final = (
    "name",
    "value",
    "type",
    "tags",
    "entities",
    "confidence",
    "source",
    "occurred_at",
    "valid_from",
    "valid_to",
)
"""What a column can be."""
_ALSO: Final = {
    "name": ("key", "id", "title"),
    "value": ("text", "content", "note", "body", "description", "fact"),
    "type": ("kind", "category"),
    "tags": ("tag", "labels", "keywords"),
    "source": ("url", "origin_url"),
    "occurred_at": ("date", "time", "timestamp", "created_at", "created"),
}
"""Other names that a column of this field often has, the likelier first."""
_LISTS: Final = ("tags", "entities")
_SEPARATOR: Final = re.compile("[;,|]")
_TYPE: Final = re.compile("[a-z][a-z0-9_]*")
_DIGITS: Final = 8
"""Hexadecimal digits of a digest in a name."""
_SHOWN: Final = 20
_Row: TypeAlias = tuple[int, Mapping[str, object], int]
"""Where it stands, its cells by column, and how much of the file was read by then."""
_FieldsOf: TypeAlias = Callable[[Mapping[str, object]], Mapping[str, str]]
"""The field of each column of a row that is one. InputError if none has the text."""


@runtime_checkable
class _Pandas(Protocol):
    columns: Iterable[object]

    def itertuples(self, *, index: bool, name: None) -> Iterable[tuple[object, ...]]: ...


@runtime_checkable
class _Polars(Protocol):
    columns: Iterable[object]

    def iter_rows(self) -> Iterable[tuple[object, ...]]: ...


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column is which field, as far as somebody said so; and the type of atoms that do not say theirs."""

    named: Mapping[str, str]
    type: str = "note"

    @classmethod
    def of(cls, named: Mapping[str, str] | None, type: str | None) -> Columns:  # noqa: A002 - the word for it
        """InputError if there is no such field or type."""
        for word in named or {}:
            if word not in FIELDS:
                raise InputError(Arg("columns"), f" has no field {word}: it maps {', '.join(FIELDS)} to column names")
        if type is not None and not _TYPE.fullmatch(type):
            raise InputError(Arg("type"), " is a word of a-z, 0-9 and _, such as fact")
        return cls(named or {}, type or "note")

    def read(self, header: Iterable[str], *, of_line: bool = False) -> dict[str, str]:
        """The field of each column that is one. InputError if no column has the text of the atoms.

        `of_line`: these are the columns of one line, which may lack any other column that somebody named.
        """
        columns = list(header)
        needed = [column for word, column in self.named.items() if word == "value" or not of_line]
        if missing := [column for column in needed if column not in columns]:
            if of_line:
                raise InputError(f"there is no column {missing[0]!r}. The columns are: {_listed(columns)}")
            word = next(word for word, column in self.named.items() if column == missing[0])
            raise InputError(f"there is no column {missing[0]!r}. ", *self._mapping(word, missing[0], columns))
        fields = {column: word for word, column in self.named.items()}
        plain = {column.strip().casefold().replace(" ", "_"): column for column in reversed(columns)}
        for word in FIELDS:
            if word not in self.named:
                known = (plain.get(name) for name in (word, *_ALSO.get(word, ())))
                column = next((name for name in known if name is not None and name not in fields), None)
                if column is not None:
                    fields[column] = word
        if "value" not in fields.values():
            raise InputError("no column is called value or text. ", *self._mapping("value", "", columns, fields))
        return fields

    @staticmethod
    def _mapping(word: str, given: str, columns: list[str], taken: Iterable[str] = ()) -> tuple[str, ...]:
        """The columns that there are, and how one of them is mapped to a field: the one most like `given`."""
        free = [column for column in columns if column not in taken] or columns
        near = next(iter(get_close_matches(given, free, 1, 0.0)), word)
        told = "holds the text" if word == "value" else f"is the {word}"
        said = (f"The columns are: {_listed(columns)}. Name the column that {told} with ", Arg("columns"))
        return (*said, f", such as {as_word(f'{word}={near}')}") if free else said


@contextmanager
def open_csv(path: Path, columns: Columns, *, tabs: bool = False) -> Iterator[Lines]:
    """The rows of a CSV or TSV file, the first of which names the columns. InputError if it is none."""
    with _text_of(path) as (file, total):
        # For the whole process, and for good: another thread may be reading a table, too.
        csv.field_size_limit(max(csv.field_size_limit(), LIMITS["line_bytes"]))
        yield Lines(_rows_to_lines(_csv_rows(file, tabs=tabs), columns), total)


@contextmanager
def open_json_rows(path: Path, columns: Columns) -> Iterator[Lines]:
    """The objects of a JSON Lines file, each a row with columns of its own. InputError if no row has what is needed."""
    with _text_of(path) as (file, total):
        _refuse_columns(_json_rows(file), columns)
    with _text_of(path) as (file, total):
        yield Lines(_rows_to_lines(_json_rows(file), columns, each_its_own=True), total)


def frame_lines(frame: object, columns: Columns) -> Lines:
    """The rows of a data frame of pandas or polars. SchemaInvalid if it is none."""
    if isinstance(frame, _Polars):
        names, rows = [str(name) for name in frame.columns], frame.iter_rows()
    elif isinstance(frame, _Pandas):
        names, rows = [str(name) for name in frame.columns], frame.itertuples(index=False, name=None)
    else:
        raise SchemaInvalid(f"give a data frame of pandas or polars, not {type(frame).__name__}")
    numbered = ((number, dict(zip(names, row, strict=True)), number) for number, row in enumerate(rows, 1))
    total = len(frame) if isinstance(frame, Sized) else 0
    return Lines(_lines(numbered, _fields_of_all(columns, names), columns), total)


def _csv_rows(file: io.TextIOBase, *, tabs: bool) -> Iterator[_Row | Read]:
    """Rows as mappings. The first thing it yields has the header, with number 0."""
    counted = _Counting(file)
    first = counted.peek()
    separator = "\t" if tabs else max(",;\t", key=first.count)
    reader = csv.reader(counted, delimiter=separator, strict=True)
    header: list[str] | None = None
    while True:
        begins = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise Broken(f"line {reader.line_num} is not CSV ({error})", "Mend it, and import again") from None
        if header is None:
            if not any(cells):
                continue
            header = cells
            if len(set(header)) != len(header):
                raise InputError(f"two columns have the same name: {_listed(header)}")
            yield 0, dict.fromkeys(header), counted.read
        elif not any(cells):
            continue
        elif len(cells) > len(header):
            yield at_line(begins, InputError.code, f"it has {len(cells)} cells, and there are {len(header)} columns")
        else:
            yield begins, dict(zip(header, cells, strict=False)), counted.read


def _json_rows(file: io.TextIOBase) -> Iterator[_Row | Read]:
    read = 0
    for number, text in enumerate(bounded_lines(file, LIMITS["line_bytes"]), 1):
        read += len(text) + 1
        if not text.strip():
            continue
        try:
            fields = json.loads(text) if len(text) <= LIMITS["line_bytes"] else None
        except (ValueError, RecursionError):
            fields = None
        if isinstance(fields, dict):
            yield number, fields, read
        else:
            if text.lstrip().startswith("[") and read == len(text) + 1:
                raise InputError("this is a JSON array: write one object on each line, as with jq -c '.[]'")
            yield at_line(number, InputError.code, "it is not a JSON object")


def _rows_to_lines(rows: Iterator[_Row | Read], columns: Columns, *, each_its_own: bool = False) -> Iterator[Read]:
    """Lines of rows whose columns the first of them names, or each its own. InputError if there is no text at all."""
    is_empty = True
    for first in rows:
        if isinstance(first, tuple):
            number, cells, _ = first
            fields_of = _fields_of_each(columns) if each_its_own else _fields_of_all(columns, map(str, cells))
            yield from _lines(rows if number == 0 else chain((first,), rows), fields_of, columns)
            return
        yield first
        is_empty = False
    if is_empty:
        raise InputError("there is nothing to import: the file is empty")


def _refuse_columns(rows: Iterable[_Row | Read], columns: Columns) -> None:
    """InputError if no row has the text, or one of the columns that somebody named.

    Then all of the file is something else, or a name is misspelt. Mostly the first row has all of them.
    """
    missing, has_text = set(columns.named.values()), False
    seen: dict[str, None] = {}
    for row in rows:
        if isinstance(row, tuple):
            missing -= (cells := row[1]).keys()
            with suppress(InputError):
                has_text = has_text or bool(columns.read(cells, of_line=True))
            if has_text and not missing:
                return
            seen |= dict.fromkeys(list(cells)[: _SHOWN + 1] if len(seen) <= _SHOWN else ())
    if seen:
        columns.read(seen)


def _fields_of_all(columns: Columns, header: Iterable[str]) -> _FieldsOf:
    """The same fields for every row. InputError at once if no column has the text."""
    fields = columns.read(header)
    return lambda _: fields


def _fields_of_each(columns: Columns) -> _FieldsOf:
    """The fields of a row by its own columns. Rows that follow each other mostly have the same."""
    last: list[str] = []
    fields: dict[str, str] = {}

    def fields_of(cells: Mapping[str, object]) -> Mapping[str, str]:
        nonlocal last, fields
        header = list(cells)
        if header != last:
            fields = columns.read(header, of_line=True)
            last = header
        return fields

    return fields_of


def _lines(rows: Iterable[_Row | Read], fields_of: _FieldsOf, columns: Columns) -> Iterator[Read]:
    """A line for each row. If a row before it has its name, and says something else, a digest of the text follows."""
    taken: dict[int, str] = {}
    for row in rows:
        if not isinstance(row, tuple):
            yield row
            continue
        number, cells, read = row
        try:
            item = _atom(cells, fields_of(cells), columns)
        except SubstrateError as error:
            yield at_line(number, error.code, error.message)
        except RecursionError:
            yield at_line(number, InputError.code, "one of its cells is nested too deeply")
        else:
            given, value = str(item["name"]), str(item["value"])
            item["name"] = name = _own_name(given, value, taken)
            yield Line(number, "put", item, len(value), read, shared_name=None if name == given else given)


def _own_name(name: str, value: str, taken: dict[int, str]) -> str:
    """The name, with a digest of the text if another text has it. `taken`: the digests of texts by the hashes of names.

    The first digest is of the text without the spaces around it, as names were made when these were not kept.
    """
    digest = _digest(value)
    for end in (_digest(value.strip()), digest):
        if taken.setdefault(hash(name), digest) == digest:
            break
        name = f"{name}_{end}"
    else:
        taken.setdefault(hash(name), digest)
    return name


def _atom(cells: Mapping[str, object], fields: Mapping[str, str], columns: Columns) -> Fields:
    """The atom that a row is. InputError, NameInvalid, TooLarge."""
    item: Fields = {}
    attrs: Fields = {}
    for column, given in cells.items():
        cell = _plain(given)
        if cell is None:
            continue
        word = fields.get(column)
        if word is None:
            attrs[column] = cell
        else:
            item[word] = _FIELD.get(word, _trimmed)(cell)
    value = item.get("value")
    if not isinstance(value, str) or not value.strip():
        raise InputError("its text is empty")
    kind = str(item.pop("type", columns.type))
    kind = kind if _TYPE.fullmatch(kind) else slug_of(kind) or columns.type
    item["name"] = _name(item.get("name"), value, kind)
    return {**item, **({"attrs": attrs} if attrs else {})}


def _name(given: object, value: str, kind: str) -> str:
    """The name that a row gives, as the name of an atom; one made of the text if it gives none."""
    if not isinstance(given, str):
        return f"v1.{kind}.{slug_of(value) or 'text'}_{_digest(value.strip())}"
    try:
        return check_name(given)
    except InputError:
        return f"v1.{kind}.{escape_rest(given)}"


def _digest(value: str) -> str:
    return sha256(value.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]


def _plain(cell: object) -> object:
    """A cell as JSON has it; None if it is empty."""
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None
    if isinstance(cell, list | tuple):
        return [value for value in map(_plain, cell) if value is not None]
    if isinstance(cell, Mapping):
        return {str(key): value for key, given in cell.items() if (value := _plain(given)) is not None}
    return cell if cell is None or isinstance(cell, int) else _of_frame(cell)


def _of_frame(cell: object) -> object:
    """What data frames have in their cells beside plain values: times, numbers of numpy, and marks of nothing."""
    if (tell := getattr(cell, "isoformat", None)) is not None:
        return None if str(cell) == "NaT" else str(tell())
    if (item := getattr(cell, "item", None)) is not None:
        return _plain(item())
    return None if str(cell) == "<NA>" else str(cell)


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def _trimmed(cell: object) -> str:
    return _text(cell).strip()


def _list(cell: object) -> list[str]:
    if isinstance(cell, list):
        return [_trimmed(part) for part in cell]
    return [part.strip() for part in _SEPARATOR.split(_text(cell)) if part.strip()]


def _number(cell: object) -> float:
    try:
        return float(_text(cell))
    except ValueError:
        raise InputError("the confidence must be a number from 0 to 1") from None


_FIELD: Final[Mapping[str, Callable[[object], object]]] = {
    **dict.fromkeys(_LISTS, _list),
    "confidence": _number,
    "value": _text,
}


def _listed(columns: list[str]) -> str:
    return (", ".join(map(repr, columns[:_SHOWN])) or "none") + (" ..." if len(columns) > _SHOWN else "")


class _Counting:
    """The lines of a file, counted in characters as they are read."""

    def __init__(self, file: io.TextIOBase) -> None:
        self._lines = bounded_lines(file, LIMITS["line_bytes"])
        self._next: str | None = None
        self.read = 0

    def peek(self) -> str:
        """The next line, which is still to come."""
        self._next = next(self._lines, None)
        return self._next or ""

    def __iter__(self) -> _Counting:
        return self

    def __next__(self) -> str:
        line, self._next = (next(self._lines), None) if self._next is None else (self._next, None)
        self.read += len(line) + 1
        return line + "\n"


@contextmanager
def _text_of(path: Path) -> Iterator[tuple[io.TextIOBase, int]]:
    with users_file(path):
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                yield file, path.stat().st_size
        except FileNotFoundError:
            raise InputError(f"there is no file {path}") from None
        except UnicodeDecodeError:
            raise InputError(
                f"{path} is not UTF-8 text: convert it, for example with iconv -f latin1 -t utf-8"
            ) from None
