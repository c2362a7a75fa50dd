"""Spanning trees of low degree."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.labels.graphs import Graph


@njit(cache=True, nogil=True)
def leaves_first(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the nodes of a forest in an order in which each comes before its parent, int64 [n]; O(n)."""
    n = len(parent)
    waits = np.zeros(n, np.int64)
    for v in range(n):
        if parent[v] != v:
            waits[parent[v]] += 1
    order = np.empty(n, np.int64)
    last = 0
    for v in range(n):
        if waits[v] == 0:
            order[last] = v
            last += 1
    for i in range(n):
        p = parent[order[i]]
        if p != order[i]:
            waits[p] -= 1
            if waits[p] == 0:
                order[last] = p
                last += 1
    return order


@njit(cache=True, nogil=True)
def lower_degrees(graph: Graph, parent: NDArray[np.int64], effort: int) -> int:
    """Lower the largest degree of a spanning forest by exchanges of two edges, and return it.

    An edge outside of the tree closes a cycle. If its ends have degrees of at most d - 2, and a node of the largest degree d
    is on the cycle, then one of the two edges there leaves the tree for it: one node of degree d less, and none new.

    Parameters
    ----------
    graph : Graph
        The graph.
    parent : int64 array [n]
        The forest, a root being its own parent; changed, with leaves as roots at last.
    effort : int
        Nodes that may be met on cycles; where they do not suffice the forest is left as it is by then.

    Notes
    -----
    O(effort + n + e). Fürer and Raghavachari exchange edges at nodes of degree d - 1 too, which leaves d at most one above the
    least possible; these are only the exchanges that lower d at once, so what is proven takes d as it turns out.

    References
    ----------
    Fürer, Raghavachari: Approximating the Minimum-Degree Steiner Tree to within One of Optimal (1994).
    """
    begin, near = graph
    n = len(parent)
    degree = np.zeros(n, np.int64)
    for v in range(n):
        if parent[v] != v:
            degree[v] += 1
            degree[parent[v]] += 1
    seen = np.full(n, -1, np.int64)
    tour, top, lowered = 0, 0, True
    while lowered and effort > 0:
        lowered, top = False, degree.max()
        for u in range(n):
            for v in near[begin[u] : begin[u + 1]]:
                if v < u or parent[u] == v or parent[v] == u or max(degree[u], degree[v]) > top - 2 or effort <= 0:
                    continue
                tour += 1
                x = u
                seen[x] = tour
                while parent[x] != x:
                    x = parent[x]
                    seen[x] = tour
                    effort -= 1
                meet = v
                while seen[meet] != tour:
                    meet = parent[meet]
                for end, other in ((u, v), (v, u)):
                    x = end
                    while x != meet and degree[x] < top and degree[parent[x]] < top:
                        x = parent[x]
                    if x != meet:
                        degree[x] -= 1
                        degree[parent[x]] -= 1
                        degree[u] += 1
                        degree[v] += 1
                        _hang(parent, end, x, other)
                        lowered = True
                        break
    leaf = np.arange(n)
    for v in leaves_first(parent):
        if parent[v] != v:
            leaf[parent[v]] = leaf[v]
        elif leaf[v] != v:
            _hang(parent, leaf[v], v, leaf[v])
    return int(degree.max())


@njit(cache=True, nogil=True)
def _hang(parent: NDArray[np.int64], end: int, head: int, other: int) -> None:
    """Take the subtree of ``head`` out of its tree and hang it under ``other`` by its node ``end``."""
    v, below = end, other
    while True:
        above = parent[v]
        parent[v] = below
        if v == head:
            break
        v, below = above, v
