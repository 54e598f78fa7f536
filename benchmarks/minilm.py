"""The project's own embedder for the benchmarks, and vectors of real texts, kept between runs."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.texts import cache_folder, digest, save
from substrate.embed.embedder import Embedder
from substrate.embed.load import load as load_embedder

__all__ = ["embed", "embedder", "kept_vectors", "load"]

_PORTION = 2_000


@cache
def embedder() -> Embedder:
    """The default model, loaded once; exported first if it never was."""
    return load_embedder()


def load() -> None:
    """Load it, before any clock starts."""
    embedder()


def embed(texts: Sequence[str]) -> Any:  # noqa: ANN401
    """A vector of length 1 for each text, as rows."""
    return embedder().embed(texts)


def kept_vectors(texts: Sequence[str], say: Callable[[str], None]) -> Any:  # noqa: ANN401
    """The same, from the folder for caches if these texts were embedded before; in portions, so that it can go on."""
    rows = []
    for at in range(0, len(texts), _PORTION):
        part = texts[at : at + _PORTION]
        kept = cache_folder() / f"minilm-{digest(part)}.npy"
        if not kept.exists():
            say(f"embedding real texts, {at:,} of {len(texts):,} done; kept for the next run")
            content = io.BytesIO()
            np.save(content, embed(part))
            save(kept, content.getvalue())
        rows.append(np.load(kept))
    return np.concatenate(rows)
