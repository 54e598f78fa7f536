"""HydraMem's own store, ingestion and search, without the server around them; its vectors are its stub."""

from __future__ import annotations

import logging
import os
from importlib.metadata import version
from pathlib import Path

from benchmarks.peers.graph_harness import DIMENSIONS, PROJECT, run

_K, _HOPS = 5, 2


class HydraMem:
    """As its tools `remember`, `hydra_search_tool` and `get_full_document_tool` call it, but for their telemetry."""

    def __init__(self, folder: Path) -> None:
        # Read at import, or when a store is made.
        os.environ |= {
            "HYDRAMEM_DATA_DIR": str(folder),
            "HYDRAMEM_EMBEDDER": "stub",
            "EMBEDDING_DIM": str(DIMENSIONS),
        }
        os.chdir(folder)
        from hydramem.ingest.pipeline import IngestionPipeline  # noqa: PLC0415
        from hydramem.search import SearchService  # noqa: PLC0415

        logging.disable(logging.WARNING)  # no language model answers: a line for each chunk
        self._pipeline, self._service = IngestionPipeline(), SearchService()
        self._store = self._pipeline._store  # noqa: SLF001
        backend = type(self._store._graph).__name__  # noqa: SLF001
        self.about = f"hydramem {version('hydramem')}, {backend}"

    def remember(self, source: str, text: str) -> str:
        """As its tool does: every write drops the caches."""
        done = self._pipeline.ingest_text(text, source=source, project=PROJECT)
        self._service.invalidate_cache(PROJECT)
        return str(done["doc_id"])

    def settle(self) -> None:
        """Nothing: a note has its vector."""

    def join(self, pairs: list[tuple[str, str]]) -> None:
        """Without verification, which would reject them all."""
        from hydramem.core.types import Relation  # noqa: PLC0415

        ids = {str(one["name"]).lower(): one["id"] for one in self._store.list_entities(project=PROJECT)}
        for first, second in pairs:
            ends = ids.get(first.lower()), ids.get(second.lower())
            if None not in ends:
                relation = Relation(
                    from_entity=ends[0], to_entity=ends[1], relation_type="uses", confidence=0.9, project=PROJECT
                )
                self._store.add_relation(relation)
        self._service.invalidate_cache(PROJECT)

    def search(self, query: str, traversal: str) -> list[str]:
        """With two hops."""
        found = self._service.hydra_search(query, project=PROJECT, max_hops=_HOPS, top_k=_K, traversal=traversal)
        return [chunk["text"] for chunk in found["chunks"][:_K]]

    def document(self, name: str) -> str:
        """By its id."""
        return str(self._store.get_full_document(name))


if __name__ == "__main__":
    run(HydraMem)
