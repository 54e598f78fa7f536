"""The log tree: pymerkle's BaseMerkleTree over a kv transaction, with every perfect subtree's hash stored.

Row `seq` of NODES holds the leaf hash and then the hash of each perfect subtree that this leaf completes. So a subtree
(level, index) is one slice of one row, appending writes one row per leaf at the end of the table, and roots and paths
cost O(log n). RFC 6962 paths are ours, since pymerkle's consistency proofs have another form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import cast

from pymerkle import BaseMerkleTree

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction, WriteTransaction
from substrate.log.tables import NODES, seq_key
from substrate.messages import FSCK
from substrate.proof.hashes import EMPTY_ROOT, HASH_BYTES, node_hash
from substrate.proof.paths import Node, Span, consistency_spans, cover, inclusion_spans

__all__ = ["LogTree", "bag", "consistency_path", "extend_tree", "grow", "inclusion_path", "peaks_at", "root_at"]


def root_at(transaction: ReadTransaction, size: int) -> bytes:
    """The root of the first `size` leaves."""
    return bag(peaks_at(transaction, size))


def peaks_at(transaction: ReadTransaction, size: int) -> list[bytes]:
    """The perfect subtrees over the first `size` leaves, left to right."""
    return _nodes(transaction, cover(0, size))


def extend_tree(transaction: WriteTransaction, size: int, peaks: list[bytes], leaves: Iterable[bytes]) -> bytes:
    """Append leaf hashes to the tree over `size` leaves, whose perfect subtrees are `peaks`; the new root.

    On return `peaks` are those of the larger tree.
    """
    transaction.extend(NODES, [(seq_key(seq), grow(peaks, seq, leaf)) for seq, leaf in enumerate(leaves, size)])
    return bag(peaks)


def inclusion_path(transaction: ReadTransaction, index: int, size: int) -> list[bytes]:
    """The RFC 6962 path of leaf `index` in the tree of the first `size` leaves."""
    return _fold(transaction, inclusion_spans(index, size))


def consistency_path(transaction: ReadTransaction, old: int, new: int) -> list[bytes]:
    """The RFC 6962 path from the tree of `old` leaves to that of `new`."""
    return _fold(transaction, consistency_spans(old, new))


def bag(peaks: Sequence[bytes]) -> bytes:
    """The root over perfect subtrees, given left to right."""
    if not peaks:
        return EMPTY_ROOT
    node = peaks[-1]
    for peak in reversed(peaks[:-1]):
        node = node_hash(peak, node)
    return node


def grow(stack: list[bytes], size: int, leaf: bytes) -> bytes:
    """Add a leaf to the perfect subtrees over `size` leaves, which `stack` holds; the row of NODES that it makes."""
    node = row = leaf
    while size & 1:
        node = sha256(b"\x01" + stack.pop() + node).digest()
        row += node
        size >>= 1
    stack.append(node)
    return row


def _nodes(transaction: ReadTransaction, nodes: Sequence[Node]) -> list[bytes]:
    rows = transaction.get_many(NODES, [seq_key(((index + 1) << level) - 1) for level, index in nodes])
    there = [row for row in rows if row is not None]
    hashes = [row[level << 5 : (level + 1) << 5] for (level, _), row in zip(nodes, there, strict=False)]
    if len(there) != len(nodes) or sum(map(len, hashes)) != len(nodes) * HASH_BYTES:
        raise StoreDamaged("the log tree lacks nodes that its size says it has; run ", FSCK)
    return hashes


def _fold(transaction: ReadTransaction, spans: Sequence[Span]) -> list[bytes]:
    """The hash of each span, all nodes read at once."""
    nodes = _nodes(transaction, [node for span in spans for node in span])
    hashes = []
    at = 0
    for span in spans:
        width = len(span)
        hashes.append(nodes[at] if width == 1 else bag(nodes[at : at + width]))
        at += width
    return hashes


class LogTree(BaseMerkleTree):  # type: ignore[misc]  # pymerkle is untyped
    """The tree of the first `size` entries, as a transaction sees it, and lives no longer than that.

    It gives the library its storage: `append_entries`, `get_root` and its own proofs work over our rows, and fsck uses
    that to derive the root once more by code that is not ours. To `extend` it takes the write transaction.
    """

    def __init__(self, transaction: ReadTransaction, size: int) -> None:
        # A capacity of 1: `_get_subroot` is overridden, the library's own cache is never filled.
        super().__init__(algorithm="sha256", capacity=1)
        self._transaction = transaction
        self._size = size

    def extend(self, leaves: Iterable[bytes]) -> bytes:
        """Append leaf hashes, write their rows, and return the new root."""
        added, size = list(leaves), self._size
        self._size += len(added)
        return extend_tree(cast("WriteTransaction", self._transaction), size, peaks_at(self._transaction, size), added)

    # -- pymerkle's storage interface ----------------------------------------------------------------------------

    def _encode_entry(self, data: bytes) -> bytes:
        return data

    def _store_leaf(self, data: bytes, digest: bytes) -> int:  # noqa: ARG002 - the library's signature
        self.extend([digest])
        return self._size

    def _get_leaf(self, index: int) -> bytes:
        return _nodes(self._transaction, [(0, index - 1)])[0]

    def _get_leaves(self, offset: int, width: int) -> list[bytes]:
        return _nodes(self._transaction, [(0, index) for index in range(offset, offset + width)])

    def _get_size(self) -> int:
        return self._size

    def _get_subroot(self, offset: int, width: int) -> bytes:
        level = width.bit_length() - 1
        return _nodes(self._transaction, [(level, offset >> level)])[0]
