"""The map: which entry each name is at now, as a sparse Merkle tree stored in tiles of four levels.

The tree itself is specified in docs/proofs.md and knows nothing of tiles. Storage:

1. A tile covers four levels below a path of whole nibbles. Its nodes are numbered as in a heap: 1 is its top (kept by
   the tile above, or by the head), 2 and 3 the next level, 16 to 31 its bottom.
2. A node is empty (not stored), a leaf (the 57-byte record, where the lone leaf collapsed to) or inner (its hash).
   Below an empty node or a leaf nothing is stored. A bottom node that is inner is the top of the tile one level down.
3. Row key: `t`, then one hexadecimal digit per nibble of the path, so that a tile lies beside those below it and one
   checkpoint touches few pages. Row: bitmap of inner nodes, bitmap of leaves (4 bytes each), hashes of the inner nodes
   in order, records of the leaves in order.
4. Names are never taken out of the map, only changed in state. So an inner node stays inner, and nothing collapses
   back.
5. Every tile but the topmost holds two leaves or more, in itself or below. If the topmost holds one, that leaf is the
   root.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from struct import Struct

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction, WriteTransaction
from substrate.log.tables import MAP
from substrate.messages import FSCK
from substrate.proof.hashes import EMPTY, HASH_BYTES
from substrate.proof.record import RECORD_BYTES

__all__ = ["TOP", "MapUpdate", "Tile", "find", "find_path"]

_KEY_BYTES = 32
TOP = b"t"
_WAYS = {ord(f"{nibble:x}"): tuple((16 | nibble) >> shift for shift in (3, 2, 1, 0)) for nibble in range(16)}
"""For each hexadecimal digit, the four nodes of a tile on the way down to it."""
_READ_AHEAD = 5
"""Tiles on one path that are read at once: enough for most of 10**5 names; deeper ways take another read."""
_SHALLOW = 3
"""Length of the row keys of the three upmost levels: some 273 tiles, through which most ways go."""
_ALL = (1 << 32) - 1
_SOUND: dict[bytes, tuple[bytes, bytes, Tile]] = {}
"""Row and top of shallow tiles that were written here, and the tile itself, which nobody changes any more. The row is
compared, so that a stale entry, or one of another store, is of no harm: it only costs the check that it could have
saved."""
_MASKS = Struct(">II")
_BITS = [[tuple(8 * byte + bit for bit in range(8) if value >> bit & 1) for value in range(256)] for byte in range(4)]
_FIRST, _SECOND, _THIRD, _FOURTH = _BITS


def _indices(mask: int) -> tuple[int, ...]:
    """The numbers of the set bits, ascending."""
    return _FIRST[mask & 255] + _SECOND[mask >> 8 & 255] + _THIRD[mask >> 16 & 255] + _FOURTH[mask >> 24]


@lru_cache(32 * 32)
def _layout(inner: int, leaves: int) -> Struct:
    """The layout of a row with so many inner nodes and leaves: at most 31 x 31 of them."""
    return Struct(f">8x{f'{HASH_BYTES}s' * inner}{f'{RECORD_BYTES}s' * leaves}")


def _pair(nodes: dict[int, bytes], leaves: int, left: int) -> bytes:
    """The hash over node `left` and its right neighbour."""
    one, two = nodes.get(left, EMPTY), nodes.get(left + 1, EMPTY)
    if leaves >> left & 1:
        one = sha256(b"\x00" + one).digest()
    if leaves >> left & 2:
        two = sha256(b"\x00" + two).digest()
    return sha256(b"\x01" + one + two).digest()


class Tile:
    """A tile taken out of its row. `nodes` holds hashes of inner nodes and records of leaves, by number."""

    __slots__ = ("dirty", "inner", "leaves", "loaded", "nodes")

    def __init__(self, row: bytes | None = None) -> None:
        """StoreDamaged if the row is malformed. Without a row: a tile with nothing in it."""
        self.loaded = row
        self.nodes: dict[int, bytes] = {}
        self.inner = self.leaves = self.dirty = 0
        if row is not None:
            self.inner, self.leaves = inner, leaves = _masks(row)
            values = _layout(inner.bit_count(), leaves.bit_count()).unpack(row)
            self.nodes = dict(zip(_indices(inner) + _indices(leaves), values, strict=True))

    def copy(self, row: bytes) -> Tile:
        """The same tile once more, as it is taken out of its row."""
        tile = Tile()
        tile.loaded, tile.inner, tile.leaves, tile.nodes = row, self.inner, self.leaves, self.nodes.copy()
        return tile

    def row(self) -> bytes:
        """The row to store."""
        nodes = self.nodes
        parts = [nodes[i] for i in _indices(self.inner) + _indices(self.leaves)]
        return _MASKS.pack(self.inner, self.leaves) + b"".join(parts)

    def combine(self, i: int) -> bytes:
        """The hash of node `i` from the two below it."""
        return _pair(self.nodes, self.leaves, 2 * i)

    def root(self) -> bytes:
        """The root of the whole tree, if this is the topmost tile."""
        if self.inner == 0:
            if self.leaves == 0:
                return EMPTY
            if self.leaves.bit_count() == 1:
                return sha256(b"\x00" + self.nodes[self.leaves.bit_length() - 1]).digest()
        return self.combine(1)

    def insert(self, record: bytes, ways: tuple[int, ...], level: int) -> list[bytes]:
        """Set a record whose way through this tile is `ways`. Returns the records that belong to the tile below."""
        if self.inner >> ways[3] & 1:
            return [record]
        nodes = self.nodes
        pushed: list[bytes] = []
        for here in ways:
            bit = 1 << here
            if self.inner & bit:
                continue
            if self.leaves & bit and nodes[here][:_KEY_BYTES] != record[:_KEY_BYTES]:
                # Two leaves meet: the one that was here moves down until their ways part.
                other = nodes.pop(here)
                self.leaves ^= bit
                self.inner |= bit
                if here >= 16:  # noqa: PLR2004 - the bottom row
                    pushed.append(other)
                else:
                    down = _WAYS[ord(other.hex()[level])][here.bit_length() - 1]
                    nodes[down] = other
                    self.leaves |= 1 << down
                continue
            nodes[here] = record
            self.leaves |= bit
            self.dirty |= bit
            return pushed
        pushed.append(record)
        return pushed

    def check(self, touched: int) -> None:
        """StoreDamaged unless every inner node above a touched one is the hash of the two below it.

        An update hashes these nodes anew from what lies beside its way. Had someone changed one of them, or a record,
        without this check the signer would lend his change a signature.
        """
        nodes, leaves = self.nodes, self.leaves
        for i in range(15, 1, -1):
            if touched >> (2 * i) & 3 and self.inner >> i & 1:
                touched |= 1 << i
                if nodes[i] != _pair(nodes, leaves, 2 * i):
                    raise StoreDamaged("a tile of the map is not what its records say; run ", FSCK)

    def rehash(self) -> None:
        """Hash anew every inner node above a dirty one, from the bottom up."""
        nodes, leaves, dirty = self.nodes, self.leaves, self.dirty
        for i in range(15, 1, -1):
            if dirty >> (2 * i) & 3:
                dirty |= 1 << i
                nodes[i] = _pair(nodes, leaves, 2 * i)
        self.dirty = 0


def _tile(place: bytes, row: bytes | None) -> Tile:
    """The tile that is stored at a place. StoreDamaged if its row is malformed."""
    known = _SOUND.get(place)
    return Tile(row) if known is None or row is None or known[0] != row else known[2].copy(row)


def _masks(row: bytes) -> tuple[int, int]:
    inner, leaves = _MASKS.unpack_from(row) if len(row) >= _MASKS.size else (0, 0)
    size = _MASKS.size + inner.bit_count() * HASH_BYTES + leaves.bit_count() * RECORD_BYTES
    if len(row) != size or inner & leaves or (inner | leaves) & 3:
        raise StoreDamaged("a tile of the map is malformed; run ", FSCK)
    return inner, leaves


def find_path(transaction: ReadTransaction, key: bytes) -> tuple[bytes | None, list[bytes]]:
    """The record that `find` finds, and the siblings from there upward."""
    path: list[bytes] = []
    found = find(transaction, key, path)
    path.reverse()
    return found, path


def find(transaction: ReadTransaction, key: bytes, path: list[bytes] | None = None) -> bytes | None:
    """The record at the place of `key` (its own, another's, or None if empty). `path` takes the siblings down to it."""
    digits = key.hex().encode("ascii")
    rows: list[bytes | None] = []
    for level, digit in enumerate(digits):
        if level == len(rows):
            levels = range(level, level + _READ_AHEAD)
            rows += transaction.get_many(MAP, [TOP + digits[:at] for at in levels if at < len(digits)])
        row = rows[level]
        if row is None:
            break
        inner, leaves = _masks(row)
        if level == 0 and inner == 0 and leaves.bit_count() == 1:
            return row[_MASKS.size :]
        for here in _WAYS[digit]:
            if path is not None:
                path.append(_hash(row, inner, leaves, here ^ 1))
            if not inner >> here & 1:
                return _leaf(row, inner, leaves, here)
    if rows[0] is not None:
        raise StoreDamaged("the map lacks a tile that the tile above it names; run ", FSCK)
    return None


def _hash(row: bytes, inner: int, leaves: int, i: int) -> bytes:
    """The hash of the node at `i`, without taking the whole tile out of its row."""
    bit = 1 << i
    if inner & bit:
        start = _MASKS.size + (inner & (bit - 1)).bit_count() * HASH_BYTES
        return row[start : start + HASH_BYTES]
    leaf = _leaf(row, inner, leaves, i)
    return EMPTY if leaf is None else sha256(b"\x00" + leaf).digest()


def _leaf(row: bytes, inner: int, leaves: int, i: int) -> bytes | None:
    """The record of the leaf at `i`, without taking the whole tile out of its row; None if there is none."""
    if not leaves >> i & 1:
        return None
    start = _MASKS.size + inner.bit_count() * HASH_BYTES + (leaves & ((1 << i) - 1)).bit_count() * RECORD_BYTES
    return row[start : start + RECORD_BYTES]


class MapUpdate:
    """One transaction's change to the map: load the places of some keys, ask what is there, set what shall be, write.

    Tiles are read once, level by level, and written once.
    """

    def __init__(self, transaction: WriteTransaction, keys: Iterable[bytes]) -> None:
        self._transaction = transaction
        # The topmost tile is always there: without any record to set, it still tells the root.
        self._tiles: dict[bytes, Tile] = {TOP: _tile(TOP, transaction.get(MAP, TOP))}
        self._records: dict[bytes, bytes] = {}
        self._loaded: set[bytes] = set()
        self.load(keys)

    def load(self, keys: Iterable[bytes]) -> None:
        """Take in the places of further keys. Before anything is set."""
        fresh = set(keys) - self._loaded
        self._loaded |= fresh
        self._load({key.hex().encode("ascii"): key for key in fresh})

    def root(self) -> bytes:
        """The root of the tree, as the topmost tile tells it."""
        return self._tiles[TOP].root()

    def record(self, key: bytes) -> bytes | None:
        """The record of `key` before the update. Only keys given at construction are known."""
        return self._records.get(key)

    def _load(self, keys: dict[bytes, bytes]) -> None:
        level = 0
        places = dict.fromkeys(keys, TOP)
        while places:
            wanted = sorted(set(places.values()) - {TOP})
            missing = [place for place in wanted if place not in self._tiles]
            for place, row in zip(missing, self._transaction.get_many(MAP, missing), strict=True):
                if row is None:
                    raise StoreDamaged("the map lacks a tile that the tile above it names; run ", FSCK)
                self._tiles[place] = _tile(place, row)
            deeper: dict[bytes, bytes] = {}
            touched = dict.fromkeys(wanted, 0) if level else {TOP: 0}
            for digits, place in places.items():
                tile = self._tiles[place]
                inner = tile.inner
                ways = _WAYS[digits[level]]
                here = ways[3]
                if inner >> here & 1:
                    deeper[digits] = TOP + digits[: level + 1]
                else:
                    for here in ways:
                        if not inner >> here & 1:
                            break
                    if tile.leaves >> here & 1 and tile.nodes[here].startswith(keys[digits]):
                        self._records[keys[digits]] = tile.nodes[here]
                touched[place] |= 1 << here
            for place, nodes in touched.items():
                self._check(place, nodes)
            places = deeper
            level += 1

    def _check(self, place: bytes, touched: int) -> None:
        """StoreDamaged unless a loaded tile is sound along the touched ways, and is what the tile above says."""
        tile = self._tiles[place]
        sound = _SOUND.get(place)
        if sound is not None and sound[0] == tile.loaded:
            top = sound[1]
        else:
            tile.check(_ALL if len(place) <= _SHALLOW else touched)
            top = tile.combine(1)
        if place != TOP and top != self._tiles[place[:-1]].nodes[_WAYS[place[-1]][3]]:
            raise StoreDamaged("a tile of the map is not what the tile above it says; run ", FSCK)

    def apply(self, records: Iterable[bytes]) -> bytes:
        """Set the record of each key (all loaded before), write the changed tiles and return the root of the tree."""
        levels: list[dict[bytes, Tile]] = []
        digits = {record: record[:_KEY_BYTES].hex().encode("ascii") for record in records}
        changes = {TOP: list(digits)} if digits else {}
        while changes:
            level = len(levels)
            here: dict[bytes, Tile] = {}
            below: dict[bytes, list[bytes]] = {}
            for place, items in changes.items():
                tile = self._tiles.get(place)
                if tile is None:
                    tile = self._tiles[place] = Tile()
                here[place] = tile
                for record in items:
                    way = digits.get(record) or record[:_KEY_BYTES].hex().encode("ascii")
                    pushed = tile.insert(record, _WAYS[way[level]], level)
                    if pushed:
                        below.setdefault(TOP + way[: level + 1], []).extend(pushed)
            levels.append(here)
            changes = below
        return self._write(levels)

    def _write(self, levels: list[dict[bytes, Tile]]) -> bytes:
        rows = []
        for level in range(len(levels) - 1, -1, -1):
            for place, tile in levels[level].items():
                tile.rehash()
                row, top = tile.row(), tile.combine(1)
                rows.append((place, row))
                if len(place) <= _SHALLOW:
                    _SOUND[place] = (row, top, tile)
                if level:
                    above = levels[level - 1][place[:-1]]
                    bottom = _WAYS[place[-1]][3]
                    above.nodes[bottom] = top
                    above.dirty |= 1 << bottom
        rows.sort()
        self._transaction.put_many(MAP, rows)
        return self.root()
