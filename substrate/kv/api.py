"""The seam below everything: ordered tables of bytes, snapshot reads, one writer at a time.

What every implementation promises, and all that code above may lean on:

1. A table maps keys (1 to 400 bytes) to values (bytes); it is ordered by key, as `bytes` compare; a key occurs once.
2. A read transaction sees one snapshot: all of every write committed before it began, nothing of a later one.
3. There is one write transaction at a time, across threads and processes. It sees its own writes.
4. Leaving the `with` block of a write commits: on return everything in it is durable. Leaving it by an exception
   leaves no trace.
5. A write that does not fit is MapFull, and its transaction cannot commit: `grow` begins it again with more room.
6. A transaction belongs to the thread that began it and ends within the call that began it.
7. `get_many` and `scan` may be one round trip each; a loop of `get` is one per key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from substrate.errors import Denied
from substrate.values.progress import Progress

__all__ = [
    "MAX_KEY",
    "FolderStore",
    "Kept",
    "ReadTransaction",
    "Store",
    "WriteTransaction",
    "behind",
    "carried_by",
    "folder_of",
    "kept_by",
]

MAX_KEY = 400
Kept: TypeAlias = dict[Any, Any]
"""What was worked out of rows, by their keys. Whoever finds a value there did not have to read them."""


class ReadTransaction(Protocol):
    """One snapshot of all tables. Table names are those the store was opened with."""

    def get(self, table: str, key: bytes) -> bytes | None:
        """The value at `key`, or None."""

    def get_many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The value at each key, in the order given; None where there is none."""

    def scan(
        self,
        table: str,
        start: bytes = b"",
        stop: bytes | None = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Items with start <= key < stop, in key order (from the end if `reverse`). Ends with the transaction.

        With `limit`, the first so many of them. Give it wherever it is known: another engine fetches ahead.
        """

    def any(self, table: str) -> bool:
        """Whether the table holds a key."""

    def count(self, table: str) -> int:
        """How many keys the table holds. May take as long as reading them all: to ask for emptiness, use `any`."""


class WriteTransaction(ReadTransaction, Protocol):
    """The one writer. Nothing is visible to others until the `with` block ends."""

    def put(self, table: str, key: bytes, value: bytes) -> None:
        """Set `key` to `value`, whatever was there."""

    def put_many(self, table: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Set each key to its value. Sorted items are written fastest."""

    def extend(self, table: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Add items whose keys ascend and lie above every key of the table; StoreDamaged if they do not."""

    def delete(self, table: str, key: bytes) -> None:
        """Remove `key`, if it is there."""

    def grow(self) -> bool:
        """After MapFull: begin this transaction again, with nothing written, in a store with more room.

        It stays the one writer: what it has read still holds. False, with nothing changed, if the store may not grow
        or this thread reads it in another transaction. Busy if other threads of this process do not end reading it.
        """


class Store(Protocol):
    """An open store. Safe to share between threads."""

    @property
    def read_only(self) -> bool:
        """Whether `write` is refused."""

    @property
    def cache(self) -> Path:
        """A folder of this machine for what can be made again from the store: index files, and locks of who makes them.

        Who opens the store here finds the same folder, so that a forget reaches every file in it.
        """

    def read(self) -> AbstractContextManager[ReadTransaction]:
        """A snapshot. Never waits for a writer."""

    def write(self) -> AbstractContextManager[WriteTransaction]:
        """The write transaction; waits a bounded time for the others, then Busy."""

    def close(self) -> None:
        """Release this handle. The last one of a process closes the files."""


@runtime_checkable
class FolderStore(Store, Protocol):
    """A store that is a folder of this machine. An engine that keeps its rows elsewhere has its own ways for these."""

    def compact(
        self,
        wait_s: float | None = None,
        *,
        queue_s: float | None = None,
        readers_s: float | None = None,
        needed: Callable[[], bool] | None = None,
    ) -> None:
        """Rewrite the store without freed pages, while others read and write.

        Bytes that were deleted before the call are gone from its files after it; those deleted meanwhile may not be.
        Writers wait for the last step only. `wait_s` bounds the wait for readers to let go of the old file, `queue_s`
        the one for another that compacts or rebuilds the store; after that one, `needed` is asked whether it still
        has to be done. With `readers_s`, nothing is copied if there are readers who do not let go in that time.
        """

    def rewrite(self, fill: Callable[[ReadTransaction, Store], None]) -> None:
        """Put a new store in the place of this one, under everybody who has it open, when `fill` has filled it.

        `fill` gets a snapshot of the old one and the new one, which has this handle's tables, empty, and which it may
        write in several transactions. Meanwhile others read, and writers wait. What it raises leaves all as it was.
        """

    def copy(self, target: Path, finish: Callable[[Store, Path], None], progress: Progress | None = None) -> None:
        """Make the folder `target`, absent or empty, a store with all tables as of one moment, while others write.

        `finish` gets the copy, which is no store yet for anybody else, and the folder that will be `target`: it may
        change the one and add files to the other. What it raises leaves nothing behind. Killed, it leaves a folder that
        is refused.
        """

    def size(self) -> int:
        """How many bytes it takes on disk."""


def folder_of(store: Store) -> FolderStore:
    """The store, if it is a folder that can be copied, compacted, rewritten and measured; Denied if it is not."""
    if not isinstance(store, FolderStore):
        raise Denied("this store is not a folder on this machine: use the tools of its database to copy or compact it")
    return store


def kept_by(transaction: ReadTransaction, what: str) -> Kept:
    """What was worked out of the rows that this transaction sees, and of nothing else: no time, no setting.

    Snapshots of one state of a store share it, in all threads of a process; the first write leaves it behind. So only
    what stays as it is may be put there, and some thirty thousand of it are kept. Of a transaction that writes, and of
    one that is laid over another, it is of this call alone.
    """
    kept: dict[str, Kept] | None = getattr(transaction, "kept", None)
    if kept is None:
        return {}
    known = kept.get(what)
    return kept.setdefault(what, {}) if known is None else known


def carried_by(transaction: ReadTransaction, what: str) -> Kept | None:
    """What was worked out of this store in any of its states: a write does not leave it behind.

    Whoever finds something there must see that it still holds for this transaction. None of a transaction that writes,
    and of one that is laid over another: what these see is not what others see.
    """
    carried: dict[str, Kept] | None = getattr(transaction, "carried", None)
    return None if carried is None else carried.setdefault(what, {})


def behind(prefix: bytes) -> bytes | None:
    """The first key that lies behind all keys with this prefix: where a scan of them stops.

    None if there is no such.
    """
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None
