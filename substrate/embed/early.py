"""The first layers of the default model, run by numpy straight from its weights: vectors of how a sentence is put.

The last layer says what a text is about. The third still tells a rule from a report: person, mood, tense, what is
denied. So it serves to judge sentences, and never to search. No graph is made and no file is written: the weights are
views of their file. All tokens of a batch go through a layer at once, and each sentence attends to itself, so there is
no padding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from substrate.embed.artifact import TOKENIZER
from substrate.embed.bert_graph import read_weights
from substrate.embed.find_model import DEFAULT_MODEL, find_source

__all__ = ["EarlyLayers", "load_early_layers"]

_Floats = NDArray[np.float32]

_WEIGHTS: Final = "model.safetensors"
_LAYERS: Final = 3
_HEADS: Final = 12
_EPSILON: Final = 1e-12
_MOST_TOKENS: Final = 128
"""Of a text. What is beyond is not seen: sentences are shorter."""
_BATCH: Final = 64
"""Texts at once: what they take stays in the processor's caches."""
_ERF: Final = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
_ERF_AT: Final = 0.3275911
"""Abramowitz and Stegun, 7.1.26: numpy has no erf. The error is below 2e-7."""


def load_early_layers() -> EarlyLayers | None:
    """The layers of the default model; None if its files are not on this machine, or are not what they should be."""
    source = find_source(DEFAULT_MODEL, by_name_only=True)
    if source is None:
        return None
    try:
        return EarlyLayers(source.folder)
    except Exception:  # noqa: BLE001 - the tokenizer raises bare exceptions of its own
        return None


class EarlyLayers:
    """The embeddings and the first layers. Raises OSError, ValueError or KeyError if the folder has no such model."""

    def __init__(self, folder: Path) -> None:
        weights = read_weights(folder / _WEIGHTS)
        self._words = weights["embeddings.word_embeddings.weight"]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        self._places = np.asarray(weights["embeddings.position_embeddings.weight"][:_MOST_TOKENS]) + kind
        self._first = _Norm(weights, "embeddings.LayerNorm")
        self._layers = [_Layer(weights, f"encoder.layer.{at}.") for at in range(_LAYERS)]
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)

    def vectors(self, texts: Sequence[str]) -> _Floats:
        """A vector of length 1 for each text, as rows: the mean over its tokens."""
        rows = [self._batch(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
        return np.concatenate(rows) if rows else np.empty((0, self._words.shape[1]), np.float32)

    def _batch(self, texts: Sequence[str]) -> _Floats:
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        ends = np.cumsum([len(ids) for ids in tokens])
        spans = [slice(end - len(ids), end) for end, ids in zip(ends, tokens, strict=True)]
        places = np.concatenate([self._places[: len(ids)] for ids in tokens])
        states = self._first(self._words[np.concatenate(tokens)] + places)
        for layer in self._layers:
            states = layer(states, spans)
        means = np.stack([states[span].mean(axis=0) for span in spans])
        vectors: _Floats = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors


class _Norm:
    """Layer normalisation."""

    def __init__(self, weights: Mapping[str, _Floats], name: str) -> None:
        self._scale, self._bias = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def __call__(self, states: _Floats) -> _Floats:
        from_mean = states - states.mean(axis=1, keepdims=True)
        width = np.sqrt((from_mean * from_mean).mean(axis=1, keepdims=True) + np.float32(_EPSILON))
        normal: _Floats = from_mean / width * self._scale + self._bias
        return normal


class _Dense:
    """A matrix, which torch keeps transposed, and a bias."""

    def __init__(self, weights: Mapping[str, _Floats], name: str) -> None:
        self._matrix, self._bias = weights[f"{name}.weight"].T, weights[f"{name}.bias"]

    def __call__(self, states: _Floats) -> _Floats:
        return states @ self._matrix + self._bias


class _Layer:
    """Attention within each sentence, then a transformation of each token."""

    def __init__(self, weights: Mapping[str, _Floats], at: str) -> None:
        self._query, self._key, self._value = (
            _Dense(weights, f"{at}attention.self.{name}") for name in ("query", "key", "value")
        )
        self._joined = _Dense(weights, f"{at}attention.output.dense")
        self._attended = _Norm(weights, f"{at}attention.output.LayerNorm")
        self._grown = _Dense(weights, f"{at}intermediate.dense")
        self._again = _Dense(weights, f"{at}output.dense")
        self._transformed = _Norm(weights, f"{at}output.LayerNorm")

    def __call__(self, states: _Floats, spans: Sequence[slice]) -> _Floats:
        heard = list(_attend(self._query(states), self._key(states), self._value(states), spans))
        states = self._attended(self._joined(np.concatenate(heard)) + states)
        return self._transformed(self._again(_gelu(self._grown(states))) + states)


def _attend(query: _Floats, key: _Floats, value: _Floats, spans: Sequence[slice]) -> Iterator[_Floats]:
    """What the tokens of each sentence hear from each other, by several heads."""
    size = query.shape[1] // _HEADS
    for span in spans:
        parts = (whole[span].reshape(-1, _HEADS, size).transpose(1, 0, 2) for whole in (query, key, value))
        asking, asked, told = parts
        scores = asking @ asked.transpose(0, 2, 1) / np.float32(sqrt(size))
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        yield (weights @ told).transpose(1, 0, 2).reshape(-1, query.shape[1])


def _gelu(states: _Floats) -> _Floats:
    size = np.abs(states) * np.float32(1 / sqrt(2))
    near = 1 / (1 + np.float32(_ERF_AT) * size)
    total = np.zeros_like(near)
    for factor in _ERF:
        total = (total + np.float32(factor)) * near
    erf = np.copysign(1 - total * np.exp(-size * size), states)
    grown: _Floats = states * (1 + erf) * np.float32(0.5)
    return grown
