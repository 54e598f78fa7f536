"""The map's tiles against a naive tree, and the damage it names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.errors import StoreDamaged
from substrate.log.map import TOP, MapUpdate, Tile, find, find_path
from substrate.proof.bundle import MapProof
from substrate.proof.hashes import EMPTY, leaf_hash, map_root, node_hash
from substrate.proof.record import encode_record
from substrate.proof.verify import fold_map
from tests.scale import rounds

SALT = bytes(32)


class Rows:
    """A transaction with one table, in a dict."""

    def __init__(self) -> None:
        self.rows: dict[bytes, bytes] = {}

    def get(self, _: str, key: bytes) -> bytes | None:
        return self.rows.get(key)

    def get_many(self, _: str, keys: Sequence[bytes]) -> list[bytes | None]:
        return [self.rows.get(key) for key in keys]

    def put_many(self, _: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        items = list(items)
        assert items == sorted(items)
        self.rows.update(items)


def update(rows: Rows, records: Sequence[bytes]) -> bytes:
    return MapUpdate(rows, [record[:32] for record in records]).apply(records)  # type: ignore[arg-type]


def naive_root(records: Sequence[bytes], depth: int = 0) -> bytes:
    """The tree of docs/proofs.md, by its definition."""
    if not records:
        return EMPTY
    if len(records) == 1:
        return leaf_hash(records[0])
    sides: tuple[list[bytes], list[bytes]] = ([], [])
    for record in records:
        sides[record[depth >> 3] >> (7 - depth % 8) & 1].append(record)
    return node_hash(naive_root(sides[0], depth + 1), naive_root(sides[1], depth + 1))


# Few distinct leading bytes, so that keys share long prefixes and tiles nest.
keys = st.builds(
    lambda head, tail: (bytes(head) + tail * 32)[:32],
    st.lists(st.sampled_from([0, 1, 0x10, 0x80, 0xFF]), max_size=6),
    st.binary(min_size=1, max_size=3),
)
batches = st.lists(st.lists(st.tuples(keys, st.integers(0, 2**40), st.integers(1, 3)), max_size=12), max_size=6)


@pytest.mark.no_cover
@given(batches)
@settings(max_examples=rounds(80, 4000))
def test_any_batches_lead_to_the_root_of_the_naive_tree(steps: list[list[tuple[bytes, int, int]]]) -> None:
    rows, model = Rows(), {}
    for step in steps:
        records = {key: encode_record(key, bytes(16), seq, state) for key, seq, state in step}
        change = MapUpdate(rows, list(records)[::2])  # type: ignore[arg-type]
        change.load(records)  # those that were loaded, and the others
        assert {key: change.record(key) for key in records} == {key: model.get(key) for key in records}
        root = change.apply(records.values())
        model |= records
        assert root == naive_root(list(model.values()))
        for tile in rows.rows.values():
            assert Tile(tile).row() == tile


@pytest.mark.no_cover
@given(batches, keys)
@settings(max_examples=rounds(80, 4000))
def test_every_key_there_or_not_has_a_path_that_folds_to_the_root(
    steps: list[list[tuple[bytes, int, int]]], stranger: bytes
) -> None:
    rows, model = Rows(), {}
    root = EMPTY
    for step in steps:
        records = {key: encode_record(key, bytes(16), seq, state) for key, seq, state in step}
        model |= records
        root = update(rows, list(records.values()))
    for key in [*model, stranger]:
        record, path = find_path(rows, key)  # type: ignore[arg-type]
        assert fold_map(key, MapProof(SALT, record, path)) == map_root(SALT, root)
        if key in model:
            assert record == model[key]
        else:
            assert record is None or record[:32] != key


def test_the_order_of_arrival_does_not_change_the_root() -> None:
    records = [encode_record(bytes([i]) * 32, bytes(16), i, 1) for i in range(40)]
    one, two = Rows(), Rows()
    update(one, records)
    for record in reversed(records):
        update(two, [record])
    assert one.rows == two.rows


def test_an_update_without_records_writes_nothing_and_tells_the_root() -> None:
    rows = Rows()
    assert update(rows, []) == EMPTY
    assert rows.rows == {}
    root = update(rows, [encode_record(b"k" * 32, bytes(16), 1, 1), encode_record(b"l" * 32, bytes(16), 2, 1)])
    before = dict(rows.rows)
    assert update(rows, []) == root
    assert rows.rows == before


@pytest.mark.parametrize("row", [b"", b"short", bytes(8) + b"x", b"\x00\x00\x00\x01" + bytes(4 + 32)])
def test_a_malformed_tile_is_damage(row: bytes) -> None:
    with pytest.raises(StoreDamaged, match="malformed"):
        Tile(row)


def test_a_missing_tile_is_damage_for_readers_and_writers() -> None:
    rows = Rows()
    twins = [encode_record(b"\x11" * 31 + bytes([i]), bytes(16), i, 1) for i in range(2)]
    update(rows, twins)
    assert len(rows.rows) == 64
    del rows.rows[TOP + b"11"]
    with pytest.raises(StoreDamaged, match="lacks a tile"):
        find(rows, twins[0][:32])  # type: ignore[arg-type]
    with pytest.raises(StoreDamaged, match="lacks a tile"):
        update(rows, twins)
