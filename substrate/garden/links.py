"""Which edges between the entities of a domain look spurious, by a small model that is trained on the others.

The model is a logistic regression. It learns to tell edges from pairs that no edge joins, by what is true of both:
neighbours in common, the cosine of their vectors, chunks that list both. A fifth of the edges is held out, and is not
part of the graph while it learns: `auc` is how well it tells these from other pairs (0.5: as a coin does).

Confidence and evidence, which only an edge has, then move its verdict. So an edge outside of any triangle is not
spurious for that alone, and a sparse graph is not suggested whole: never more than a quarter of it, rounded up, and
never all.

Below 50 edges, or if the model does no better than a coin would, fixed weights take its place: "heuristic".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.garden.graph import EntityGraph
from substrate.proof.entry import Kind
from substrate.schema import is_share
from substrate.views.atoms import find_name
from substrate.views.edges import Link
from substrate.views.models import model_searched
from substrate.views.vectors import vectors_of

__all__ = ["FEWEST", "Judged", "Verdict", "judge_links"]

FEWEST: Final = 50
"""Edges below which nothing is learnt from them."""
_USEFUL: Final = 0.6
"""The AUC from which on the model is believed."""
_HELD_OUT: Final = 5
"""One edge in so many."""
_SHARE: Final = 4
"""At most one edge in so many is suggested."""
_SEED: Final = 20_261_117
_STEPS: Final = 25
_STEADY: Final = 1e-8
_RIDGE: Final = 1.0
_PRIOR: Final = np.array([0.0, 1.5, 1.0, 1.0])
"""The weights of the heuristic: constant, neighbours in common, cosine, chunks in common."""
_STATED: Final = 0.8
"""The confidence of an edge that says none."""
_EVIDENCE: Final = 1.0
"""What a cited chunk that is still in use adds."""

Floats = NDArray[np.float64]
Pair = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An edge, and how spurious it looks, from 0 to 1."""

    link: Link
    score: float


@dataclass(frozen=True, slots=True)
class Judged:
    """All edges with their scores, and those above the threshold, the worst first."""

    method: str
    """`logistic` or `heuristic`."""
    auc: float | None
    """Of the held-out edges; None if there were too few edges to hold any out."""
    verdicts: tuple[Verdict, ...] = ()
    suggested: tuple[Verdict, ...] = ()
    left_out: int = 0
    """Edges above the threshold that are not suggested, since a quarter of all are."""


