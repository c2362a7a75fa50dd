"""Undirected graphs as arrays, and the order in which a search by depth meets their nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.random_numba import below


class Graph(NamedTuple):
    """Node v is next to ``near[begin[v] : begin[v + 1]]``, each neighbour once and never itself."""

    begin: NDArray[np.int64]
    near: NDArray[np.int64]


def graph_of(nodes: int, edges: NDArray[np.int64]) -> Graph:
    """Return the graph of some edges [e, 2], in any direction, even twice or from a node to itself; O(e log e)."""
    both = np.concatenate([edges, edges[:, ::-1]])
    both = np.unique(both[both[:, 0] != both[:, 1]], axis=0)
    return Graph(begin=np.searchsorted(both[:, 0], np.arange(nodes + 1)), near=np.ascontiguousarray(both[:, 1]))


@njit(cache=True, nogil=True)
def shuffled(graph: Graph, state: NDArray[np.uint64]) -> Graph:
    """Return the same graph with the neighbours of each node in random order; O(n + e)."""
    begin, near = graph.begin, graph.near.copy()
    for v in range(len(begin) - 1):
        for i in range(begin[v + 1] - 1, begin[v], -1):
            j = begin[v] + below(state, i - begin[v] + 1)
            near[i], near[j] = near[j], near[i]
    return Graph(begin, near)


@njit(cache=True, nogil=True)
def depth_first(graph: Graph, starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Search by depth from each start that is not met yet.

    Returns
    -------
    order : int64 array [n]
        The nodes as they are met, if there is a start in every component.
    parent : int64 array [n]
        From where each node is met; a start is its own parent.

    Notes
    -----
    O(n + e) time, O(n) memory.
    """
    begin, near = graph
    n = len(begin) - 1
    order = np.empty(n, np.int64)
    parent = np.full(n, -1, np.int64)
    at = begin[:-1].copy()
    met = 0
    for start in starts:
        if parent[start] >= 0:
            continue
        parent[start] = start
        order[met] = start
        met += 1
        v = start
        while True:
            if at[v] < begin[v + 1]:
                u = near[at[v]]
                at[v] += 1
                if parent[u] < 0:
                    parent[u] = v
                    order[met] = u
                    met += 1
                    v = u
            elif v == start:
                break
            else:
                v = parent[v]
    return order, parent
