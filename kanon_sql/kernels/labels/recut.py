"""Neighbouring regions put together and divided anew along random trees."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.labels.graphs import Graph
from kanon_sql.kernels.labels.tree_cut import cut_tree
from kanon_sql.kernels.random_numba import below

_MOST = 16
"""Regions that are put together at most: an additional region needs what several have to spare."""

_FOCUS = 8
"""One step of so many is at the heaviest region while it is above the goal."""


@njit(cache=True, nogil=True)
def recut(
    graph: Graph,
    weight: NDArray[np.int64],
    k: int,
    goal: int,
    region: NDArray[np.int64],
    total: NDArray[np.int64],
    effort: int,
    state: NDArray[np.uint64],
) -> None:
    """Divide neighbouring regions anew, time and again, and keep what is not worse.

    Better is a lighter heaviest region, and among equals a smaller sum of squared weights.

    Parameters
    ----------
    graph, weight : Graph, int64 array [n]
        The graph, and the rows of each node.
    k, goal : int
        Least rows of a region, and a lower bound on the heaviest.
    region : int64 array [n]
        The region of each node, as one of its nodes; changed.
    total : int64 array [n]
        Rows of each region, 0 for a node that names none; changed.
    effort : int
        Nodes that may be met in the regions put together.
    state : uint64 array [1]
        Where the random numbers stand.

    Notes
    -----
    O(effort times the degree of the graph) time, and O(n) for a step at the heaviest region; memory O(n + e). Above 2^31 rows
    the squares are those of rounded weights, so that their sum fits a word.
    """
    n = len(weight)
    index = np.full(n, -1, np.int64)
    member = np.empty(n, np.int64)
    edges = np.empty((len(graph.near), 2), np.int64)
    names = np.empty(_MOST, np.int64)
    heaviest, shift = int(total.max()), 0
    while weight.sum() >> shift >= 1 << 31:
        shift += 1
    while effort > 0:
        focus = heaviest > goal and below(state, _FOCUS) == 0
        v = int(np.argmax(total)) if focus else int(below(state, n))
        wanted, met, size, rows, old = 2, 0, 0, 0, 0
        while wanted < _MOST and below(state, 3) > 0:
            wanted += 1
        while v >= 0 and met < wanted:
            names[met] = region[v]
            rows += int(total[region[v]])
            old += int(total[region[v]] >> shift) ** 2
            met += 1
            size = _gather(graph, region, v, index, member, size)
            v = _beyond(graph, index, member[:size], state)
        effort -= size
        local = member[:size]
        order, parent = _random_tree(graph, index, local, edges, state)
        # With the least weight come the most parts, with a higher one more even parts.
        least = k + (int(below(state, rows // met - k + 1)) if below(state, 2) else 0)
        head = np.empty(size, np.int64)
        cut_tree(weight[local], order[::-1], parent, least, k, head)
        part = np.zeros(size, np.int64)
        for i in range(size):
            part[head[i]] += weight[local[i]]
        new, most = 0, int(part.max())
        for each in part:
            new += int(each >> shift) ** 2
        above = most  # the heaviest region of the new division
        if total[names[:met]].max() < heaviest:
            above = max(most, heaviest)
        elif most < heaviest:
            for u in range(n):
                if index[u] < 0:
                    above = max(above, int(total[u]))
        if above < heaviest or (above == heaviest and new <= old):
            total[names[:met]] = 0
            for i in range(size):
                region[local[i]] = local[head[i]]
                total[local[i]] = part[i]
            heaviest = above
        index[local] = -1


@njit(cache=True, nogil=True)
def _gather(
    graph: Graph, region: NDArray[np.int64], start: int, index: NDArray[np.int64], member: NDArray[np.int64], size: int
) -> int:
    """Append the region of a node to the members, and return their number; ``index`` is the place of a member, or -1."""
    begin, near = graph
    at = size
    member[size], index[start] = start, size
    size += 1
    while at < size:
        v = member[at]
        at += 1
        for u in near[begin[v] : begin[v + 1]]:
            if index[u] < 0 and region[u] == region[start]:
                member[size], index[u] = u, size
                size += 1
    return size


@njit(cache=True, nogil=True)
def _beyond(graph: Graph, index: NDArray[np.int64], local: NDArray[np.int64], state: NDArray[np.uint64]) -> int:
    """Return the far end of a random edge that leaves the members; -1 if none does."""
    begin, near = graph
    found, leaving = -1, 0
    for v in local:
        for u in near[begin[v] : begin[v + 1]]:
            if index[u] < 0:
                leaving += 1
                if below(state, leaving) == 0:
                    found = u
    return found


@njit(cache=True, nogil=True)
def _random_tree(
    graph: Graph, index: NDArray[np.int64], local: NDArray[np.int64], edges: NDArray[np.int64], state: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a random spanning tree of the members, by their places: each after its parent, and the parent of each.

    It grows from a random root, by one of the last two edges found or by any: long trees and bushy ones cut differently.
    """
    begin, near = graph
    size = len(local)
    parent = np.full(size, -1, np.int64)
    order = np.empty(size, np.int64)
    bushy = below(state, 2) == 0
    v = below(state, size)
    parent[v] = v
    met, found = 0, 0
    while True:
        order[met] = v
        met += 1
        if met == size:
            return order, parent
        for u in near[begin[local[v]] : begin[local[v] + 1]]:
            if index[u] >= 0 and parent[index[u]] < 0:
                edges[found, 0], edges[found, 1] = v, index[u]
                found += 1
        while parent[v] >= 0:
            found -= 1
            e = found - below(state, found + 1 if bushy else min(found + 1, 2))
            p, v = edges[e]
            edges[e] = edges[found]
        parent[v] = p
