"""Real vectors to measure nearest-vector search on: sentences of installed Python packages, embedded with MiniLM.

    python benchmarks/near_corpus.py FOLDER [HOW_MANY [MORE ...]]

makes FOLDER/texts.json and FOLDER/vectors-*.npy, in portions, so that it can be stopped and goes on where it was. MORE:
folders with prose (.md) and with lines that have a `text` (.jsonl), which are taken in too.
"""

from __future__ import annotations

import ast
import json
import random
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["QUERIES", "around", "load", "texts"]

QUERIES = 1000
"""So many of the texts are asked for and never stored."""
_PORTION = 5000
_WORDS = range(5, 60)


def _docstrings(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def _sentences(text: str) -> Iterator[str]:
    for part in re.split(r"(?<=[.?!])\s+|\n\s*\n", text):
        words = part.split()
        if len(words) in _WORDS and sum(word.isalpha() for word in words) >= 0.6 * len(words):
            yield " ".join(words)


def _sources(more: list[str]) -> Iterator[str]:
    for folder in more:
        for path in sorted(Path(folder).rglob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield str(json.loads(line).get("text", ""))
        for path in sorted(Path(folder).rglob("*.md")):
            yield from _sentences(path.read_text(encoding="utf-8"))
    for name in ("stdlib", "purelib"):
        for path in sorted(Path(sysconfig.get_path(name)).rglob("*.py")):
            for docstring in _docstrings(path):
                yield from _sentences(docstring)


def texts(most: int, more: list[str]) -> list[str]:
    """Up to `most` different sentences, shuffled by a fixed seed."""
    found = sorted(set(_sources(more)))
    random.Random(1).shuffle(found)
    return found[:most]


def load(folder: Path) -> tuple[Any, Any]:
    """The vectors to store and those to ask for, as float32 rows of length one."""
    import numpy as np  # noqa: PLC0415

    rows = np.concatenate([np.load(path) for path in sorted(folder.glob("vectors-*.npy"))])
    return rows[QUERIES:], rows[:QUERIES]


def around(stored: Any, count: int, seed: int = 2) -> Any:  # noqa: ANN401
    """`count` rows: the real ones, then made-up ones between a real row and one of its neighbours, with noise.

    The noise has the covariance of the real rows, so made-up rows fill the same few directions that real ones fill.
    """
    import numpy as np  # noqa: PLC0415

    if count <= len(stored):
        return stored[:count]
    rng = np.random.default_rng(seed)
    made = np.empty((count, stored.shape[1]), np.float32)
    made[: len(stored)] = stored
    factor = np.linalg.cholesky(np.cov(stored[:20000].T) + 1e-6 * np.eye(stored.shape[1])).astype(np.float32)
    for start in range(len(stored), count, 10_000):
        stop = min(start + 10_000, count)
        seeds = rng.integers(0, len(stored), stop - start)
        pool = rng.choice(len(stored), 2000, replace=False)
        near = np.argpartition(-(stored[seeds] @ stored[pool].T), 10, axis=1)[:, :10]
        others = pool[near[np.arange(len(seeds)), rng.integers(0, 10, len(seeds))]]
        share = rng.uniform(0.5, 0.9, (len(seeds), 1)).astype(np.float32)
        noise = rng.standard_normal((len(seeds), stored.shape[1]), np.float32) @ factor.T
        rows = share * stored[seeds] + (1 - share) * stored[others] + 0.35 * noise
        made[start:stop] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def main() -> None:
    """Embed, portion by portion."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    from substrate.embed.find_model import DEFAULT_MODEL, find_source  # noqa: PLC0415

    folder, most = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 21_000
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "texts.json"
    if not kept.exists():
        kept.write_text(json.dumps(texts(1_000_000, sys.argv[3:])), encoding="utf-8")
    corpus = json.loads(kept.read_text(encoding="utf-8"))[:most]
    print(f"{len(corpus)} texts")
    torch.set_num_threads(1)
    source = find_source(DEFAULT_MODEL)
    assert source is not None  # noqa: S101 - it comes with us
    model = SentenceTransformer(str(source.folder), device="cpu")
    for start in range(0, len(corpus), _PORTION):
        target = folder / f"vectors-{start:07d}.npy"
        if not target.exists():
            rows = model.encode(corpus[start : start + _PORTION], batch_size=64, normalize_embeddings=True)
            with target.with_suffix(".new").open("wb") as file:
                np.save(file, rows.astype(np.float32))
            target.with_suffix(".new").rename(target)
            print(start + len(rows), flush=True)


if __name__ == "__main__":
    main()
