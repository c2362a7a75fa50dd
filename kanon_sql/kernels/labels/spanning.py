"""Spanning trees of low degree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.labels.graphs import Graph


def leaves_first(parent: cython.longlong[::1]) -> NDArray[np.int64]:
    """Return the nodes of a forest in an order in which each comes before its parent, int64 [n]; O(n)."""
    n = len(parent)
    order = np.empty(n, np.int64)
    _order_leaves(parent, np.zeros(n, np.int64), order)
    return order


def _order_leaves(parent, children, order):
    """Fill in the order; ``children`` [n] is 0, and counts those that are not in the order."""
    last = 0
    with cython.nogil:
        for v in range(parent.shape[0]):
            if parent[v] != v:
                children[parent[v]] += 1
        for v in range(parent.shape[0]):
            if children[v] == 0:
                order[last] = v
                last += 1
        for i in range(parent.shape[0]):
            p = parent[order[i]]
            if p != order[i]:
                children[p] -= 1
                if children[p] == 0:
                    order[last] = p
                    last += 1


def lower_degrees(graph: Graph, parent: cython.longlong[::1], effort: cython.longlong) -> int:
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
        Nodes that may be visited on cycles; where they do not suffice the forest is left as it is by then.

    Notes
    -----
    O(effort + n + e). Fürer and Raghavachari exchange edges at nodes of degree d - 1 too, which leaves d at most one above the
    least possible; these are only the exchanges that lower d at once, so what is proven takes d as it turns out.

    References
    ----------
    Fürer, Raghavachari: Approximating the Minimum-Degree Steiner Tree to within One of Optimal (1994).
    """
    n = len(parent)
    degree = np.zeros(n, np.int64)
    _exchange_edges(graph, parent, effort, degree, np.full(n, -1, np.int64))
    _root_at_leaves(parent, leaves_first(parent), np.arange(n))
    return int(degree.max())


def _exchange_edges(graph, parent, effort, degree, seen):
    """Exchange edges as long as that lowers a largest degree; count the degrees."""
    n = parent.shape[0]
    tour = 0
    lowered = True
    with cython.nogil:
        for v in range(n):
            if parent[v] != v:
                degree[v] += 1
                degree[parent[v]] += 1
        while lowered and effort > 0:
            lowered = False
            top = 0
            for v in range(n):
                top = max(top, degree[v])
            for u in range(n):
                for e in range(graph.begin[u], graph.begin[u + 1]):
                    v = graph.near[e]
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
                    if _exchange(parent, degree, top, meet, u, v) or _exchange(parent, degree, top, meet, v, u):
                        lowered = True


def _exchange(parent, degree, top, meet, end, other):
    """Exchange an edge at a node of the largest degree between ``end`` and ``meet``, if there is one, for that of the ends."""
    x = end
    while x != meet and degree[x] < top and degree[parent[x]] < top:
        x = parent[x]
    if x == meet:
        return False
    degree[x] -= 1
    degree[parent[x]] -= 1
    degree[end] += 1
    degree[other] += 1
    _hang(parent, end, x, other)
    return True


def _root_at_leaves(parent, order, leaf):
    """Make leaves the roots; ``order`` has the leaves first, ``leaf`` [n] each node itself."""
    with cython.nogil:
        for i in range(order.shape[0]):
            v = order[i]
            if parent[v] != v:
                leaf[parent[v]] = leaf[v]
            elif leaf[v] != v:
                _hang(parent, leaf[v], v, leaf[v])


def _hang(parent, end, head, other):
    """Take the subtree of ``head`` out of its tree and hang it under ``other`` by its node ``end``."""
    v = end
    below = other
    while True:
        above = parent[v]
        parent[v] = below
        if v == head:
            break
        below = v
        v = above
