"""This store, through its public interface."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import substrate
from benchmarks.peers.harness import Document, K, run
from benchmarks.retrieval import Adapter


class Substrate:
    """As the retrieval benchmark uses it."""

    def __init__(self, folder: Path) -> None:
        Adapter.warm()
        self._adapter = Adapter(str(folder))
        self.about = f"substrate {substrate.__version__}, words and meaning, durable, with proofs"

    def add(self, documents: Sequence[Document]) -> None:
        """A checkpoint, and its embeddings."""
        self._adapter.add(documents)

    def finish(self) -> None:
        """Nothing is left to do."""

    def search(self, query: str) -> list[str]:
        """Its default."""
        return self._adapter.search(query, K)


if __name__ == "__main__":
    run(Substrate)
