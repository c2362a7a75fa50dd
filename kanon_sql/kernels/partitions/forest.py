"""Forests of row types that look alike under masks, and their cuts into classes of k to 2 k - 2 rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64_2d


@cython.final
@cython.cclass
class Forest:
    """Trees that grow until each has k rows.

    Parameters
    ----------
    weight : int64 array [t]
        Rows of each row type.
    k : int
        Least rows of a class.

    Attributes
    ----------
    edge : int64 array [t, 2]
        The row types that are joined, as far as ``edges``.
    rows : int64 array [t]
        Rows of the tree of each root.
    above : int64 array [t]
        A row type of the same tree that is nearer to its root; of a root itself.
    """

    def __init__(self, weight: NDArray[np.int64], k: int) -> None:
        self.k, self.edges = k, 0
        self.edge = empty_int64_2d(len(weight), 2)
        self.rows, self.above = weight.copy(), np.arange(len(weight))

    def small(self) -> NDArray[np.int64]:
        """Return the row types in trees of fewer than k rows, ascending; O(t)."""
        found = np.empty(len(self.rows), np.int64)
        return found[: _small(self, found)]

    def joined(self) -> NDArray[np.int64]:
        """Return the pairs of row types that were joined, int64 [e, 2]."""
        return np.asarray(self.edge)[: self.edges]

    def join(
        self, order: NDArray[np.int64], key: NDArray[np.uint64], block: NDArray[np.int32], shown: NDArray[np.int64]
    ) -> bool:
        """Join neighbours with the same key if one of them is in a tree of fewer than k rows.

        Parameters
        ----------
        order : int64 array [n]
            Row types in the order of their keys.
        key : uint64 array [t]
            The key of each row type.
        block : int32 array [g, t]
            The number of the combination that a row type has in a block of columns.
        shown : int64 array [s]
            The blocks that are alike where keys are.

        Returns
        -------
        bool
            Whether equal keys had equal combinations; if not, the others were joined.

        Notes
        -----
        O(n s), nearly.
        """
        return bool(_join(self, order, key, block, shown))


def _small(forest, found):
    """List row types of small trees."""
    n = 0
    for i in range(forest.rows.shape[0]):
        if forest.rows[_root(forest, i)] < forest.k:
            found[n] = i
            n += 1
    return n


def _root(forest, i):
    """Return the root of a tree; the way to it becomes shorter."""
    while forest.above[i] != i:
        forest.above[i] = forest.above[forest.above[i]]
        i = forest.above[i]
    return i


def _join(forest, order, key, block, shown):
    """Join neighbours; the root of the tree with more rows stays one."""
    exact: cython.bint = True
    for place in range(1, order.shape[0]):
        i = order[place - 1]
        j = order[place]
        if key[i] != key[j]:
            continue
        a = _root(forest, i)
        b = _root(forest, j)
        if a == b or (forest.rows[a] >= forest.k and forest.rows[b] >= forest.k):
            continue
        if not _alike(block, shown, i, j):
            exact = False
            continue
        if forest.rows[a] < forest.rows[b]:
            a, b = b, a
        forest.above[b] = a
        forest.rows[a] += forest.rows[b]
        forest.edge[forest.edges, 0] = i
        forest.edge[forest.edges, 1] = j
        forest.edges += 1
    return exact


def _alike(block, shown, i, j):
    """Return whether two row types agree on the blocks that are shown."""
    place = 0
    while place < shown.shape[0] and block[shown[place], i] == block[shown[place], j]:
        place += 1
    return place == shown.shape[0]


def cut_forest(
    edge: NDArray[np.int64],
    weight: NDArray[np.int64],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut trees into parts of k rows or more that share no edge.

    Parameters
    ----------
    edge : int64 array [e, 2]
        The row types that are joined; each tree has k rows or more.
    weight : int64 array [t]
        Rows of each row type.
    k : int
        Least rows of a part.

    Returns
    -------
    part : int64 array [t]
        The part of each row type, -1 if all of its rows stay a class of their own.
    joined : int64 array [t]
        Its rows in the part; the others, none or at least k, stay a class of their own.

    Notes
    -----
    The root of a tree has the most rows in it. What remains below a child, at most k - 1 rows, is collected at its parent. k
    rows make a part, of at most 2 k - 2, or 2 k - 1 with a parent that has k itself. What remains at a root of fewer rows
    joins the last part of its tree, which hangs on it: at most 3 k - 3 rows.

    O(t log t).
    """
    t = len(weight)
    order, parent = np.empty(t, np.int64), np.full(t, -1, np.int64)
    first, following = np.full(t, -1, np.int64), np.empty(2 * len(edge), np.int64)
    _orient(edge, np.argsort(-weight, kind="stable"), first, following, order, parent)
    part, joined = np.full(t, -1, np.int64), np.zeros(t, np.int64)
    head, tail, after = np.full(t, -1, np.int64), np.full(t, -1, np.int64), np.full(t, -1, np.int64)
    _cut(np.ascontiguousarray(order[::-1]), parent, weight, k, part, joined, head, tail, after, np.zeros(t, np.int64))
    return part, joined


def _orient(edge, roots, first, following, order, parent):
    """List each tree from its root on, and the parents; ``first`` and ``following`` list the ends of edges at a row type."""
    for place in range(2 * edge.shape[0] - 1, -1, -1):
        i = edge[place >> 1, place & 1]
        following[place] = first[i]
        first[i] = place
    listed = 0
    for start in range(roots.shape[0]):
        if parent[roots[start]] >= 0:
            continue
        parent[roots[start]] = roots[start]
        order[listed] = roots[start]
        done = listed
        listed += 1
        while done < listed:
            i = order[done]
            done += 1
            place = first[i]
            while place >= 0:
                j = edge[place >> 1, 1 - (place & 1)]
                if parent[j] < 0:
                    parent[j] = i
                    order[listed] = j
                    listed += 1
                place = following[place]


def _cut(order, parent, weight, k, part, joined, head, tail, following, rest):
    """Fill ``part`` and ``joined``, children before parents.

    A list from ``head`` to ``tail`` by ``following`` holds the ``rest`` rows of each row type.
    """
    parts = 0
    last = -1
    for place in range(order.shape[0]):
        v = order[place]
        own = weight[v]
        if rest[v] + own >= k:
            if rest[v]:
                joined[v] = k - rest[v] if rest[v] + own >= 2 * k else own
                part[v] = parts
                _put(head[v], following, weight, part, joined, parts)
                last = parts
                parts += 1
            rest[v] = 0
        else:
            following[v] = head[v]
            head[v] = v
            if tail[v] < 0:
                tail[v] = v
            rest[v] += own
        p = parent[v]
        if p == v:
            if rest[v]:
                _put(head[v], following, weight, part, joined, last)
            last = -1
        elif rest[v]:
            following[tail[v]] = head[p]
            if tail[p] < 0:
                tail[p] = tail[v]
            head[p] = head[v]
            rest[p] += rest[v]
            if rest[p] >= k:
                _put(head[p], following, weight, part, joined, parts)
                last = parts
                parts += 1
                head[p] = -1
                tail[p] = -1
                rest[p] = 0


def _put(first, following, weight, part, joined, number):
    """Put all rows of a list in a part."""
    while first >= 0:
        part[first] = number
        joined[first] = weight[first]
        first = following[first]
