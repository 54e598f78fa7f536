"""Making the default model ready, from its weights: without torch, in this process, in a second or two.

What it makes of some texts is compared with what torch made of them when this was written, which is kept beside the
weights. So a version of onnxruntime that runs the graph wrongly is found here, and not by bad answers.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from substrate.embed.artifact import GRAPH, TOKENIZER, WEIGHTS, Made, digest_of, write_made
from substrate.embed.bert_graph import read_weights, write_bert
from substrate.embed.compare import compare
from substrate.embed.embedder import Embedder
from substrate.embed.find_model import BUNDLED, DEFAULT_MODEL

__all__ = ["prepare_minilm"]

_SOURCE: Final = "model.safetensors"
_BY_TORCH: Final = "vectors_by_torch.npy"
_HEADS: Final = 12
_EPSILON: Final = 1e-12
_DIMENSIONS: Final = 384
_WINDOW: Final = 256


def prepare_minilm(source: Path, digest: str, target: Path) -> None:
    """Fill the folder `target`. `digest` is that of the default model, so what its files say is known.

    Raises OSError; ModelUnavailable if what it makes is not what torch makes.
    """
    write_bert(target / GRAPH, read_weights(source / _SOURCE), heads=_HEADS, epsilon=_EPSILON)
    # The file is mapped while a model runs. Who writes over it in place would end that process.
    (target / WEIGHTS).chmod(0o444)
    tokenizer = Tokenizer.from_file(str(source / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(target / TOKENIZER))
    made = Made(
        format=1,
        model=DEFAULT_MODEL,
        digest=digest,
        graph=digest_of(target / GRAPH) or "",
        tokenizer=digest_of(target / TOKENIZER) or "",
        pooling="mean",
        dimensions=_DIMENSIONS,
        max_tokens=_WINDOW,
        pad=0,
        lower_case=False,
        query_prompt="",
        text_prompt="",
        cosine=0.0,
        by=f"its weights, onnxruntime {onnxruntime.__version__}",
        weights=digest_of(target / WEIGHTS) or "",
    )
    by_torch = np.load(BUNDLED / _BY_TORCH).astype(np.float32)
    by_torch /= np.linalg.norm(by_torch, axis=1, keepdims=True)
    made = replace(made, cosine=compare(Embedder(target, made), by_torch, by_torch))
    write_made(target, made)
