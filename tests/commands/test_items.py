"""What a checkpoint saves, as both faces read it."""

from __future__ import annotations

import json
import re

import pytest

from substrate.commands.items import read_edge, read_items, read_sessions, read_unedge
from substrate.errors import InputError

ATOM, OTHER = {"name": "v1.fact.a", "value": "1"}, {"name": "v1.fact.b", "value": "2 = two"}
INPUTS = {
    "lines": "v1.fact.a = 1\n\nv1.fact.b = 2 = two\r\n",
    "a list": json.dumps(["v1.fact.a = 1", OTHER]),
    "an object": json.dumps({"atoms": ["v1.fact.a = 1", "v1.fact.b = 2 = two"]}, indent=2),
    "JSON Lines": f"{json.dumps(ATOM)}\n{json.dumps(OTHER)}\n",
    "both kinds of lines": f"{json.dumps(ATOM)}\nv1.fact.b = 2 = two\n",
}


def as_text(item: str | dict[str, object]) -> str:
    return item if isinstance(item, str) else f"{item['name']} = {item['value']}"


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS.keys())
def test_atoms_are_read_in_every_form(text: str) -> None:
    assert [as_text(item) for item in read_items(text).atoms] == ["v1.fact.a = 1", "v1.fact.b = 2 = two"]


def test_one_atom_alone_is_a_document_too() -> None:
    assert read_items('{"name": "v1.fact.a", "value": "two\\nlines"}').atoms == [
        {"name": "v1.fact.a", "value": "two\nlines"}
    ]


def test_only_a_line_feed_ends_a_line_and_each_atom_knows_its_line() -> None:
    items = read_items("v1.fact.a = 1\x0bv1.fact.b = 2\u2028v1.fact.c = 3\n\nv1.fact.d = 4")
    assert len(items.atoms) == 2
    assert items.lines == {"atoms[0]": 1, "atoms[1]": 3}
    assert read_items('["v1.fact.a = 1"]').lines == {}


def test_a_document_holds_edges_tombstones_and_unedges() -> None:
    edge = {"source": "v1.a.a", "type": "knows", "target": "v1.b.b"}
    document = {"edges": [edge, "v1.a.a knows v1.b.b"], "tombstones": ["v1.a.a"], "unedges": ["v1.a.a knows v1.b.b"]}
    items = read_items(json.dumps(document))
    assert (items.edges, items.tombstones, items.unedges) == ([edge, edge], ["v1.a.a"], [edge])
    assert not items.empty
    assert read_items("").empty


BROKEN = {
    "[1]": "atoms[0] must be a string or an object",
    '{"atoms": {}}': "atoms must be a list",
    '{"atoms": [], "nodes": []}': "members atoms, edges, tombstones, unedges",
    '{"tombstones": [1]}': "tombstones[0] must be a string or an object",
    '{"atoms": [': "is not JSON",
    '[{"name": "v1.fact.a", "name": "v1.fact.b", "value": "x"}]': "the same member twice",
    '[{"name": "v1.fact.a", "value": "x", "confidence": NaN}]': "NaN",
    '{"name": "v1.fact.a", "value": "x"}\n{"name": ': "line 2 is not JSON",
    "[" * 100_000: "nested too deeply",
}


@pytest.mark.parametrize(("text", "why"), BROKEN.items(), ids=range(len(BROKEN)))
def test_input_that_cannot_be_read_says_where_and_why(text: str, why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)):
        read_items(text)


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("v1.fact.a depends_on v1.fact.b", ("v1.fact.a", "depends_on", "v1.fact.b")),
        ("v1.fact.a depends on v1.fact.b", ("v1.fact.a", "depends on", "v1.fact.b")),
        ("v1.fact.a b c  knows  v1.fact.d e", ("v1.fact.a b c", "knows", "v1.fact.d e")),
        ('{"source": "v1.fact.a", "type": "x", "target": "v1.fact.b"}', ("v1.fact.a", "x", "v1.fact.b")),
    ],
)
def test_an_edge_is_read_from_words(text: str, edge: tuple[str, ...]) -> None:
    assert tuple(read_edge(text)[end] for end in ("source", "type", "target")) == edge
    assert read_unedge(text) == read_edge(text)


def test_an_edge_to_take_back_may_be_given_by_its_id() -> None:
    assert read_unedge(" 0190f0e0-0000-7000-8000-000000000000 ") == "0190f0e0-0000-7000-8000-000000000000"


@pytest.mark.parametrize("text", ["v1.fact.a v1.fact.b", "a b c", "v1.a.b is v1.c.d is v1.e.f", '{"source": ', "[]"])
def test_an_edge_that_is_none_or_can_be_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="an edge"):
        read_edge(text)


def test_sessions_come_with_the_lines_in_which_they_stand() -> None:
    assert read_sessions('\n{"items": ["v1.a.a"]}\r\n\n{"items": []}\n') == (
        [{"items": ["v1.a.a"]}, {"items": []}],
        [2, 4],
    )
    with pytest.raises(InputError, match="line 2 must be a JSON object"):
        read_sessions('{"items": []}\n[]')
