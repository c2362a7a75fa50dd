"""Spanning trees of low degree by a random walk: edges are exchanged even if that only moves a largest degree elsewhere."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.labels.graphs import Graph
from kanon_sql.kernels.labels.spanning import hang, root_at_leaves
from kanon_sql.kernels.random import below

_UPHILL = cython.declare(cython.longlong, 16)
"""One exchange of so many may give one more node the largest degree."""


@cython.final
@cython.cclass
class _Tree:
    """A spanning forest, the degrees of its nodes, and which nodes have the largest.

    Parameters
    ----------
    parent : int64 array [n]
        A root is its own parent; changed.

    Attributes
    ----------
    degree : int64 array [n]
    top, tops : int
        The largest degree, and how many nodes have it.
    top_node, place : int64 arrays [n]
        These nodes, and where among them a node is, or -1.
    first, second : int64 arrays [n]
        The nodes of the two parts of a tree that lost an edge, as far as they were visited.
    mark : int64 array [n]
        Whether a node is in the first part (`turn`), in the second (`turn` + 1), or was not visited.
    """

    def __init__(self, graph: Graph, parent: cython.longlong[::1]) -> None:
        n = len(parent)
        self.graph, self.parent = graph, parent
        self.degree, self.top_node = np.zeros(n, np.int64), np.empty(n, np.int64)
        self.place = np.empty(n, np.int64)
        self.first, self.second, self.mark = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.int64)
        self.top = self.tops = self.turn = 0
        _count_degrees(self)


def lower_degrees(graph: Graph, parent: cython.longlong[::1], effort: cython.longlong, state: cython.ulonglong[::1]) -> int:
    """Lower the largest degree d of a spanning forest by exchanges of edges, and return it; leaves become the roots.

    A random node of degree d loses a random edge, which divides its tree in two. Of the edges that join the parts again, one
    that leaves the fewest nodes of degree d is taken, at random among equals. Their number hardly ever grows.

    Parameters
    ----------
    graph : Graph
        The graph.
    parent : int64 array [n]
        The forest, a root being its own parent; changed.
    effort : int
        Edges that may be visited for each degree. If they do not suffice, the forest keeps the degree.
    state : uint64 array [1]
        State of the random numbers.

    Notes
    -----
    O(effort + n) for each degree; memory O(n). The method of Fürer and Raghavachari ends within one of the least degree; a
    random walk has no such guarantee and finds less. At the ends of a path its exchanges are rotations of Pósa.

    References
    ----------
    Fürer, Raghavachari: Approximating the Minimum-Degree Steiner Tree to within One of Optimal (1994).
    Pósa: Hamiltonian Circuits in Random Graphs (1976).
    """
    tree = _Tree(graph, parent)
    while tree.top > 2 and _walk(tree, effort, state):
        _list_tops(tree)
    root_at_leaves(parent)
    return int(tree.top)


def _count_degrees(tree):
    with cython.nogil:
        for v in range(tree.parent.shape[0]):
            if tree.parent[v] != v:
                tree.degree[v] += 1
                tree.degree[tree.parent[v]] += 1
    _list_tops(tree)


def _list_tops(tree):
    tree.top = tree.tops = 0
    for v in range(tree.degree.shape[0]):
        tree.top = max(tree.top, tree.degree[v])
    for v in range(tree.degree.shape[0]):
        tree.place[v] = -1
        _change_degree(tree, v, 0)


def _change_degree(tree, v, change):
    """Change the degree of a node, and whether it is listed among those of the largest."""
    tree.degree[v] += change
    if tree.degree[v] == tree.top and tree.place[v] < 0:
        tree.top_node[tree.tops] = v
        tree.place[v] = tree.tops
        tree.tops += 1
    elif tree.degree[v] < tree.top and tree.place[v] >= 0:
        tree.tops -= 1
        last = tree.top_node[tree.tops]
        tree.top_node[tree.place[v]] = last
        tree.place[last] = tree.place[v]
        tree.place[v] = -1


def _walk(tree, effort, state):
    """Exchange edges until no node has the largest degree; return whether that was possible with this effort."""
    with cython.nogil:
        while tree.tops > 0 and effort > 0:
            v = tree.top_node[below(state, tree.tops)]
            u = _neighbour(tree, v, below(state, tree.top))
            size = _divide(tree, v, u)
            effort -= _join(tree, v, u, size, state)
    return tree.tops == 0


def _neighbour(tree, v, number):
    """Return a neighbour in the tree by its number."""
    e = tree.graph.begin[v]
    while True:
        u = tree.graph.near[e]
        if tree.parent[u] == v or tree.parent[v] == u:
            if number == 0:
                return u
            number -= 1
        e += 1


def _divide(tree, v, u):
    """Mark the smaller part of the tree without the edge of ``v`` and ``u``; return its nodes, negative if it is that of u."""
    tree.turn += 2
    tree.first[0] = v
    tree.mark[v] = tree.turn
    tree.second[0] = u
    tree.mark[u] = tree.turn + 1
    i = 0
    ends = 1
    others = 1
    while True:
        if i == ends:
            return ends
        ends = _visit(tree, tree.first, i, ends, tree.turn)
        if i == others:
            return -others
        others = _visit(tree, tree.second, i, others, tree.turn + 1)
        i += 1


def _visit(tree, queue, i, end, mark):
    """Queue those neighbours in the tree of a queued node that were not visited; return the end of the queue."""
    x = queue[i]
    for e in range(tree.graph.begin[x], tree.graph.begin[x + 1]):
        y = tree.graph.near[e]
        if tree.mark[y] < tree.turn and (tree.parent[y] == x or tree.parent[x] == y):
            tree.mark[y] = mark
            queue[end] = y
            end += 1
    return end


def _join(tree, v, u, size, state):
    """Exchange the edge of ``v`` and ``u`` for the best that joins the parts again; return the edges visited."""
    queue: cython.longlong[::1] = tree.first if size > 0 else tree.second
    mark = tree.turn if size > 0 else tree.turn + 1
    size = abs(size)
    visited = 0
    # With this edge gone, so many more nodes may have the largest degree.
    best = 1 + (tree.degree[u] == tree.top) + (below(state, _UPHILL) == 0)
    equals = 0
    inner = outer = -1
    for i in range(size):
        x = queue[i]
        load = tree.degree[x] - (x in (v, u)) + 1
        visited += tree.graph.begin[x + 1] - tree.graph.begin[x]
        if load > tree.top:
            continue
        for e in range(tree.graph.begin[x], tree.graph.begin[x + 1]):
            y = tree.graph.near[e]
            if tree.mark[y] == mark or (x in (v, u) and y in (v, u)):
                continue
            other = tree.degree[y] - (y in (v, u)) + 1
            if other > tree.top:
                continue
            cost = (load == tree.top) + (other == tree.top)
            if cost > best:
                continue
            if cost < best:
                best = cost
                equals = 0
            equals += 1
            if below(state, equals) == 0:
                inner = x
                outer = y
    if inner >= 0:
        head = u if tree.parent[u] == v else v
        _change_degree(tree, v, -1)
        _change_degree(tree, u, -1)
        if tree.mark[head] == mark:
            hang(tree.parent, inner, head, outer)
        else:
            hang(tree.parent, outer, head, inner)
        _change_degree(tree, inner, 1)
        _change_degree(tree, outer, 1)
    return visited
