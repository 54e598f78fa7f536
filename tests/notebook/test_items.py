"""What a cell of `%%memory checkpoint` says: the syntax, its mistakes, and that what is written is what is saved."""

from __future__ import annotations

import re
from contextlib import suppress
from time import process_time
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from substrate.errors import InputError
from substrate.notebook.items import read_cell
from tests.scale import rounds


def test_a_cell_holds_atoms_edges_tombstones_and_comments() -> None:
    items = read_cell(
        "# what we decided\n"
        "v1.fact.a = x = y, 'quoted'\n"
        "\n"
        "v1.decision.ledger =\n"
        "    Amounts are integers,\n"
        "      in cents.\n"
        "\n"
        "    # not a comment\n"
        "v1.fact.a -[depends_on]-> v1.fact.b\n"
        "v1.fact.a-[Depends on]->v1.fact.c\n"
        "- v1.fact.old\n"
    )
    assert items.atoms == [
        {"name": "v1.fact.a", "value": "x = y, 'quoted'"},
        {"name": "v1.decision.ledger", "value": "Amounts are integers,\n  in cents.\n\n# not a comment"},
    ]
    assert items.edges == [
        {"source": "v1.fact.a", "type": "depends_on", "target": "v1.fact.b"},
        {"source": "v1.fact.a", "type": "Depends on", "target": "v1.fact.c"},
    ]
    assert items.tombstones == ["v1.fact.old"]
    assert items.lines == {"atoms[0]": 2, "atoms[1]": 4, "edges[0]": 9, "edges[1]": 10, "tombstones[0]": 11}


def test_what_comes_first_in_a_line_says_what_it_is() -> None:
    assert read_cell("v1.fact.a = b -[c]-> d").atoms == [{"name": "v1.fact.a", "value": "b -[c]-> d"}]
    assert read_cell("v1.fact.a -[c]-> v1.fact.b = d").edges[0]["target"] == "v1.fact.b = d"


@pytest.mark.parametrize(
    "line",
    [
        "v1.fact.x = a -[" + " " * 100_000,
        "v1.fact.x" + " " * 100_000 + "x",
        "v1.fact.x" + " " * 100_000 + "-[" + " " * 100_000 + "]",
        "v1.fact.x" + " -[" * 50_000,
        "v1.fact.x" + " =x" * 50_000,
        "-" + " " * 100_000,
    ],
)
def test_a_long_line_takes_no_longer_than_its_length(line: str) -> None:
    began = process_time()
    with suppress(InputError):
        read_cell(line)
    assert process_time() - began < 60  # to look through the rest from each place on would take hours


def test_spaces_around_names_and_types_do_not_belong_to_them() -> None:
    assert read_cell("v1.fact.a   =   x y  ").atoms == [{"name": "v1.fact.a", "value": "x y"}]
    assert read_cell("v1.fact.a   -[  b c ]->   v1.fact.d").edges == [
        {"source": "v1.fact.a", "type": "b c", "target": "v1.fact.d"}
    ]


def test_json_is_taken_as_the_command_line_takes_it() -> None:
    whole = read_cell('{"atoms": [{"name": "v1.fact.a", "value": "x"}], "tombstones": ["v1.fact.b"]}')
    assert (whole.atoms, whole.tombstones) == ([{"name": "v1.fact.a", "value": "x"}], ["v1.fact.b"])
    lines = read_cell('{"name": "v1.fact.a", "value": "x"}\n\n{"name": "v1.fact.b", "value": "y"}\n')
    assert lines.lines == {"atoms[0]": 1, "atoms[1]": 3}


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("v1.fact.a = x\nnonsense", "line 2: expected `v1.type.name = value`"),
        ("v1.fact.a=x", "line 1: expected `v1.type.name = value`"),
        ("-v1.fact.a", "line 1: expected"),
        ("  v1.fact.a = x", "line 1 is indented"),
        ("v1.a.a -[x]-> v1.b.b\n  more", "line 2 is indented"),
        ("v1.fact.a =", "line 1 gives no value"),
        ("v1.fact.a =\n\n   \n", "line 1 gives no value"),
        ("v1.fact.a -[]-> v1.fact.b", "line 1: expected"),
        ("[1, 2", "is not JSON"),
    ],
)
def test_a_mistake_names_its_line(cell: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        read_cell(cell)


NASTY = [
    "$x",
    "{x}",
    "{{",
    "%memory",
    "!ls",
    "?",
    "'",
    '"',
    "\\",
    " = ",
    "-[a]->",
    "# ",
    "- ",
    "\t",
    "\u202e",
    "<b>",
    "é",
    "\x0b",
]
PIECES = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")))
LINES = st.lists(PIECES, min_size=1, max_size=4).map("".join)


def tidy(lines: list[str]) -> str:
    """The lines as a value that the syntax can say.

    It neither begins nor ends with space, no line is space alone, and below the first one some line is not indented,
    since the indentation that all share is taken off.
    """
    kept = [line if line.strip() else "" for line in lines]
    kept = (
        [kept[0].lstrip() or "x", *kept[1:-1], kept[-1].strip() or "x"] if len(kept) > 1 else [kept[0].strip() or "x"]
    )
    return "\n".join(kept)


VALUES = st.lists(LINES | st.just(""), min_size=1, max_size=4).map(tidy)
NAMES = st.integers(0, 10**9).map("v1.fact.n{}".format)


def written(name: str, value: str) -> str:
    first, *rest = value.split("\n")
    return "\n".join([f"{name} = {first}", *(f"    {line}" if line else "" for line in rest)])


def beside(name: str, value: str) -> str:
    """The other way to write it: all of the value below the name."""
    return "\n".join([f"{name} =", *(f"  {line}" if line else "" for line in value.split("\n"))])


@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4))
@example({"v1.fact.n1": "a\n\nb\n  c = d"})
def test_any_value_that_fits_the_syntax_is_read_as_it_was_written(atoms: dict[str, str]) -> None:
    cell = "\n".join(written(name, value) for name, value in atoms.items())
    assert {item["name"]: item["value"] for item in read_cell(cell).atoms} == atoms  # type: ignore[index]
    below = "\n# between\n".join(beside(name, value) for name, value in atoms.items())
    assert {item["name"]: item["value"] for item in read_cell(below).atoms} == atoms  # type: ignore[index]


@settings(
    max_examples=rounds(12, 500), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(value=VALUES.filter(lambda value: "\x00" not in value))
def test_what_is_written_in_a_cell_is_what_is_stored(notebook: Any, value: str) -> None:
    notebook.shell.user_ns["x"] = "EXPANDED"
    notebook.shell.run_cell_magic("memory", "checkpoint --allow-secrets", written("v1.fact.n", value))
    assert notebook.shell.run_line_magic("memory", "access v1.fact.n").value == value
    if "\n" not in value:
        notebook.shell.run_line_magic("memory", f"checkpoint --allow-secrets v1.fact.m = {value}")
        assert notebook.shell.run_line_magic("memory", "access v1.fact.m").value == value
