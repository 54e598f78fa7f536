"""Tables for one thread and one piece of work, in a file that has no name: it ends with the process, however that ends.

The file's folder is removed when the file is open, before the first row. So a kill leaves nothing, and nobody has to
clean up. Where it lies is the system's choice (TMPDIR); the store itself may be read-only.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from threading import get_ident
from types import TracebackType
from typing import Final, Self

from substrate.errors import SubstrateError
from substrate.kv.lmdb.errors import from_lmdb
from substrate.kv.lmdb.process import Environment, RawTransaction
from substrate.kv.lmdb.transactions import Reading, Writing

__all__ = ["Scratch"]

_LITTLE: Final = 1 << 20


class Scratch:
    """What is used of a store: transactions, one at a time."""

    __slots__ = ("_environment",)

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def read(self) -> _ScratchReading:
        """What was committed."""
        return _ScratchReading(self._environment)

    def write(self) -> _ScratchWriting:
        """A transaction that writes. Nothing of it has to outlive the process, so nothing is flushed."""
        return _ScratchWriting(self._environment)

    def close(self) -> None:
        """Let go of the file, and so of its bytes."""
        self._environment.close()


class _ScratchReading(Reading):
    """`api.ReadTransaction`."""

    __slots__ = ("_environment",)

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._thread = get_ident()
        self._tables = environment.tables

    def __enter__(self) -> Self:
        self._txn = _begin(self._environment, write=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._txn.abort()


class _ScratchWriting(Writing):
    """`api.WriteTransaction`. It has all the room there is, and does not grow."""

    __slots__ = ("_environment",)

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._thread = get_ident()
        self._tables = environment.tables
        self._changed = None
        self._spoilt: SubstrateError | None = None

    def __enter__(self) -> Self:
        self._txn = _begin(self._environment, write=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None or self._spoilt is not None:
            self._txn.abort()
            if kind is None and self._spoilt is not None:
                raise self._spoilt
            return
        self._commit(self._txn.commit)

    def grow(self) -> bool:
        """False."""
        return False

    def _commit(self, commit: Callable[[], None]) -> None:
        try:
            commit()
        except Exception as error:
            raise self._from_lmdb(error) from error

    def _from_lmdb(self, error: Exception) -> SubstrateError:
        self._spoilt = from_lmdb(error, _is_full)
        return self._spoilt


def _begin(environment: Environment, *, write: bool) -> RawTransaction:
    txn = environment.begin(write=write)
    if txn is None:  # pragma: no cover - only another process could have grown it
        raise AssertionError("somebody else has written to a file without a name")
    return txn


def _is_full() -> bool:
    return shutil.disk_usage(tempfile.gettempdir()).free < _LITTLE
