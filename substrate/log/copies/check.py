"""fsck: everything that follows from the log is derived anew and compared; the first damage is named.

Derived: every leaf from its entry, every node of the log tree, every head's root and signature, every commitment, the
keys, every tile of the map from the entries' bodies, every view from a replay. Compared: all rows, and that there are
no others. Looked at: that every body fits the schema. What it cannot see: that a head of the past was deleted (but for
those of rotations), the map roots of heads before the latest, and a log that its key-holder wrote anew as a whole (pins
show that).

A damaged file can crash the process that maps it: `care/fsck.py` looks from a child process.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from substrate.errors import FormatTooNew, RolledBack, StoreDamaged
from substrate.files import resolved
from substrate.kv.api import ReadTransaction
from substrate.kv.open import open_store, scratch_store
from substrate.log.copies.behind import Remembered
from substrate.log.copies.contents import Truth, walk
from substrate.log.keys.keyring import Keyring
from substrate.log.keys.origin import find_origin
from substrate.log.map import TOP, Tile
from substrate.log.replay import BATCH, Check, View, replay, replay_into
from substrate.log.tables import ENTRIES, KEYS, MAP, META, NODES, TABLES, seq_key
from substrate.log.tree import LogTree
from substrate.log.view_versions import APPLIED, parse_cursors, refuse_newer
from substrate.proof.bundle import MAP_SALT_BYTES
from substrate.proof.hashes import map_root
from substrate.proof.head import Head
from substrate.values.progress import Progress

__all__ = ["Report", "check_store"]


@dataclass(frozen=True, slots=True)
class Report:
    """What fsck found. `damage` is None if all is well, else it says what is wrong first, and where.

    `behind`: what is wrong is not in the store; another copy of it is ahead. `damage` says which, and what to type.
    `misfit`: one entry keeps copies of the store from being taken over: it does not fit the schema, or its body is not
    the one it commits to. `damage` says what to type.
    """

    entries: int
    heads: int
    damage: str | None
    behind: bool = False
    misfit: bool = False

    @property
    def ok(self) -> bool:
        """Whether no damage was found."""
        return self.damage is None


def check_store(
    path: str | Path,
    *,
    home: Path | None = None,
    views: Sequence[View] = (),
    checks: Sequence[Check] = (),
    progress: Progress | None = None,
) -> Report:
    """Check the store in this process. With `home`, the high-water mark is compared too, after `checks`.

    Raises what keeps it from looking: NotFound, Denied, Busy, FormatTooNew.
    """
    check = _Check(views, progress)
    tables = [*TABLES, *(table for view in views for table in view.tables)]
    try:
        store = open_store(Path(path), tables, read_only=True, create=False)
        try:
            # Before the snapshot: a mark that is raised meanwhile would seem to be ahead of it.
            origin = find_origin(store, Path(path))
            known = None
            if home is not None and origin is not None:
                known = Remembered.of(resolved(path), Keyring(home, origin))
            with store.read() as transaction:
                try:
                    check.run(transaction)
                    for look in checks:
                        look(transaction)
                    if known is not None:
                        known.check(transaction)
                except (LookupError, ValueError, struct.error) as error:
                    raise StoreDamaged(f"rows are so malformed that the check stumbled over them: {error!r}") from None
        finally:
            store.close()
    except FormatTooNew:
        raise
    except StoreDamaged as error:
        return Report(check.size, check.heads, str(error), isinstance(error, RolledBack), check.misfit)
    return Report(check.size, check.heads, None)


class _Check:
    """One pass over one snapshot. Raises StoreDamaged at the first damage."""

    _transaction: ReadTransaction
    _truth: Truth
    _salt: bytes

    def __init__(self, views: Sequence[View], progress: Progress | None) -> None:
        self._views = views
        self._progress = progress
        self.size = 0
        self.heads = 0
        self.misfit = False

    def run(self, transaction: ReadTransaction) -> None:
        """All checks, in the order in which one rests on another."""
        self._transaction = transaction
        meta = dict(self._scan(META))
        applied = {at: meta.pop(at) for at in list(meta) if at.startswith(APPLIED)}
        cursors = parse_cursors(applied)
        origin, self._salt = meta.pop(b"origin", b"").decode("utf-8", "replace"), meta.pop(b"map_salt", b"")
        if not origin or len(self._salt) != MAP_SALT_BYTES or meta:
            raise StoreDamaged("table meta does not hold exactly an origin and a map salt")
        self._truth = Truth(self._salt)
        latest = self._check_log(origin)
        if any(
            cursor.whole and applied.get(APPLIED + name.encode()) != seq_key(self.size)
            for name, cursor in cursors.items()
        ):
            raise StoreDamaged("a view has not applied just the entries that the log has")
        if list(self._scan(KEYS)) != self._truth.keys:
            raise StoreDamaged("table keys is not what the key entries say")
        self._check_map(latest)
        self._check_schema()
        refuse_newer(cursors, self._views)
        for view in self._views:
            if view.name in cursors:
                # One of an older version, or half made, says nothing: the next open for writing makes it anew.
                if cursors[view.name].is_current(view, self.size):
                    self._check_view(view)
            elif any(self._transaction.any(table) for table in view.tables):
                raise StoreDamaged(f"table meta does not know the view {view.name}, which has rows")

    def _scan(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """All rows, in order, each found by its key; and the table's own count must agree, or a page was lost."""
        count, last = 0, b""
        for item in self._transaction.scan(table):
            if item[0] <= last or self._transaction.get(table, item[0]) != item[1]:
                raise StoreDamaged(f"table {table}: row {item[0].hex()} is out of order, or not found by its key")
            last = item[0]
            count += 1
            yield item
        if count != self._transaction.count(table):
            raise StoreDamaged(f"table {table} holds {count} rows and counts {self._transaction.count(table)}")

    def _check_log(self, origin: str) -> Head:
        """Entries, bodies, nodes and heads, in one merge by seq. The latest head."""
        total = self._transaction.count(ENTRIES)
        nodes, truth = self._scan(NODES), self._truth
        for seq, (data, row, note) in enumerate(walk(self._scan)):
            if next(nodes, None) != (seq_key(seq), self._taken(data, row)):
                raise StoreDamaged(f"the log tree's nodes at entry {seq} are not what the entries say")
            truth.sign(note)
            self.size, self.heads = truth.size, truth.heads
            if self._progress is not None and self.size % BATCH == 0:
                self._progress(self.size, total)
        if next(nodes, None) is not None:
            raise StoreDamaged("there are nodes beyond the last entry")
        latest = truth.close(origin)
        # Once more by the library alone, over the rows as they are stored.
        if LogTree(self._transaction, self.size).get_root() != latest.root:
            raise StoreDamaged("the stored nodes do not lead to the root of the latest head")
        return latest

    def _taken(self, data: bytes, row: bytes | None) -> bytes:
        """The log tree's row of the next entry. Of a changed body it is said how to be rid of it."""
        try:
            return self._truth.take(data, row)
        except StoreDamaged as error:
            known = self._truth.changed
            if known is None:
                raise
            self.misfit = True
            advice = f"Restore a backup, or erase it for good: substrate forget {known}. Then check again"
            raise StoreDamaged(f"{error}. {advice}") from None

    def _check_schema(self) -> None:
        """Every body says what its kind must. What to type is in the words of a terminal, as where fsck is typed."""
        try:
            self._truth.check_schema()
        except StoreDamaged as error:
            self.misfit = True
            known = self._truth.forgettable
            mend = "substrate export writes what is readable; import that into a new store"
            advice = mend if known is None else f"substrate forget {known} erases it"
            raise StoreDamaged(f"{error}. All else is readable. {advice}") from None

    def _check_map(self, head: Head) -> None:
        """Every tile from the records below it; every record where it belongs; no tile or record too many."""
        tiles = dict(self._scan(MAP))
        root = Tile(tiles.get(TOP)).root()
        if head.map_root != map_root(self._salt, root):
            raise StoreDamaged("the map's topmost tile does not lead to the map root of the latest head")
        seen = 0
        waiting = [(TOP, b"")] if TOP in tiles else []
        while waiting:
            at, expected = waiting.pop()
            row = tiles.pop(at, None)
            if row is None:
                raise StoreDamaged(f"the map lacks the tile {at[1:].decode()!r}")
            tile = Tile(row)
            if expected and tile.combine(1) != expected:
                raise StoreDamaged(f"the map's tile {at[1:].decode()!r} is not what the tile above it says")
            seen += self._check_tile(at, tile)
            waiting += [(at + b"%x" % (i & 15), tile.nodes[i]) for i in range(16, 32) if tile.inner >> i & 1]
        if tiles:
            raise StoreDamaged("the map has tiles that no tile above them names")
        if seen != len(self._truth.records):
            raise StoreDamaged(f"the map holds {seen:,} names, the log says {len(self._truth.records):,}")

    def _check_tile(self, at: bytes, tile: Tile) -> int:
        """The number of leaves of one tile, each of which is where it belongs and says what the log says."""
        where = f"the map's tile {at[1:].decode()!r}"
        for i in range(2, 32):
            inner, leaf = tile.inner >> i & 1, tile.leaves >> i & 1
            if (inner or leaf) and i > 3 and not tile.inner >> (i >> 1) & 1:  # noqa: PLR2004 - nodes with a parent here
                raise StoreDamaged(f"{where} has a node below an empty one")
            if inner and i < 16 and tile.combine(i) != tile.nodes[i]:  # noqa: PLR2004 - nodes with children here
                raise StoreDamaged(f"{where} has a wrong hash at node {i}")
            if leaf:
                record = tile.nodes[i]
                bits = f"{int.from_bytes(record[:32], 'big'):0256b}"
                way = "".join(f"{int(chr(digit), 16):04b}" for digit in at[1:]) + f"{i:b}"[1:]
                if not bits.startswith(way) or self._truth.records.get(record[:32]) != record:
                    raise StoreDamaged(f"{where} has a record that the log does not have, or has it in a wrong place")
        return tile.leaves.bit_count()

    def _check_view(self, view: View) -> None:
        """Replay the log into empty tables, and compare the view's own row by row.

        They have no name on disk: what is forgotten meanwhile must not be found there, should this process be killed.
        """
        with scratch_store(view.tables) as scratch:
            for start in range(0, self.size, BATCH):
                with scratch.write() as transaction:
                    entries = replay(self._transaction, start, min(start + BATCH, self.size))
                    replay_into(transaction, view, self._transaction, entries)
            with scratch.read() as derived:
                for table in view.tables:
                    rows = zip_longest(self._scan(table), derived.scan(table))
                    if any(here != there for here, there in rows):
                        raise StoreDamaged(f"table {table} of the view {view.name} is not what the log says")
