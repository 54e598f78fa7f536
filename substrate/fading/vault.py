"""Files below the root of a vault: new ones only, and nowhere else.

1. The root is named by a person and opened once. The folder in it is opened by that descriptor, and is no link; the
   file is opened by the folder's. So whatever is exchanged meanwhile, nothing outside the vault is written.
2. What is there is never opened, cut or replaced: of a name that is taken, the next number is tried.
3. On return the bytes are on disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from substrate.errors import Denied, InputError
from substrate.files import expanded, flush_descriptor, write_whole
from substrate.foreign_files import OddFile, open_folder
from substrate.messages import Arg
from substrate.text.visible import HIDDEN

__all__ = ["FOLDER", "Vault", "file_name", "open_vault"]

FOLDER: Final = "promoted"
"""Below the root: where notes are written."""
_CHARACTERS: Final = 50
_BYTES: Final = 180
_TRIES: Final = 1000
_UNFIT: Final = re.compile(r"[^\w \-]+")
_SPACES: Final = re.compile(r"[\s_]+")


def file_name(title: str, otherwise: str) -> str:
    """A file's name for a title, without its ending: letters, digits, spaces and dashes, 50 at most."""
    text = _UNFIT.sub(" ", HIDDEN.sub(" ", title))
    text = _SPACES.sub(" ", text)[:_CHARACTERS].strip(" -")
    while len(text.encode(errors="replace")) > _BYTES:
        text = text[:-1]
    return text.strip(" -") or otherwise


class Vault:
    """A vault that is open for one call."""

    def __init__(self, root: Path, descriptor: int) -> None:
        self.root = root
        self._folder = descriptor

    def write(self, name: str, text: str) -> str:
        """Write a new note; its path below the root. Denied."""
        for number in range(1, _TRIES):
            own = f"{name}.md" if number == 1 else f"{name}-{number}.md"
            try:
                self._write(own, text.encode(errors="replace"))
            except FileExistsError:
                continue
            except OSError as error:
                raise _refused(self.root / FOLDER / own, error) from None
            return f"{FOLDER}/{own}"
        raise Denied(f"{self.root / FOLDER} has {_TRIES:,} notes of one title: give this one another first line")

    def _write(self, name: str, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o644, dir_fd=self._folder)
        try:
            try:
                write_whole(descriptor, data)
            finally:
                os.close(descriptor)
            flush_descriptor(self._folder)
        except BaseException:
            os.unlink(name, dir_fd=self._folder)
            raise

    def remove(self, path: str) -> None:
        """Remove a note that this call has written, since what was to follow failed."""
        os.unlink(path.removeprefix(f"{FOLDER}/"), dir_fd=self._folder)


@contextmanager
def open_vault(root: str | Path | None) -> Iterator[Vault]:
    """In the block: the vault at this path, which must be there. InputError if none is named, Denied."""
    if root is None or not str(root).strip():
        raise InputError("no vault is named: give the folder of your vault as ", Arg("vault"))
    path = expanded(root)
    with ExitStack() as opened:
        try:
            resolved = path.resolve(strict=True)
            top = opened.enter_context(open_folder(resolved))
            with suppress(FileExistsError):
                os.mkdir(FOLDER, 0o755, dir_fd=top)
            folder = opened.enter_context(open_folder(Path(FOLDER), folder=top))
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(f"there is no folder {path}: name the folder of your vault as ", Arg("vault")) from None
        except OddFile as error:
            where = path if path.is_file() else path / FOLDER
            raise Denied(f"{where} is {error.kind}, so nothing was written: put a folder there") from None
        except OSError as error:
            raise _refused(path, error) from None
        yield Vault(resolved, folder)


def _refused(path: Path, error: OSError) -> Denied:
    return Denied(
        f"the vault cannot be written ({path}: {error.strerror}). Nothing is promoted; check who may write it"
    )
