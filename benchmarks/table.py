"""Results, and how they are printed: one plain table, or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Beside", "Result", "as_json", "as_markdown", "as_text"]

_AT_LEAST = ("/CPU-s", "/s", "recall")
"""Units of which more is better. Of `share`, as of times, less is."""
_HEADINGS = ("work", "size", "ours", "its CPU", "target", "met?", "beside it, same rounds", "", "ours costs")
_LEFT = ("work", "beside it, same rounds")
_OURS = 6
"""How many of the columns are about us."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A limit or a peer, measured in the same rounds. `ratio`: our cost over its cost; None: they do not compare."""

    what: str
    value: float
    unit: str
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One measured number of ours. Times are in seconds; a target of None means that none was set."""

    work: str
    size: int | None
    ours: float
    unit: str
    target: float | None = None
    beside: Sequence[Beside] = ()
    more: dict[str, float] = field(default_factory=dict)
    """Further numbers, for the JSON only."""
    cpu: float | None = None
    """Where `ours` is a wall time: the CPU time beside it."""

    @property
    def met(self) -> bool | None:
        """Whether the target is met."""
        if self.target is None:
            return None
        return self.ours >= self.target if self.unit.endswith(_AT_LEAST) else self.ours <= self.target


def _show(value: float, unit: str) -> str:
    match unit:
        case "us":
            return f"{value * 1e6:,.1f} us"
        case "ms":
            return f"{value * 1e3:,.3g} ms" if value < 1 else f"{value * 1e3:,.0f} ms"
        case "x":
            return f"{value:.2f} x"
        case "recall" | "share":
            return f"{value:.4f}"
        case _:
            return f"{value:,.0f} {unit}"


def _lines(result: Result) -> list[tuple[str, ...]]:
    size = "" if result.size is None else f"{result.size:,}"
    target = "" if result.target is None else _show(result.target, result.unit)
    met = {None: "", True: "yes", False: "NO"}[result.met]
    cpu = "" if result.cpu is None else _show(result.cpu, result.unit)
    first = (result.work, size, _show(result.ours, result.unit), cpu, target, met)
    lines = []
    for at, beside in enumerate(result.beside or (None,)):
        right = ("", "", "")
        if beside is not None:
            factor = "" if beside.ratio is None else f"{beside.ratio:.2f} x"
            right = (beside.what, _show(beside.value, beside.unit), factor)
        lines.append((first if at == 0 else ("",) * _OURS) + right)
    return lines


def as_text(results: Sequence[Result]) -> str:
    """The table, columns aligned; a column that is about us and says nothing is left out."""
    lines = [line for result in results for line in _lines(result)]
    filled = [at for at in range(len(_HEADINGS)) if at >= _OURS or any(line[at] for line in lines)]
    rows = [tuple(row[at] for at in filled) for row in (_HEADINGS, *lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = {column for column, heading in enumerate(rows[0]) if heading in _LEFT}
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def as_markdown(results: Sequence[Result]) -> str:
    """What was measured beside its target, a line each; bold where it is missed."""
    lines = ["| what | size | goal | result |", "|---|---|---|---|"]
    for result in results:
        work, size, ours, _, target, met, *_ = _lines(result)[0]
        lines.append(f"| {work} | {size} | {target} | {f'**{ours}**' if met == 'NO' else ours} |")
    return "\n".join(lines)


def as_json(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The same, for a file."""
    return [{**asdict(result), "met": result.met} for result in results]
