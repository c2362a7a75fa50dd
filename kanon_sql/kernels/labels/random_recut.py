"""Neighbouring regions put together and partitioned again along random trees."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64, full_int64
from kanon_sql.kernels.labels.graphs import Graph
from kanon_sql.kernels.labels.random_trees import beyond, gather, grow_tree
from kanon_sql.kernels.labels.tree_cut import cut
from kanon_sql.kernels.random import below

_MOST = cython.declare(cython.longlong, 16)
"""Regions that are put together at most: an additional region needs the surplus of several."""

_FOCUS = cython.declare(cython.longlong, 8)
"""One step of so many is at the heaviest region while it is above the goal."""


@cython.final
@cython.cclass
class _Union:
    """Regions that are put together, and their partition into parts. Its *members*, s nodes, are known by their places.

    Parameters
    ----------
    nodes, ends : int
        Nodes of the graph, and ends of its edges.

    Attributes
    ----------
    size, member : int, int64 array [n]
        The members are ``member[:size]``.
    index : int64 array [n]
        The place of each node among the members, or -1.
    regions, name : int, int64 array [_MOST]
        The regions are ``name[:regions]``.
    weight : int64 array [n]
        Rows of each member.
    order, parent : int64 arrays [n]
        A spanning tree: the members, each before its parent, and the parent of each.
    source, target : int64 arrays [ends]
        The edges found while the tree grows.
    head, part : int64 arrays [n]
        The part of each member, as one of the members, and the rows of each part.
    rest, lightest : int64 arrays [n]
        Scratch arrays of `cut`.
    """

    def __init__(self, nodes: int, ends: int) -> None:
        self.size = self.regions = 0
        self.member, self.index = empty_int64(nodes), full_int64(nodes, -1)
        self.name = empty_int64(_MOST)
        self.weight = empty_int64(nodes)
        self.order, self.parent = empty_int64(nodes), empty_int64(nodes)
        self.source, self.target = empty_int64(ends), empty_int64(ends)
        self.head, self.part = empty_int64(nodes), empty_int64(nodes)
        self.rest, self.lightest = empty_int64(nodes), empty_int64(nodes)


def recut(
    graph: Graph,
    weight: cython.longlong[::1],
    k: cython.longlong,
    goal: cython.longlong,
    region: cython.longlong[::1],
    total: cython.longlong[::1],
    effort: cython.longlong,
    state: cython.ulonglong[::1],
) -> None:
    """Partition neighbouring regions again, time and again, and keep what is not worse.

    Better is a lighter heaviest region, and among equals a smaller sum of squared weights.

    Parameters
    ----------
    graph, weight : Graph, int64 array [n]
        The graph, and the rows of each node.
    k, goal : int
        Least rows of a region, and a lower bound on the heaviest.
    region : int64 array [n]
        The region of each node, as one of its nodes; changed.
    total : int64 array [n]
        Rows of each region, 0 for a node that names none; changed.
    effort : int
        Nodes that may be visited in the regions put together.
    state : uint64 array [1]
        Of the random numbers.

    Notes
    -----
    O(effort times the degree of the graph) time, and O(n) for a step at the heaviest region; memory O(n + e). Above 2^31 rows
    the squares are those of rounded weights, so that their sum fits a word.
    """
    rows = int(np.asarray(weight).sum())
    shift = max(0, rows.bit_length() - 31)
    _recut(_Union(len(weight), len(graph.near)), graph, weight, k, goal, region, total, effort, state, shift)


def _recut(union, graph, weight, k, goal, region, total, effort, state, shift):
    n = weight.shape[0]
    with cython.nogil:
        heaviest = total[_heaviest(total)]
        while effort > 0:
            v = _heaviest(total) if heaviest > goal and below(state, _FOCUS) == 0 else below(state, n)
            rows = _unite(union, graph, weight, region, total, v, state)
            effort -= union.size
            grow_tree(
                graph, union.index, union.member, union.size, union.order, union.parent, union.source, union.target, state
            )
            # With the least weight come the most parts, with a higher one more even parts.
            least = k
            if below(state, 2):
                least += below(state, rows // union.regions - k + 1)
            cut(union.weight, union.order, 0, union.size, union.parent, least, k, union.head, union.rest, union.lightest)
            above = _heaviest_after(union, total, heaviest)
            if above < heaviest or (above == heaviest and _squares_fall(union, total, shift)):
                _replace(union, region, total)
                heaviest = above
            for i in range(union.size):
                union.index[union.member[i]] = -1


def _heaviest(total):
    """Return the first of the heaviest regions."""
    first = 0
    for v in range(1, total.shape[0]):
        if total[v] > total[first]:
            first = v
    return first


def _unite(union, graph, weight, region, total, v, state):
    """Put the region of node v and some of its neighbours together; return their rows."""
    rows = 0
    wanted = 2
    while wanted < _MOST and below(state, 3) > 0:
        wanted += 1
    union.size = 0
    union.regions = 0
    while v >= 0 and union.regions < wanted:
        union.name[union.regions] = region[v]
        rows += total[region[v]]
        union.regions += 1
        union.size = gather(graph, region, v, union.index, union.member, union.size)
        v = beyond(graph, union.index, union.member, union.size, state)
    for i in range(union.size):
        union.weight[i] = weight[union.member[i]]
    return rows


def _heaviest_after(union, total, heaviest):
    """Fill in the rows of the parts; return the rows of the heaviest region if they replaced the regions."""
    most = 0
    old = 0
    for i in range(union.size):
        union.part[i] = 0
    for i in range(union.size):
        union.part[union.head[i]] += union.weight[i]
    for i in range(union.size):
        most = max(most, union.part[i])
    for i in range(union.regions):
        old = max(old, total[union.name[i]])
    if old < heaviest:
        return max(most, heaviest)
    if most < heaviest:
        for u in range(total.shape[0]):
            if union.index[u] < 0:
                most = max(most, total[u])
    return most


def _squares_fall(union, total, shift):
    """Return whether the sum of squares of the parts is not above that of the regions."""
    change = 0
    for i in range(union.size):
        rows = union.part[i] >> shift
        change += rows * rows
    for i in range(union.regions):
        rows = total[union.name[i]] >> shift
        change -= rows * rows
    return change <= 0


def _replace(union, region, total):
    """Replace the regions by the parts."""
    for i in range(union.regions):
        total[union.name[i]] = 0
    for i in range(union.size):
        region[union.member[i]] = union.member[union.head[i]]
        total[union.member[i]] = union.part[i]
