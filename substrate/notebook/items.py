"""What `checkpoint` saves, as it is written in a cell or on a line.

    v1.fact.payment_provider = Stripe            an atom: name, ` = `, value
    v1.decision.ledger =                         a value of several lines: those that are indented go on,
        Amounts are integers,                    without the indentation that they share
        in cents.
    v1.decision.ledger -[depends_on]-> v1.fact.currency      an edge
    - v1.fact.old_provider                       a tombstone
    # a comment

Of ` = ` and `-[ ]->`, what comes first in a line says what the line is. Spaces around a value do not belong to it.
Nothing in it is expanded, unescaped or unquoted: what is written is what is saved. A cell that begins with `{` or `[`
is JSON, as the command line takes it.
"""

from __future__ import annotations

import re
from textwrap import dedent

from substrate.commands.items import Items, read_items
from substrate.errors import InputError

__all__ = ["read_cell"]

# What divides a line. Only that is looked for, and the rest is cut and stripped: a pattern of the whole line, with free
# text and spaces on both sides, takes time by the square of a line's length, and lines may be pasted tables.
_ARROW = re.compile(r"-\[(?P<type>[^\[\]]+)\]->")
_EQUALS = re.compile(r"\s=(?=\s|\Z)")
_TOMBSTONE = re.compile(r"-\s+(?P<name>\S.*)")
_EXPECTED = (
    "expected `v1.type.name = value` (with spaces around =), `a -[type]-> b`, `- name`, or an indented line "
    "that continues a value"
)


def read_cell(text: str, first: int = 1) -> Items:
    """The items in a text. InputError with the number of the line that is none; `first` is the number of the first."""
    if text.lstrip().startswith(("{", "[")):
        return read_items(text)
    items = Items()
    lines = re.split("\r?\n", text)
    at = 0
    while at < len(lines):
        line, number = lines[at], first + at
        at += 1
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            raise InputError(f"line {number} is indented, but there is no value before it to continue")
        more = _continuation(lines, at)
        at += len(more)
        _take(items, line if more else line.rstrip(), more, number)
    return items


def _continuation(lines: list[str], at: int) -> list[str]:
    """The lines from here on that go on with a value: indented ones, and empty ones between these."""
    end = at
    for place in range(at, len(lines)):
        if lines[place].strip():
            if not lines[place][0].isspace():
                break
            end = place + 1
    return lines[at:end]


def _take(items: Items, line: str, more: list[str], number: int) -> None:
    arrow, equals = _ARROW.search(line, 1), _EQUALS.search(line, 1)
    if equals is not None and (arrow is None or equals.start() < arrow.start()):
        items.lines[f"atoms[{len(items.atoms)}]"] = number
        name = line[: equals.start()].rstrip()
        items.atoms.append({"name": name, "value": _value(line[equals.end() :], more, number)})
        return
    if more:
        raise InputError(f"line {number + 1} is indented, but there is no value before it to continue")
    if arrow is not None:
        items.lines[f"edges[{len(items.edges)}]"] = number
        items.edges.append(_edge(line, arrow, number))
    elif (tombstone := _TOMBSTONE.fullmatch(line)) is not None:
        items.lines[f"tombstones[{len(items.tombstones)}]"] = number
        items.tombstones.append(tombstone["name"])
    else:
        raise InputError(f"line {number}: {_EXPECTED}")


def _edge(line: str, arrow: re.Match[str], number: int) -> dict[str, object]:
    edge = {"source": line[: arrow.start()], "type": arrow["type"], "target": line[arrow.end() :]}
    if not all(said.strip() for said in edge.values()):
        raise InputError(f"line {number}: {_EXPECTED}")
    return {word: said.strip() for word, said in edge.items()}


def _value(first: str, more: list[str], number: int) -> str:
    rest = dedent("\n".join(more))
    value = "\n".join(part for part in (first.lstrip(), rest) if part.strip()).rstrip()
    if not value:
        raise InputError(f"line {number} gives no value: to take an atom out of use, write `- name`")
    return value
