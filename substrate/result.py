"""How results show themselves: as plain dictionaries, as HTML in a notebook, as a table of pandas if it is there."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar, overload

from substrate.text.visible import as_number, visible

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["UNTYPESET", "Result", "Results", "Tabular", "compact", "compact_json", "frame", "iso", "plain"]

_Item = TypeVar("_Item", bound="Result")
UNTYPESET: Final = "mathjax_ignore tex2jax_ignore"
"""Classes that keep a page from typesetting what stands between dollar signs: stored text is shown as it is stored."""
_SHOWN_CHARACTERS = 500
"""Of a value in a repr or a cell; `to_dict` has all of it."""
_SHOWN_ITEMS = 20
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet reckons with."""
_LEFT = 'style="text-align:left"'
"""JupyterLab puts the text of tables in outputs to the right."""
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: it takes as long to make one as to use it."""


def iso(time: datetime) -> str:
    """A time as text, in UTC: 2026-03-01T12:00:00Z, with microseconds where there are any."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def plain(value: object) -> object:  # noqa: PLR0911 - one for each type
    """The value as JSON can hold it."""
    match value:
        case Result():
            return value.to_dict()
        case datetime():
            return iso(value)
        case bytes():
            return value.hex()
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case range():
            return [value.start, value.stop]
        case str() | int() | float() | None:
            return value
        case Sequence():
            return [plain(item) for item in value]
        case _:
            return str(value)


def compact(value: Result) -> str:
    """Its dictionary as JSON without spaces, as it goes over a wire."""
    return compact_json(value.to_dict())


def compact_json(said: object) -> str:
    """What a result says, or a part of it, as JSON without spaces."""
    return _COMPACT.encode(said)


class Tabular:
    """Whatever a verb answers, as a dictionary and as a table of pandas."""

    __slots__ = ()

    def to_dict(self) -> Mapping[str, object]:
        """What it says, as JSON can hold it."""
        raise NotImplementedError

    def to_df(self) -> DataFrame:
        """The table: a row for each item, or one of all that its dictionary holds. Needs pandas."""
        return frame(self.rows())

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """The same table as CSV, for a spreadsheet. It is written to `path`, if there is one.

        What is not a text or a number is JSON. A text that a spreadsheet would take for a formula gets a `'` before it.
        """
        text = _csv(self.rows())
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8", newline="")
        return None

    def rows(self) -> Sequence[Mapping[str, object]]:
        """What a table of it has: one row of all that its dictionary holds."""
        return [self.to_dict()]


class Result(Tabular):
    """A frozen dataclass that can be shown."""

    __slots__ = ()

    def to_dict(self) -> dict[str, object]:
        """Its fields as JSON can hold them; what is None or empty is left out."""
        said = {field.name: getattr(self, field.name) for field in fields(self) if is_dataclass(self)}  # type: ignore[arg-type]
        return {name: plain(value) for name, value in said.items() if _is_said(value)}

    def row(self) -> dict[str, object]:
        """What a table of such results shows of it, by column."""
        return self.to_dict()

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={_short(value)}" for name, value in self.row().items())
        return f"{type(self).__name__}({said})"

    def _repr_html_(self) -> str:
        said = self.to_dict()
        if not said:
            return f"<p>{escape(repr(self))}</p>"
        rows = "".join(
            f"<tr><th {_LEFT}>{escape(name)}</th><td {_LEFT}>{_cell(value)}</td></tr>" for name, value in said.items()
        )
        return f'<table class="{UNTYPESET}">{rows}</table>'


class Results(Result, Sequence[_Item], Generic[_Item]):
    """A frozen dataclass whose first field, `items`, is what it is a sequence of."""

    __slots__ = ()

    items: tuple[_Item, ...]

    def __repr__(self) -> str:
        lines = "".join(f"\n  {item!r}" for item in self.items[:_SHOWN_ITEMS])
        more = f"\n  … and {len(self.items) - _SHOWN_ITEMS} more" if len(self.items) > _SHOWN_ITEMS else ""
        return f"{type(self).__name__} of {len(self.items)}{lines}{more}"

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> _Item: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[_Item, ...]: ...
    def __getitem__(self, at: int | slice) -> _Item | tuple[_Item, ...]:
        return self.items[at]

    def __iter__(self) -> Iterator[_Item]:
        return iter(self.items)

    def to_dict(self) -> dict[str, object]:
        """Its fields as JSON can hold them; `items` always."""
        return {"items": [item.to_dict() for item in self.items], **Result.to_dict(self)}

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each item."""
        return [item.to_dict() for item in self.items]

    def _repr_html_(self) -> str:
        if not self.items:  # an empty table would be seen as nothing at all
            return f"<p>{escape(type(self).__name__)} of 0</p>"
        rows = [item.row() for item in self.items]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th {_LEFT}>{escape(column)}</th>" for column in columns)
        body = "".join(
            "<tr>" + "".join(f"<td {_LEFT}>{_cell(row.get(c, ''))}</td>" for c in columns) + "</tr>" for row in rows
        )
        return f'<table class="{UNTYPESET}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def frame(rows: Sequence[Mapping[str, object]]) -> DataFrame:
    """The rows as a data frame. ImportError, with what to do, without pandas."""
    try:
        from pandas import DataFrame  # noqa: PLC0415 - not everyone has it, nobody else pays for it
    except ImportError:
        raise ImportError("to_df needs pandas: pip install pandas") from None
    return DataFrame(list(rows))


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    written = StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(columns)
    writer.writerows([_csv_cell(row.get(column)) for column in columns] for row in rows)
    return written.getvalue()


def _csv_cell(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        value = _COMPACT.encode(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _is_said(value: object) -> bool:
    return value is not None and value not in ((), {})


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else str(value)
    shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return escape(visible(shown, "\n\t", as_number))
