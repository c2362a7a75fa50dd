"""Random spanning trees of neighbouring regions.

The *members* of these regions are the nodes ``member[:size]`` of a graph; ``index`` [n] is the place of each node among them,
or -1.
"""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.random import below


def gather(graph, region, start, index, member, size):
    """Append the region of node ``start`` to the members, and return their number; O(nodes and edges of the region)."""
    at = size
    member[size] = start
    index[start] = size
    size += 1
    while at < size:
        v = member[at]
        at += 1
        for e in range(graph.begin[v], graph.begin[v + 1]):
            u = graph.near[e]
            if index[u] < 0 and region[u] == region[start]:
                member[size] = u
                index[u] = size
                size += 1
    return size


def beyond(graph, index, member, size, state):
    """Return the far end of a random edge that leaves the members; -1 if none does."""
    found = -1
    leaving = 0
    for i in range(size):
        v = member[i]
        for e in range(graph.begin[v], graph.begin[v + 1]):
            if index[graph.near[e]] < 0:
                leaving += 1
                if below(state, leaving) == 0:
                    found = graph.near[e]
    return found


def grow_tree(graph, index, member, size, order, parent, source, target, state):
    """Fill in a random spanning tree of the members, by their places.

    It grows from a random root, by one of the last two edges found or by any: long trees and bushy ones cut differently.

    Parameters
    ----------
    order, parent : int64 arrays [n]
        Take the members, each before its parent, and the parent of each, a root being its own.
    source, target : int64 arrays [2 e]
        Scratch arrays for edges.
    state : uint64 array [1]
        Of the random numbers.

    Notes
    -----
    O(nodes and edges of the regions).
    """
    found = 0
    bushy: cython.bint = below(state, 2) == 0
    for i in range(size):
        parent[i] = -1
    v = below(state, size)
    p = v
    for i in range(size - 1, -1, -1):
        parent[v] = p
        order[i] = v
        if i == 0:
            return
        for e in range(graph.begin[member[v]], graph.begin[member[v] + 1]):
            u = index[graph.near[e]]
            if u >= 0 and parent[u] < 0:
                source[found] = v
                target[found] = u
                found += 1
        while parent[v] >= 0:
            e = below(state, found if bushy else min(found, 2))
            found -= 1
            e = found - e
            p = source[e]
            v = target[e]
            source[e] = source[found]
            target[e] = target[found]
