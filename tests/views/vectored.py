"""A store with vectors that a test makes up, and the plain scan that search is compared with."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from substrate.codec import draft_forget, draft_put
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.heads import map_salt, require_head
from substrate.log.log import open_log
from substrate.log.tables import EMBEDDED
from substrate.proof.hashes import map_key
from substrate.views.catalogue import VIEWS
from substrate.views.nearest.index import Nearest, NearestIndex, erase_forgotten
from substrate.views.vectors import erase_vectors, keep_vectors, vectors_between

SPACE = b"space  1"


class Vectored:
    """An open store, and an index of its own."""

    def __init__(
        self, path: Path, home: Path, dimensions: int, seal_from: int = 30_000, *, read_only: bool = False
    ) -> None:
        self.path = path
        self.dimensions = dimensions
        self.log = open_log(path, home=home, views=VIEWS, read_only=read_only)
        self.index = NearestIndex(path, read_only=read_only, seal_from=seal_from)

    def close(self) -> None:
        self.index.close()
        self.log.close()

    def put(self, rows: list[Any], *, embed: bool = True) -> list[int]:
        """One atom for each: its vectors, one row for each piece."""
        drafts = [draft_put(f"v1.fact.n{self.size()}x{i}", "x") for i in range(len(rows))]
        seqs = list(self.log.append(drafts).seqs)
        if embed:
            self.embed(dict(zip(seqs, rows, strict=True)))
        return seqs

    def embed(self, rows: dict[int, Any], space: bytes = SPACE) -> None:
        vectors = {seq: np.asarray(row, "<f2").tobytes() for seq, row in rows.items()}
        upto = self.size()
        self.log.decide(lambda now, _: Decision((), list(keep_vectors(now, space, vectors, upto))))

    def forget(self, seqs: list[int]) -> None:
        """As the verb does: the entry and the vectors' rows, as one."""

        def plan(now: Any, _: int) -> Decision:
            drafts = []
            for seq in seqs:
                entry = self.log.entry(seq)
                assert entry.opening is not None
                drafts.append(draft_forget(entry.entry.subject, [seq], map_key(map_salt(now), self._name(seq))))
            return Decision(drafts, [row for seq in seqs for row in erase_vectors(now, seq)])

        self.log.decide(plan)

    def _name(self, seq: int) -> str:
        from substrate.codec import decode_body  # noqa: PLC0415

        opening = self.log.entry(seq).opening
        assert opening is not None
        return str(decode_body(opening.body)["name"])

    def seal(self) -> Path | None:
        return self.index.seal(self.log.snapshot, SPACE, self.dimensions)

    def erase(self) -> int:
        """What whoever forgot something does next."""
        return erase_forgotten(self.log.snapshot, self.path)

    def throw_away(self) -> None:
        """As a rebuild may do it."""
        self.log.decide(lambda _, __: Decision((), [(EMBEDDED, SPACE, None)]))

    def size(self) -> int:
        return self.log.head().head.size

    def at(self, size: int | None = None) -> Nearest:
        with self.log.snapshot() as transaction:
            return self.index.at(
                transaction, SPACE, self.dimensions, require_head(transaction).head.size if size is None else size
            )

    def plain(self, query: Any, mask: Any = None, size: int | None = None) -> dict[int, float]:
        """The score of every version, by a loop over the vectors of record."""
        with self.log.snapshot() as transaction:
            return self._plain(transaction, query, mask, size)

    def check(self, query: Any, k: int, mask: Any = None) -> None:
        """Both in one snapshot, whoever writes meanwhile."""
        with self.log.snapshot() as transaction:
            nearest = self.index.at(transaction, SPACE, self.dimensions, require_head(transaction).head.size)
            found = nearest.search(query, k, mask)
            assert_same(found, self._plain(transaction, query, mask, nearest.upto), k)

    def _plain(self, transaction: ReadTransaction, query: Any, mask: Any, size: int | None) -> dict[int, float]:
        unit = np.asarray(query, np.float64)
        unit = unit / np.linalg.norm(unit)
        scores: dict[int, float] = {}
        for seq, row in vectors_between(transaction, SPACE, 0, size):
            pieces = np.frombuffer(row, "<f2").reshape(-1, self.dimensions).astype(np.float64)
            if len(pieces) and (mask is None or (seq < len(mask) and mask[seq])):
                lengths = np.linalg.norm(pieces, axis=1)
                scores[seq] = float(np.max(pieces @ unit / np.where(lengths > 0, lengths, 1)))
        return scores


def assert_same(found: tuple[Any, Any], plain: dict[int, float], k: int, slack: float = 2e-3) -> None:
    """The k best, best first, each once, with their scores; which of those within a rounding may differ."""
    seqs, scores = found
    assert len(seqs) == len(scores) == min(k, len(plain))
    assert len(set(seqs.tolist())) == len(seqs)
    assert (seqs.dtype, scores.dtype) == (np.int64, np.float32)
    best = sorted(plain.values(), reverse=True)[:k]
    for seq, score, wanted in zip(seqs.tolist(), scores.tolist(), best, strict=True):
        assert abs(plain[seq] - score) < slack
        assert abs(score - wanted) < slack
    assert all(a >= b for a, b in pairwise(scores))


def draw(seed: int, count: int, dimensions: int = 8) -> Any:
    """Rows of length one."""
    rows = np.random.default_rng(seed).standard_normal((count, dimensions))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
