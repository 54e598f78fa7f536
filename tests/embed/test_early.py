"""The first layers by numpy say what onnxruntime makes of the same layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from tokenizers import Tokenizer

from substrate.embed import early
from substrate.embed.bert_graph import read_weights, write_bert
from substrate.embed.find_model import DEFAULT_MODEL, find_source

TEXTS = [
    "Never deploy on Fridays.",
    "the build is red again",
    "ok",
    "",
    "Ein Satz, auf Deutsch: \u00fcber \u20ac 5.",
    "x " * 500,
]


@pytest.fixture(scope="module")
def folder() -> Path:
    source = find_source(DEFAULT_MODEL)
    assert source is not None
    return source.folder


def test_onnxruntime_makes_the_same_of_the_same_layers(folder: Path, tmp_path: Path) -> None:
    weights = read_weights(folder / "model.safetensors")
    first = {
        name: one
        for name, one in weights.items()
        if not name.startswith(tuple(f"encoder.layer.{at}" for at in (3, 4, 5)))
    }
    write_bert(tmp_path / "graph", first, heads=12, epsilon=1e-12)
    session = onnxruntime.InferenceSession(tmp_path / "graph", providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    found = early.EarlyLayers(folder).vectors(TEXTS)
    for text, vector in zip(TEXTS, found, strict=True):
        ids = np.array([tokenizer.encode(text).ids])
        theirs = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
        assert np.abs(vector - theirs[0]).max() < 1e-5


def test_a_text_has_the_same_vector_whatever_stands_beside_it(folder: Path) -> None:
    layers = early.EarlyLayers(folder)
    together = layers.vectors(TEXTS * 20)
    assert len(together) == 20 * len(TEXTS)
    assert np.abs(together[-len(TEXTS) :] - layers.vectors(TEXTS)).max() < 1e-5
    assert layers.vectors([]).shape == (0, 384)


def test_without_the_files_of_the_model_there_are_no_layers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(early, "find_source", lambda *_, **__: None)
    assert early.load_early_layers() is None
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    monkeypatch.setattr(early, "find_source", lambda *_, **__: _Source(tmp_path))
    assert early.load_early_layers() is None


class _Source:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
