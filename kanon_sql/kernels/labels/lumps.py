"""Lumps: nodes that are in one region whatever the division into connected regions of some weight."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.labels.graphs import Graph


@njit(cache=True, nogil=True)
def lumps(
    graph: Graph, weight: NDArray[np.int64], order: NDArray[np.int64], parent: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Return the lump of each node, int64 [n], as one of its nodes.

    Without node v its component falls into branches. A branch lighter than k holds no region, so each of its nodes is in a
    region that leaves it, hence through v: branch and v are in one lump. A component lighter than 2 k is one region, and one
    lump. When each lump is made one node, every branch of every node weighs k or more.

    Parameters
    ----------
    graph, weight : Graph, int64 array [n]
        The graph, and the rows of each node.
    order, parent : int64 arrays [n]
        A search by depth.
    k : int
        Least rows of a region.

    Notes
    -----
    O(n + e): children of v whose subtrees have no edge above v are branches, and all else is one branch, the upper one
    (Hopcroft, Tarjan 1973). Two nodes of which none is above the other have not both a light upper branch, since the two
    cover a component of 2 k or more. So the nodes with a light upper branch are a path down from the root, and the lump at
    the lowest of them has all but that node's heavy branches below.
    """
    begin, near = graph
    n = len(order)
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    low = place.copy()
    below = weight.copy()
    apart = np.zeros(n, np.int64)  # weight of the branches below
    for v in order[::-1]:
        for u in near[begin[v] : begin[v + 1]]:
            if u != parent[v]:
                low[v] = min(low[v], low[u] if parent[u] == v else place[u])
        if parent[v] != v:
            below[parent[v]] += below[v]
            if low[v] >= place[parent[v]]:
                apart[parent[v]] += below[v]
    root = np.empty(n, np.int64)
    lowest = np.empty(n, np.int64)
    for v in order:
        root[v] = v if parent[v] == v else root[parent[v]]
        total = below[root[v]]
        if parent[v] == v:
            lowest[v] = v if total >= 2 * k else -1
        elif lowest[root[v]] >= 0 and total - weight[v] - apart[v] < k:
            lowest[root[v]] = v
    lump = np.empty(n, np.int64)
    deep = np.zeros(n, np.bool_)  # in a heavy branch below the lowest
    held = np.zeros(n, np.bool_)  # in a light branch below some node
    for v in order:
        p = parent[v]
        if p == v:
            lump[v] = v
            continue
        branch = low[v] >= place[p]
        deep[v] = deep[p] or (p == lowest[root[v]] and branch and below[v] >= k)
        held[v] = held[p] or (branch and below[v] < k)
        lump[v] = v if deep[v] and not held[v] else lump[p]
    return lump
