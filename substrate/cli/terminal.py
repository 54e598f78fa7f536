"""How answers look on a terminal. The only module that imports rich, and itself imported late.

Stored text is never markup here: it becomes `Text`, with its control characters escaped and set apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from substrate.cli.answer import Block, Facts, Raw, Sheet, Table
from substrate.text.visible import as_json, runs, visible

__all__ = ["bar", "draw", "tell"]

_MARKS = {"good": "bold green", "bad": "bold red", "doubt": "bold yellow", "": ""}
_FREE, _RIGID, _SPARE = "~", "=", "?"
_WIDE = 120
"""Columns of a terminal that has room for what can be spared."""
_CUT = 1000
"""Characters of a text that is cut to fit: no terminal is wider, and a value may have a million."""


def draw(block: Block, stream: TextIO) -> None:
    """Print one block of an answer."""
    console = _console(stream)
    match block:
        case Raw(text):
            # No wrapping: what is printed can be selected and pasted.
            stream.write(visible(text.removesuffix("\n"), "\n\t", as_json) + "\n")
        case Facts(pairs, mark):
            console.print(_facts(pairs, _MARKS[mark]))
        case Table(columns, rows):
            console.print(_grid(columns, rows, console.width))
        case Sheet(title, text, facts):
            said = Group(_text(text, keep="\n\t"), *([Text(), _facts(facts, "")] if facts else []))
            console.print(Panel(said, title=_text(title, "bold"), title_align="left", box=box.ROUNDED))


def tell(text: str, style: str, stream: TextIO) -> None:
    """Print one line beside the answer."""
    _console(stream).print(_text(text, style), soft_wrap=True)


@contextmanager
def bar(label: str, stream: TextIO) -> Iterator[Callable[[int, int], None]]:
    """A bar that is gone when the work is done. Until its first move it only turns."""
    columns = (SpinnerColumn(), TextColumn(label, markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_console(stream), transient=True) as progress:
        task = progress.add_task("", total=None)

        def move(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield move


def _console(stream: TextIO) -> Console:
    return Console(file=stream, markup=False, highlight=False, emoji=False)


def _text(value: object, style: str = "", keep: str = "") -> Text:
    shown = Text(style=style)
    for part, escaped in runs(str(value), keep):
        shown.append(part, "reverse" if escaped else None)
    return shown


def _facts(pairs: Sequence[tuple[str, object]], first: str) -> RenderableType:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    styles = iter([first])
    for label, said in pairs:
        if said is not None:
            grid.add_row(_text(label), _text(f"{said:,}" if isinstance(said, int) else said, next(styles, "")))
    return grid


def _grid(columns: tuple[str, ...], rows: Iterable[Sequence[object]], width: int) -> RenderableType:
    """A table without the columns in which nothing stands. Where there is no room, free text is cut and names fold."""
    shown = [row for row in rows if any(value is not None for value in row)]
    there = [
        at
        for at, column in enumerate(columns)
        if any(row[at] is not None for row in shown) and (width >= _WIDE or not column.startswith(_SPARE))
    ]
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for at in there:
        rigid = columns[at].startswith((_RIGID, _SPARE))
        grid.add_column(
            columns[at].lstrip(_FREE + _RIGID + _SPARE), no_wrap=rigid, overflow="fold", min_width=None if rigid else 8
        )
    for row in shown:
        grid.add_row(*(_cell(row[at], free=columns[at].startswith(_FREE)) for at in there))
    return grid


def _cell(value: object, *, free: bool) -> Text:
    text = "" if value is None else str(value)
    shown = _text(text[:_CUT] if free else text)
    if free:
        shown.no_wrap, shown.overflow = True, "ellipsis"
    return shown
