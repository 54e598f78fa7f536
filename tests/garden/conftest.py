"""A domain of texts, with relations planted in some of them."""

from __future__ import annotations

import pytest

from substrate.memory import Memory

TEXTS = (
    "HydraMem uses LanceDB for its vectors. LanceDB is not a graph.",
    "The Night Gardener depends on HydraMem. Marta Silva works for Acme Corp.",
    "HydraMem does not use NetworkX. NetworkX and LanceDB are libraries.",
    "Acme Corp owns HydraMem. Did Marta Silva write NetworkX?",
)


@pytest.fixture
def garden(memory: Memory) -> Memory:
    """Twice each name, so that each is an entity."""
    for number, text in enumerate(
        (*TEXTS, "Seen today: HydraMem, LanceDB, Night Gardener, Marta Silva, Acme Corp, NetworkX.")
    ):
        memory.ingest(text, source=f"page-{number}.md", domain="docs")
    return memory
