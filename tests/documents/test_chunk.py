"""Any text, cut into chunks, is the same text when they are joined."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from substrate.documents import chunk
from substrate.documents.chunk import LEAST, MOST, Section, chunks
from substrate.documents.formats.markdown import sections_of
from tests.scale import SEED

WORDS = ["head", "signed", "log", "Merkle", "proof", "atom.", "edge", "memory", "store!", "größer", "時間。"]


def prose(count: int, seed: str = SEED, between: str = " ") -> str:
    rng = random.Random(seed)
    return between.join(rng.choice(WORDS) for _ in range(count))


pieces = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["\r\n", "\n\n", "\r", "\n# A\n", "## b\r\n", " ", "。", ". ", "́", "‍", "```\n", "\ufeff", "x" * 900]
    ),
)
long_texts = st.lists(pieces, max_size=60).map("".join)


@given(long_texts)
@example("\r\n" * 2000)
@example("\r" * 3000 + "\n" * 3000)
@example("a" + "́" * 5000)
@example("‍" * 5000)
@example(("x" * 799 + "\r\n") * 4)
@example(("x" * 1599 + "\r\n") * 4)
def test_chunks_joined_are_the_text_and_no_line_end_is_cut(text: str) -> None:
    cut = chunks(text, sections_of(text)[0])
    assert "".join(cut) == text
    assert all(0 < len(part) <= MOST for part in cut)
    assert not any(left.endswith("\r") and right.startswith("\n") for left, right in pairwise(cut))


@pytest.mark.parametrize(
    "text",
    ["abcdefgh" * 131_072, "時" * 1_000_000, prose(200_000), "\n" * 100_000, "\U0001f600" * 20_000],
    ids=["a line of 1 MB", "3 MB of CJK", "1 MB of words", "line ends", "four bytes each"],
)
def test_large_texts_of_any_kind_are_cut_to_size(text: str) -> None:
    cut = chunks(text)
    assert "".join(cut) == text
    assert all(LEAST <= len(part) <= MOST for part in cut[:-1])


def test_an_empty_text_has_no_chunks() -> None:
    assert chunks("") == []


def test_a_cut_is_where_a_section_begins_then_at_a_blank_line_then_at_the_end_of_a_sentence() -> None:
    section = prose(100, between=" ")[:700]
    text = "\n\n".join(f"# Part {i}\n\n{section}" for i in range(5))
    assert all(part.startswith("# Part") for part in chunks(text, sections_of(text)[0]))
    paragraphs = "".join(f"{prose(60, str(i))}\n\n" for i in range(20))
    assert all(part.endswith("\n\n") for part in chunks(paragraphs))
    sentences = "This is a sentence of some words. " * 200
    assert all(part.endswith(". ") for part in chunks(sentences))


def test_a_heading_in_a_block_of_code_is_none() -> None:
    text = "# One\n\n```sh\n# a comment\n```\n\nTwo\n===\n\n~~~\n# another\n~~~\n### Three ###\n"
    sections, title = sections_of(text)
    assert [(text[start:].splitlines()[0], depth) for start, depth in sections] == [
        ("# One", 1),
        ("Two", 1),
        ("### Three ###", 3),
    ]
    assert title == "One"


def moved(text: str, at: int) -> int:
    """How many chunks are other ones after some words were put in."""
    return len(set(chunks(text[:at] + "Some words that were put in. " + text[at:])) - set(chunks(text)))


@pytest.mark.parametrize("between", [" ", "\n", "\n\n", ""])
def test_words_put_in_at_the_top_change_few_chunks(between: str) -> None:
    text = prose(30_000, between=between)
    assert len(chunks(text)) > 100
    assert moved(text, 50) <= 12


def test_twin_cuts_counted_from_the_beginning_would_change_every_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk, "_chosen", lambda _, places: max(places))
    assert moved("".join(random.Random(SEED).choices("abcdefghij", k=150_000)), 50) > 50


def test_sections_that_lie_behind_the_window_do_not_matter() -> None:
    text = "word " * 1000
    assert chunks(text, [Section(len(text) - 1, 1)])[0] == chunks(text)[0]
