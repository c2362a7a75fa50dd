"""Connected sets of nodes that may be regions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64, empty_uint8, zeros_int64, zeros_uint8
from kanon_sql.kernels.labels.graphs import Graph


@cython.final
@cython.cclass
class _ConnectedSetSearch:
    """The search for connected sets: those listed so far, and the set that grows.

    Parameters
    ----------
    nodes, members, effort : int
        Nodes of the graph, members that the sets listed may have together, and nodes that may be visited.

    Attributes
    ----------
    first, member : int64 arrays [members + 1], [members]
        Set i has the nodes ``member[first[i] : first[i + 1]]``.
    listed : int
        How many sets there are.
    effort : int
        Nodes that may still be visited.
    chosen, inside : int64 array [n], uint8 array [n]
        The nodes of the growing set, one for each level, and whether a node is one of them.
    candidate, known : int64 array [n], uint8 array [n]
        Nodes next to the set, in the order in which they were found, and whether a node is one of them or was passed over.
    at, end : int64 arrays [n + 1]
        The next candidate of each level, and the end of its candidates.
    queue, seen : int64 array [n], uint8 array [n]
        Of a breadth-first search.
    """

    def __init__(self, nodes: int, members: int, effort: cython.longlong) -> None:
        self.first, self.member = zeros_int64(members + 1), empty_int64(members)
        self.listed, self.effort = 0, effort
        self.chosen, self.inside = empty_int64(nodes), zeros_uint8(nodes)
        self.candidate, self.known = empty_int64(nodes), zeros_uint8(nodes)
        self.at, self.end = empty_int64(nodes + 1), empty_int64(nodes + 1)
        self.queue, self.seen = empty_int64(nodes), empty_uint8(nodes)


def connected_sets(
    graph: Graph,
    weight: cython.longlong[::1],
    k: cython.longlong,
    most: cython.longlong,
    members: cython.longlong,
    effort: cython.longlong,
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """List the connected sets of k to ``most`` rows whose removal leaves nothing that cannot be partitioned likewise.

    What remains falls into components; each must weigh k or more, and not more than as many regions of ``most`` rows can hold
    as it can hold regions of k rows.

    Parameters
    ----------
    graph, weight : Graph, int64 array [n]
        A connected graph, and the rows of each node.
    k, most : int
        Least and most rows of a set.
    members, effort : int
        Members that the sets listed may have together, and nodes that may be visited: one for each set looked at, even below k
        rows, and all for each of the others.

    Returns
    -------
    first, member : int64 arrays [s + 1], [.]
        Set i has the nodes ``member[first[i] : first[i + 1]]``.
    complete : bool
        Whether these are all.

    Notes
    -----
    Each set is found once, from its least node: a set grows by the nodes next to it that come after those passed over
    (Wernicke: Efficient Detection of Network Motifs, 2006). O(n + e) for each set listed, O(degree) for each looked at.
    """
    search = _ConnectedSetSearch(len(weight), members, effort)
    complete = _list_sets(search, graph, weight, k, most)
    first = np.asarray(search.first)[: search.listed + 1]
    return first, np.asarray(search.member)[: first[search.listed]], complete


def _list_sets(search, graph, weight, k, most):
    """List the sets; return whether these are all."""
    complete: cython.bint = True
    with cython.nogil:
        for root in range(weight.shape[0]):
            complete = _list_from(search, graph, weight, k, most, root)
            if not complete:
                break
    return complete


def _list_from(search, graph, weight, k, most, root):
    """List the sets whose least node is ``root``; return whether these are all."""
    level = 0
    rows = 0
    search.known[root] = True
    search.candidate[0] = root
    search.at[0] = 0
    search.end[0] = 1
    while level >= 0:
        if search.at[level] == search.end[level]:
            level -= 1
            if level >= 0:
                for e in range(search.end[level], search.end[level + 1]):
                    search.known[search.candidate[e]] = False
                search.inside[search.chosen[level]] = False
                rows -= weight[search.chosen[level]]
            continue
        v = search.candidate[search.at[level]]
        search.at[level] += 1
        if rows + weight[v] > most:
            continue
        search.effort -= 1
        rows += weight[v]
        search.inside[v] = True
        search.chosen[level] = v
        if search.effort < 0:
            return False
        if rows >= k:
            search.effort -= weight.shape[0]
            if _fits(search, graph, weight, k, most) and not _keep(search, level + 1):
                return False
        last = search.end[level]
        for e in range(graph.begin[v], graph.begin[v + 1]):
            u = graph.near[e]
            if u > root and not search.known[u]:
                search.known[u] = True
                search.candidate[last] = u
                last += 1
        search.at[level + 1] = search.at[level]
        search.end[level + 1] = last
        level += 1
    search.known[root] = False
    return True


def _keep(search, size):
    """List the set; return whether there was capacity for it."""
    begin = search.first[search.listed]
    if begin + size > search.member.shape[0]:
        return False
    for i in range(size):
        search.member[begin + i] = search.chosen[i]
    search.listed += 1
    search.first[search.listed] = begin + size
    return True


def _fits(search, graph, weight, k, most):
    """Return whether each component outside of the set can be partitioned, as far as its weight tells."""
    for v in range(weight.shape[0]):
        search.seen[v] = search.inside[v]
    for start in range(weight.shape[0]):
        if search.seen[start]:
            continue
        search.seen[start] = True
        search.queue[0] = start
        size = 1
        rows = 0
        i = 0
        while i < size:
            v = search.queue[i]
            i += 1
            rows += weight[v]
            for e in range(graph.begin[v], graph.begin[v + 1]):
                u = graph.near[e]
                if not search.seen[u]:
                    search.seen[u] = True
                    search.queue[size] = u
                    size += 1
        if rows < k or rows > rows // k * most:
            return False
    return True
