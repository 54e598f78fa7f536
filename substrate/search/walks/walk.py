"""Walks along edges, in numbers alone: what is best reached, what is often reached, and the shortest way. Pure.

A graph is a function from a node to its steps: where each leads, what it weighs (0 to 1), and the edge it goes along.
It decides which edges hold; nothing here reads a store. Where `counts` is given, it is asked about a node before a walk
goes through it or ends there, and not about each that lies beside the way: that may be dear. Equal input gives equal
output, in the same order: of equals the one met first, in the order of the starts and of the steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

__all__ = ["PER_HOP", "Route", "Step", "Walked", "best_paths", "pagerank", "shortest_path"]

PER_HOP: Final = 0.6
"""What is left of a score after a step along an edge that is sure."""
_RESTART: Final = 0.5
"""How likely a random walk begins anew at each step."""
_EPSILON: Final = 1e-3
"""A node whose waiting share, by its steps, is below this is left as it is."""

Node = TypeVar("Node", bound=Hashable)
Edge = TypeVar("Edge")


Step: TypeAlias = tuple[Node, float, Edge]
"""Out of a node: where it leads, what it weighs, and the edge it goes along."""
Neighbours: TypeAlias = Callable[[Node], Sequence[Step[Node, Edge]]]
Counts: TypeAlias = Callable[[Node], bool]


def _all_count(_: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Walked(Generic[Node, Edge]):
    """A node that was reached: what the walk is worth, where it began, and the edges it went along."""

    value: float
    start: Node
    edges: tuple[Edge, ...]


_new: Final = tuple.__new__
"""A named tuple is made by it in half the time: one walk makes hundreds of labels, and drops most."""


class _Label(NamedTuple, Generic[Node, Edge]):
    node: Node
    hops: int
    edge: Edge | None
    previous: _Label[Node, Edge] | None


def best_paths(
    starts: Mapping[Node, float],
    neighbours: Neighbours[Node, Edge],
    hops: int,
    *,
    counts: Counts[Node] = _all_count,
    most: int | None = None,
) -> Iterator[tuple[Node, Walked[Node, Edge]]]:
    """Nodes that a path of at most `hops` steps gives more than they start with, the best first, as they are asked for.

    A path is worth its start's value times `PER_HOP` and the weight of each step. The best path counts; paths are not
    summed. With `most`, once so many steps were looked at no further node is left: what is missing is then the worst.
    """
    waiting: list[tuple[float, int, int, _Label[Node, Edge]]] = []
    for node, value in starts.items():
        heappush(waiting, (-value, 0, len(waiting), _Label(node, 0, None, None)))
    fewest: dict[Node, int] = {}
    met, looked_at = len(waiting), 0
    while waiting:
        lost, _, _, label = heappop(waiting)
        known = fewest.get(label.node)
        if known is not None and known <= label.hops:
            continue  # reached before by a path that is worth as much and is no longer
        if known is None and not counts(label.node):
            fewest[label.node] = -1
            continue
        fewest[label.node] = label.hops
        if known is None and label.hops:
            yield label.node, _walked(-lost, label)
        if label.hops == hops or (most is not None and looked_at >= most):
            continue
        taken = label.hops + 1
        steps = neighbours(label.node)
        looked_at += len(steps)
        for to, weight, edge in steps:
            worth = -lost * PER_HOP * weight
            if worth > 0 and fewest.get(to, hops + 1) > taken:
                met += 1
                heappush(waiting, (-worth, taken, met, _new(_Label, (to, taken, edge, label))))


def _walked(value: float, label: _Label[Node, Edge]) -> Walked[Node, Edge]:
    edges: list[Edge] = []
    while label.previous is not None:
        edges.append(label.edge)  # type: ignore[arg-type] # only a start has none
        label = label.previous
    return Walked(value, label.node, tuple(reversed(edges)))


def pagerank(  # noqa: PLR0913 - two for who asks, three that tests turn
    starts: Mapping[Node, float],
    neighbours: Neighbours[Node, Edge],
    *,
    hops: int | None = None,
    restart: float = _RESTART,
    epsilon: float = _EPSILON,
    most: int | None = None,
) -> dict[Node, Walked[Node, Edge]]:
    """How often a random walk stands at each node, that begins anew at the starts by their values; the highest first.

    Personalised PageRank by local push: what is far from the starts is never looked at. Each value is too low by at
    most what is still waiting: `epsilon` times the steps of the nodes that were met. The starts are among the nodes;
    the edges told are those by which a node was met first. With `hops` a node met so far away is not left; with
    `most` none is once so many steps were looked at.
    """
    total = sum(starts.values())
    share = {node: value / total for node, value in starts.items() if value > 0}
    labels: dict[Node, _Label[Node, Edge]] = {node: _Label(node, 0, None, None) for node in share}
    steps: dict[Node, tuple[list[Step[Node, Edge]], float]] = {}
    waiting = dict(share)
    standing: dict[Node, float] = {}
    queue = deque(share)
    queued = set(share)
    looked_at = 0
    while queue:
        node = queue.popleft()
        queued.discard(node)
        if waiting[node] < epsilon or labels[node].hops == hops:
            continue
        if node not in steps:
            if most is not None and looked_at >= most:
                continue
            out = [step for step in neighbours(node) if step[1] > 0]
            looked_at += len(out)
            steps[node] = out, sum(weight for _, weight, _ in out)
        out, weights = steps[node]
        mass = waiting[node]
        if mass < epsilon * max(1, len(out)):
            continue
        waiting[node] = 0.0
        standing[node] = standing.get(node, 0.0) + restart * mass
        mass *= 1 - restart
        # From a node without steps the walk can only begin anew.
        going = ((to, mass * weight / weights, edge) for to, weight, edge in out) if out else _anew(share, mass)
        for to, part, edge in going:
            waiting[to] = waiting.get(to, 0.0) + part
            if to not in labels:
                labels[to] = _Label(to, labels[node].hops + 1, edge, labels[node])
            if to not in queued:
                queued.add(to)
                queue.append(to)
    # At least this share of what still waits at a node stands there.
    values = {node: standing.get(node, 0.0) + restart * waiting.get(node, 0.0) for node in labels}
    return {node: _walked(values[node], labels[node]) for node in sorted(labels, key=lambda node: -values[node])}


def _anew(share: Mapping[Node, float], mass: float) -> list[tuple[Node, float, None]]:
    return [(node, mass * part, None) for node, part in share.items()]


class Route(NamedTuple, Generic[Node, Edge]):
    """A way from one node to another: the nodes in order, the edges between them, and how it was looked for."""

    nodes: tuple[Node, ...]
    """Empty: there is no way of so few steps, or none was found before the search ended."""
    edges: tuple[Edge, ...]
    reached: int
    """Nodes that were met, from both ends."""
    ended: bool
    """Whether the search ended before all that is near enough was looked at."""


def shortest_path(  # noqa: PLR0913
    start: Node,
    goal: Node,
    neighbours: Neighbours[Node, Edge],
    *,
    steps: int,
    counts: Counts[Node] = _all_count,
    most: int | None = None,
) -> Route[Node, Edge]:
    """A shortest way of at most `steps` steps, looked for from both ends by turns; weights do not count.

    Where `neighbours` is symmetric it is a shortest one. With `most`, the search ends when it has looked at so many
    steps.
    """
    sides: tuple[dict[Node, _Label[Node, Edge]], ...] = (
        {start: _Label(start, 0, None, None)},
        {goal: _Label(goal, 0, None, None)},
    )
    if start == goal and counts(start):
        return Route((start,), (), 1, ended=False)
    brink = [[start], [goal]] if counts(start) and counts(goal) else [[], []]
    taken = looked_at = 0
    side = 1
    while taken < steps and brink[0] and brink[1]:
        if len(brink[1 - side]) <= len(brink[side]):
            side = 1 - side  # the smaller one; of equals by turns, so that two ends of a hub meet at it
        mine, theirs = sides[side], sides[1 - side]
        frontier: list[Node] = []
        for node in brink[side]:
            if not counts(node):
                continue
            if most is not None and looked_at >= most:
                return _route(sides, side, None, ended=True)
            label, found = mine[node], neighbours(node)
            far = label.hops + 1
            looked_at += len(found)
            for to, _, edge in found:
                if to in theirs and counts(to):
                    return _route(sides, side, _Label(to, far, edge, label))
                if to not in mine:
                    mine[to] = _new(_Label, (to, far, edge, label))
                    frontier.append(to)
        brink[side] = frontier
        taken += 1
    return _route(sides, 0, None)


def _route(
    sides: tuple[dict[Node, _Label[Node, Edge]], ...],
    side: int,
    meeting: _Label[Node, Edge] | None,
    *,
    ended: bool = False,
) -> Route[Node, Edge]:
    """The way that this side has gone to where the other one has been, and on from there."""
    reached = len(sides[0].keys() | sides[1].keys())
    if meeting is None:
        return Route((), (), reached, ended)
    halves = [meeting, sides[1 - side][meeting.node]]
    first, second = halves if side == 0 else reversed(halves)
    nodes = (*_nodes(first), *_nodes(second)[-2::-1])
    return Route(nodes, (*_walked(0.0, first).edges, *reversed(_walked(0.0, second).edges)), reached, ended)


def _nodes(label: _Label[Node, Edge]) -> list[Node]:
    nodes = [label.node]
    while label.previous is not None:
        label = label.previous
        nodes.append(label.node)
    return nodes[::-1]
