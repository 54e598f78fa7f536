"""Which edges look spurious: the model is judged on what it has not seen, and never suggests a sparse graph whole."""

from __future__ import annotations

import random

import pytest

from substrate.errors import InputError
from substrate.memory import Memory

SEED = 20_261_117


def entity(number: int) -> str:
    return f"v1.entity.shop.thing {number}"


def edge(first: int, second: int, **fields: object) -> dict[str, object]:
    return {"source": entity(first), "type": "uses", "target": entity(second), **fields}


def grown(memory: Memory, edges: list[dict[str, object]], count: int) -> None:
    memory.checkpoint([f"{entity(number)} = Thing {number}" for number in range(count)], edges=edges)


def cliques(groups: int, size: int) -> list[tuple[int, int]]:
    return [
        (group * size + first, group * size + second)
        for group in range(groups)
        for first in range(size)
        for second in range(first + 1, size)
    ]


def test_edges_between_groups_are_told_from_those_within_and_the_held_out_auc_is_told(memory: Memory) -> None:
    draw = random.Random(SEED)
    inside = cliques(8, 5)
    across = {(draw.randrange(5), 5 + draw.randrange(35)) for _ in range(6)}
    grown(memory, [edge(*pair, confidence=0.5) for pair in [*inside, *across]], 40)
    found = memory.prune("shop", threshold=0.5)
    assert (found.method, found.edges, found.dry_run) == ("logistic", len(inside) + len(across), True)
    assert found.auc is not None
    assert found.auc >= 0.8
    suggested = {(one.source, one.target) for one in found}
    assert suggested == {(entity(first), entity(second)) for first, second in across}
    assert found[0].score == max(one.score for one in found)


@pytest.mark.parametrize("count", [12, 80])
def test_a_sparse_graph_is_not_suggested_whole_with_few_edges_or_many(memory: Memory, count: int) -> None:
    grown(memory, [edge(number // 2, number) for number in range(1, count)], count)
    found = memory.prune("shop")
    assert (len(found), found.edges) == (0, count - 1)
    assert found.method == "heuristic"
    assert (found.auc is None) == (count < 50)


def test_an_edge_of_low_confidence_without_evidence_is_suggested_and_never_more_than_a_quarter(memory: Memory) -> None:
    grown(memory, [edge(number // 2, number, confidence=0.1) for number in range(1, 12)], 12)
    found = memory.prune("shop")
    assert (found.method, len(found), found.left_out) == ("heuristic", 3, 8)


def test_the_only_edge_of_a_graph_is_not_suggested(memory: Memory) -> None:
    grown(memory, [edge(0, 1, confidence=0.05)], 2)
    found = memory.prune("shop")
    assert (len(found), found.left_out) == (0, 1)


def test_a_surface_takes_back_only_its_own_edges_and_a_person_what_is_listed(memory: Memory) -> None:
    own = memory.client("mcp:hydramem:agent")
    grown(memory, [edge(number // 2, number, confidence=0.9) for number in range(1, 8)], 9)
    own.checkpoint(edges=[edge(0, 7, confidence=0.05)])
    memory.checkpoint(edges=[edge(0, 8, confidence=0.05)])
    taken = own.prune("shop", dry_run=False)
    assert [(one.target, one.removed) for one in taken] == [(entity(7), True), (entity(8), False)]
    assert len(memory.prune("shop", dry_run=False)) == 1
    assert not memory.prune("shop")
    memory.undo()
    assert [one.target for one in memory.prune("shop")] == [entity(8)]


def test_the_same_graph_gives_the_same_scores_and_a_threshold_is_a_share(memory: Memory) -> None:
    grown(memory, [edge(*pair, confidence=0.3) for pair in cliques(6, 5)], 30)
    first, second = memory.prune("shop", threshold=0.01), memory.prune("shop", threshold=0.01)
    assert first.to_dict() == second.to_dict()
    for wrong in (1.5, -0.1, float("nan"), "much"):
        with pytest.raises(InputError, match="threshold is a number from 0 to 1"):
            memory.prune("shop", threshold=wrong)  # type: ignore[arg-type]
    assert len(memory.prune("nobody was here")) == 0
