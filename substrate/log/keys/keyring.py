"""The signing key of one log, in a folder of the user's, outside the store: who copies the store cannot sign for it.

    <home>/keys/<origin>.keys/   mode 0700
        signing.key              the key in force, mode 0600
        next.key                 during a rotation: the key that will be
        high-water               see highwater.py
        lock                     held by who signs, from reading the mark until it is raised
        store                    where the store was when it was last opened for writing

A rotation stages `next.key`, appends the key entry, then renames. After a crash the log says which of the two is in
force. `stage`, `settle` and `signer` are called under the write lock only: otherwise one process could drop another's
new key.
"""

from __future__ import annotations

import logging
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

from substrate.errors import Busy, Denied, InputError, StoreDamaged, SubstrateError
from substrate.files import flush, make_folder, open_lock, remove_leftovers, replace_file, try_lock, typed_errors
from substrate.log.keys.highwater import HighWater, Mark
from substrate.messages import Message
from substrate.proof.head import Head
from substrate.proof.note import Signer, VerifierKey, generate_signer

__all__ = ["Keyring"]

_log = logging.getLogger(__name__)
_LOCK_SECONDS = 10.0


class Keyring:
    """The keys of `origin` under `home`. Nothing is created before `install` or `stage`. I/O errors come typed."""

    def __init__(self, home: Path, origin: str) -> None:
        self.home = home
        # The ending keeps an origin such as '..' from being a path.
        self.folder = home / "keys" / f"{quote(origin, safe='')}.keys"
        self.high_water = HighWater(self.folder / "high-water")
        self._current = self.folder / "signing.key"
        self._next = self.folder / "next.key"
        self._lock = self.folder / "lock"
        self._store = self.folder / "store"
        self._loaded: tuple[tuple[int, int, int], Signer] | None = None

    def install(self, origin: str, store: Path) -> Signer:
        """The first key of a new log, on disk. InputError if its place lies inside the store, or is another log's.

        A key without a mark was left by a creation that died before its commit: it is taken up.
        """
        if self.folder.resolve().is_relative_to(store.resolve()):
            raise InputError(
                f"the signing key must not lie inside the store folder {store}: set SUBSTRATE_HOME to another place"
            )
        with typed_errors(f"writing {self._current}"):
            if self._current.exists():
                if self.high_water.read() is not None:
                    raise InputError(
                        f"another store has the origin {origin}, with its key in {self.folder}: use another"
                    )
                return _load(self._current)
            signer = generate_signer(origin)
            try:
                make_folder(self.folder)
            except OSError as error:
                raise Denied(
                    f"the key folder {self.folder} cannot be made ({error.strerror}): set SUBSTRATE_HOME to a folder "
                    "you can write to"
                ) from None
            remove_leftovers(self.folder)
            replace_file(self._current, (signer.secret() + "\n").encode())
            return signer

    def holds_key(self) -> bool:
        """Whether there is a signing key."""
        return self._current.exists()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """In this block nobody else signs with these keys: not for this store, nor for a copy of it in another place.

        Without it, two copies that are written to at the same moment would both be signed, before either raised the
        mark. Busy if someone else takes longer than ten seconds.
        """
        with ExitStack() as held:
            with typed_errors(f"locking {self._lock}"):
                if not self.folder.exists():
                    yield  # there is no key to sign with
                    return
                lock = held.enter_context(open_lock(self._lock))
            deadline = time.monotonic() + _LOCK_SECONDS
            while not try_lock(lock):
                if time.monotonic() >= deadline:
                    raise Busy(f"someone else signs with the key in {self.folder} for longer than we wait: try again")
                time.sleep(0.0002)
            yield

    def holds(self, key: VerifierKey) -> bool:
        """Whether the signing key is the one of `key`. Denied if there is one that others can read."""
        with typed_errors(f"reading {self._current}"):
            return self.holds_key() and self._load_current().key == key

    def note_store(self, path: Path) -> None:
        """Remember where the store of these keys is. What fails is told, not raised: it is a help, no more."""
        try:
            if self.folder.exists() and self.known_store() != path:
                replace_file(self._store, f"{path}\n".encode())
        except OSError as error:
            _log.warning("the place of the store could not be noted in %s: %s", self.folder, error)

    def known_store(self) -> Path | None:
        """Where the store of these keys was when it was last opened for writing; None if nobody knows."""
        try:
            return Path(self._store.read_text(encoding="utf-8").rstrip("\n"))
        except (OSError, UnicodeDecodeError):
            return None

    def prepare_mark(self, head: Head, store: Path, mark: Mark | None) -> None:
        """Before something is signed after `head`: the mark, which is `mark`, is as far as that, and can be raised.

        Denied, DiskFull, Busy if not, and nothing is written: without the mark a rollback could not be noticed.
        """
        try:
            if mark is None or mark.size < head.size:
                self.high_water.raise_to(Mark.of(head, store))
            else:
                self.high_water.check_writable()
        except SubstrateError as error:
            error.args = (Message("nothing was written, since the high-water mark cannot be: ", error.message),)
            raise

    def keep_up(self, head: Head, store: Path) -> None:
        """Raise the high-water mark to `head` of the store in this folder, if the log's keys live here.

        What fails is told, not raised: the entries are durable and acknowledged. The next append refuses to go on
        without (`prepare_mark`).
        """
        if not self.folder.exists():
            return
        try:
            self.high_water.raise_to(Mark.of(head, store))
        except SubstrateError as error:
            _log.warning("what was appended is saved, but the high-water mark could not be raised: %s", error)

    def stage(self, signer: Signer) -> None:
        """Write the key that a rotation is about to put in force."""
        with typed_errors(f"writing {self._next}"):
            remove_leftovers(self.folder)
            replace_file(self._next, (signer.secret() + "\n").encode())

    def settle(self, in_force: VerifierKey) -> None:
        """Finish a rotation that the log has, drop one that it has not. `in_force` is what the log says."""
        with typed_errors(f"settling {self._next}"):
            if not self._next.exists():
                return
            if _load(self._next).key == in_force:
                self._next.rename(self._current)
            else:
                self._next.unlink()
            flush(self.folder)

    def signer(self, in_force: VerifierKey) -> Signer:
        """The signer of the key that the log says is in force. Denied if it is not here."""
        with typed_errors(f"reading {self._current}"):
            signer = self._load_current()
        if signer.key != in_force:
            raise Denied(
                f"the key in {self._current} is not the one this log is signed with (key id "
                f"{in_force.key_id.hex()}). It may have been rotated elsewhere: copy that key folder here"
            )
        return signer

    def _load_current(self) -> Signer:
        """The signer in the key file; read again only when the file has changed, since deriving a key costs."""
        try:
            status = self._current.stat()
        except FileNotFoundError:
            return _load(self._current)
        stamp = (status.st_ino, status.st_mtime_ns, status.st_mode)
        if self._loaded is None or self._loaded[0] != stamp:
            self._loaded = (stamp, _load(self._current))
        return self._loaded[1]


def _load(path: Path) -> Signer:
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise Denied(f"the signing key {path} can be read by others: chmod 600 it")
        data = path.read_bytes()
    except FileNotFoundError:
        raise Denied(
            f"there is no signing key at {path}: this store can be read and checked, but not written to, from here. "
            "Copy the key folder from the machine that made the store, or set SUBSTRATE_HOME"
        ) from None
    try:
        return Signer.parse(data.decode("ascii", "replace").rstrip("\n"))
    except SubstrateError:
        raise StoreDamaged(f"the signing key {path} is damaged: restore it from a backup") from None
