"""Connected sets of nodes that may be regions."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.labels.graphs import Graph


@njit(cache=True, nogil=True)
def connected_sets(
    graph: Graph, weight: NDArray[np.int64], k: int, most: int, members: int, effort: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """List the connected sets of k to ``most`` rows whose removal leaves nothing that cannot be divided likewise.

    What remains falls into components; each must weigh k or more, and not more than as many regions of ``most`` rows can hold
    as it has room for regions of k rows.

    Parameters
    ----------
    graph, weight : Graph, int64 array [n]
        A connected graph, and the rows of each node.
    k, most : int
        Least and most rows of a set.
    members, effort : int
        Members that the sets listed may have together, and nodes that may be met: one for each set looked at, even below k
        rows, and all for each of the others.

    Returns
    -------
    first, member : int64 arrays [s + 1], [.]
        Set i has the nodes ``member[first[i] : first[i + 1]]``.
    complete : bool
        Whether these are all.

    Notes
    -----
    Each set is met once, from its least node: a set grows by the nodes next to it that come after those passed over
    (Wernicke: Efficient Detection of Network Motifs, 2006). O(n + e) for each set listed, O(degree) for each looked at.
    """
    begin, near = graph
    n = len(weight)
    first = np.zeros(members + 1, np.int64)
    member = np.empty(members, np.int64)
    inside = np.zeros(n, np.bool_)
    known = np.zeros(n, np.bool_)
    open_nodes = np.empty(n, np.int64)  # next to the set; those of a level end where the level's nodes do
    at, end, chosen = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64), np.empty(n, np.int64)
    queue, mark = np.empty(n, np.int64), np.empty(n, np.bool_)
    listed = 0
    for root in range(n):
        known[root] = True
        open_nodes[0] = root
        level, rows = 0, 0
        at[0], end[0] = 0, 1
        while level >= 0:
            if at[level] == end[level]:
                level -= 1
                if level >= 0:
                    for u in open_nodes[end[level] : end[level + 1]]:
                        known[u] = False
                    inside[chosen[level]] = False
                    rows -= weight[chosen[level]]
                continue
            v = open_nodes[at[level]]
            at[level] += 1
            if rows + weight[v] > most:
                continue
            effort -= 1
            rows += weight[v]
            inside[v] = True
            chosen[level] = v
            if effort < 0:
                return first[: listed + 1], member[: first[listed]], False
            if rows >= k:
                effort -= n
            if rows >= k and _fits(graph, weight, k, most, inside, queue, mark):
                if first[listed] + level >= members:
                    return first[: listed + 1], member[: first[listed]], False
                first[listed + 1] = first[listed] + level + 1
                member[first[listed] : first[listed + 1]] = chosen[: level + 1]
                listed += 1
            last = end[level]
            for u in near[begin[v] : begin[v + 1]]:
                if u > root and not known[u]:
                    known[u] = True
                    open_nodes[last] = u
                    last += 1
            at[level + 1], end[level + 1] = at[level], last
            level += 1
        known[root] = False
    return first[: listed + 1], member[: first[listed]], True


@njit(cache=True, nogil=True)
def _fits(
    graph: Graph,
    weight: NDArray[np.int64],
    k: int,
    most: int,
    inside: NDArray[np.bool_],
    queue: NDArray[np.int64],
    mark: NDArray[np.bool_],
) -> bool:
    """Return whether each component outside of the set can be divided, as far as its weight tells."""
    begin, near = graph
    mark[:] = inside
    for start in range(len(weight)):
        if mark[start]:
            continue
        mark[start] = True
        queue[0] = start
        size, rows, i = 1, 0, 0
        while i < size:
            v = queue[i]
            i += 1
            rows += weight[v]
            for u in near[begin[v] : begin[v + 1]]:
                if not mark[u]:
                    mark[u] = True
                    queue[size] = u
                    size += 1
        if rows < k or rows > rows // k * most:
            return False
    return True
