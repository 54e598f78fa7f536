"""What we write as ONNX is what the package `onnx` reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper

from substrate.embed.onnx_file import FLOAT, INT64, Node, Value, _varint, weights_of, write_graph

MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)
NODES = [
    Node("Gather", ["rows", "ids"], "chosen", {"axis": 0}),
    Node("ReduceSum", ["chosen", "axes"], "sums", {"keepdims": 0}),
    Node("Elu", ["sums"], "result", {"alpha": 0.25}),
]


def written(path: Path) -> onnx.ModelProto:
    constants = {"rows": MATRIX, "axes": np.array([-1], np.int64)}
    write_graph(path, NODES, constants, [Value("ids", INT64, ("many",))], [Value("result", FLOAT, ("many",))])
    return onnx.load(str(path))


def test_onnx_reads_what_was_written(tmp_path: Path) -> None:
    model = written(tmp_path / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert [(node.op_type, list(node.input), list(node.output)) for node in model.graph.node] == [
        (node.kind, list(node.inputs), [node.output]) for node in NODES
    ]
    said = [{one.name: onnx.helper.get_attribute_value(one) for one in node.attribute} for node in model.graph.node]
    assert said == [node.attributes for node in NODES]
    constants = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    assert (constants["rows"] == MATRIX).all()
    assert constants["axes"].tolist() == [-1]
    assert [one.dim_param for one in model.graph.input[0].type.tensor_type.shape.dim] == ["many"]


def test_the_checker_sees_a_graph_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    write_graph(
        path, [Node("Gather", ["nobody", "ids"], "x")], {}, [Value("ids", INT64, (1,))], [Value("x", FLOAT, (1,))]
    )
    with pytest.raises(onnx.checker.ValidationError):
        onnx.checker.check_model(onnx.load(str(path)))


def test_onnxruntime_runs_what_was_written(tmp_path: Path) -> None:
    written(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    assert session.run(None, {"ids": np.array([1, 0, 1])})[0].tolist() == [12, 3, 12]


def test_a_matrix_that_lies_transposed_is_written_as_it_reads(tmp_path: Path) -> None:
    write_graph(tmp_path / "model.onnx", [], {"turned": MATRIX.T}, [], [])
    (turned,) = onnx.load(str(tmp_path / "model.onnx")).graph.initializer
    assert (numpy_helper.to_array(turned) == MATRIX.T).all()


def test_large_tensors_stand_beside_the_graph_and_are_the_same_to_onnx_and_onnxruntime(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    tables = {name: np.random.default_rng(at).random((300 + at, 101), np.float32) for at, name in enumerate("ab")}
    nodes = [Node("Gather", ["a", "ids"], "x", {"axis": 0}), Node("Gather", ["b", "ids"], "y", {"axis": 0})]
    outputs = [Value(name, FLOAT, ("many", 101)) for name in "xy"]
    write_graph(path, nodes, {**tables, "small": MATRIX}, [Value("ids", INT64, ("many",))], outputs)
    assert path.stat().st_size < 1_000
    assert weights_of(path).stat().st_size >= sum(table.nbytes for table in tables.values())
    constants = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer}
    assert all((constants[name] == table).all() for name, table in tables.items())
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for name, rows in zip("ab", session.run(None, {"ids": np.array([299, 0])}), strict=True):
        assert (rows == tables[name][[299, 0]]).all()


def test_without_large_tensors_there_is_no_second_file(tmp_path: Path) -> None:
    written(tmp_path / "model.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_is_what_protobuf_makes_of_it(number: int) -> None:
    assert onnx.AttributeProto(i=number).SerializeToString() == b"\x18" + _varint(number)