def judge_links(graph: EntityGraph, stated: Mapping[bytes, Mapping[str, object]], threshold: float) -> Judged:
    """The edges of a graph. `stated`: what each edge says, by its id."""
    links = [link for link in graph.links if link.source != link.target]
    features = _Features(graph)
    weights, auc = _learnt(graph, links, features)
    method = "logistic"
    if weights is None:
        weights, method = _PRIOR, "heuristic"
    logits = features.of([_ends(link) for link in links], graph.neighbours) @ weights if links else np.zeros(0)
    shift = np.array([_shift(graph, stated.get(link.edge, {})) for link in links])
    scores = 1 / (1 + np.exp(logits + shift)) if links else np.zeros(0)
    verdicts = [Verdict(link, round(float(score), 4)) for link, score in zip(links, scores, strict=True)]
    above = sorted((one for one in verdicts if one.score > threshold), key=lambda one: (-one.score, one.link.seq))
    most = min(-(-len(links) // _SHARE), len(links) - 1)
    return Judged(method, auc, tuple(verdicts), tuple(above[:most]), max(0, len(above) - most))


def _ends(link: Link) -> Pair:
    return link.source, link.target


def _shift(graph: EntityGraph, said: Mapping[str, object]) -> float:
    """What an edge says for itself, as log-odds."""
    given = said.get("confidence")
    confidence = min(0.95, max(0.05, float(given) if is_share(given) else _STATED))
    cited = said.get("cited")
    row = find_name(graph.snapshot.transaction, cited) if isinstance(cited, str) else None
    evidence = _EVIDENCE if row is not None and row.kind is Kind.PUT else 0.0
    return float(np.log(confidence / (1 - confidence))) / 2 + evidence


class _Features:
    """What is true of any two entities, joined or not."""

    def __init__(self, graph: EntityGraph) -> None:
        self._together = graph.together()
        self._vectors = _vectors(graph)

    def of(self, pairs: Sequence[Pair], around: Mapping[bytes, set[bytes]]) -> Floats:
        """A row each: 1, neighbours in common, cosine, chunks in common."""
        rows = np.ones((len(pairs), 4))
        for row, (first, second) in zip(rows, pairs, strict=True):
            rest, others = around[first] - {second}, around[second] - {first}
            row[1] = np.log1p(len(rest & others))
            one, other = self._vectors.get(first), self._vectors.get(second)
            row[2] = 0.0 if one is None or other is None else float(one @ other)
            row[3] = np.log1p(self._together[frozenset((first, second))])
        return rows


def _vectors(graph: EntityGraph) -> dict[bytes, Floats]:
    """The unit vectors of the entities that have one."""
    model = model_searched(graph.snapshot.transaction)
    if model is None:
        return {}
    seqs = [row.seq for row, _ in graph.entities.values()]
    found: dict[bytes, Floats] = {}
    for subject, data in zip(graph.entities, vectors_of(graph.snapshot.transaction, model.space, seqs), strict=True):
        if data:
            vector = np.frombuffer(data, "<f2").astype(np.float64).reshape(-1, model.dimensions).mean(axis=0)
            norm = float(np.linalg.norm(vector))
            if norm:
                found[subject] = vector / norm
    return found


def _learnt(graph: EntityGraph, links: Sequence[Link], features: _Features) -> tuple[Floats | None, float | None]:
    """Weights and their AUC; no weights if there are too few edges, or they tell nothing."""
    joined = {frozenset(_ends(link)) for link in links}
    order = {
        subject: place for place, subject in enumerate(graph.entities)
    }  # by name: ids are another store's otherwise
    pairs = sorted(
        {tuple(sorted(_ends(link), key=order.__getitem__)) for link in links},
        key=lambda pair: (order[pair[0]], order[pair[1]]),
    )
    if len(pairs) < FEWEST:
        return None, None
    draw = np.random.default_rng(_SEED)
    drawn = draw.permutation(len(pairs))
    held = [pairs[at] for at in drawn[::_HELD_OUT]]
    kept = [pairs[at] for place, at in enumerate(drawn) if place % _HELD_OUT]
    around: dict[bytes, set[bytes]] = {end: set() for pair in pairs for end in pair}
    for first, second in kept:
        around[first].add(second)
        around[second].add(first)
    others = _unjoined([end for pair in pairs for end in pair], joined, len(pairs), draw)
    if len(others) < _HELD_OUT:
        return None, None
    rest, tested = others[len(others) // _HELD_OUT :], others[: len(others) // _HELD_OUT]
    known = features.of([*kept, *rest], around)
    weights = _fitted(known, np.array([1.0] * len(kept) + [0.0] * len(rest)))
    auc = _auc(features.of(held, around) @ weights, features.of(tested, around) @ weights)
    return (weights if auc >= _USEFUL else None), round(auc, 4)


def _unjoined(
    ends: Sequence[bytes], joined: set[frozenset[bytes]], wanted: int, draw: np.random.Generator
) -> list[Pair]:
    """As many pairs that no edge joins, if they can be had; an entity with many edges is drawn as often."""
    found: dict[frozenset[bytes], Pair] = {}
    for first, second in draw.integers(0, len(ends), (wanted * 8, 2)):
        pair = (ends[first], ends[second])
        if pair[0] != pair[1] and frozenset(pair) not in joined:
            found.setdefault(frozenset(pair), pair)
            if len(found) == wanted:
                break
    return list(found.values())


def _fitted(rows: Floats, wanted: Floats) -> Floats:
    """The weights of a logistic regression with a ridge, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    ridge = np.diag([0.0, *[_RIDGE] * (rows.shape[1] - 1)])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (wanted - chance) - ridge @ weights
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + ridge + 1e-9 * np.eye(rows.shape[1])
        step = np.linalg.solve(curve, slope)
        weights += step
        if float(np.abs(step).max()) < _STEADY:
            break
    return weights


def _auc(edges: Floats, others: Floats) -> float:
    """How often an edge scores above a pair that is none; a tie counts half."""
    ranked = np.sort(others)
    below = np.searchsorted(ranked, edges, "left") + np.searchsorted(ranked, edges, "right")
    return float(below.mean()) / (2 * len(ranked))
