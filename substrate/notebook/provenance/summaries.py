"""What is kept of a cell's result: text and numbers as they are, JSON, a data frame as its schema and a summary.

A value has room for no table, and a memory no need of one: what is asked later is which columns there were, how many
rows, and what range they had. So no row is kept, of however few there are: who records a frame need not ask how long
it is today. Of its content the ends of a column's range are kept, or its most frequent value.
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
_ROOM = 50_000
"""Bytes that the columns take in the attrs; some must be left for the code of the cell."""
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
    if isinstance(result, bool | Mapping | list | tuple) or _is(result, "numpy", "bool"):
        return Summary(_json(result), "json")
    if isinstance(result, Number) or _is(result, "numpy", "generic"):
        return Summary(str(result), "number" if isinstance(result, Number) else "text")
    if _is(result, "pandas", "DataFrame"):
        return _of_frame(result)
    if _is(result, "pandas", "Series"):
        return _of_frame(result.to_frame(result.name or "value"))  # type: ignore[attr-defined]
    raise InputError(
        f"record keeps text, a number, JSON or a data frame. This is a {type(result).__name__}: end the cell "
        "with the part to keep"
    )


def _is(value: object, package: str, name: str) -> bool:
    """Whether it is one of those, of a package that need not be there."""
    return any(kind.__name__ == name and kind.__module__.split(".")[0] == package for kind in type(value).__mro__)


def _json(result: object) -> str:
    try:
        return json.dumps(result, ensure_ascii=False, allow_nan=False, default=_scalar)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the result is not JSON all through: {error}") from None


def _scalar(value: Any) -> object:  # noqa: ANN401 - whatever a container holds
    """A number of numpy's as one of Python's."""
    if not _is(value, "numpy", "generic"):
        raise TypeError(f"it holds a {type(value).__name__}")
    plain: object = value.item()
    return plain


def _of_frame(frame: Any) -> Summary:  # noqa: ANN401 - pandas is not a dependency
    rows, width = frame.shape
    columns: list[Json] = []
    lines = [f"Data frame of {rows:,} rows and {width:,} columns"]
    room = _ROOM
    for at, name in enumerate(frame.columns[:_COLUMNS]):
        column = _column(str(name), frame.iloc[:, at])
        room -= len(json.dumps(column, ensure_ascii=False).encode())
        if room < 0:
            break
        columns.append(column)
        lines.append(_line(column, rows))
    if width > len(columns):
        lines.append(f"… and {width - len(columns):,} more columns")
    return Summary("\n".join(lines), "frame", {"rows": rows, "columns": columns})


def _column(name: str, column: Any) -> dict[str, Json]:  # noqa: ANN401
    said: dict[str, Json] = {"name": _short(name), "dtype": str(column.dtype), "filled": int(column.count())}
    filled = column.dropna()
    if not len(filled):
        return said
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iu":
        return said | {"least": int(filled.min()), "most": int(filled.max()), "mean": _rounded(filled.mean())}
    if kind == "f":
        return said | {"least": _exact(filled.min()), "most": _exact(filled.max()), "mean": _rounded(filled.mean())}
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


def _exact(value: Any) -> Json:  # noqa: ANN401
    """As it is: what is said to be the most is not less than something in the column."""
    number = float(value)
    return number if math.isfinite(number) else str(number)


def _rounded(value: Any) -> Json:  # noqa: ANN401
    number = float(value)
    return float(f"{number:.6g}") if math.isfinite(number) else str(number)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
