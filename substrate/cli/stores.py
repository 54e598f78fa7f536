"""Which store a command is about, and how it opens it: what only reads never makes one and writes nothing."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING

import substrate
from substrate.commands.passphrase import read_passphrase
from substrate.errors import InputError, NotFound
from substrate.files import expanded, resolved
from substrate.policy import AGENTS
from substrate.settings import find_store
from substrate.text.quote import as_command

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = [
    "check_hint",
    "has_written",
    "is_new_store",
    "made_store",
    "missing_store_explained",
    "passphrase",
    "reading",
    "store_path",
    "writing",
]


def store_path(given: Namespace) -> Path:
    """The store's folder: as given, else as it is found. InputError if no folder can have that path."""
    path = find_store() if given.store is None else Path(given.store)
    resolved(path)
    return expanded(path)


def is_new_store(given: Namespace) -> bool:
    """Whether `writing` would make the store. Then its first checkpoint is to be refused before that."""
    from substrate.save.new_store import is_new  # noqa: PLC0415 - what only reads does not need it

    return is_new(store_path(given))


@contextmanager
def reading(given: Namespace) -> Iterator[Memory]:
    """The store, open for reading, in the block. NotFound, with what to do, if there is none."""
    with _open(given, read_only=True) as memory:
        if not given.as_agent:
            yield memory
            return
        given.as_agent_used = True
        with memory.client("agent", policy=AGENTS) as agent:
            yield agent


def writing(given: Namespace, *, create: bool = False, actor: str | None = None) -> Memory:
    """The store, open for writing; made, if there is none and `create` is set."""
    if given.as_agent:
        raise InputError("--as-agent is for commands that read: leave it out to write")
    # A command ends before a background could embed anything: `substrate index` does it.
    if create:
        path = store_path(given)
        given.made = path if is_new_store(given) else None
        memory = _unlocked(given, substrate.open(path, actor=actor, background=False))
    else:
        memory = _open(given, read_only=False)
    given.wrote = True
    return memory


def made_store(given: Namespace) -> Path | None:
    """The store that this command made, if it made one."""
    return getattr(given, "made", None)


def has_written(given: Namespace) -> bool:
    """Whether this command had the store open for writing."""
    return getattr(given, "wrote", False)


def _open(given: Namespace, *, read_only: bool) -> Memory:
    with missing_store_explained(given):
        memory = substrate.open(store_path(given), read_only=read_only, create=False, background=False)
    return _unlocked(given, memory)


def _unlocked(given: Namespace, memory: Memory) -> Memory:
    """The same, with the domain unlocked that the command names, if it names one. It is closed if that fails."""
    if getattr(given, "unlock", None) is not None:
        given.unlocked = True
        try:
            memory.unlock(given.unlock, passphrase(given, given.unlock))
        except BaseException:
            memory.close()
            raise
    return memory


def passphrase(given: Namespace, domain: str, *, new: bool = False) -> str:
    """The passphrase of a domain: from the file that is given, else typed on the terminal."""
    ask = getpass if sys.stdin is not None and sys.stdin.isatty() else None
    return read_passphrase(given.passphrase_file, ask, domain, new=new)


@contextmanager
def missing_store_explained(given: Namespace) -> Iterator[None]:
    """What is not found in this block is the store itself: say where it was looked for, and what to do."""
    try:
        yield
    except NotFound:
        path = store_path(given)
        raise NotFound(
            f"there is no store in {path}. To create it: substrate remember 'what you know'. To use another: "
            "--store PATH, or set SUBSTRATE_STORE"
        ) from None


def check_hint(given: Namespace, proof: str, pin: str | None = None, key: str | None = None) -> str:
    """How a proof that was just made is checked: by the pin or key that it leads on from, else by the store's key."""
    trust = ("--pin", pin) if pin is not None else ("--key", key) if key is not None else None
    return f"to check it: {as_command('substrate', 'verify', proof, *(trust or ('--store', str(store_path(given)))))}"
