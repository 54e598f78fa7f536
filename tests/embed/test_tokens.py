"""Tokens are counted by a real tokenizer, which no text can blind."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.embed import tokens
from substrate.embed.find_model import Source, find_source
from substrate.embed.tokens import ByteCounter, TokenCounter, WordPieceCounter, cut, token_counter
from tests.scale import PATIENCE_S

COUNTERS: list[TokenCounter] = [token_counter(), ByteCounter()]
texts = st.text(max_size=300) | st.text("ab \n\"\\'{}[]:,é😀日", max_size=300)


def test_the_counter_is_the_tokenizer_of_the_model_that_comes_with_us() -> None:
    assert token_counter().name == "MiniLM WordPiece"
    assert token_counter().count("The payment provider is Stripe.") == 6
    assert token_counter().count("unbelievably") > 1  # pieces, not words


def test_plain_text_counts_as_the_tokenizer_itself_counts_it() -> None:
    from tokenizers import Tokenizer  # noqa: PLC0415

    source = find_source("all-MiniLM-L6-v2")
    assert source is not None
    real = Tokenizer.from_file(str(source.folder / "tokenizer.json"))
    real.no_truncation()
    real.no_padding()
    text = json.dumps({"name": "v1.fact.x", "value": "It's 3.5 km; naïve café, 日本語, snake_case & CamelCase!"})
    assert token_counter().count(text) == len(real.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("aGVsbG8gd29ybGQhIQ" * 100, 500),  # one word of 1,800 letters: WordPiece says [UNK], one token
        ("😀" * 50, 100),  # one [UNK] too
        ("\u0301" * 50, 50),  # accents alone are dropped
        ("\x01" * 50, 50),  # and so are control characters
        ("\u200b" * 50, 50),
        ("𓀀" * 50, 100),
        (" " * 1600, 100),
    ],
)
def test_what_the_tokenizer_does_not_see_counts_all_the_same(text: str, least: int) -> None:
    assert least <= token_counter().count(text) <= len(text.encode())


@given(texts)
def test_no_count_is_above_the_bytes(text: str) -> None:
    assert token_counter().count(text) <= ByteCounter().count(text)


@given(texts, texts)
def test_counts_add_up_where_texts_meet_at_a_sign(first: str, second: str) -> None:
    joined = token_counter().count(f'"{first}","{second}"')
    assert joined == token_counter().count(f'"{first}"') + 1 + token_counter().count(f'"{second}"')


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
@given(texts, st.integers(0, 80))
def test_a_text_is_cut_to_what_fits_as_json(counter: TokenCounter, text: str, most: int) -> None:
    kept = cut(text, most, counter)
    assert text.startswith(kept)
    assert counter.count(json.dumps(kept, ensure_ascii=False)[1:-1]) <= most
    if counter.count(json.dumps(text, ensure_ascii=False)[1:-1]) <= most:
        assert kept == text


def test_of_a_long_text_no_more_is_cut_than_must_be() -> None:
    counter = token_counter()
    kept = cut("word " * 100_000, 100, counter)
    assert counter.count(kept) == 100
    blob = "Qm9vdHN0cmFwIHRoZSBzdG9yZQ" * 5000
    assert counter.count(cut(blob, 100, counter)) > 60


@pytest.mark.parametrize("broken", ["missing", "damaged"])
def test_without_the_tokenizer_bytes_are_counted(
    broken: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = tmp_path_factory.mktemp("model")
    (folder / "tokenizer.json").write_text("{", encoding="utf-8")
    found = None if broken == "missing" else Source("x", folder)
    monkeypatch.setattr(tokens, "find_source", lambda *_args, **_options: found)
    counter = token_counter.__wrapped__()
    assert counter.name == "bytes"
    assert counter.count("é") == 2
    assert ("counted by bytes" in caplog.text) == (broken == "damaged")  # what is at fault is told


def test_what_is_kept_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    source = find_source("all-MiniLM-L6-v2")
    assert source is not None
    counter = WordPieceCounter(str(source.folder / "tokenizer.json"))
    monkeypatch.setattr(tokens, "_KEPT", 10)
    assert counter.count(" ".join(f"w{i}" for i in range(100))) == sum(counter.count(f"w{i}") for i in range(100))
    assert len(counter) <= 10


def test_counting_loads_neither_torch_nor_onnxruntime() -> None:
    code = "import sys; from substrate.embed.tokens import token_counter as t; t().count('x'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert not {"torch", "onnxruntime", "transformers"} & set(done.stdout.split())
    assert "tokenizers" in done.stdout.split()
