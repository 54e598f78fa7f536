"""A text in the person's own editor: it lies in a folder of its own that nobody else reads, and that is removed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from tempfile import TemporaryDirectory, gettempdir
from typing import Final

from substrate.errors import InputError
from substrate.settings import load_settings

__all__ = ["edited"]

_PREFIX: Final = "substrate-edit-"


def edited(text: str) -> str:
    """The text as the person left it. InputError if the editor cannot be started, fails, or leaves no UTF-8.

    The editor gets the path of a file as its last argument, and no shell is involved. The file has mode 0600 in a
    folder of mode 0700; both are gone on return, with whatever else the editor left there. A newline that the editor
    adds at the end is no change.
    """
    command = load_settings().editor
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise InputError("EDITOR is not a command: set it to the editor to use, such as vi or 'code --wait'")
    _remove_leftovers()
    with TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as folder:
        path = Path(folder, "value.txt")
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text.encode())
        try:
            code = subprocess.run([*words, str(path)], check=False).returncode  # noqa: S603 - the editor of their choice
        except OSError:
            raise InputError(f"there is no program {words[0]}: set EDITOR to the editor to use") from None
        if code:
            raise InputError(f"the editor ended with code {code}: nothing was saved")
        try:
            left = path.read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            raise InputError("the editor left no text in UTF-8: nothing was saved") from None
    return left.removesuffix("\n") if not text.endswith("\n") else left


def _remove_leftovers() -> None:
    """Texts of editors whose program was killed: folders of this user, of a process that is no more."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*-*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(OSError):
            status = folder.lstat()
            if (
                process.isdigit()
                and S_ISDIR(status.st_mode)
                and status.st_uid == os.getuid()
                and not _runs(int(process))
            ):
                shutil.rmtree(folder)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # somebody else's, or none that can be: leave it alone
    return True
