"""A text in the person's own editor: it lies in a folder of its own that nobody else reads, and that is removed."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from substrate.errors import InputError
from substrate.settings import load_settings

__all__ = ["edited"]


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
    with TemporaryDirectory(prefix="substrate-") as folder:
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
