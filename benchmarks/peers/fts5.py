"""SQLite's own full-text search, through the standard library: what one gets without installing anything."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.harness import Document, K, run

_WORD = re.compile(r"\w\w+")
_STOP_WORDS = re.compile(  # the short list of bm25s, so that both leave out the same
    "a|an|and|are|as|at|be|but|by|for|if|in|into|is|it|no|not|of|on|or|such|that|the|their|then|there|these|they|this"
    "|to|was|will|with"
)


class Fts5:
    """One table with Porter stems; a question becomes its words, any of which may match, ranked by BM25."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "fts5.db", isolation_level=None)
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = full")
        self._connection.execute("create virtual table text using fts5(id unindexed, body, tokenize=porter)")
        self.about = f"SQLite {sqlite3.sqlite_version}, Porter stems, any word may match"

    def add(self, documents: Sequence[Document]) -> None:
        """One durable transaction."""
        self._connection.execute("begin immediate")
        self._connection.executemany("insert into text values (?, ?)", [(doc["id"], doc["text"]) for doc in documents])
        self._connection.execute("commit")

    def finish(self) -> None:
        """Nothing is left to do."""

    def search(self, query: str) -> list[str]:
        """By BM25."""
        words = [word for word in _WORD.findall(query.lower()) if not _STOP_WORDS.fullmatch(word)]
        asked = " OR ".join(f'"{word}"' for word in words)
        rows = self._connection.execute("select id from text where body match ? order by rank limit ?", (asked, K))
        return [row[0] for row in rows] if words else []


if __name__ == "__main__":
    run(Fts5)
