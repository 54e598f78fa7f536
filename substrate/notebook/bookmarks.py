"""Which store was opened last in which working folder: a small file of the user's, shared by all kernels."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from substrate.files import make_folder, open_lock, replace_file

__all__ = ["Bookmark", "Bookmarks"]

_FILE = "notebook-stores.json"
_FAMILY = "substrate-notebook-stores/"
_FORMAT = _FAMILY + "1"
_READ_ONLY = "read_only"
"""Where the file lists the working folders whose store was opened for reading only."""
_MOST = 500
"""Folders that are remembered; of more, those that were opened longest ago are left out."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A store, and whether it is for reading only."""

    store: Path
    read_only: bool = False


class Bookmarks:
    """The file in the folder `home`. What cannot be read or written is no error: `news` is told of it."""

    def __init__(self, home: Path, news: list[str]) -> None:
        self._file = home / _FILE
        self._news = news

    def store_for(self, folder: Path) -> Bookmark | None:
        """The store that was last opened in this working folder, as it was opened."""
        return (self._read() or {}).get(str(folder))

    def remember(self, folder: Path, kept: Bookmark) -> None:
        """From now on this is the store of that working folder, for every kernel that starts in it."""
        try:
            make_folder(self._file.parent)
            with self._locked():
                known = self._read()
                if known is None or list(known.items())[-1:] == [(str(folder), kept)]:
                    return
                known.pop(str(folder), None)  # or it would stay where it is, among those that were opened long ago
                known[str(folder)] = kept
                replace_file(self._file, _document(dict(list(known.items())[-_MOST:])))
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "its path is not text"
            self._tell(f"the store is not remembered for this folder: {self._file}: {reason}")

    def _read(self) -> dict[str, Bookmark] | None:
        """What the file says, those that were opened last at the end. None if it is not to be replaced."""
        try:
            document = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            self._tell(f"{self._file} cannot be read: what was remembered is not used")
            return {}
        written = document.get("format") if isinstance(document, dict) else None
        if isinstance(written, str) and written != _FORMAT and written.startswith(_FAMILY):
            self._tell(f"{self._file} is of another version of this program: it is not used, and left as it is")
            return None
        stores = document.get("stores") if written == _FORMAT else None
        if not isinstance(stores, dict) or not all(isinstance(path, str) for path in stores.values()):
            self._tell(f"{self._file} is not of this program: what was remembered is not used")
            return {}
        read_only = document.get(_READ_ONLY)
        guarded = read_only if isinstance(read_only, list) else []
        return {folder: Bookmark(Path(path), folder in guarded) for folder, path in stores.items()}

    def _tell(self, word: str) -> None:
        if word not in self._news:
            self._news.append(word)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone among all kernels: who reads and then replaces must not lose what another wrote in between."""
        with open_lock(self._file.with_suffix(".lock")) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _document(known: dict[str, Bookmark]) -> bytes:
    stores = {folder: str(kept.store) for folder, kept in known.items()}
    read_only = [folder for folder, kept in known.items() if kept.read_only]
    document = {"format": _FORMAT, "stores": stores, **({_READ_ONLY: read_only} if read_only else {})}
    return json.dumps(document, ensure_ascii=False, indent=1).encode()
