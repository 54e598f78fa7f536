"""Which store was opened last in which working folder: a small file of the user's, shared by all kernels."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from substrate.files import make_folder, replace_file

__all__ = ["Remembered"]

_FILE = "notebook-stores.json"
_FORMAT = "substrate-notebook-stores/1"
_MOST = 500
"""Folders that are remembered; of more, those that were opened longest ago are left out."""


class Remembered:
    """The file in the folder `home`. What cannot be read or written is no error: `news` is told of it."""

    def __init__(self, home: Path, news: list[str]) -> None:
        self._file = home / _FILE
        self._news = news

    def store_for(self, folder: Path) -> Path | None:
        """The store that was last opened in this working folder."""
        store = self._read().get(str(folder))
        return None if store is None else Path(store)

    def remember(self, folder: Path, store: Path) -> None:
        """From now on this is the store of that working folder, for every kernel that starts in it."""
        try:
            make_folder(self._file.parent)
            with self._locked():
                stores = self._read()
                if stores.pop(str(folder), None) == str(store) and self._file.is_file():
                    return
                stores[str(folder)] = str(store)
                kept = dict(list(stores.items())[-_MOST:])
                document = {"format": _FORMAT, "stores": kept}
                replace_file(self._file, json.dumps(document, ensure_ascii=False, indent=1).encode())
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "its path is no text"
            self._tell(f"the store is not remembered for this folder: {self._file}: {reason}")

    def _read(self) -> dict[str, str]:
        try:
            document = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            self._tell(f"{self._file} cannot be read: what was remembered is not used")
            return {}
        stores = document.get("stores") if isinstance(document, dict) and document.get("format") == _FORMAT else None
        if not isinstance(stores, dict) or not all(isinstance(path, str) for path in stores.values()):
            self._tell(f"{self._file} is not of this program: what was remembered is not used")
            return {}
        return stores

    def _tell(self, word: str) -> None:
        if word not in self._news:
            self._news.append(word)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone among all kernels: who reads and then replaces must not lose what another wrote in between."""
        descriptor = os.open(self._file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
