"""The entity graph without a page: what is drawn, the evidence of an edge, a run as a diff, and its undo."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from substrate.memory import Memory
from substrate_widgets import EntityGraph, Explorer, link

E = "v1.entity.docs."
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def widget(memory: Memory) -> Iterator[EntityGraph]:
    memory.ingest("Acme Corp owns HydraMem. HydraMem uses LanceDB.", source="a.md", domain="docs")
    memory.ingest("We met Acme Corp before, and HydraMem and LanceDB too.", source="b.md", domain="docs")
    memory.checkpoint([f"v1.entity.other.thing = {HOSTILE}"])
    memory.tend("docs")
    widget = EntityGraph(memory)
    assert widget.wait()
    yield widget
    widget.close()


def test_it_shows_the_first_domain_that_has_entities_and_another_when_asked(widget: EntityGraph) -> None:
    assert widget.graph["domain"] == "v1.domain.docs"
    assert widget.domains == ["v1.domain.docs", "v1.domain.other"]
    labels = [node["label"] for node in widget.graph["nodes"]]
    assert labels[0] == "HydraMem"
    edges = {(labels[edge["source"]], edge["type"], labels[edge["target"]]) for edge in widget.graph["edges"]}
    assert edges == {("Acme Corp", "owns", "HydraMem"), ("HydraMem", "uses", "LanceDB")}
    widget.domain = "other"
    assert widget.wait()
    assert [node["label"] for node in widget.graph["nodes"]] == [HOSTILE]
    assert (widget.edge, widget.run, widget.problem) == ("", 0, "")


def test_an_edge_opens_the_chunk_that_it_cites_the_reasons_and_a_proof_that_verifies(
    widget: EntityGraph, memory: Memory
) -> None:
    observed = memory.observed()
    widget.edge = next(edge["id"] for edge in widget.graph["edges"] if edge["type"] == "owns")
    assert widget.wait()
    told = widget.evidence
    assert told["labels"] == ["Acme Corp", "HydraMem"]
    assert "Acme Corp owns HydraMem" in told["text"]
    assert ["verdict", "accepted"] in told["reasons"]
    assert (told["actor"], told["session"], told["proof"]["verified"]) == ("tend", "tend:1", True)
    assert memory.verify(told["proof"]["text"]).seq == told["proof"]["seq"]
    memory.tend(undo=1)
    assert widget.wait()
    assert (widget.evidence, widget.graph["edges"]) == ({}, [])
    assert memory.observed() == observed


def test_a_run_is_a_diff_and_its_undo_is_told(widget: EntityGraph, memory: Memory) -> None:
    assert [(run["run"], run["accepted"], run["undone"]) for run in widget.runs] == [(1, 2, False)]
    widget.run = 1
    assert widget.wait()
    assert [change["kind"] for change in widget.changes] == ["edge_added", "edge_added"]
    widget.undo(1)
    assert widget.wait()
    assert widget.undone == "Run 1 is undone: 2 edges taken back, 0 entities in use again."
    assert [run["undone"] for run in widget.runs] == [True]
    assert not memory.entity_map("docs").items
    widget.undo(9)
    assert widget.wait()
    assert "there is no run 9" in widget.problem


def test_it_is_linked_to_the_others_and_has_a_still_picture(widget: EntityGraph, memory: Memory) -> None:
    explorer = Explorer(memory)
    link(widget, explorer)
    widget.selected = E + "hydramem"
    assert explorer.selected == E + "hydramem"
    caption, rows = widget._pictured()
    assert caption == "v1.domain.docs: 3 entities, 2 edges"
    assert {"source": "HydraMem", "type": "uses", "target": "LanceDB"} in rows
    explorer.close()


def test_all_atoms_are_shown_on_demand_and_where_there_are_no_entities(widget: EntityGraph, memory: Memory) -> None:
    memory.checkpoint(
        ["v1.fact.a = x", "v1.fact.b = y"], edges=[{"source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"}]
    )
    widget.of = "atoms"
    assert widget.wait()
    assert widget.graph["domain"] == ""
    names = [node["name"] for node in widget.graph["nodes"]]
    edges = {(names[edge["source"]], edge["type"], names[edge["target"]]) for edge in widget.graph["edges"]}
    assert {("v1.fact.a", "needs", "v1.fact.b"), (f"{E}hydramem", "uses", f"{E}lancedb")} <= edges
    widget.edge = next(edge["id"] for edge in widget.graph["edges"] if edge["type"] == "needs")
    assert widget.wait()
    assert (widget.evidence["labels"], widget.evidence["proof"]["verified"]) == (["a", "b"], True)
    widget.of = "entities"
    assert widget.wait()
    assert (widget.graph["domain"], widget.edge) == ("v1.domain.docs", "")


def test_a_store_without_entities_shows_its_atoms(memory: Memory) -> None:
    memory.checkpoint(
        ["v1.fact.a = x", "v1.fact.b = y"], edges=[{"source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"}]
    )
    widget = EntityGraph(memory)
    assert widget.wait()
    assert {node["label"] for node in widget.graph["nodes"]} == {"a", "b"}
    widget.close()
