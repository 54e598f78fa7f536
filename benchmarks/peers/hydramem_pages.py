"""HydraMem's own ingestion and search, without the server around them; its vectors are its stub, made of hashes."""

from __future__ import annotations

import logging
import os
from importlib.metadata import version
from pathlib import Path

from benchmarks.peers.pages_harness import DIMENSIONS, PROJECT, run

_K, _HOPS = 5, 2


class HydraMem:
    """As its tools `ingest_markdown` and `hydra_search_tool` call it, but for their telemetry."""

    def __init__(self, folder: Path, vectors: str) -> None:
        if vectors != "stub":
            raise ValueError("HydraMem always has vectors")
        # Read at import, or when a store is made.
        os.environ |= {
            "HYDRAMEM_DATA_DIR": str(folder),
            "HYDRAMEM_EMBEDDER": vectors,
            "EMBEDDING_DIM": str(DIMENSIONS),
        }
        os.chdir(folder)
        from hydramem.ingest.pipeline import IngestionPipeline  # noqa: PLC0415
        from hydramem.search import SearchService  # noqa: PLC0415

        logging.disable(logging.WARNING)  # no language model answers: a line for each chunk
        self._pipeline, self._service = IngestionPipeline(), SearchService()
        store = self._pipeline._store  # noqa: SLF001
        backends = "; ".join(type(part).__name__ for part in (store._graph, store._vector))  # noqa: SLF001
        self.about = f"hydramem {version('hydramem')}, {backends}"

    def ingest(self, pages: Path) -> int:
        """Page by page, as `ingest_markdown`; its own way through a folder is the same loop and hides errors."""
        chunks = 0
        for path in sorted(pages.glob("*.md")):
            chunks += self._pipeline.ingest_file(str(path), project=PROJECT)["chunks_added"]
        self._service.invalidate_cache(PROJECT)
        return chunks

    def search(self, query: str) -> list[str]:
        """Its default."""
        found = self._service.hydra_search(query, project=PROJECT, max_hops=_HOPS, top_k=_K)
        return [chunk["source"] for chunk in found["chunks"][:_K]]


if __name__ == "__main__":
    run(HydraMem)
