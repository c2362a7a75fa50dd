"""Cuts of trees into subtrees of some weight."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def cut_tree(
    weight: NDArray[np.int64], order: NDArray[np.int64], parent: NDArray[np.int64], least: int, k: int, head: NDArray[np.int64]
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
    rest = np.zeros(len(weight), np.int64)
    lightest = np.full(len(weight), -1, np.int64)  # of the parts that hang on the rest of a node
    for v in order:
        rest[v] += weight[v]
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
    for v in order[::-1]:
        if head[v] != v:
            head[v] = head[head[v]]
