"""The verb path: a shortest way between two atoms along stated edges."""

from __future__ import annotations

from typing import Final

from substrate.atoms.links import End, edge_of, end_of
from substrate.atoms.meant.subjects import find_asked
from substrate.atoms.resolve import read_end, resolve
from substrate.errors import InputError
from substrate.limits import LIMITS
from substrate.messages import Arg
from substrate.search.walks.steps import Steps, link_of
from substrate.search.walks.walk import shortest_path
from substrate.snapshot import Snapshot
from substrate.values.relations import PathFound

__all__ = ["path"]

_MOST: Final = 20_000
"""Edges that are looked at. In a store where hubs are joined to hubs, all are near to each other."""


def path(snapshot: Snapshot, first: str, second: str, *, most: int) -> PathFound:
    """See `Memory.path`."""
    names = read_end(first, Arg("a")), read_end(second, Arg("b"))
    longest = LIMITS["path_steps"]
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= longest:
        raise InputError(Arg("most"), f" is a whole number from 1 to {longest}: how many edges a path may have")
    start, goal = (_asked(snapshot, name) for name in names)
    steps = Steps(snapshot)
    route = shortest_path(start, goal, steps.plain, steps=most, counts=steps.in_use, most=_MOST)
    ends: dict[bytes, End] = {
        subject: end_of(snapshot.transaction, subject, snapshot.upto)
        for subject in (start, goal, *route.nodes, *steps.cut)
    }
    links = [link_of(edge) for edge in route.edges]
    shown = [edge_of(snapshot, link, ends) for link in links]
    return PathFound(
        items=tuple(edge for edge in shown if edge is not None),
        atoms=tuple(ends[subject].name for subject in route.nodes),
        ids=tuple(ends[subject].id for subject in route.nodes),
        directions=tuple(
            "out" if link.source == subject else "in" for link, subject in zip(links, route.nodes, strict=False)
        ),
        start=ends[start].name,
        end=ends[goal].name,
        reached=route.reached,
        cut=tuple(ends[subject].name for subject in steps.cut),
        ended=route.ended,
    )


def _asked(snapshot: Snapshot, name: str) -> bytes:
    """The atom that is asked about. One that is out of use may have held at the time that is asked about."""
    if snapshot.valid_at is not None:
        return resolve(snapshot.transaction, name, snapshot.upto, asked=snapshot.asked).subject
    return find_asked(snapshot, (name,)).subjects[0]
