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

from substrate.embed.onnx_file import FLOAT, INT64, Node, Value, _varint, write_graph

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


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_is_what_protobuf_makes_of_it(number: int) -> None:
    assert onnx.AttributeProto(i=number).SerializeToString() == b"\x18" + _varint(number)
