"""Which store `%memory` is about, and the stores that this kernel has open.

The one that `%memory open` opened in this kernel; else the one that is set (`%config MemoryMagics.store`); else the one
that the kernel found by itself when a verb first needed one, wherever its working folder is by now: the one remembered
for that folder, SUBSTRATE_STORE, the nearest one from there upwards, or ./substrate-store. What was opened stays open
until the kernel ends, since variables and widgets may use it: to open another store, or the same one for reading only,
closes none.
"""

from __future__ import annotations

import getpass
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from substrate.errors import Denied, NotFound, Unusable
from substrate.files import expanded
from substrate.notebook.bookmarks import Bookmark, Bookmarks
from substrate.settings import find_store, load_settings

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Stores"]


@dataclass(frozen=True, slots=True)
class _Open:
    """A store that is open: as a whole, and for who works in this kernel."""

    whole: Memory
    mine: Memory
    actor: str


class Stores:
    """The stores of one kernel. Nothing is opened, and the engine is not loaded, before a verb needs it."""

    def __init__(self) -> None:
        self.session = f"notebook {uuid4().hex[:8]}"
        """What the sessions and checkpoints of this kernel are called."""
        self.preferred = ""
        """The store that the user has set; empty: none."""
        self._actor = ""
        self._said: dict[Path, str] = {}
        """Who works in a store, where that was said when it was opened."""
        self._opened: Bookmark | None = None
        self._found: tuple[Bookmark, str] | None = None
        """What a verb was about that nobody had opened, and why that store."""
        self._all: dict[Bookmark, _Open] = {}
        self._news: list[str] = []

    @property
    def actor(self) -> str:
        """Who works here, in all stores; empty: the login name. The last word holds: this one, or that of `open`."""
        return self._actor

    @actor.setter
    def actor(self, name: str) -> None:
        if name != self._actor:
            self._actor = name
            self._said.clear()

    def path(self) -> tuple[Path, str]:
        """The folder of the store that is in use, absolute; and why that one."""
        kept, why = self._in_use()
        return kept.store, why

    def open(self, path: str | None = None, *, read_only: bool = False, actor: str | None = None) -> Memory:
        """Open the store in `path` (default: the one in use), make it if there is none, and remember it for here."""
        kept = Bookmark(self.path()[0] if path is None else _folder(path), read_only)
        said = {**self._said, **({kept.store: actor} if actor else {})}
        memory = self._open(kept, said.get(kept.store) or self._who(), create=not read_only)
        self._opened, self._said = kept, said
        self._remembered().remember(Path.cwd(), kept)
        return memory

    def current(self, *, create: bool = False) -> Memory:
        """The store in use, opened if it is not. NotFound, with what to do, if there is none and it is not made."""
        kept, why = self._in_use()
        try:
            memory = self._open(kept, self.working_as(), create=create and not kept.read_only)
        except NotFound:
            raise NotFound(
                f"there is no store in {kept.store} ({why}). To make one, or to use another: %memory open PATH"
            ) from None
        if self._opened is None and not self.preferred:
            self._found = kept, why
        return memory

    def news(self) -> list[str]:
        """What happened on the way that the user should hear of; each is told once."""
        told, self._news = self._news, []
        return told

    @property
    def read_only(self) -> bool:
        """Whether the store in use is open for reading only."""
        return self._in_use()[0].read_only

    @property
    def is_new(self) -> bool:
        """Whether the store in use is not there yet. Then its first checkpoint is to be refused before it is made."""
        from substrate.save.new_store import is_new  # noqa: PLC0415 - comes with the engine

        return is_new(self._in_use()[0].store)

    def working_as(self) -> str:
        """Who writes to the store in use."""
        return self._said.get(self.path()[0]) or self._who()

    def close(self) -> None:
        """End the sessions, and close all. What is used after this is opened again."""
        opened, self._all = self._all, {}
        for one in opened.values():
            one.whole.close()

    def _in_use(self) -> tuple[Bookmark, str]:
        if self._opened is not None:
            return self._opened, "opened in this kernel"
        if self.preferred:
            return Bookmark(_folder(self.preferred)), "set by MemoryMagics.store"
        if self._found is not None:
            return self._found
        remembered = self._remembered().store_for(Path.cwd())
        if remembered is not None:
            return remembered, "remembered for this folder"
        found = find_store().absolute()
        return Bookmark(found), "the default here" if found.parent == Path.cwd() else "found from here upwards"

    def _who(self) -> str:
        if self._actor:
            return self._actor
        try:
            return getpass.getuser()
        except (OSError, KeyError):  # a container may have no user of this number
            return "user"

    def _open(self, kept: Bookmark, who: str, *, create: bool) -> Memory:
        known = self._all.get(kept)
        if known is not None and _answers(known.whole):
            if known.actor != who:
                known = self._all[kept] = _Open(known.whole, known.whole.client(who, self.session), who)
            return known.mine
        import substrate  # noqa: PLC0415 - with it comes the engine, which who only looks around does not need

        was_there = kept.store.is_dir() and any(kept.store.iterdir())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", substrate.BehindWarning)  # each verb says it in its own way
            whole = substrate.open(kept.store, read_only=kept.read_only, create=create)
        if known is not None:
            known.whole.close()
        if not was_there:
            self._news.append(f"made a new store in {kept.store}")
        mine = whole.client(who, self.session)
        self._all[kept] = _Open(whole, mine, who)
        return mine

    def _remembered(self) -> Bookmarks:
        return Bookmarks(load_settings().home, self._news)


def _folder(path: str) -> Path:
    """The absolute path that is meant. InputError if it can be none."""
    return expanded(path).absolute()


def _answers(memory: Memory) -> bool:
    """Whether it is open still, and works."""
    try:
        memory.key()
    except (Denied, Unusable):
        return False
    return True
