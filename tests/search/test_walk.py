"""Walks in numbers: beside networkx on random graphs, beside every path there is on small ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import networkx as nx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from substrate.search.walks.walk import PER_HOP, Walked, best_paths, pagerank, shortest_path
from tests.scale import SEED, rounds

Edge = tuple[int, int, float]
Graph = list[Edge]
Scores = dict[int, float]


def steps(graph: Graph) -> Callable[[int], list[tuple[int, float, int]]]:
    """The steps of an undirected graph: each edge, known by its place, both ways; none from a node to itself."""
    known: dict[int, list[tuple[int, float, int]]] = {}
    for place, (source, target, weight) in enumerate(graph):
        if source != target:
            known.setdefault(source, []).append((target, weight, place))
            known.setdefault(target, []).append((source, weight, place))
    return lambda node: known.get(node, [])


def random_graph(seed: int, nodes: int, edges: int) -> Graph:
    chance = random.Random(f"{SEED} {seed}")
    return [(chance.randrange(nodes), chance.randrange(nodes), chance.uniform(0.2, 1)) for _ in range(edges)]


def as_networkx(graph: Graph, nodes: int) -> Any:
    """The same as networkx knows graphs: several edges between two nodes add up, loops are left out."""
    whole = nx.Graph()
    whole.add_nodes_from(range(nodes))
    for source, target, weight in graph:
        if source != target:
            before = whole.get_edge_data(source, target, {"weight": 0.0})["weight"]
            whole.add_edge(source, target, weight=before + weight)
    return whole


small_graphs = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from((0.0, 0.25, 0.5, 0.9, 1.0))), max_size=10
)
small_starts = st.dictionaries(st.integers(0, 5), st.sampled_from((0.2, 0.5, 1.0)), min_size=1, max_size=3)


# -- the best path -----------------------------------------------------------------------------------------------------


def every_path(graph: Graph, starts: Mapping[int, float], hops: int) -> Scores:
    """What the best of all walks there are is worth, of the nodes that gain by one."""
    best = dict(starts)
    now = list(starts.items())
    for _ in range(hops):
        now = [(to, value * PER_HOP * weight) for node, value in now for to, weight, _ in steps(graph)(node)]
        for node, value in now:
            best[node] = max(best.get(node, 0.0), value)
    return {node: value for node, value in best.items() if value > starts.get(node, 0.0)}


def summed_paths(graph: Graph, starts: Mapping[int, float], hops: int) -> Scores:
    """The broken twin: what all walks together are worth."""
    total: Scores = {}
    now = list(starts.items())
    for _ in range(hops):
        now = [(to, value * PER_HOP * weight) for node, value in now for to, weight, _ in steps(graph)(node)]
        for node, value in now:
            total[node] = total.get(node, 0.0) + value
    return {node: value for node, value in total.items() if value > starts.get(node, 0.0)}


def first_come(graph: Graph, starts: Mapping[int, float], hops: int) -> Scores:
    """The broken twin: what the first path is worth that leads there, breadth first."""
    found = dict(starts)
    now = list(starts)
    for _ in range(hops):
        following = []
        for node in now:
            for to, weight, _ in steps(graph)(node):
                if to not in found:
                    found[to] = found[node] * PER_HOP * weight
                    following.append(to)
        now = following
    return {node: value for node, value in found.items() if value > starts.get(node, 0.0)}


def worth(found: Mapping[int, Walked[int, int]]) -> Scores:
    return {node: walked.value for node, walked in found.items()}


@settings(max_examples=rounds(80, 4000))
@given(small_graphs, small_starts, st.integers(1, 3))
@example([(0, 1, 0.25), (0, 2, 1.0), (2, 1, 1.0)], {0: 1.0}, 2)
@example([(0, 1, 1.0), (1, 0, 1.0), (1, 1, 1.0)], {0: 1.0}, 3)
def test_the_best_path_is_the_best_of_all_paths(graph: Graph, starts: Scores, hops: int) -> None:
    found = dict(best_paths(starts, steps(graph), hops))
    assert worth(found) == pytest.approx(every_path(graph, starts, hops))
    assert list(worth(found).values()) == sorted(worth(found).values(), reverse=True)
    for node, walked in found.items():
        assert len(walked.edges) <= hops
        assert walked.value == pytest.approx(starts[walked.start] * along(graph, walked, node))


def along(graph: Graph, walked: Walked[int, int], goal: int) -> float:
    """What the edges that are told leave of a score, if they lead from the start to the goal."""
    node, left = walked.start, 1.0
    for place in walked.edges:
        source, target, weight = graph[place]
        assert node in (source, target)
        node, left = target if node == source else source, left * PER_HOP * weight
    assert node == goal
    return left


@pytest.mark.parametrize("twin", [summed_paths, first_come])
def test_a_broken_best_path_is_noticed(twin: Callable[..., Scores]) -> None:
    graph: Graph = [(0, 1, 0.25), (0, 2, 1.0), (2, 1, 1.0)]
    assert worth(dict(best_paths({0: 1.0}, steps(graph), 2))) == pytest.approx(every_path(graph, {0: 1.0}, 2))
    assert twin(graph, {0: 1.0}, 2) != pytest.approx(every_path(graph, {0: 1.0}, 2))


def test_of_equals_the_one_met_first_comes_first() -> None:
    graph: Graph = [(0, 3, 1.0), (0, 2, 1.0), (1, 4, 1.0), (2, 5, 1.0), (3, 5, 1.0)]
    found = dict(best_paths({0: 1.0, 1: 1.0}, steps(graph), 2))
    assert list(found) == [3, 2, 4, 5]
    assert found[5].edges == (0, 4)


def test_what_does_not_count_is_neither_told_nor_gone_through() -> None:
    graph: Graph = [(0, 1, 1.0), (1, 2, 1.0), (0, 3, 0.5), (3, 2, 0.5)]
    found = dict(best_paths({0: 1.0}, steps(graph), 3, counts=lambda node: node != 1))
    assert {node: walked.edges for node, walked in found.items()} == {3: (2,), 2: (2, 3)}


def test_when_enough_was_looked_at_only_the_worst_is_missing() -> None:
    graph: Graph = [(0, 1, 1.0), (0, 2, 0.9), (1, 3, 1.0), (2, 4, 1.0)]
    assert list(dict(best_paths({0: 1.0}, steps(graph), 2, most=3))) == [1, 2, 3]
    hub: Graph = [(0, node, 1.0) for node in range(1, 10_001)]
    assert len(dict(best_paths({1: 1.0}, steps(hub), 2, most=500))) == 10_000  # one node's steps are looked at whole


# -- PageRank ----------------------------------------------------------------------------------------------------------

Ranking = Callable[[Scores, Graph], Scores]


def ours(starts: Scores, graph: Graph, **options: Any) -> Scores:
    return worth(pagerank(starts, steps(graph), **options))


def exactly(starts: Scores, graph: Graph) -> Scores:
    return ours(starts, graph, epsilon=1e-9)


def without_weights(starts: Scores, graph: Graph) -> Scores:
    """The broken twin: all edges weigh the same."""
    return exactly(starts, [(source, target, 1.0) for source, target, _ in graph])


def never_anew(starts: Scores, graph: Graph) -> Scores:
    """The broken twin: it begins anew too rarely."""
    return ours(starts, graph, epsilon=1e-9, restart=0.15)


def differs(ranking: Ranking, seed: int) -> str:
    """How the 20 highest differ from those of networkx, on one random graph; empty: they do not."""
    nodes = 120
    graph = random_graph(seed, nodes, 360)
    starts = {seed % nodes: 1.0, (seed * 7 + 3) % nodes: 0.5}
    mass = sum(starts.values())
    share = {node: value / mass for node, value in starts.items()}
    whole = nx.pagerank(as_networkx(graph, nodes), alpha=0.5, personalization=share, tol=1e-12, max_iter=1000)
    highest = sorted(whole, key=lambda node: -whole[node])[:20]
    found = ranking(starts, graph)
    top = list(found)[:20]
    if top != highest:
        return f"{top} is not {highest}"
    return "" if all(abs(found[node] - whole[node]) < 1e-6 for node in top) else "other values"


@pytest.mark.parametrize("seed", range(8))
def test_the_20_highest_are_those_of_networkx_in_order(seed: int) -> None:
    assert differs(exactly, seed) == ""


@pytest.mark.parametrize("twin", [without_weights, never_anew])
def test_a_broken_pagerank_is_noticed(twin: Ranking) -> None:
    assert any(differs(twin, seed) for seed in range(3))


@pytest.mark.parametrize("seed", range(4))
def test_a_coarse_pagerank_is_too_low_by_no_more_than_it_says(seed: int) -> None:
    graph = random_graph(seed, 300, 900)
    fine, coarse = exactly({0: 1.0}, graph), ours({0: 1.0}, graph)
    assert sum(coarse.values()) <= 1 + 1e-9
    assert all(coarse[node] <= fine[node] + 1e-9 for node in coarse)
    met = sum(len(steps(graph)(node)) for node in coarse)
    assert sum(fine.values()) - sum(coarse.values()) <= 1e-3 * met
    assert len(set(list(fine)[:5]) & set(list(coarse)[:5])) >= 4


@settings(max_examples=rounds(40, 2000))
@given(small_graphs, small_starts)
@example([], {0: 1.0, 1: 0.2})
@example([(0, 0, 1.0)], {0: 1.0})
@example([(0, 1, 0.0)], {0: 1.0})
def test_a_random_walk_is_somewhere_for_sure(graph: Graph, starts: Scores) -> None:
    found = pagerank(starts, steps(graph), epsilon=1e-10)
    assert sum(worth(found).values()) == pytest.approx(1, abs=1e-6)
    for node, walked in found.items():
        assert walked.start in starts
        along([(source, target, 1.0) for source, target, _ in graph], walked, node)


def test_a_node_met_as_far_away_as_was_asked_is_not_left() -> None:
    chain: Graph = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]
    assert set(pagerank({0: 1.0}, steps(chain), hops=2)) == {0, 1, 2}
    assert set(pagerank({0: 1.0}, steps(chain), most=1)) == {0, 1}


# -- the shortest path -------------------------------------------------------------------------------------------------


def one_side_only(start: int, goal: int, graph: Graph) -> int:
    """The broken twin: edges are walked from their source to their target only."""
    directed: dict[int, list[tuple[int, float, int]]] = {}
    for place, (source, target, weight) in enumerate(graph):
        directed.setdefault(source, []).append((target, weight, place))
    return len(shortest_path(start, goal, lambda node: directed.get(node, []), steps=6).nodes) - 1


def length(start: int, goal: int, graph: Graph) -> int:
    return len(shortest_path(start, goal, steps(graph), steps=6).nodes) - 1


def wrong_lengths(measure: Callable[[int, int, Graph], int], seed: int) -> list[tuple[int, int]]:
    """Of one random graph the pairs whose distance networkx says otherwise; beyond 6 steps there is no path."""
    nodes = 40
    graph = random_graph(seed, nodes, 55)
    lengths = dict(nx.all_pairs_shortest_path_length(as_networkx(graph, nodes)))
    pairs = [(start, goal) for start in range(nodes) for goal in range(nodes)]
    there = {pair: lengths[pair[0]].get(pair[1], 99) for pair in pairs}
    return [pair for pair, far in there.items() if measure(*pair, graph) != (far if far <= 6 else -1)]


@pytest.mark.parametrize("seed", range(4))
def test_paths_are_as_long_as_those_of_networkx(seed: int) -> None:
    assert wrong_lengths(length, seed) == []


def test_a_path_that_goes_one_way_only_is_noticed() -> None:
    assert wrong_lengths(one_side_only, 0)


@settings(max_examples=rounds(40, 2000))
@given(small_graphs, st.integers(0, 5), st.integers(0, 5), st.integers(1, 6), st.sets(st.integers(0, 5), max_size=2))
def test_a_path_goes_along_edges_that_are_there(graph: Graph, start: int, goal: int, most: int, gone: set[int]) -> None:
    route = shortest_path(start, goal, steps(graph), steps=most, counts=lambda node: node not in gone)
    left = as_networkx(graph, 6)
    left.remove_nodes_from(gone)
    is_near = not {start, goal} & gone and nx.has_path(left, start, goal)
    is_near = is_near and nx.shortest_path_length(left, start, goal) <= most
    assert bool(route.nodes) == is_near
    if route.nodes:
        assert (route.nodes[0], route.nodes[-1]) == (start, goal)
        assert len(route.nodes) == len(set(route.nodes)) == nx.shortest_path_length(left, start, goal) + 1
        assert all({here, there} == set(graph[place][:2]) for (here, there), place in joined(route.nodes, route.edges))


def joined(nodes: Sequence[int], edges: Sequence[int]) -> list[tuple[tuple[int, int], int]]:
    return list(zip(pairwise(nodes), edges, strict=True))


def test_a_search_that_ends_says_so() -> None:
    graph: Graph = [(node, node + 1, 1.0) for node in range(5)]
    whole = shortest_path(0, 5, steps(graph), steps=6)
    assert (whole.nodes, whole.ended, whole.reached) == ((0, 1, 2, 3, 4, 5), False, 6)
    ended = shortest_path(0, 5, steps(graph), steps=6, most=3)
    assert (ended.nodes, ended.ended, ended.reached) == ((), True, 5)
    far = shortest_path(0, 5, steps(graph), steps=4)
    assert (far.nodes, far.ended) == ((), False)
