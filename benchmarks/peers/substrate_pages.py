"""This store, through its public interface; with vectors made of hashes, as HydraMem makes them, or with none."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import numpy as np

import substrate
from benchmarks.peers.pages_harness import DIMENSIONS, PROJECT, run
from substrate.documents.naming import CHUNK
from substrate.embed import load
from substrate.views.vectors import SPACE_BYTES

_K = 5


class Stub:
    """In the place of a model: the bytes of a text's digest over and over, of length 1. Each text is one piece."""

    model = "stub"
    digest = sha256(b"stub").hexdigest()
    space = sha256(b"stub").digest()[:SPACE_BYTES]
    dimensions = DIMENSIONS

    def embed_query(self, text: str) -> np.ndarray:
        """The vector of a text."""
        raw = np.frombuffer(sha256(text.encode()).digest(), np.uint8).astype(np.float32)
        vector = np.resize((raw - 128) / 128, DIMENSIONS)
        return vector / (np.linalg.norm(vector) or 1.0)

    def embed_pieces(self, texts: list[str], _: object = None) -> list[np.ndarray]:
        """The vectors of each."""
        return [self.embed_query(text)[np.newaxis] for text in texts]


class Substrate:
    """Durable and with proofs, as it comes. Vectors are made by `index`, which the background does otherwise."""

    def __init__(self, folder: Path, vectors: str) -> None:
        self._vectors = vectors == "stub"
        patch.object(load, "load", lambda *_, **__: Stub()).start()
        model = "stub" if self._vectors else "none"
        self._memory = substrate.open(folder / "store", home=folder / "home", model=model, background=False)
        self.about = f"substrate {substrate.__version__}, vectors: {vectors}; durable, with proofs"

    def ingest(self, pages: Path) -> int:
        """The folder in one call, and then the vectors."""
        done = self._memory.ingest(pages, domain=PROJECT)
        if done.failed:
            raise ValueError(f"{len(done.failed)} pages were not taken: {done.failed[0].reason}")
        if self._vectors:
            self._memory.index()
        return done.added + done.changed

    def search(self, query: str) -> list[str]:
        """Its default, among the chunks of this domain."""
        found = self._memory.search(query, prefix=f"{CHUNK}{PROJECT}.", limit=_K)
        return [str(hit.atom.source) for hit in found]


if __name__ == "__main__":
    run(Substrate)
