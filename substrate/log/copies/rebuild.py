"""Rebuild: everything that follows from the log is made anew from what the log is, beside the store, and put in place.

1. Entries, bodies, heads, origin and map salt are taken over as they are, and checked on the way. Traces are copied;
   caches too if who can tell says that they are sound, else they are left behind. The log tree, the map, the keys and
   all views are derived.
2. Nothing takes the old one's place unless log root and map root are those of the latest signed head. What was lost or
   changed in the log itself no rebuild can bring back: that needs a backup.
3. Views get the version of this program, and new ones are filled. A store with a view that is not known here, or is
   known in an earlier version, is refused: a later program wrote it, and has perhaps traces that would be lost.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from substrate.errors import NotFound, StoreDamaged
from substrate.files import expanded, resolved
from substrate.kv.api import ReadTransaction, Store, folder_of
from substrate.kv.open import open_store
from substrate.log.copies.behind import Remembered
from substrate.log.copies.contents import Truth, walk
from substrate.log.keys.keyring import Keyring
from substrate.log.keys.origin import find_origin
from substrate.log.map import MapUpdate
from substrate.log.replay import BATCH, Check, View
from substrate.log.tables import BODIES, CACHES, ENTRIES, HEADS, KEYS, META, NODES, TABLES, Sureness, seq_key
from substrate.log.upgrade import upgrade
from substrate.log.view_versions import Cursor, read_cursors, refuse_newer
from substrate.proof.bundle import MAP_SALT_BYTES
from substrate.proof.hashes import EMPTY, map_root
from substrate.proof.head import Head
from substrate.settings import load_settings
from substrate.values.progress import Progress

__all__ = ["Growth", "derive", "rebuild", "rebuild_store"]

_log = logging.getLogger(__name__)
_Item = TypeVar("_Item")
_ROWS: Final = 10_000
_BYTES: Final = 16 << 20
"""What goes into one transaction, whichever comes first: so memory does not grow with the bodies."""
_TAKEN_IN: Final = frozenset({ENTRIES, BODIES, HEADS, META})


def rebuild_store(
    path: str | Path,
    *,
    home: str | Path | None = None,
    views: Sequence[View] = (),
    caches: Sequence[Check] = (),
    progress: Progress | None = None,
) -> None:
    """Rebuild the store in the folder `path`, even if it is so damaged that it cannot be opened as a log.

    No key is needed: nothing is signed. Raises, with nothing changed: NotFound, StoreDamaged (the log itself is
    damaged), FormatTooNew, RolledBack (by the high-water mark in `home`), Denied, Busy, Full.
    """
    folder = resolved(path)
    keys = load_settings().home if home is None else expanded(home).resolve()
    store = open_store(folder, [*TABLES, *(table for view in views for table in view.tables)], create=False)
    try:
        origin = find_origin(store, folder)
        if origin is None:
            raise NotFound(f"the store in {folder} holds no log: there is nothing to rebuild it from")
        rebuild(store, Remembered.of(folder, Keyring(keys, origin)), views, progress, caches)
    finally:
        store.close()


def rebuild(
    store: Store,
    remembered: Remembered,
    views: Sequence[View],
    progress: Progress | None = None,
    caches: Sequence[Check] = (),
) -> None:
    """Rebuild an open store. Others go on reading, writers wait. Raises as `rebuild_store` does.

    `caches` look whether the caches are sound; without any they are not believed.
    """

    def fill(old: ReadTransaction, new: Store) -> None:
        try:
            _fill(old, new, remembered, views, progress)
            if caches:
                _take_caches(old, new, caches)
        except (LookupError, ValueError, struct.error) as error:
            raise StoreDamaged(f"the log is so malformed that it cannot be read: {error!r}; restore a backup") from None

    folder_of(store).rewrite(fill)


def _fill(
    old: ReadTransaction, new: Store, remembered: Remembered, views: Sequence[View], progress: Progress | None
) -> None:
    refuse_newer(_readable_cursors(old), views)
    origin, salt = old.get(META, b"origin"), old.get(META, b"map_salt")
    if origin is None or salt is None or len(salt) != MAP_SALT_BYTES:
        raise StoreDamaged("the store has lost its origin or its map salt; restore a backup")
    tell = progress or (lambda _, __: None)
    total = old.count(ENTRIES)
    steps = total * 2 if views else total
    for table, sureness in TABLES.items():
        if sureness in {Sureness.TRUTH, Sureness.TRACE} and table not in _TAKEN_IN:
            for rows in _portions(old.scan(table)):
                with new.write() as transaction:
                    transaction.extend(table, rows)
    growth = Growth(new, salt)
    last = next((at for at, _ in old.scan(HEADS, reverse=True, limit=1)), b"")
    for data, row, note in walk(old.scan):
        # The latest head vouches for all entries: of the others only those count that hand over from key to key.
        growth.add(data, row)
        growth.sign(note, check_signature=seq_key(growth.truth.size) == last)
        if growth.truth.size % BATCH == 0:
            tell(growth.truth.size, steps)
    head = growth.close(origin.decode())
    derive(new, head, growth.truth.records, salt, views, lambda done: tell(total + done, steps))
    with new.read() as transaction:
        remembered.check(transaction)
    tell(steps, steps)


def _readable_cursors(old: ReadTransaction) -> dict[str, Cursor]:
    """How far the views have got; nothing if that is damaged: then it is made anew as well."""
    try:
        return read_cursors(old)
    except StoreDamaged:
        return {}


def _take_caches(old: ReadTransaction, new: Store, caches: Sequence[Check]) -> None:
    """Copy the caches of the old store, unless they do not fit to what is in the new one by now."""
    for table in CACHES:
        for rows in _portions(old.scan(table)):
            with new.write() as transaction:
                transaction.extend(table, rows)
    try:
        with new.read() as transaction:
            for look in caches:
                look(transaction)
    except (StoreDamaged, LookupError, ValueError, struct.error) as error:
        _log.warning("a cache is left behind, and made anew: %s", error)
        for table in CACHES:
            _empty(new, table)


def _empty(store: Store, table: str) -> None:
    while True:
        with store.write() as transaction:
            keys = [key for key, _ in transaction.scan(table, limit=_ROWS)]
            for key in keys:
                transaction.delete(table, key)
        if not keys:
            return


class Growth:
    """A log that grows in an empty store, from entries that exist already: checked, and written in portions."""

    def __init__(self, store: Store, salt: bytes) -> None:
        self.truth = Truth(salt)
        self._store = store
        self._salt = salt
        self._clear()

    def add(self, data: bytes, row: bytes | None) -> None:
        """The next entry, with its salt and body unless erased. `sign` must follow."""
        if len(self._entries) >= _ROWS or self._bytes >= _BYTES:
            self._write()
        at = seq_key(self.truth.size)
        self._nodes.append((at, self.truth.take(data, row)))
        self._entries.append((at, data))
        if row is not None:
            self._bodies.append((at, row))
            self._bytes += len(row)

    def sign(self, note: bytes | None, *, check_signature: bool = True) -> None:
        """The head that was signed after the last entry, if there is one."""
        self.truth.sign(note, check_signature=check_signature)
        if note is not None:
            self._heads.append((seq_key(self.truth.size), note))

    def close(self, origin: str) -> Head:
        """That was all; the latest head. The rows that follow from names and bodies are not there yet: see `derive`."""
        head = self.truth.close(origin)
        self._write()
        with self._store.write() as transaction:
            transaction.put(META, b"origin", origin.encode())
            transaction.put(META, b"map_salt", self._salt)
            transaction.extend(KEYS, self.truth.keys)
        return head

    def _write(self) -> None:
        with self._store.write() as transaction:
            for table, rows in self._rows.items():
                transaction.extend(table, rows)
        self._clear()

    def _clear(self) -> None:
        self._bytes = 0
        self._entries: list[tuple[bytes, bytes]] = []
        self._bodies: list[tuple[bytes, bytes]] = []
        self._nodes: list[tuple[bytes, bytes]] = []
        self._heads: list[tuple[bytes, bytes]] = []
        self._rows = {ENTRIES: self._entries, BODIES: self._bodies, NODES: self._nodes, HEADS: self._heads}


def derive(  # noqa: PLR0913, PLR0917
    store: Store,
    head: Head,
    records: Mapping[bytes, bytes],
    salt: bytes,
    views: Sequence[View],
    tell: Callable[[int], None],
) -> None:
    """Fill map and views of a store that has its log. StoreDamaged if the map is not the one that was signed."""
    root = EMPTY
    # In the order of keys, so that each portion touches tiles that lie side by side.
    for keys in _portions(sorted(records)):
        with store.write() as transaction:
            root = MapUpdate(transaction, keys).apply([records[key] for key in keys])
    if map_root(salt, root) != head.map_root:
        raise StoreDamaged(f"the entries lead to another map than the one that was signed with {head}")
    # Of a store that has no view yet, each is outdated.
    upgrade(store, views, lambda done, total: tell(done * head.size // total))


def _portions(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    portion: list[_Item] = []
    for item in items:
        portion.append(item)
        if len(portion) >= _ROWS:
            yield portion
            portion = []
    if portion:
        yield portion
