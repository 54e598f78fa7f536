"""The graph that we write from weights says what torch's own export of the same model says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray

from substrate.embed import minilm
from substrate.embed.artifact import GRAPH, MADE
from substrate.embed.bert_graph import read_weights, write_bert
from substrate.embed.embedder import Embedder
from substrate.embed.find_model import DEFAULT_DIGEST, find_source
from substrate.errors import ModelUnavailable

WEIGHTS = "model.safetensors"


def vectors(path: Path, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"input_ids": ids, "attention_mask": mask})[0])


def test_torch_exports_the_same(made: Path, cache: Path, tiny: Embedder, tmp_path: Path) -> None:
    weights = read_weights(made / "models" / "tiny-mean" / WEIGHTS)
    write_bert(tmp_path / "ours", weights, heads=2, epsilon=1e-12)
    onnx.checker.check_model(onnx.load(str(tmp_path / "ours")), full_check=True)
    rng = np.random.default_rng(1)
    for texts, tokens in ((1, 1), (1, 2), (5, 13), (3, 64)):
        ids = rng.integers(5, 90, (texts, tokens))
        mask = (np.arange(tokens) < rng.integers(1, tokens + 1, (texts, 1))).astype(np.int64)
        theirs = vectors(cache / "models" / tiny.digest / GRAPH, ids, mask)
        assert np.abs(vectors(tmp_path / "ours", ids, mask) - theirs).max() < 1e-5


def test_padding_changes_nothing(made: Path, tmp_path: Path) -> None:
    write_bert(tmp_path / "ours", read_weights(made / "models" / "tiny-mean" / WEIGHTS), heads=2, epsilon=1e-12)
    ids = np.array([[2, 7, 8, 9, 3]])
    alone = vectors(tmp_path / "ours", ids, np.ones_like(ids))
    padded = np.pad(ids, ((0, 1), (0, 30)))
    mask = np.zeros_like(padded)
    mask[:, :5] = 1
    assert np.abs(vectors(tmp_path / "ours", padded, mask)[0] - alone[0]).max() < 1e-6


def test_a_text_without_a_token_has_a_vector_of_numbers(made: Path, tmp_path: Path) -> None:
    write_bert(tmp_path / "ours", read_weights(made / "models" / "tiny-mean" / WEIGHTS), heads=2, epsilon=1e-12)
    assert np.isfinite(vectors(tmp_path / "ours", np.array([[0]]), np.array([[0]]))).all()


def test_the_default_model_is_the_one_that_is_known() -> None:
    source = find_source("all-MiniLM-L6-v2")
    assert source is not None
    assert source.digest() == DEFAULT_DIGEST


def test_weights_of_something_else_are_no_bert(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        write_bert(tmp_path / "ours", {}, heads=2, epsilon=1e-12)


def test_a_graph_that_does_not_say_what_torch_said_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = find_source("all-MiniLM-L6-v2")
    assert source is not None
    monkeypatch.setattr(minilm, "_HEADS", 6)
    with pytest.raises(ModelUnavailable, match="does not say what torch says"):
        minilm.prepare_minilm(source.folder, DEFAULT_DIGEST, tmp_path)
    assert not (tmp_path / MADE).exists()
