"""What is kept of a cell's result: text and numbers as they are, JSON, a data frame as its schema and a summary.

A value has room for no table, and a memory no need of one: what is asked later is which columns there were, how many
rows, and what range they had.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Number
from typing import TYPE_CHECKING, Any

from substrate.errors import InputError

if TYPE_CHECKING:
    from substrate.proof.encoding import Json

__all__ = ["Summary", "summary_of"]

_COLUMNS = 200
"""That are described of a data frame."""
_SHOWN = 60
"""Characters of the most frequent value of a column, and of a column's name."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A result as the value of an atom, of which kind it was (text, number, json, frame), and more of it as attrs."""

    value: str
    kind: str
    attrs: dict[str, Json] = field(default_factory=dict)


def summary_of(result: object) -> Summary:
    """What is kept of a result. InputError, with what can be kept, if nothing can."""
    if isinstance(result, str):
        return Summary(result, "text")
    if isinstance(result, bool | Mapping | list | tuple):
        return Summary(_json(result), "json")
    if isinstance(result, Number) or _is(result, "numpy", "generic"):
        return Summary(str(result), "number" if isinstance(result, Number) else "text")
    if _is(result, "pandas", "DataFrame"):
        return _of_frame(result)
    if _is(result, "pandas", "Series"):
        return _of_frame(result.to_frame(result.name or "value"))  # type: ignore[attr-defined]
    raise InputError(
        f"record keeps text, a number, JSON or a data frame, and this is a {type(result).__name__}: "
        "end the cell with what is to be kept of it"
    )


def _is(value: object, package: str, name: str) -> bool:
    """Whether it is one of those, of a package that need not be there."""
    return any(kind.__name__ == name and kind.__module__.split(".")[0] == package for kind in type(value).__mro__)


def _json(result: object) -> str:
    try:
        return json.dumps(result, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"the result is not JSON all through: {error}") from None


def _of_frame(frame: Any) -> Summary:  # noqa: ANN401 - pandas is not a dependency
    rows, width = frame.shape
    columns = [_column(str(name), frame.iloc[:, at]) for at, name in enumerate(frame.columns[:_COLUMNS])]
    lines = [f"Data frame of {rows:,} rows and {width:,} columns"]
    lines += [_line(column, rows) for column in columns]
    if width > _COLUMNS:
        lines.append(f"… and {width - _COLUMNS:,} more columns")
    return Summary("\n".join(lines), "frame", {"rows": rows, "columns": list(columns)})


def _column(name: str, column: Any) -> dict[str, Json]:  # noqa: ANN401
    said: dict[str, Json] = {"name": _short(name), "dtype": str(column.dtype), "filled": int(column.count())}
    filled = column.dropna()
    if not len(filled):
        return said
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iuf":
        numbers = {"least": filled.min(), "most": filled.max(), "mean": filled.mean()}
        return said | {word: _number(number) for word, number in numbers.items()}
    if kind in "mM":
        return said | {"least": str(filled.min()), "most": str(filled.max())}
    counts = filled.astype(str).value_counts()
    return said | {"distinct": len(counts), "top": _short(str(counts.index[0])), "top_count": int(counts.iloc[0])}


def _line(column: dict[str, Json], rows: int) -> str:
    said = f"{column['name']}: {column['dtype']}"
    if column["filled"] != rows:
        said += f", {column['filled']:,} filled"
    if "least" in column:
        said += f", {column['least']} to {column['most']}"
    if "mean" in column:
        said += f", mean {column['mean']}"
    if "distinct" in column:
        said += f", {column['distinct']:,} distinct, most often {column['top']!r} ({column['top_count']:,})"
    return said


def _number(value: Any) -> Json:  # noqa: ANN401
    number = float(value)
    if not math.isfinite(number):
        return str(number)
    return int(number) if number.is_integer() and abs(number) < 2**53 else float(f"{number:.6g}")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
