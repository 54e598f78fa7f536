"""Lines out of chunks: whatever the chunks are, the lines are the same; and little is held of one that is too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from substrate.server.lines import Line, Lines

LIMIT = 1500
"""As with the real one, what is kept of a line that is too long is less."""
TEXTS = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\x00", b"x" * 700]), max_size=40).map(b"".join)


def fed(chunks: list[bytes], limit: int = LIMIT) -> list[Line]:
    lines = Lines(limit)
    for chunk in chunks:
        lines.feed(chunk)
    lines.feed(b"")
    return list(lines.ready)


@given(TEXTS, st.lists(st.integers(1, 900), min_size=1))
def test_how_a_text_is_cut_into_chunks_makes_no_difference(text: bytes, sizes: list[int]) -> None:
    chunks, at = [], 0
    while at < len(text):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(text[at : at + size])
        at += size
    assert fed(chunks) == fed([text] if text else [])


@given(TEXTS)
def test_lines_are_whole_and_nothing_is_lost(text: bytes) -> None:
    lines = fed([text] if text else [])
    expected = _split(text)
    assert [line.data for line in lines] == [line if len(line) <= LIMIT else line[:1024] for line in expected]
    assert [bool(line.end) for line in lines] == [len(line) > LIMIT for line in expected]


def _split(text: bytes) -> list[bytes]:
    """By the one end of a line that there is, unlike splitlines."""
    pieces = text.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def test_of_a_line_that_is_too_long_beginning_and_end_are_kept_and_no_more_is_held_on_the_way() -> None:
    lines = Lines(LIMIT)
    lines.feed(b"begin")
    for _ in range(1000):
        lines.feed(b"x" * 1000)
        assert len(lines._held) <= 1024
    lines.feed(b"end\nnext\n")
    long, following = lines.ready
    assert long.data.startswith(b"begin")
    assert long.end.endswith(b"xxend\n")
    assert len(long.data) <= 1024
    assert following == Line(b"next\n")
