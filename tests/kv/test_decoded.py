"""Decoded rows: what is kept never outlives the bytes that it was read from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.kv import decoded as rows
from substrate.kv.decoded import Decoded, shared


@given(st.lists(st.tuples(st.sampled_from([b"a", b"b", b"c"]), st.binary(max_size=6))), st.integers(0, 12))
def test_a_row_is_always_told_as_its_bytes_are_now(reads: list[tuple[bytes, bytes]], most: int) -> None:
    decoded = Decoded(bytes.hex, most)
    assert [decoded(key, row) for key, row in reads] == [row.hex() for _, row in reads]


@given(
    st.lists(st.lists(st.tuples(st.sampled_from([b"a", b"b", b"c"]), st.none() | st.binary(max_size=6)), max_size=4))
)
def test_many_rows_are_told_as_each_alone(reads: list[list[tuple[bytes, bytes | None]]]) -> None:
    decoded = Decoded(bytes.hex, 12)
    for some in reads:
        keys, rows = [key for key, _ in some], [row for _, row in some]
        assert decoded.many(keys, rows, "nothing") == ["nothing" if row is None else row.hex() for row in rows]


def test_the_same_bytes_are_decoded_once() -> None:
    read: list[bytes] = []
    decoded = Decoded(lambda row: read.append(row) or len(read), 100)  # type: ignore[func-returns-value]
    assert [decoded(b"a", b"one"), decoded(b"a", b"one"), decoded(b"a", b"two"), decoded(b"a", b"two")] == [1, 1, 2, 2]


def test_rows_without_end_are_not_all_kept() -> None:
    decoded = Decoded(bytes, 1000)
    for number in range(1000):
        decoded(b"%d" % number, bytes(100))
    assert sum(len(row) for row, _ in decoded._kept.values()) <= 1000


def test_an_id_is_one_object_in_all_rows_and_not_all_ids_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_ids", {})
    monkeypatch.setattr(rows, "_MOST_IDS", 10)
    (one,), (two,) = shared([bytes(16)]), shared([bytes([0] * 16)])
    assert one is two
    for number in range(100):
        assert shared([b"%016d" % number]) == (b"%016d" % number,)
    assert len(rows._ids) <= 11
