"""The table of edge types: one edge with two names, and what a store's own table allows."""

from __future__ import annotations

import json
from itertools import product

import pytest

from substrate.atoms.edge_kinds import BUILT_IN, SCHEMA, EdgeKinds, read_edge_kinds
from substrate.errors import ItemsRefused, SchemaInvalid
from substrate.memory import Memory

A, B = "v1.person.ada", "v1.company.engines"


def edge(source: str, kind: str, target: str, **fields: object) -> dict[str, object]:
    return {"source": source, "type": kind, "target": target, **fields}


def table(*, strict: bool = False, **types: object) -> str:
    return f"{SCHEMA} = {json.dumps({'strict': strict, 'types': types})}"


@pytest.fixture
def pair(memory: Memory) -> Memory:
    memory.checkpoint([f"{A} = Ada", f"{B} = Engines Ltd", "v1.domain.work = Work", "v1.fact.x = 1"])
    return memory


def test_the_inverse_of_the_inverse_is_the_type_itself() -> None:
    own = read_edge_kinds('{"types": {"rents": {"inverse": "rentedBy"}, "near": {"inverse": "near"}, "sees": {}}}')
    types = ["supersedes", "has_member", "causes", "caused_by", "related", "rents", "rented_by", "near"]
    for kind in types:
        inverse = own.inverse(kind)
        assert inverse is not None
        assert own.inverse(inverse) == kind
    assert own.inverse("sees") is own.inverse("unheard_of") is None
    assert (own.inverse("near"), own.inverse("rents")) == ("near", "rented_by")


@pytest.mark.parametrize(
    ("kind", "inverse"), [("works_for", "employs"), ("member_of", "has_member"), ("rents", "rented_by")]
)
def test_both_names_state_find_and_take_back_the_same_edge(pair: Memory, kind: str, inverse: str) -> None:
    pair.checkpoint([table(rents={"inverse": "rented_by"})])
    for first, second in product(((A, kind, B), (B, inverse, A)), repeat=2):
        (stated,) = pair.checkpoint(edges=[edge(*first)]).edges
        again = pair.checkpoint(edges=[edge(*second)])
        assert (again.edges, len(again.confirmed)) == ((), 1)
        for name, direction, called in product((A, B), ("in", "out"), (kind, inverse)):
            leads = (name == A) == ((called == kind) == (direction == "out"))
            found = pair.edges(name, direction=direction, type=called)
            assert [one.id for one in found] == ([stated] if leads else []), (name, direction, called)
        assert [one.id for one in pair.context(A, type=inverse)] == [stated]
        assert pair.checkpoint(unedges=[edge(*second)]).unedged == (stated,)
        assert not pair.edges(A)


def test_an_edge_with_two_alike_ends_is_one_edge_from_either(pair: Memory) -> None:
    (stated,) = pair.checkpoint(edges=[edge(A, "related", B)]).edges
    assert pair.checkpoint(edges=[edge(B, "Related", A)]).confirmed
    assert [one.id for one in pair.edges(B, direction="out", type="related")] == [stated]
    assert pair.checkpoint(unedges=[edge(B, "related", A)]).unedged == (stated,)


def test_what_means_something_to_the_engine_is_kept_under_its_own_name(pair: Memory) -> None:
    pair.checkpoint(edges=[edge("v1.domain.work", "hasMember", A), edge("v1.fact.x", "superseded_by", B)])
    (member,) = pair.edges(A)
    assert (member.source, member.type, member.target, member.label) == (A, "member_of", "v1.domain.work", "hasMember")
    assert [hit.name for hit in pair.search("ada", domain="work")] == [A]
    assert pair.access("v1.fact.x").atom.superseded_by == (B,)
    with pytest.raises(ItemsRefused, match="cannot supersede itself"):
        pair.checkpoint(edges=[edge(B, "superseded_by", "v1.fact.x")])


def test_any_other_edge_is_kept_as_it_was_first_stated(pair: Memory) -> None:
    pair.checkpoint(edges=[edge(B, "employs", A, confidence=0.5)])
    pair.checkpoint(edges=[edge(A, "works_for", B, confidence=0.75)])
    (kept,) = pair.edges(A)
    assert (kept.source, kept.type, kept.target, kept.label, kept.confidence) == (B, "employs", A, None, 0.75)


