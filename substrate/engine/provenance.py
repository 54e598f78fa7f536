"""Where in a notebook something is recorded, and which atoms were accessed for it.

Every checkpoint of a process that knows where it is (`places.py`) says so, in the attrs of what it records. It is no
part of what is said: to run a cell again does not make another version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from substrate.engine.intake import AtomGiven, EdgeGiven
from substrate.engine.restating import PLACE
from substrate.limits import LIMITS
from substrate.places import Place
from substrate.proof.encoding import Json

__all__ = ["accesses", "note_access", "placed"]

_Given = TypeVar("_Given", AtomGiven, EdgeGiven)
_LISTS: Final[ContextVar[tuple[tuple[Path, list[str]], ...]]] = ContextVar("substrate_accesses", default=())


def placed(given: _Given, where: Place | None) -> _Given:
    """The same, and where it is recorded; but what the caller says of that himself holds, and limits do."""
    attrs = given.members.get("attrs", {})
    if not where or not isinstance(attrs, dict) or PLACE in attrs:
        return given
    both: dict[str, Json] = {**attrs, PLACE: dict(where)}
    if len(json.dumps(both, ensure_ascii=False).encode()) > LIMITS["attrs_bytes"]:
        return given
    return replace(given, members={**given.members, "attrs": both})


@contextmanager
def accesses(store: Path) -> Iterator[list[str]]:
    """The names of the atoms that this caller accesses in the block, in order, each as often as it does."""
    names: list[str] = []
    _LISTS.set((*_LISTS.get(), (store, names)))
    try:
        yield names
    finally:  # by its own list: blocks of different callers need not end in the order in which they began
        _LISTS.set(tuple(pair for pair in _LISTS.get() if pair[1] is not names))


def note_access(store: Path, name: str) -> None:
    """An atom of this store was accessed."""
    for path, names in _LISTS.get():
        if path == store:
            names.append(name)
