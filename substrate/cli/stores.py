"""Which store a command is about, and how it opens it: what only reads never makes one and writes nothing."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import substrate
from substrate.cli.inputs import is_text
from substrate.errors import Denied, InputError, NotFound
from substrate.files import replace_file
from substrate.settings import load_settings

if TYPE_CHECKING:
    from substrate.engine.memory import Memory

__all__ = ["check_hint", "missing_store_explained", "reading", "store_path", "write_text", "writing"]


def store_path(given: Namespace) -> Path:
    """The store's folder: as given, else as the settings say. InputError if its path is no text."""
    path = load_settings().store if given.store is None else Path(given.store).expanduser()
    if not is_text(str(path.resolve())):
        raise InputError("the path of the store is not UTF-8 text: LMDB needs one that is")
    return path


def reading(given: Namespace) -> Memory:
    """The store, open for reading. NotFound, with what to do, if there is none."""
    return _open(given, read_only=True)


def writing(given: Namespace, *, create: bool = False, actor: str | None = None) -> Memory:
    """The store, open for writing; made, if there is none and `create` is set."""
    # A command ends before a background could embed anything: `substrate index` does it.
    if create:
        return substrate.open(store_path(given), actor=actor, background=False)
    return _open(given, read_only=False)


def _open(given: Namespace, *, read_only: bool) -> Memory:
    with missing_store_explained(given):
        return substrate.open(store_path(given), read_only=read_only, create=False, background=False)


@contextmanager
def missing_store_explained(given: Namespace) -> Iterator[None]:
    """What is not found in this block is the store itself: say where it was looked for, and what to do."""
    try:
        yield
    except NotFound:
        path = store_path(given)
        raise NotFound(
            f"there is no store in {path}. To make it: substrate checkpoint 'v1.fact.x = y'. "
            "To use another: --store PATH, or set SUBSTRATE_STORE"
        ) from None


def check_hint(given: Namespace, proof: str) -> str:
    """How the owner of the store checks a proof that was just made."""
    return f"to check it: substrate verify {quote(proof)} --store {quote(str(store_path(given)))}"


def write_text(path: str, text: str, what: str) -> None:
    """Put a text into a file of the user's: whole, or what was there stays. What is no file is written to as it is."""
    target = Path(path).expanduser().resolve()
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
        else:
            replace_file(target, text.encode(), 0o666)  # less what the user's mask takes away
    except PermissionError as error:
        raise Denied(f"{what} cannot be written to {path}: {error.strerror}") from None
    except OSError as error:
        raise InputError(f"{what} cannot be written to {path}: {error.strerror}") from None
