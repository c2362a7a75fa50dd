"""Spanning trees, as the parent of each node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython


def leaves_first(parent: cython.longlong[::1]) -> NDArray[np.int64]:
    """Return the nodes of a forest in an order in which each comes before its parent, int64 [n]; O(n)."""
    n = len(parent)
    order = np.empty(n, np.int64)
    _order_leaves(parent, np.zeros(n, np.int64), order)
    return order


def _order_leaves(parent, children, order):
    """Fill in the order; ``children`` [n] is 0, and counts those that are not in the order."""
    last = 0
    with cython.nogil:
        for v in range(parent.shape[0]):
            if parent[v] != v:
                children[parent[v]] += 1
        for v in range(parent.shape[0]):
            if children[v] == 0:
                order[last] = v
                last += 1
        for i in range(parent.shape[0]):
            p = parent[order[i]]
            if p != order[i]:
                children[p] -= 1
                if children[p] == 0:
                    order[last] = p
                    last += 1


def root_at_leaves(parent: cython.longlong[::1]) -> None:
    """Make a leaf the root of each tree of a forest; O(n)."""
    _hang_under_leaves(parent, leaves_first(parent), np.arange(len(parent)))


def _hang_under_leaves(parent, order, leaf):
    """``order`` has the leaves first, ``leaf`` [n] each node itself."""
    with cython.nogil:
        for i in range(order.shape[0]):
            v = order[i]
            if parent[v] != v:
                leaf[parent[v]] = leaf[v]
            elif leaf[v] != v:
                hang(parent, leaf[v], v, leaf[v])


def hang(parent, end, head, other):
    """Take the subtree of ``head`` out of its tree and hang it under ``other`` by its node ``end``."""
    v = end
    below = other
    while True:
        above = parent[v]
        parent[v] = below
        if v == head:
            break
        below = v
        v = above
