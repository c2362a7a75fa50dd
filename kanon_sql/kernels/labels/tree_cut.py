"""Cuts of trees into subtrees of some weight."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython


def cut_tree(
    weight: cython.longlong[::1],
    order: cython.longlong[::1],
    parent: cython.longlong[::1],
    least: cython.longlong,
    k: cython.longlong,
    head: cython.longlong[::1],
) -> None:
    """Cut off a subtree wherever it weighs ``least``; fill ``head`` [n] with the highest node of the part of each node.

    What remains at a root is a part if it weighs k, and otherwise joins the lightest part that hangs on it.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each node.
    order : int64 array [m]
        The nodes of some trees, each before its parent; each tree weighs k or more.
    parent : int64 array [n]
        The parent of each of these nodes, a root being its own.
    least, k : int
        Rows at which a subtree is cut off, and least rows of a part; ``least`` is not below k.
    head : int64 array [n]
        Changed at these nodes only.

    Notes
    -----
    O(m) time, O(n) memory. With ``least`` = k a part weighs at most w + D (k - 1) for trees of degree D with leaves as roots,
    w being the heaviest node: a node adds to its own weight the rest of each child, k - 1 at most, and a root's rest once.
    """
    n = len(weight)
    cut(weight, order, 0, len(order), parent, least, k, head, np.empty(n, np.int64), np.empty(n, np.int64))


def cut(weight, order, first, last, parent, least, k, head, rest, lightest):
    """Cut the trees of ``order[first:last]``; ``rest`` and ``lightest`` [n] are scratch arrays.

    They hold the weight of what is left of the subtree of a node, and the lightest of the parts that hang on it, or -1.
    """
    for i in range(first, last):
        v = order[i]
        rest[v] = weight[v]
        lightest[v] = -1
    for i in range(first, last):
        v = order[i]
        p = parent[v]
        if rest[v] >= least or (p == v and rest[v] >= k):
            head[v] = v
            light = v
        else:
            head[v] = p
            light = lightest[v]
            if p == v:
                head[v] = light
            else:
                rest[p] += rest[v]
        if p != v and light >= 0 and (lightest[p] < 0 or rest[light] < rest[lightest[p]]):
            lightest[p] = light
    for i in range(last - 1, first - 1, -1):
        v = order[i]
        if head[v] != v:
            head[v] = head[head[v]]
