"""The official memory server's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from substrate.embed.tokens import token_counter
from substrate.memory import Memory

GRAPH = [
    {"type": "entity", "name": "Ana Silva", "entityType": "person", "observations": ["Keeps the keys", "Speaks C++"]},
    {"type": "entity", "name": "Adyen", "entityType": "company", "observations": []},
    {"type": "relation", "from": "Ana Silva", "to": "Adyen", "relationType": "negotiates with"},
]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "memory.json"
    path.write_text("".join(json.dumps(line) + "\n" for line in GRAPH), encoding="utf-8")
    return path


def test_entities_observations_and_relations_come_over(memory: Memory, graph: Path) -> None:
    imported = memory.import_file(graph, domain="team")
    assert (imported.kind, len(imported.recorded), len(imported.edges)) == ("server-memory", 4, 1)
    (page,) = [entity for entity in memory.entities(domain="team") if entity.name == "Ana Silva"]
    assert page.mentions == 2
    (edge,) = memory.edges("v1.entity.team.adyen")
    assert (edge.source, edge.type) == ("v1.entity.team.ana silva", "negotiates_with")
    found = memory.search("who keeps the keys")
    assert found[0].atom.value == "Keeps the keys"
    assert found[0].atom.attrs["imported"] == {"from": "server-memory", "id": "Ana Silva"}


def test_what_is_found_of_a_graph_tells_of_whom_it_speaks(memory: Memory, graph: Path) -> None:
    memory.import_file(graph)
    (keys,) = [hit for hit in memory.search("keeps the keys") if hit.value == "Keeps the keys"]
    assert keys.atom.about == ("Ana Silva",)
    assert "(about 'Ana Silva')" in repr(keys)
    memory.remember("Ana Silva came back in May")
    (said,) = [hit for hit in memory.search("came back in May") if hit.value.startswith("Ana")]
    assert said.atom.about == ()


def test_whom_it_speaks_of_is_told_where_the_name_only_stands_within_a_word(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.note.n1", "value": "Moved to Malmö", "entities": ["Al", "malmö"]}])
    (moved,) = memory.search("who moved")
    assert moved.atom.about == ("Al",)
    (shown,) = memory.bootstrap("who moved")
    assert shown.entities == ("Al",)


def test_of_whom_it_speaks_is_no_syntax_in_a_hit(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.note.keys", "value": "Keeps the keys", "entities": ["Ana\x1b[31m\n) (newer: it"]}])
    shown = repr(memory.search("keeps the keys")[0])
    assert shown.isprintable()
    assert r"(about 'Ana\x1b[31m\n) (newer: it')" in shown


@pytest.mark.parametrize("budget", [300, 1200])
def test_an_opening_tells_of_whom_a_note_speaks_within_its_budget(memory: Memory, graph: Path, budget: int) -> None:
    memory.import_file(graph)
    opening = memory.bootstrap("who keeps the keys", max_tokens=budget)
    (keys,) = [atom for atom in opening if atom.value == "Keeps the keys"]
    assert keys.to_dict()["entities"] == ["Ana Silva"]
    assert '= "Keeps the keys" (about "Ana Silva"' in opening.text()
    assert token_counter().count(opening.json()) == opening.tokens <= budget


def test_the_same_file_again_changes_nothing_in_whatever_order(memory: Memory, graph: Path) -> None:
    memory.import_file(graph)
    graph.write_text("\n".join(json.dumps(line) for line in reversed(GRAPH)), encoding="utf-8")
    again = memory.import_file(graph)
    assert (again.recorded, again.edges) == ((), ())


def test_a_torn_last_line_and_what_is_no_graph_is_told_and_the_rest_is_saved(memory: Memory, graph: Path) -> None:
    with graph.open("a", encoding="utf-8") as file:
        file.write('{"type": "entity", "name": "..."}\n{"type": "note"}\n{"type": "entity", "na')
    imported = memory.import_file(graph)
    assert [refused.item for refused in imported.refused] == ["line 4", "line 5", "line 6"]
    assert "cut off" in imported.refused[-1].reason
    assert len(imported.recorded) == 4
