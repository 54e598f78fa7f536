"""Which store `%memory` is about, and the stores that this kernel has open.

The one opened in this kernel; else the one that is set (`%config MemoryMagics.store`); else the one remembered for the
working folder; else as the settings say: SUBSTRATE_STORE, or ./substrate-store. What was opened stays open until the
kernel ends, since variables and widgets may use it: to open another store closes none.
"""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from substrate.errors import Denied, NotFound, Unusable
from substrate.notebook.remembered import Remembered
from substrate.settings import load_settings

if TYPE_CHECKING:
    from substrate.engine.memory import Memory

__all__ = ["Stores"]


@dataclass(frozen=True, slots=True)
class _Open:
    """A store that is open: as a whole, and for who works in this kernel."""

    whole: Memory
    mine: Memory
    actor: str
    read_only: bool


class Stores:
    """The stores of one kernel. Nothing is opened, and the engine is not loaded, before a verb needs it."""

    def __init__(self) -> None:
        self.session = f"notebook {uuid4().hex[:8]}"
        """What the sessions and checkpoints of this kernel are called."""
        self.actor = ""
        """Who works here; empty: the login name."""
        self.preferred = ""
        """The store that the user has set; empty: none."""
        self._opened: Path | None = None
        self._all: dict[Path, _Open] = {}
        self._news: list[str] = []

    def path(self) -> tuple[Path, str]:
        """The folder of the store that is in use, absolute; and why that one."""
        if self._opened is not None:
            return self._opened, "opened in this kernel"
        if self.preferred:
            return Path(self.preferred).expanduser().absolute(), "set by MemoryMagics.store"
        remembered = self._remembered().store_for(Path.cwd())
        if remembered is not None:
            return remembered, "remembered for this folder"
        return load_settings().store.absolute(), "the default here"

    def open(self, path: str | None = None, *, read_only: bool = False, actor: str | None = None) -> Memory:
        """Open the store in `path` (default: the one in use), make it if there is none, and remember it for here."""
        folder = self.path()[0] if path is None else Path(path).expanduser().absolute()
        memory = self._open(folder, create=not read_only, read_only=read_only, actor=actor)
        self._opened = folder
        self._remembered().remember(Path.cwd(), folder)
        return memory

    def current(self, *, create: bool = False) -> Memory:
        """The store in use, opened if it is not. NotFound, with what to do, if there is none and it is not made."""
        folder, why = self.path()
        known = self._all.get(folder)
        try:
            return self._open(folder, create=create, read_only=known is not None and known.read_only)
        except NotFound:
            raise NotFound(
                f"there is no store in {folder} ({why}). To make one, or to use another: %memory open PATH"
            ) from None

    def news(self) -> list[str]:
        """What happened on the way that the user should hear of; each is told once."""
        told, self._news = self._news, []
        return told

    @property
    def read_only(self) -> bool:
        """Whether the store in use is open for reading only."""
        known = self._all.get(self.path()[0])
        return known is not None and known.read_only

    def working_as(self) -> str:
        """Who writes to the store in use."""
        known = self._all.get(self.path()[0])
        return self._who() if known is None else known.actor

    def _who(self) -> str:
        if self.actor:
            return self.actor
        try:
            return getpass.getuser()
        except (OSError, KeyError):  # a container may have no user of this number
            return "user"

    def close(self) -> None:
        """End the sessions, and close all. What is used after this is opened again."""
        opened, self._all = self._all, {}
        for one in opened.values():
            one.whole.close()

    def _open(self, folder: Path, *, create: bool, read_only: bool, actor: str | None = None) -> Memory:
        who = actor or self._who()
        known = self._all.get(folder)
        if known is not None and known.read_only == read_only and _answers(known.whole):
            if known.actor != who and (actor is not None or self.actor):
                known = _Open(known.whole, known.whole.client(who, self.session), who, read_only)
                self._all[folder] = known
            return known.mine
        import substrate  # noqa: PLC0415 - with it comes the engine, which who only looks around does not need

        was_there = folder.is_dir() and any(folder.iterdir())
        whole = substrate.open(folder, read_only=read_only, create=create)
        if known is not None:
            known.whole.close()
        if not was_there:
            self._news.append(f"made a new store in {folder}")
        mine = whole.client(who, self.session)
        self._all[folder] = _Open(whole, mine, who, read_only)
        return mine

    def _remembered(self) -> Remembered:
        return Remembered(load_settings().home, self._news)


def _answers(memory: Memory) -> bool:
    """Whether it is open still, and works."""
    try:
        memory.key()
    except (Denied, Unusable):
        return False
    return True
