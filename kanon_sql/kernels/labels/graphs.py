"""Undirected graphs as arrays, and depth-first search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.random import below


@cython.final
@cython.cclass
class Graph:
    """A graph of n nodes and e edges.

    Parameters
    ----------
    begin, near : int64 arrays [n + 1], [2 e]
        The neighbours of node v are ``near[begin[v] : begin[v + 1]]``, each once, and never v itself.
    """

    def __init__(self, *, begin: NDArray[np.int64], near: NDArray[np.int64]) -> None:
        self.begin, self.near = begin, near

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return ``begin`` and ``near``."""
        return np.asarray(self.begin), np.asarray(self.near)


def graph_of(nodes: int, edges: NDArray[np.int64]) -> Graph:
    """Return the graph of some edges [e, 2], in any direction, even twice or from a node to itself; O(e log e)."""
    both = np.concatenate([edges, edges[:, ::-1]])
    both = np.unique(both[both[:, 0] != both[:, 1]], axis=0)
    return Graph(begin=np.searchsorted(both[:, 0], np.arange(nodes + 1)), near=np.ascontiguousarray(both[:, 1]))


def shuffled(graph: Graph, state: cython.ulonglong[::1]) -> Graph:
    """Return the same graph with the neighbours of each node in random order; O(n + e)."""
    near = np.array(graph.near)
    _shuffle(graph.begin, near, state)
    return Graph(begin=graph.begin, near=near)


def _shuffle(begin, near, state):
    with cython.nogil:
        for v in range(begin.shape[0] - 1):
            for i in range(begin[v + 1] - 1, begin[v], -1):
                j = begin[v] + below(state, i - begin[v] + 1)
                u = near[i]
                near[i] = near[j]
                near[j] = u


def depth_first(graph: Graph, starts: cython.longlong[::1]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Search depth-first from each start that has not been visited.

    Returns
    -------
    order : int64 array [n]
        The nodes as they are visited, if there is a start in every component.
    parent : int64 array [n]
        From where each node is visited; a start is its own parent.

    Notes
    -----
    O(n + e) time, O(n) memory.
    """
    n = len(graph.begin) - 1
    order = np.empty(n, np.int64)
    parent = np.full(n, -1, np.int64)
    _search(graph, starts, np.array(graph.begin), order, parent)
    return order, parent


def _search(graph, starts, at, order, parent):
    """Search; ``at`` is the place of the next neighbour of each node."""
    begin: cython.longlong[::1] = graph.begin
    near: cython.longlong[::1] = graph.near
    visited = 0
    with cython.nogil:
        for i in range(starts.shape[0]):
            v = starts[i]
            if parent[v] >= 0:
                continue
            parent[v] = v
            order[visited] = v
            visited += 1
            while True:
                if at[v] < begin[v + 1]:
                    u = near[at[v]]
                    at[v] += 1
                    if parent[u] < 0:
                        parent[u] = v
                        order[visited] = u
                        visited += 1
                        v = u
                elif v == starts[i]:
                    break
                else:
                    v = parent[v]
