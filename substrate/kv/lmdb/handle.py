"""One open of a store, and the register of what this process has open.

1. A process has an LMDB environment open at most once, or it loses its locks: handles of one folder, however they
   spell its path, share one `Shared` and count themselves in it.
2. In a forked child the register starts empty; a handle that came along joins anew at its next call.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from threading import RLock
from time import monotonic

from substrate.errors import Denied, NotFound, Unusable
from substrate.files import typed_errors
from substrate.kv.lmdb import filesystem, folder
from substrate.kv.lmdb.process import Opener, Shared

__all__ = ["Handle"]


class Handle:
    """Counted in the `Shared` of its folder until closed."""

    __slots__ = ("_closed", "_opener", "_shared", "path", "tables", "wait_s", "write")

    def __init__(  # noqa: PLR0913
        self, path: Path, tables: Iterable[str], opener: Opener, *, write: bool, create: bool, wait_s: float
    ) -> None:
        self.write = write
        self.wait_s = wait_s
        self.path = path.resolve()
        self.tables = tuple(tables)
        self._opener = opener
        self._closed = False
        filesystem.refuse_network(self.path)
        self._shared = self._join(create=create)

    def shared(self) -> Shared:
        """What this handle shares; Denied if it is closed, Unusable after an I/O error."""
        shared = self._shared
        if shared.usable and not self._closed:
            return shared
        with _register.lock:
            if self._closed:
                raise Denied("this store was closed; open it again")
            if self._shared.failure is not None:
                raise Unusable(self._shared.failure)
            if not self._shared.usable:
                self._shared = self._join(create=False)
            return self._shared

    def close(self) -> None:
        """Busy if this is the last handle and transactions do not end, Denied from inside one. Can be repeated."""
        with _register.lock:
            if self._closed:
                return
            shared = self._shared
            if shared.handles == 1 and _register.opened.get(shared.identity) is shared:
                shared.close(monotonic() + self.wait_s)
                del _register.opened[shared.identity]
            shared.handles -= 1
            self._closed = True

    def _join(self, *, create: bool) -> Shared:
        deadline = monotonic() + self.wait_s
        with _register.lock, typed_errors(str(self.path)):
            if self.write:
                folder.refuse_foreign_store(self.path)
            if not folder.is_store(self.path):
                folder.refuse_unfinished(self.path)
                folder.refuse_without_current(self.path)
                if not (create and self.write):
                    raise NotFound(f"there is no store at {self.path}; check the path, or open it for writing")
                folder.prepare(self.path)
            shared = _register.opened.get(folder.identity(self.path))
            if shared is not None and shared.failure is not None:
                shared.close(deadline)
                shared = None
            if shared is None:
                shared = self._open(deadline)
            else:
                shared.declare(self.tables, deadline, write=self.write)
            _register.opened[shared.identity] = shared
            shared.handles += 1
            return shared

    def _open(self, deadline: float) -> Shared:
        shared = Shared(self.path, self._opener, create_locks=self.write)
        try:
            if not folder.is_store(self.path):
                shared.found(deadline)
            shared.declare(self.tables, deadline, write=self.write)
        except BaseException:
            shared.close(deadline)
            raise
        return shared


class _Register:
    """What this process has open, by the identity of the folder."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.opened: dict[tuple[int, int], Shared] = {}

    def disown(self) -> None:
        """This process is a forked child. A thread of the parent, that is not here, may hold the lock."""
        inherited, self.opened = self.opened, {}
        self.lock = RLock()
        for shared in inherited.values():
            shared.disown()


_register = _Register()
os.register_at_fork(after_in_child=_register.disown)
