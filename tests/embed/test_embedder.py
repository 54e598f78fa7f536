"""Text to vector, with the real model."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from substrate.embed.compare import TEXTS
from substrate.embed.embedder import Embedder
from substrate.embed.load import load
from tests.models import REFERENCE
from tests.scale import PATIENCE_S

LONG = "Invoices are paid within thirty days, unless the customer has asked for more time. " * 60


def test_what_means_the_same_is_near(minilm: Embedder) -> None:
    query = minilm.embed_query("who do we pay our customers' money through?")
    near, far = minilm.embed(["payment provider: Stripe", "the dog sleeps under the table"])
    assert query @ near > query @ far + 0.2


def test_vectors_have_length_one_and_the_shape_that_is_said(minilm: Embedder) -> None:
    vectors = minilm.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), minilm.dimensions) == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert minilm.embed([]).shape == (0, 384)
    assert minilm.embed_pieces([]) == []


def test_a_text_has_the_same_vector_alone_and_among_others(minilm: Embedder) -> None:
    together = minilm.embed([*TEXTS, LONG])
    for text, vector in zip([*TEXTS, LONG], together, strict=True):
        assert minilm.embed_query(text) @ vector > 0.99999


def test_torch_says_the_same(minilm: Embedder, made: Path) -> None:
    """By vectors that sentence-transformers makes here and now. So near that stores keep theirs, by whatever made."""
    theirs = np.array(json.loads((made / "reference.json").read_text(encoding="utf-8")), np.float32)
    assert np.abs(minilm.embed(REFERENCE) - theirs).max() < 1e-5
    assert np.abs(np.stack([minilm.embed_query(text) for text in REFERENCE]) - theirs).max() < 1e-5


def test_a_short_text_is_one_piece_and_a_long_one_overlaps(minilm: Embedder) -> None:
    (only,) = minilm.pieces("payment provider: Stripe")
    assert (only.start, only.stop) == (0, 24)
    pieces = minilm.pieces(LONG)
    assert len(pieces) > 3
    assert all(len(piece.ids) <= 200 for piece in pieces)
    assert pieces[0].start == 0
    assert pieces[-1].stop == len(LONG.rstrip())
    for before, after in pairwise(pieces):
        assert before.start < after.start < before.stop < after.stop
        assert before.ids[-50:] == after.ids[:50]


@pytest.mark.parametrize("words", [240, 253, 254, 255, 256, 261])
def test_every_token_of_a_text_about_as_long_as_the_window_is_in_a_piece(minilm: Embedder, words: int) -> None:
    text = " ".join(["word"] * words)
    pieces = minilm.pieces(text)
    assert len(pieces) == (1 if words <= 254 else 2)
    assert sum(len(piece.ids) for piece in pieces) - 50 * (len(pieces) - 1) == words


def test_pieces_are_embedded_as_texts_of_their_own(minilm: Embedder) -> None:
    vectors = minilm.embed_pieces([LONG, "Stripe", ""])
    assert [len(rows) for rows in vectors] == [len(minilm.pieces(LONG)), 1, 1]
    first = minilm.pieces(LONG)[0]
    assert minilm.embed_query(LONG[first.start : first.stop]) @ vectors[0][0] > 0.9999
    assert minilm.embed_query("Stripe") @ vectors[1][0] > 0.99999


def test_the_end_of_a_long_text_is_found_by_its_pieces_only(minilm: Embedder) -> None:
    text = LONG + " The vault's combination is kept by Miriam."
    query = minilm.embed_query("who knows the combination of the vault?")
    (pieces,) = minilm.embed_pieces([text])
    assert (pieces @ query).max() > (minilm.embed([text])[0] @ query) + 0.1


def test_what_is_far_behind_the_window_costs_nothing_and_changes_nothing(minilm: Embedder) -> None:
    text = LONG * 10
    assert len(text) > 32 * 254
    assert (minilm.embed_query(text) == minilm.embed_query(text[:8000])).all()


def test_a_lone_surrogate_in_a_query_does_no_harm(minilm: Embedder) -> None:
    assert minilm.embed_query("payment \ud800 provider") @ minilm.embed_query("payment provider") > 0.5


def test_progress_is_told_and_can_end_the_work(minilm: Embedder) -> None:
    seen: list[tuple[int, int]] = []
    minilm.embed(["some words " * 20] * 60, lambda done, total: seen.append((done, total)))
    assert len(seen) > 1
    assert seen[-1] == (60, 60)

    def end(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minilm.embed(["x"], end)


def test_threads_share_one_model(minilm: Embedder) -> None:
    assert load() is minilm
    texts = [f"text number {i} about {'payments' if i % 2 else 'dogs'}" for i in range(16)]
    expected = minilm.embed(texts)
    found: dict[int, float] = {}

    def ask(i: int) -> None:
        found[i] = float(minilm.embed_query(texts[i]) @ expected[i])

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert min(found[i] for i in range(16)) > 0.99999


def test_searching_loads_no_torch_and_asks_no_network() -> None:
    code = """
import sys
def refuse(event, arguments):
    if event.startswith("socket."):
        raise AssertionError(event)
sys.addaudithook(refuse)
from substrate.embed.load import load
assert not {name.split(".")[0] for name in sys.modules} & {"numpy", "onnxruntime", "tokenizers"}
embedder = load()
assert embedder.embed_query("payment provider").shape == (384,)
assert embedder.embed_pieces(["a", "b " * 400])
loaded = {name.split(".")[0] for name in sys.modules}
assert not loaded & {"torch", "transformers", "sentence_transformers", "huggingface_hub", "onnx", "sympy"}, loaded
print("ok")
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (run.stdout, run.stderr) == ("ok\n", "")
