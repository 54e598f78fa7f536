"""The ONNX graph of a BERT that makes one vector of a text, straight from its weights: no torch is needed.

Words, positions and types are embedded, layers attend and transform, the tokens' mean is taken and brought to length 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from substrate.embed.onnx_file import FLOAT, INT64, Node, Value, write_graph

__all__ = ["read_weights", "write_bert"]

_HEADER: Final = 8
_MASKED: Final = np.finfo(np.float32).min
"""What is added to the score of padding, as torch does: its weight becomes exactly 0."""
_SMALLEST: Final = 1e-12
"""A shorter vector is not brought to length 1, as in torch."""


def read_weights(path: Path) -> dict[str, NDArray[np.float32]]:
    """The tensors of 32-bit floats in a safetensors file, by their names: views of the file, read when they are used.

    The format is a length, as much JSON that says where each tensor is, and the bytes. Raises OSError and ValueError.
    """
    whole = np.memmap(path, np.uint8, "r")
    start = _HEADER + int.from_bytes(whole[:_HEADER].tobytes(), "little")
    said: dict[str, Any] = json.loads(whole[_HEADER:start].tobytes())
    return {
        name: whole[start + one["data_offsets"][0] : start + one["data_offsets"][1]].view("<f4").reshape(one["shape"])
        for name, one in said.items()
        if one.get("dtype") == "F32"
    }


def write_bert(path: Path, weights: Mapping[str, NDArray[np.float32]], *, heads: int, epsilon: float) -> None:
    """Write the graph of these weights into a new file: `input_ids` and `attention_mask` to `vectors`. Raises OSError.

    KeyError if the weights are those of no BERT.
    """
    graph = _Graph(weights, heads, epsilon)
    vectors = graph.build()
    ids, mask = (Value(name, INT64, ("texts", "tokens")) for name in ("input_ids", "attention_mask"))
    write_graph(path, graph.nodes, graph.constants, [ids, mask], [Value(vectors, FLOAT, ("texts", graph.wide))])


class _Graph:
    """Nodes and constants, in the order in which they are added. Each method gives the name of what it makes."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], heads: int, epsilon: float) -> None:
        self.nodes: list[Node] = []
        self.constants: dict[str, NDArray[np.float32] | NDArray[np.int64]] = {}
        self.wide = weights["embeddings.LayerNorm.weight"].size
        self._weights = weights
        self._heads = heads
        self._epsilon = epsilon

    def build(self) -> str:
        states = self._embed()
        away = self._away()
        layer = 0
        while f"encoder.layer.{layer}.output.dense.weight" in self._weights:
            states = self._layer(f"encoder.layer.{layer}.", states, away)
            layer += 1
        return self._pool(states)

    def _embed(self) -> str:
        """Tokens to vectors. Positions by `Slice`: of a `Gather` by a `Range`, onnxruntime makes something else."""
        words = self._add("words", "Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        count = self._add("count", "Shape", "input_ids", start=1)
        rows = self._weight("embeddings.position_embeddings.weight")
        positions = self._add("positions", "Slice", rows, self._ints("zero", [0]), count, self._ints("rows", [0]))
        kind = self._constant("kind", self._weights["embeddings.token_type_embeddings.weight"][0])
        typed = self._add("typed", "Add", words, kind)
        return self._normal("embeddings.LayerNorm", self._add("placed", "Add", typed, positions))

    def _away(self) -> str:
        """What is added to a score: 0 for tokens, and so little that nothing is left for padding."""
        wide = self._add("mask.wide", "Unsqueeze", "attention_mask", self._ints("middle", [1, 2]))
        padding = self._add("mask.padding", "Sub", self._floats("one", 1.0), self._add("mask", "Cast", wide, to=FLOAT))
        return self._add("mask.away", "Mul", padding, self._floats("masked", float(_MASKED)))

    def _layer(self, at: str, states: str, away: str) -> str:
        size = self.wide // self._heads
        parts = self._ints("parts", [0, 0, self._heads, size])

        def part(name: str, order: Sequence[int]) -> str:
            split = self._add(f"{at}{name}.split", "Reshape", self._dense(f"{at}attention.self.{name}", states), parts)
            return self._add(f"{at}{name}", "Transpose", split, perm=order)

        query, value = (part(name, (0, 2, 1, 3)) for name in ("query", "value"))
        scores = self._add(f"{at}scores", "MatMul", query, part("key", (0, 2, 3, 1)))
        scaled = self._add(f"{at}scaled", "Div", scores, self._floats("scale", sqrt(size)))
        weighed = self._add(f"{at}weighed", "Softmax", self._add(f"{at}masked", "Add", scaled, away), axis=-1)
        heard = self._add(f"{at}heard", "Transpose", self._add(f"{at}sum", "MatMul", weighed, value), perm=(0, 2, 1, 3))
        joined = self._add(f"{at}joined", "Reshape", heard, self._ints("whole", [0, 0, self.wide]))
        attended = self._dense(f"{at}attention.output.dense", joined)
        states = self._normal(f"{at}attention.output.LayerNorm", self._add(f"{at}attended", "Add", attended, states))
        grown = self._gelu(at, self._dense(f"{at}intermediate.dense", states))
        again = self._dense(f"{at}output.dense", grown)
        return self._normal(f"{at}output.LayerNorm", self._add(f"{at}transformed", "Add", again, states))

    def _gelu(self, at: str, states: str) -> str:
        """By erf, not by the approximation with tanh. In these steps, onnxruntime makes one of them."""
        erf = self._add(f"{at}erf", "Erf", self._add(f"{at}root", "Div", states, self._floats("root", sqrt(2))))
        part = self._add(f"{at}part", "Mul", states, self._add(f"{at}more", "Add", erf, self._floats("one", 1.0)))
        return self._add(f"{at}gelu", "Mul", part, self._floats("half", 0.5))

    def _pool(self, states: str) -> str:
        """The mean over tokens, without padding, of length 1."""
        mask = self._add("there.wide", "Unsqueeze", "attention_mask", self._ints("last", [2]))
        there = self._add("there", "Cast", mask, to=FLOAT)
        tokens = self._ints("rows.of.tokens", [1])
        total = self._add("total", "ReduceSum", self._add("heard", "Mul", states, there), tokens, keepdims=0)
        number = self._add("number", "ReduceSum", there, tokens, keepdims=0)
        mean = self._add("mean", "Div", total, self._add("at.least", "Max", number, self._floats("tiny", 1e-9)))
        length = self._add("length", "ReduceL2", mean, axes=(1,), keepdims=1)
        return self._add("vectors", "Div", mean, self._add("long", "Max", length, self._floats("smallest", _SMALLEST)))

    def _dense(self, name: str, states: str) -> str:
        """States by a matrix, which torch keeps transposed, and a bias."""
        matrix = self._constant(f"{name}.weight", np.ascontiguousarray(self._weights[f"{name}.weight"].T))
        product = self._add(f"{name}.product", "MatMul", states, matrix)
        return self._add(name, "Add", product, self._weight(f"{name}.bias"))

    def _normal(self, name: str, states: str) -> str:
        scale, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._add(name, "LayerNormalization", states, scale, bias, axis=-1, epsilon=self._epsilon)

    def _add(self, output: str, kind: str, *inputs: str, **attributes: float | Sequence[int]) -> str:
        self.nodes.append(Node(kind, inputs, output, attributes))
        return output

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _ints(self, name: str, values: Sequence[int]) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _floats(self, name: str, value: float) -> str:
        return self._constant(name, np.array(value, np.float32))

    def _constant(self, name: str, array: NDArray[np.float32] | NDArray[np.int64]) -> str:
        self.constants[name] = array
        return name
