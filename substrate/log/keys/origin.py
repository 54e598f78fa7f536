"""The origin of a store's log, noted beside its data, so that an emptied store is not taken for a new one."""

from __future__ import annotations

from pathlib import Path

from substrate.errors import RolledBack, StoreDamaged
from substrate.files import replace_file, typed_errors
from substrate.foreign_files import read_file
from substrate.kv.api import Store
from substrate.log.decode import stored
from substrate.log.keys.keyring import Keyring
from substrate.log.tables import META

__all__ = ["find_origin", "noted_origin", "unfinished_origin", "write_origin"]

_FILE = "ORIGIN"
_MOST = 65_536


def write_origin(folder: Path, origin: str) -> None:
    """Note the origin of the log that is about to be created in `folder`."""
    with typed_errors(f"writing {_FILE} in {folder}"):
        replace_file(folder / _FILE, f"{origin}\n".encode())


def find_origin(store: Store, folder: Path) -> str | None:
    """The origin of the log in the store; None if there is no log. StoreDamaged if the folder's note is of another."""
    with store.read() as transaction, stored("the origin"):
        data = transaction.get(META, b"origin")
        known = None if data is None else data.decode()
    noted = noted_origin(folder)
    if known is not None and noted not in (None, known):
        raise StoreDamaged(f"{folder} is of the origin {noted}, but the data in it is of {known}: restore a backup")
    return known


def unfinished_origin(store: Store, folder: Path, home: Path) -> str | None:
    """Of a store without a log: the origin it was about to get when its creator died. None if it is new.

    RolledBack if it is known to have had a log, or if the key of the one it should have is not here to tell.
    """
    noted = noted_origin(folder)
    if noted is None:
        return None
    keyring = Keyring(home, noted)
    emptied = not keyring.holds_key() or keyring.high_water.read() is not None
    # Looked at once more: the creator may be alive, and have finished just now.
    if emptied and find_origin(store, folder) is None:
        raise RolledBack(f"the store in {folder} is empty, but was made for the log {noted}: bring its data back")
    return noted


def noted_origin(folder: Path) -> str | None:
    """The origin that a store folder is noted to be of; None if there is no note."""
    with typed_errors(f"reading {_FILE} in {folder}"), stored(f"the file {_FILE}"):
        try:
            return read_file(folder / _FILE, _MOST).decode().strip()
        except FileNotFoundError:
            return None
