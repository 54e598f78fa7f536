"""Settling a conflict: the edge that says which of two atoms is right, or that both are."""

from __future__ import annotations

from typing import NamedTuple

from substrate.atoms.resolve import resolve
from substrate.conflicts.detect import conflicts_of
from substrate.errors import InputError, NotFound
from substrate.messages import Arg, Verb
from substrate.proof.encoding import Json
from substrate.snapshot import Snapshot
from substrate.values.edges import CONSISTENT_WITH, SUPERSEDES

__all__ = ["Settlement", "settle"]


class Settlement(NamedTuple):
    """The edge to save, and the versions that were judged: {name: seq}."""

    edge: dict[str, object]
    expect: dict[str, int]


def settle(snapshot: Snapshot, first: str, second: str, keep: str | None, reason: str | None) -> Settlement:
    """See `Memory.resolve`."""
    transaction = snapshot.transaction
    one, other = resolve(transaction, first), resolve(transaction, second)
    clashes = conflicts_of(snapshot, one.subject)
    if one.subject == other.subject or all(other.subject not in clash[:2] for clash in clashes):
        raise NotFound(f"there is no open conflict between {first} and {second}: see ", Verb("conflicts"))
    kept = None if keep is None else resolve(transaction, keep)
    if kept is not None and kept.subject not in (one.subject, other.subject):
        raise InputError(Arg("keep"), " must be one of the two")
    source, target = (other, one) if kept is not None and kept.subject == other.subject else (one, other)
    attrs: dict[str, Json] = {"resolved": [one.seq, other.seq]}
    if reason is not None:
        attrs["reason"] = reason
    edge: dict[str, object] = {
        "source": source.name,
        "type": CONSISTENT_WITH if kept is None else SUPERSEDES,
        "target": target.name,
        "attrs": attrs,
    }
    return Settlement(edge, {row.name: row.seq for row in (one, other) if row.name is not None})
