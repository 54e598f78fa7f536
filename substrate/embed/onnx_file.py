"""Writing an ONNX file: a graph of named operations over tensors, in the bytes that onnxruntime reads.

The format is a protobuf, and of it a writer needs two things only: numbers of seven bits a byte, and fields with a
length before them. So neither the package `onnx` nor protobuf is needed to prepare a model. Field numbers are those of
onnx.proto; tests read what is written here with `onnx` itself.

Large tensors stand in a file beside the graph. onnxruntime maps that file instead of copying it: a process that asks
one question loads MiniLM in less than half the CPU time, and reads only the rows of the words that it meets.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FLOAT", "INT64", "Node", "Value", "weights_of", "write_graph"]

FLOAT: Final = 1
INT64: Final = 7
_IR_VERSION: Final = 8
_OPSET: Final = 17
_KINDS: Final = {"float32": FLOAT, "int64": INT64}
_LENGTH, _FIXED32, _VARINT = 2, 5, 0
_IS_FLOAT, _IS_INT, _IS_INTS = 1, 2, 7
_EXTERNAL: Final = 1
_LARGE: Final = 64 << 10
"""Bytes from which on a tensor stands in the file beside."""
_PAGE: Final = 4096
"""Where a tensor may begin there: a mapping begins at a page."""

_Part: TypeAlias = "bytes | memoryview"
_Message: TypeAlias = list[_Part]
"""A message as parts that follow each other: the weights are not copied to wrap them."""


class Node(NamedTuple):
    """One operation: its kind in ONNX, the names it reads and the name it makes."""

    kind: str
    inputs: Sequence[str]
    output: str
    attributes: Mapping[str, int | float | Sequence[int]] = {}


class Value(NamedTuple):
    """An input or output of the graph. A dimension of no fixed size has a name."""

    name: str
    kind: int
    shape: Sequence[int | str]


def write_graph(
    path: Path,
    nodes: Iterable[Node],
    constants: Mapping[str, NDArray[np.float32] | NDArray[np.int64]],
    inputs: Iterable[Value],
    outputs: Iterable[Value],
) -> None:
    """Put the graph into a new file, and its large tensors into `weights_of(path)`, if there are any. Raises OSError.

    `nodes` are in an order in which they can run.
    """
    beside = _Beside(weights_of(path).name)
    graph: _Message = [
        *(part for node in nodes for part in _field(1, _node(node))),
        *_text(2, path.stem),
        *(part for name, array in constants.items() for part in _field(5, _tensor(name, array, beside))),
        *(part for value in inputs for part in _field(11, _value(value))),
        *(part for value in outputs for part in _field(12, _value(value))),
    ]
    model = [*_number(1, _IR_VERSION), *_text(2, "substrate"), *_field(7, graph), *_field(8, _number(2, _OPSET))]
    with path.open("xb") as file:
        file.writelines(model)
    if beside.parts:
        with weights_of(path).open("xb") as file:
            file.writelines(beside.parts)


def weights_of(path: Path) -> Path:
    """The file beside a graph that has its large tensors."""
    return path.with_suffix(".weights")


class _Beside:
    """What goes into the file beside the graph."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: _Message = []
        self._end = 0

    def add(self, data: memoryview) -> int:
        """Where it begins."""
        gap = -self._end % _PAGE
        at = self._end + gap
        self.parts += [bytes(gap), data]
        self._end = at + len(data)
        return at


def _node(node: Node) -> _Message:
    return [
        *(part for name in node.inputs for part in _text(1, name)),
        *_text(2, node.output),
        *_text(3, node.output),
        *_text(4, node.kind),
        *(part for name, value in node.attributes.items() for part in _field(5, _attribute(name, value))),
    ]


def _attribute(name: str, value: float | Sequence[int]) -> _Message:
    if isinstance(value, float):
        return [*_text(1, name), _tag(2, _FIXED32), struct.pack("<f", value), *_number(20, _IS_FLOAT)]
    if isinstance(value, int):
        return [*_text(1, name), *_number(3, value), *_number(20, _IS_INT)]
    return [*_text(1, name), *(part for one in value for part in _number(8, one)), *_number(20, _IS_INTS)]


def _tensor(name: str, array: NDArray[np.float32] | NDArray[np.int64], beside: _Beside) -> _Message:
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    data = little.reshape(-1).view("u1").data
    said = [
        *(part for size in array.shape for part in _number(1, size)),
        *_number(2, _KINDS[array.dtype.name]),
        *_text(8, name),
    ]
    if len(data) < _LARGE:
        return [*said, *_field(9, [data])]
    place = {"location": beside.name, "offset": str(beside.add(data)), "length": str(len(data))}
    entries = [_field(13, [*_text(1, key), *_text(2, value)]) for key, value in place.items()]
    return [*said, *(part for entry in entries for part in entry), *_number(14, _EXTERNAL)]


def _value(value: Value) -> _Message:
    sizes = [_text(2, size) if isinstance(size, str) else _number(1, size) for size in value.shape]
    shape = [part for size in sizes for part in _field(1, size)]
    return [*_text(1, value.name), *_field(2, _field(1, [*_number(1, value.kind), *_field(2, shape)]))]


def _field(number: int, message: _Message) -> _Message:
    return [_tag(number, _LENGTH), _varint(sum(map(len, message))), *message]


def _text(number: int, text: str) -> _Message:
    return _field(number, [text.encode()])


def _number(number: int, value: int) -> _Message:
    return [_tag(number, _VARINT), _varint(value)]


def _tag(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number as its 64 bits."""
    rest, said = value & 0xFFFF_FFFF_FFFF_FFFF, bytearray()
    while rest > 0x7F:  # noqa: PLR2004 - what fits seven bits
        said.append(rest & 0x7F | 0x80)
        rest >>= 7
    said.append(rest)
    return bytes(said)
