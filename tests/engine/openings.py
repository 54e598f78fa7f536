"""Openings with needs, conflicts and staleness of one's own making: what the tests of bootstrap share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from substrate.engine.bootstrap import Asked, Bootstrapper
from substrate.engine.gathering import Seams
from substrate.engine.memory import Memory
from substrate.markov.needs import Need
from substrate.openings import Opening

__all__ = ["LONG", "AClash", "AStale", "Reopen", "names", "opened", "subject", "with_needs"]

Reopen = Callable[..., Memory]
LONG = "Whoever changes the release procedure tells the whole team about it beforehand"


class AClash(NamedTuple):
    first: bytes
    second: bytes
    kind: str
    reason: str


class AStale(NamedTuple):
    reason: str


def subject(memory: Memory, name: str) -> bytes:
    return UUID(memory.access(name).atom.id).bytes


def opened(memory: Memory, shares: Mapping[str, float], objective: str | None = None, **options: Any) -> Opening:
    """An opening in which these names are needed so much, whatever the objective is."""
    seams = {name: options.pop(name) for name in ("conflicts", "stale", "uses") if name in options}
    needs = [Need(UUID(bytes=subject(memory, name)).bytes, share, {"match": 1.0}) for name, share in shares.items()]
    return with_needs(memory, needs, seams).bootstrap(Asked.of(objective, **options))


def with_needs(memory: Memory, needs: Sequence[Need], seams: Mapping[str, Any] | None = None) -> Bootstrapper:
    return Bootstrapper(memory._log, Seams(lambda *_: needs, **(seams or {})), memory._searcher.documents)


def names(opening: Opening) -> list[str]:
    return [atom.name for atom in opening]
