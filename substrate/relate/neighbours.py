"""What is stated between an atom and others, for who asks which connections are not: neighbours, chains, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from substrate.atoms.links import holding
from substrate.snapshot import Snapshot
from substrate.views.edges import ever_linked, some_links

__all__ = ["Nearby", "nearby"]

_FEW: Final = 20
"""Edges out of an atom, and as many into it, that are looked at."""


@dataclass(slots=True)
class Nearby:
    """What edges say of an atom's surroundings, two steps far."""

    joined: set[bytes]
    """Atoms that an edge joins it to, in whichever direction; also one that was taken back."""
    shared: dict[bytes, dict[bytes, int]] = field(default_factory=dict)
    """Other atoms, each with the neighbours that both point to or that point to both, and how many those are."""
    chained: dict[bytes, bytes] = field(default_factory=dict)
    """Other atoms that two edges in a row lead to or come from, each with the atom in between."""


def nearby(snapshot: Snapshot, subject: bytes) -> Nearby:
    """The surroundings of an atom. Of a hub only some of them; what it is joined to itself, all."""
    found = Nearby(set(ever_linked(snapshot.transaction, subject)))
    for out in (True, False):
        for between in dict.fromkeys(_ends(snapshot, subject, out=out)):
            alike = set(_ends(snapshot, between, out=not out)) - {subject}
            for other in alike:
                found.shared.setdefault(other, {})[between] = len(alike) + 1
            for other in _ends(snapshot, between, out=out):
                found.chained.setdefault(other, between)
    return found


def _ends(snapshot: Snapshot, subject: bytes, *, out: bool) -> Iterator[bytes]:
    links, _ = some_links(snapshot.transaction, subject, _FEW, out=out, upto=snapshot.upto)
    for link in holding(snapshot, links):
        yield link.target if out else link.source
