"""The stored log tree against pymerkle's own in-memory tree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pymerkle import InmemoryTree, verify_consistency, verify_inclusion

from substrate.errors import StoreDamaged
from substrate.kv.open import open_store
from substrate.log.tables import NODES, seq_key
from substrate.log.tree import LogTree, consistency_path, inclusion_path, root_at
from substrate.proof import verify
from substrate.proof.hashes import EMPTY_ROOT, leaf_hash
from substrate.proof.paths import cover

SIZE = 130


@pytest.fixture
def grown(tmp_path: Path) -> Callable[[], tuple[LogTree, InmemoryTree]]:
    theirs = InmemoryTree(algorithm="sha256")
    store = open_store(tmp_path / "store", [NODES])
    size = 0
    for width in (1, 1, 2, 3, 1, 64, 7, 50, 1):
        data = [f"entry {i}".encode() for i in range(size, size + width)]
        with store.write() as transaction:
            root = LogTree(transaction, size).extend(leaf_hash(item) for item in data)
        for item in data:
            theirs.append_entry(item)
        size += width
        assert root == theirs.get_root()
    assert size == SIZE

    def open_tree() -> tuple[LogTree, InmemoryTree]:
        return LogTree(store.read().__enter__(), SIZE), theirs

    return open_tree


def test_roots_and_paths_agree_with_pymerkle_and_pass_our_verifier(
    grown: Callable[[], tuple[LogTree, InmemoryTree]],
) -> None:
    ours, theirs = grown()
    for size in range(1, SIZE + 1):
        root = root_at(ours._transaction, size)
        assert root == theirs.get_root(size)
        for index in range(0, size, 7):
            path = inclusion_path(ours._transaction, index, size)
            assert path == theirs.prove_inclusion(index + 1, size).path[1:]
            verify.verify_inclusion(theirs.get_leaf(index + 1), index, size, path, root)
        for old in range(1, size + 1, 5):
            verify.verify_consistency(
                old, size, consistency_path(ours._transaction, old, size), root_at(ours._transaction, old), root
            )


def test_the_librarys_own_proofs_over_our_rows_pass_its_own_verifier(
    grown: Callable[[], tuple[LogTree, InmemoryTree]],
) -> None:
    ours, theirs = grown()
    assert ours.get_root() == theirs.get_root()
    assert ours.get_leaf(3) == theirs.get_leaf(3)
    assert ours._get_leaves(0, 4) == [theirs.get_leaf(i) for i in range(1, 5)]
    for index in (1, 2, 64, 65, 129, SIZE):
        verify_inclusion(theirs.get_leaf(index), theirs.get_root(), ours.prove_inclusion(index))
        verify_consistency(ours.get_root(index), theirs.get_root(), ours.prove_consistency(index, SIZE))


def test_the_librarys_append_writes_our_rows(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", [NODES])
    with store.write() as transaction:
        tree = LogTree(transaction, 0)
        assert tree.get_root() == root_at(transaction, 0) == EMPTY_ROOT
        assert tree.append_entries([b"a", b"b", b"c"]) == 3
        assert tree.get_root() == InmemoryTree.init_from_entries([b"a", b"b", b"c"]).get_root()


@pytest.mark.parametrize("row", [None, b"short"])
def test_missing_nodes_are_damage(tmp_path: Path, row: bytes | None) -> None:
    store = open_store(tmp_path / "store", [NODES])
    with store.write() as transaction:
        LogTree(transaction, 0).extend([bytes(32)] * 4)
        transaction.delete(NODES, seq_key(3))
        if row is not None:
            transaction.put(NODES, seq_key(3), row)
        with pytest.raises(StoreDamaged, match="lacks nodes"):
            root_at(transaction, 4)


def test_a_range_is_covered_by_perfect_subtrees_from_left_to_right() -> None:
    assert cover(0, 7) == ((2, 0), (1, 2), (0, 6))
    assert cover(8, 11) == ((1, 4), (0, 10))
    assert cover(0, 0) == ()
