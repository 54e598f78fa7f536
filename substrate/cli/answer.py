r"""What a verb answers, before anyone decides how it is shown: as JSON, as plain text in a pipe, or on a terminal.

In a pipe a table is lines of cells between tabs, without a heading. A backslash, tab, newline or carriage return in a
cell is written as \\, \t, \n, \r, so that a line is always one item, and one that cannot be seen as \u202e. Every other
character is as it was stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from substrate.cli.exits import Exit
from substrate.text.visible import visible

__all__ = ["Answer", "Block", "Facts", "Raw", "Sheet", "Table", "cell", "titled"]

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def cell(value: object) -> str:
    """A cell of a table in a pipe; nothing for None."""
    return "" if value is None else visible(str(value).translate(_ESCAPES))


def titled(name: str, titles: Mapping[str, str]) -> str:
    """A name, after its title if it has one: the name of a document is a digest."""
    return f"[{titles[name]}] {name}" if name in titles else name


@dataclass(frozen=True, slots=True)
class Raw:
    """A text to be handed on as it is: in a pipe exactly, with a newline at its end, unless it is `exact`."""

    text: str
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels and what they say. None is left out. `mark` colours the first one: good, bad, doubt, or nothing."""

    pairs: Sequence[tuple[str, object]]
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns.

    On a terminal a column marked `~` is cut to fit, one marked `=` is not, one marked `?` is left out where there is
    little room; others fold.
    """

    columns: tuple[str, ...]
    rows: Iterable[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A text with a title and facts about it: in a pipe the text alone."""

    title: str
    text: str
    facts: Sequence[tuple[str, object]] = ()


Block: TypeAlias = Raw | Facts | Table | Sheet


@dataclass(frozen=True, slots=True)
class Answer:
    """All of an answer. `document` is the whole of it for --json; `blocks` are shown otherwise."""

    document: Mapping[str, object] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    hints: tuple[str, ...] = ()
    """What to do next; on standard error, never with --json or --quiet."""
    is_report: bool = False
    """Whether the blocks only tell what was done, so that --quiet leaves them out."""
    exit: Exit = Exit.OK
