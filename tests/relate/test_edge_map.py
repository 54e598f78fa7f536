"""edge_map: the atoms with most edges, and what joins them."""

from __future__ import annotations

from substrate.memory import Memory

HUB = "v1.domain.shop"


def spoke(number: int) -> str:
    return f"v1.fact.n{number}"


def test_the_atoms_with_most_edges_come_first_and_the_rest_is_counted(memory: Memory) -> None:
    edges = [{"source": spoke(number), "type": "member_of", "target": HUB} for number in range(6)]
    edges += [{"source": spoke(0), "type": "needs", "target": spoke(1)}]
    facts = [f"{spoke(number)} = x" for number in range(6)]
    memory.checkpoint([f"{HUB} = The shop", *facts, "v1.fact.alone = y"], edges=edges)
    found = memory.edge_map(limit=3)
    assert [(node.label, node.edges) for node in found.atoms[:1]] == [("shop", 6)]
    assert {node.name for node in found.atoms} == {HUB, spoke(0), spoke(1)}
    assert found.more == 4
    assert {(edge.source, edge.type, edge.target) for edge in found} == {
        (spoke(0), "member_of", HUB),
        (spoke(1), "member_of", HUB),
        (spoke(0), "needs", spoke(1)),
    }
    assert len(memory.edge_map().atoms) == 7


def test_what_is_out_of_use_or_taken_back_is_not_drawn(memory: Memory) -> None:
    edge = {"source": spoke(0), "type": "needs", "target": spoke(1)}
    memory.checkpoint([f"{spoke(number)} = x" for number in range(3)], edges=[edge, {**edge, "target": spoke(2)}])
    memory.checkpoint(tombstones=[spoke(2)])
    found = memory.edge_map()
    assert ({node.name for node in found.atoms}, len(found)) == ({spoke(0), spoke(1)}, 1)
    memory.checkpoint(unedges=[edge])
    assert not memory.edge_map().items
