"""bm25s: BM25 over a matrix that is built once. It has no way to add a document later."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import bm25s
import Stemmer

from benchmarks.peers.harness import Document, K, run


class Bm25s:
    """Its defaults, with stems and its English stop words."""

    def __init__(self, _folder: Path) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._documents: list[Document] = []
        self._index = bm25s.BM25()
        self.about = f"bm25s {version('bm25s')}, stemmed; built in one go, kept in memory only"

    def add(self, documents: Sequence[Document]) -> None:
        """Only keep them."""
        self._documents += documents

    def finish(self) -> None:
        """Build it."""
        self._index.index(self._tokens([doc["text"] for doc in self._documents]), show_progress=False)

    def search(self, query: str) -> list[str]:
        """What scores anything."""
        found, scores = self._index.retrieve(self._tokens([query]), k=K, show_progress=False)
        pairs = zip(found[0], scores[0], strict=True)
        return [self._documents[at]["id"] for at, score in pairs if score > 0]

    def _tokens(self, texts: list[str]) -> object:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


if __name__ == "__main__":
    run(Bm25s)