def test_the_table_of_a_store_says_what_an_edge_may_join(pair: Memory) -> None:
    pair.checkpoint([table(rents={"inverse": "rented_by", "from": ["person"], "to": ["house", "company"]})])
    pair.checkpoint(edges=[edge(A, "rents", "v1.house.not_there_yet"), edge(B, "rented_by", A)])
    ada = pair.access(A).atom.id
    for source, kind, target in (("v1.fact.x", "rents", B), (A, "rents", "v1.fact.x"), ("v1.fact.x", "rented_by", ada)):
        with pytest.raises(ItemsRefused, match=r"an edge rent\w+ leads (from|to)"):
            pair.checkpoint(edges=[edge(source, kind, target)])
    pair.checkpoint(edges=[edge(A, "anything", B)])
    pair.checkpoint(tombstones=[SCHEMA], edges=[edge("v1.fact.x", "rents", B)])  # what is out of use forbids nothing


def test_a_strict_table_refuses_what_it_does_not_have(pair: Memory) -> None:
    with pytest.raises(ItemsRefused, match="there is no edge type sees here"):
        pair.checkpoint([table(strict=True, rents={})], edges=[edge(A, "sees", B)])
    pair.checkpoint([table(strict=True, rents={})], edges=[edge(A, "rents", B), edge(A, "member_of", B)])
    with pytest.raises(ItemsRefused, match="there is no edge type sees here"):
        pair.checkpoint(edges=[edge(A, "sees", B)])
    pair.checkpoint([f"v1.task.t = {1}"], task="v1.task.other")  # edges of our own making are in the table
    pair.checkpoint([table(strict=False)], edges=[edge(A, "sees", B)])


def test_a_table_that_lets_everything_pass_is_caught(pair: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin of the two before."""
    monkeypatch.setattr(EdgeKinds, "check", lambda *_: None)
    pair.checkpoint([table(strict=True, rents={"to": ["house"]})], edges=[edge(A, "rents", B), edge(A, "sees", B)])
    assert len(pair.edges(A)) == 2


BAD = {
    "not json": "is not JSON",
    "[]": "must be a JSON object with strict, types",
    '{"kinds": {}}': 'has no member "kinds"',
    '{"strict": 1}': "must be true or false",
    '{"types": []}': "types in v1.schema.edges must be an object",
    '{"types": {"1x": {}}}': "the type of an edge is of a-z",
    '{"types": {"a": []}}': "the row of a in v1.schema.edges must be a JSON object",
    '{"types": {"a": {"inverse": 3}}}': "an inverse in v1.schema.edges must be the name",
    '{"types": {"a": {"inverse": "b"}, "b": {"inverse": "c"}}}': "b stands twice",
    '{"types": {"a": {"inverse": "b"}, "B": {}}}': "b stands twice",
    '{"types": {"causes": {"inverse": "makes"}}}': "the inverse of causes is caused_by",
    '{"types": {"makes": {"inverse": "caused_by"}}}': "caused_by is the inverse of causes already",
    '{"types": {"a": {"from": "no type"}}}': "from of a must be a list of types",
    '{"types": {"a": {"to": 3}}}': "to of a must be a list of types",
    '{"types": {"a": {"inverse": "a", "from": ["b"]}}}': "from and to must be the same",
    '{"types": {"supersedes": {"from": ["nothing"]}}}': "cannot say what it may join",
    '{"types": {"has_member": {"to": ["nothing"]}}}': "cannot say what it may join",
}


@pytest.mark.parametrize("value", BAD)
def test_a_table_that_cannot_be_read_is_refused_when_it_is_saved(pair: Memory, value: str) -> None:
    with pytest.raises(SchemaInvalid, match=BAD[value]):
        read_edge_kinds(value)
    with pytest.raises(ItemsRefused, match=BAD[value]):
        pair.checkpoint([{"name": SCHEMA, "value": value}])


def test_a_row_of_the_store_may_narrow_what_is_built_in() -> None:
    narrowed = read_edge_kinds('{"types": {"part_of": {"to": ["domain", "hub"]}}}')
    assert narrowed["has_part"].sources == ("domain", "hub")
    assert narrowed.inverse("part_of") == BUILT_IN.inverse("part_of") == "has_part"


def test_edges_of_before_keep_their_bytes_and_are_found_by_both_names(
    pair: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a store of before this table holds them: `has_member` was a type like any other."""
    with monkeypatch.context() as before:
        before.setattr(EdgeKinds, "inverse", lambda *_: None)
        (literal,) = pair.checkpoint(edges=[edge(B, "has_member", A)]).edges
    assert [(one.id, one.type) for one in pair.edges(A, direction="out", type="member_of")] == [(literal, "has_member")]
    assert pair.checkpoint(unedges=[edge(A, "member_of", B)]).unedged == (literal,)
