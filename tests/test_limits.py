"""Row 21: every limit at one below, at it, one over and a thousand times over; refused before much memory is taken."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from substrate.errors import InputError, ItemsRefused, TooLarge
from substrate.limits import LIMITS
from substrate.memory import Memory

NAME = "v1.fact.a"
SLACK = 2**20
"""Bytes that the machinery itself may take while it refuses something."""


@dataclass(frozen=True)
class Limit:
    """`give` makes the arguments of a checkpoint that has `size` of what is limited."""

    name: str
    give: Callable[[int], dict[str, Any]]
    word: str = ""
    """What the refusal must name."""
    unit: int = 1
    """Bytes that one of what is limited stands for."""
    far: int = 1000
    """How many times too much is given: fewer where a thousand would be gigabytes to go through."""


def atom(**fields: object) -> dict[str, Any]:
    return {"atoms": [{"name": NAME, "value": "x", **fields}]}


def edge(**fields: object) -> dict[str, Any]:
    return {"edges": [{"source": NAME, "type": "likes", "target": "v1.fact.b", **fields}]}


def nested(depth: int) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    for _ in range(depth - 1):
        attrs = {"a": attrs}
    return attrs


def distinct(count: int) -> list[str]:
    return [f"t{i}" for i in range(count)]


LIMITED = [
    Limit("name_bytes", lambda n: {"atoms": [{"name": "v1.fact." + "n" * (n - 8), "value": "x"}]}, "name"),
    Limit("name_bytes", lambda n: {"edges": [{"source": NAME, "type": "t", "target": "v1.fact." + "n" * (n - 8)}]}),
    Limit("value_bytes", lambda n: atom(value="x" * n), "value"),
    Limit("value_bytes", lambda n: atom(value="é " * (n // 3) + "x" * (n % 3)), "value", far=50),
    Limit("value_bytes", lambda n: {"atoms": [f"{NAME} = " + "x" * n]}, "value", far=50),
    Limit("tags", lambda n: atom(tags=distinct(n)), "tags", 64),
    Limit("tag_characters", lambda n: atom(tags=["ü" * n]), "tags"),
    Limit("entities", lambda n: atom(entities=distinct(n)), "entities", 64),
    Limit("entity_characters", lambda n: atom(entities=["ü" * n]), "entities"),
    Limit("attrs_bytes", lambda n: atom(attrs={"a": "x" * (n - len('{"a": ""}'))}), "attrs"),
    Limit("attrs_bytes", lambda n: edge(attrs={"a": "x" * (n - len('{"a": ""}'))}), "attrs"),
    Limit("attrs_depth", lambda n: atom(attrs=nested(n)), "attrs", 500),
    Limit("attrs_depth", lambda n: edge(attrs=nested(n)), "attrs", 500),
    Limit("text_characters", lambda n: atom(source="ß" * n), "source"),
    Limit("text_characters", lambda n: atom(actor="ß" * n), "actor"),
    Limit("text_characters", lambda n: atom(session="ß" * n), "session"),
    Limit("text_characters", lambda n: {**atom(), "source": "ß" * n}, "source"),
    Limit("text_characters", lambda n: {**atom(), "actor": "ß" * n}, "actor"),
    Limit("text_characters", lambda n: {**atom(), "session": "ß" * n}, "session"),
    Limit("text_characters", lambda n: edge(label="ß" * n), "label"),
    Limit("text_characters", lambda n: edge(cited="ß" * n), "cited"),
    Limit("text_characters", lambda n: edge(actor="ß" * n), "actor"),
    Limit("edge_type_characters", lambda n: edge(type="t" * n), "type"),
    Limit("windows", lambda n: edge(windows=[{"start": f"{1000 + i % 8000}-01-01"} for i in range(n)]), "windows", 99),
]
IDS = [f"{limit.name}-{i}" for i, limit in enumerate(LIMITED)]


def refusal(memory: Memory, given: dict[str, Any]) -> str:
    """What it is refused with; nothing may have been written."""
    before = memory.head()
    with pytest.raises(InputError) as raised:
        memory.checkpoint(**given)
    assert memory.head() == before
    if isinstance(raised.value, ItemsRefused):
        assert [item.code for item in raised.value.refused] == ["too_large"]
    else:
        assert isinstance(raised.value, TooLarge)
    return str(raised.value)


def peak_of(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("limit", LIMITED, ids=IDS)
def test_one_below_and_at_the_limit_is_taken(memory: Memory, limit: Limit) -> None:
    for size in (LIMITS[limit.name] - 1, LIMITS[limit.name]):
        saved = memory.checkpoint(**limit.give(size))
        assert len(saved.seqs) + len(saved.confirmed) == 1  # who says it makes no other version


@pytest.mark.parametrize("limit", LIMITED, ids=IDS)
def test_one_over_the_limit_is_refused_by_name_size_and_limit(memory: Memory, limit: Limit) -> None:
    told = refusal(memory, limit.give(LIMITS[limit.name] + 1))
    assert limit.word in told
    assert f"{LIMITS[limit.name]:,}" in told


@pytest.mark.no_cover
@pytest.mark.parametrize("limit", LIMITED, ids=IDS)
def test_what_is_far_over_the_limit_is_refused_before_much_memory_is_taken(memory: Memory, limit: Limit) -> None:
    given = limit.give(LIMITS[limit.name] * limit.far)
    taken = peak_of(lambda: refusal(memory, given))
    assert taken < 2 * LIMITS[limit.name] * limit.unit + SLACK


def test_a_limit_refused_in_part_names_the_item_and_saves_the_others(memory: Memory) -> None:
    big = {"name": "v1.fact.big", "value": "x" * (LIMITS["value_bytes"] + 1)}
    saved = memory.checkpoint([f"{NAME} = x", big, "v1.fact.c = y"], partial=True)
    assert saved.recorded == (NAME, "v1.fact.c")
    assert [(item.item, item.code, item.name) for item in saved.refused] == [("atoms[1]", "too_large", "v1.fact.big")]


# -- items and bytes of a checkpoint ------------------------------------------------------------------------------


def atoms(count: int) -> Iterator[str]:
    return (f"v1.fact.n{i} = {i}" for i in range(count))


@pytest.mark.no_cover
def test_a_checkpoint_holds_just_so_many_items(memory: Memory) -> None:
    limit = LIMITS["checkpoint_items"]
    with pytest.raises(TooLarge) as raised:
        memory.checkpoint(atoms(limit + 1))
    assert (raised.value.size, raised.value.limit) == (limit + 1, limit)
    assert len(memory.checkpoint(atoms(limit)).seqs) == limit


def test_items_of_all_kinds_count_together(memory: Memory) -> None:
    limit = LIMITS["checkpoint_items"]
    memory.checkpoint(["v1.fact.a = x", "v1.fact.b = y"])
    edges = [{"source": "v1.fact.a", "type": "likes", "target": f"v1.fact.n{i}"} for i in range(limit)]
    for more in ({"atoms": ["v1.fact.c = z"]}, {"tombstones": ["v1.fact.b"]}):
        with pytest.raises(TooLarge):
            memory.checkpoint(edges=edges, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("which", ["atoms", "edges", "tombstones", "unedges"])
def test_items_without_end_are_not_drawn_to_their_end(memory: Memory, which: str) -> None:
    limit, drawn = LIMITS["checkpoint_items"], 0

    def without_end() -> Iterator[Any]:
        nonlocal drawn
        for i in range(limit * 1000):
            drawn += 1
            edge = {"source": NAME, "type": "likes", "target": f"v1.fact.n{i}"}
            yield {"atoms": f"v1.fact.n{i} = x", "tombstones": f"v1.fact.n{i}"}.get(which, edge)

    with pytest.raises(TooLarge):
        memory.checkpoint(**{which: without_end()})
    assert drawn <= 2 * limit


def test_a_checkpoint_holds_just_so_many_bytes(memory: Memory) -> None:
    full, limit = "x" * (LIMITS["value_bytes"] - 2048), LIMITS["checkpoint_bytes"]
    count = limit // len(full)
    memory.checkpoint((f"v1.fact.n{i} = {full}" for i in range(count - 1)), allow_secrets=True)
    with pytest.raises(TooLarge) as raised:
        memory.checkpoint((f"v1.fact.m{i} = {full}" for i in range(count + 1)), allow_secrets=True)
    assert raised.value.limit == limit
    assert len(memory.list("v1.fact.m")) == 0


@pytest.mark.no_cover
def test_a_checkpoint_of_far_too_many_bytes_is_refused_before_they_are_all_there(memory: Memory) -> None:
    limit, full = LIMITS["checkpoint_bytes"], "x" * LIMITS["value_bytes"]
    given = [{"name": f"v1.fact.n{i}", "value": full} for i in range(LIMITS["checkpoint_items"])]

    def work() -> None:
        with pytest.raises(TooLarge):
            memory.checkpoint(given, allow_secrets=True)  # to look for them takes most of the time, and no memory

    assert peak_of(work) < 2 * limit + 16 * SLACK
    assert len(memory.list()) == 0


# -- lists ----------------------------------------------------------------------------------------------------------


def test_a_list_has_at_most_so_many_atoms(memory: Memory) -> None:
    limit = LIMITS["list_items"]
    memory.checkpoint(atoms(limit + 5))
    assert len(memory.list(limit=limit - 1)) == limit - 1
    page = memory.list(limit=limit)
    assert len(page) == limit
    assert len(memory.list(limit=limit, after=page.next)) == 5
    for over in (limit + 1, limit * 1000):
        with pytest.raises(TooLarge) as raised:
            memory.list(limit=over)
        assert (raised.value.size, raised.value.limit) == (over, limit)


@pytest.mark.parametrize("options", [{"limit": -1}, {"offset": -1}, {"limit": True}, {"limit": "9"}])
def test_a_list_of_no_sensible_size_is_refused(memory: Memory, options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        memory.list(**options)


def test_edges_of_one_atom_are_limited_and_say_that_there_are_more(memory: Memory) -> None:
    edges = [{"source": NAME, "type": "likes", "target": f"v1.fact.n{i}"} for i in range(30)]
    memory.checkpoint([f"{NAME} = x"], edges=edges)
    assert [(len(found), found.more) for found in (memory.edges(NAME, limit=n) for n in (29, 30, 31))] == [
        (29, True),
        (30, False),
        (30, False),
    ]
    for limit in (LIMITS["list_items"] + 1, -1):
        with pytest.raises(InputError):
            memory.edges(NAME, limit=limit)
