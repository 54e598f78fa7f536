"""Openings with needs, conflicts and staleness of one's own making: what the tests of bootstrap share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from substrate.atoms.resolve import find_subject
from substrate.bootstrap.bootstrap import Request, open_with
from substrate.learn.forecast import Need
from substrate.memory import Memory
from substrate.values.opening import Opening

__all__ = ["LONG", "Reopen", "names", "opened", "subject", "with_needs"]

Reopen = Callable[..., Memory]
LONG = "Whoever changes the release procedure tells the whole team about it beforehand"


def subject(memory: Memory, name: str) -> bytes:
    """The id of an atom, without an access to it."""
    with memory._store.read() as snapshot:
        return find_subject(snapshot.transaction, name)


def opened(memory: Memory, shares: Mapping[str, float], objective: str | None = None, **options: Any) -> Opening:
    """An opening in which these names are needed so much, whatever the objective is."""
    needs = [Need(subject(memory, name), share, {"match": 1.0}) for name, share in shares.items()]
    return with_needs(memory, needs, Request.of(objective, **options))


def with_needs(memory: Memory, needs: Sequence[Need], asked: Request, **options: Any) -> Opening:
    """An opening in which these are needed, as if the model had said so."""
    store = memory._store
    with store.read() as snapshot:
        return open_with(snapshot, store.index.documents(snapshot.transaction), asked, needs, **options)


def names(opening: Opening) -> list[str]:
    return [atom.name for atom in opening]
