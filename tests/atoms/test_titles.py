"""Titles: documents and chunks are shown by them, since their names are digests."""

from __future__ import annotations

from pathlib import Path

import pytest

from substrate.memory import Memory


@pytest.fixture
def second(memory: Memory, tmp_path: Path) -> str:
    """The name of a document that links to another."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Hello world\n\nText.\n")
    (folder / "b.md").write_text("# Second\n\nSee [[a]].\n")
    memory.ingest(folder)
    return next(atom.name for atom in memory.list(type="document") if atom.value == "Second")


def test_edges_and_context_bring_titles_beside_names(memory: Memory, second: str) -> None:
    for found in (memory.edges(second), memory.context(second)):
        (edge,) = found
        assert (found.titles[edge.source], found.titles[edge.target]) == ("Second", "Hello world")
        assert "titles" not in found.to_dict()


def test_a_chunk_is_called_by_its_document(memory: Memory, second: str) -> None:
    chunk = next(atom.name for atom in memory.list(type="chunk") if atom.value.startswith("# Second"))
    memory.checkpoint(["v1.fact.a = x"], edges=[{"source": "v1.fact.a", "type": "references", "target": chunk}])
    found = memory.edges("v1.fact.a")
    assert dict(found.titles) == {chunk: "Second, chunk 1"}
    memory.checkpoint(tombstones=[second])
    assert not memory.edges("v1.fact.a").titles
