"""Lumps: nodes that are in one region whatever the partition into connected regions of some weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64, zeros_int64, zeros_uint8
from kanon_sql.kernels.labels.graphs import Graph


def lumps(
    graph: Graph, weight: cython.longlong[::1], order: cython.longlong[::1], parent: cython.longlong[::1], k: cython.longlong
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
        A depth-first search.
    k : int
        Least rows of a region.

    Notes
    -----
    O(n + e): children of v whose subtrees have no edge above v are branches, and all else is one branch, the upper one
    (Hopcroft, Tarjan 1973). Two nodes of which none is above the other have not both a light upper branch, since the two
    cover a component of 2 k or more. So the nodes with a light upper branch are a path down from the root, and the lump at
    the lowest of them has all but that node's heavy branches below.
    """
    n = len(weight)
    place = np.empty(n, np.int64)
    place[np.asarray(order)] = np.arange(n)
    branches = _Branches(place, weight)
    lump = np.empty(n, np.int64)
    _find(branches, graph, weight, order, parent, k, lump)
    return lump


@cython.final
@cython.cclass
class _Branches:
    """The branches of each node.

    Parameters
    ----------
    place, weight : int64 arrays [n]
        The place of each node in the search, and its rows.

    Attributes
    ----------
    low : int64 array [n]
        The least place next to the subtree of a node, or its own.
    below, apart : int64 arrays [n]
        Rows of the subtree of a node, and of the branches below it.
    root, lowest : int64 arrays [n]
        The root of each node, and of each root the lowest node with a light upper branch, -1 for none.
    deep, held : uint8 arrays [n]
        Whether a node is in a heavy branch below the lowest, and whether in a light branch below some node.
    """

    def __init__(self, place: NDArray[np.int64], weight: cython.longlong[::1]) -> None:
        n = len(place)
        self.place, self.low = place, place.copy()
        self.below, self.apart = np.array(weight), zeros_int64(n)
        self.root, self.lowest = empty_int64(n), empty_int64(n)
        self.deep, self.held = zeros_uint8(n), zeros_uint8(n)


def _find(branches, graph, weight, order, parent, k, lump):
    with cython.nogil:
        _weigh(branches, graph, order, parent)
        _find_lowest(branches, weight, order, parent, k)
        _label(branches, order, parent, k, lump)


def _weigh(branches, graph, order, parent):
    """Fill in the least places, and the rows of subtrees and branches, from the leaves up."""
    for i in range(order.shape[0] - 1, -1, -1):
        v = order[i]
        p = parent[v]
        for e in range(graph.begin[v], graph.begin[v + 1]):
            u = graph.near[e]
            if u != p:
                branches.low[v] = min(branches.low[v], branches.low[u] if parent[u] == v else branches.place[u])
        if p != v:
            branches.below[p] += branches.below[v]
            if branches.low[v] >= branches.place[p]:
                branches.apart[p] += branches.below[v]


def _find_lowest(branches, weight, order, parent, k):
    """Fill in the roots, and the lowest nodes with a light upper branch."""
    for i in range(order.shape[0]):
        v = order[i]
        root = v if parent[v] == v else branches.root[parent[v]]
        branches.root[v] = root
        total = branches.below[root]
        if root == v:
            branches.lowest[v] = v if total >= 2 * k else -1
        elif branches.lowest[root] >= 0 and total - weight[v] - branches.apart[v] < k:
            branches.lowest[root] = v


def _label(branches, order, parent, k, lump):
    """Fill in the lumps, from the roots down."""
    for i in range(order.shape[0]):
        v = order[i]
        p = parent[v]
        if p == v:
            lump[v] = v
            continue
        branch: cython.bint = branches.low[v] >= branches.place[p]
        branches.deep[v] = branches.deep[p] or (p == branches.lowest[branches.root[v]] and branch and branches.below[v] >= k)
        branches.held[v] = branches.held[p] or (branch and branches.below[v] < k)
        lump[v] = v if branches.deep[v] and not branches.held[v] else lump[p]
