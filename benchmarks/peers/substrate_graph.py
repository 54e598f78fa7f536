"""This store through its public interface, with vectors made of hashes, as HydraMem makes them."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import substrate
from benchmarks.peers.graph_harness import PROJECT, run
from benchmarks.peers.substrate_pages import Stub
from substrate.documents.naming import CHUNK
from substrate.embed import load
from substrate.entities.naming import entity_name

_K, _HOPS = 5, 2
_WALKS = {"bfs": "best", "ppr": "pagerank"}


class Substrate:
    """Durable and with proofs, as it comes."""

    def __init__(self, folder: Path) -> None:
        patch.object(load, "load", lambda *_, **__: Stub()).start()
        self.memory = substrate.open(folder / "store", home=folder / "home", model="stub", background=False)
        self.about = f"substrate {substrate.__version__}, vectors: stub; durable, with proofs"

    def remember(self, source: str, text: str) -> str:
        """A document of one chunk, and its entities."""
        return self.memory.ingest(text, source=source, domain=PROJECT)[0].name

    def settle(self) -> None:
        """The vectors of the last notes, which the background makes otherwise, of as many at once."""
        self.memory.index()

    def join(self, pairs: list[tuple[str, str]]) -> None:
        """In one checkpoint."""
        known = {entity.name for entity in self.memory.list(f"v1.entity.{PROJECT}.", limit=1000)}
        named = [(entity_name(PROJECT, first), entity_name(PROJECT, second)) for first, second in pairs]
        edges = [
            {"source": first, "type": "uses", "target": second, "confidence": 0.9}
            for first, second in dict.fromkeys(named)
            if first != second and {first, second} <= known
        ]
        self.memory.checkpoint(edges=edges)

    def search(self, query: str, traversal: str) -> list[str]:
        """With two hops, among the chunks of this domain."""
        found = self.memory.search(query, domain=PROJECT, hops=_HOPS, walk=_WALKS[traversal], limit=_K * 2)
        return [hit.atom.value for hit in found if hit.atom.name.startswith(CHUNK)][:_K]

    def document(self, name: str) -> str:
        """By its name."""
        return self.memory.document(name).text


if __name__ == "__main__":
    run(Substrate)
