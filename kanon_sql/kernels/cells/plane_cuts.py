"""What an attacker can prove of a primary row within one plane: a minimum cut of its rows.

A plane has the rows of one grouping set that add up to one row of a coarser one, in two dimensions, and the totals of both
dimensions. Coordinates are nodes and rows are edges, as in `planes`: whatever an attacker thinks possible is a circulation. So
what a primary row can gain at most is a maximum flow from one end of its edge to the other, and a minimum cut says which rows
would have to be suppressed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int32, zeros_int32, zeros_int64

ONE = 1 << 16
"""A share of 1: shares are whole numbers, so flows are exact."""

_ONE = cython.declare(cython.longlong, ONE)

_NEAR = cython.declare(cython.longlong, ONE >> 9)
"""What is missing at most where a flow is enough: cuts that are violated by less are not added."""


@cython.final
@cython.cclass
class Planes:
    """All planes of a table.

    Parameters
    ----------
    row : int32 array [e]
        The row of each edge.
    end : int32 array [e, 2]
        The nodes of each edge: a row gains where the flow from the first to the second grows.
    adjacent : int32 array [2 e]
        The edges of each node, twice their number, plus 1 where the node is the second.
    first : int64 array [n + 1]
        Where those of a node begin.
    plane : int32 array [n]
        The plane of each node; those of one plane stand together.
    nodes : int32 array [p + 1]
        Where those of a plane begin.
    free : uint8 array [r]
        Rows that are suppressed whatever it costs.

    Attributes
    ----------
    share : int64 array [r]
        To what share each row is suppressed, in units of 1 / `ONE`.
    capacity : int64 array [r]
        By how much each row can be less.
    steps : int
        Edges that all flows follow from now on, at most; after that, nothing is said.
    pair, edge : int32 arrays
        The cuts that were found: which question, and the edges, as in ``adjacent``, plus 1 where the row can be less.
    found : int
        How many edges they have together.
    side, node : int32 arrays
        The nodes on one side of each cut, on that with fewer: which question, and the node.
    sides : int
        How many nodes they have together.
    """

    def __init__(
        self,
        row: NDArray[np.int32],
        end: NDArray[np.int32],
        adjacent: NDArray[np.int32],
        first: NDArray[np.int64],
        plane: NDArray[np.int32],
        nodes: NDArray[np.int32],
        free: NDArray[np.uint8],
    ) -> None:
        self.row, self.end, self.adjacent, self.first, self.free = row, end, adjacent, first, free
        self.plane, self.nodes = plane, nodes
        self.share, self.capacity = zeros_int64(len(free)), zeros_int64(len(free))
        self.steps = 0
        self.flow, self.by = zeros_int64(len(row)), full_int32(len(first), -1)
        self.queue, self.touched, self.touches = zeros_int32(len(first)), zeros_int32(len(row)), 0
        self.pair, self.edge, self.found = zeros_int32(1 << 20), zeros_int32(1 << 20), 0
        self.side, self.node, self.sides = zeros_int32(1 << 20), zeros_int32(1 << 20), 0


def separate(planes: Planes, edges: cython.int[::1], needs: cython.longlong[::1]) -> None:
    """Find the minimum cuts of some edges whose rows cannot gain what they need.

    Parameters
    ----------
    planes : Planes
        With shares and capacities; its cuts are replaced.
    edges : int32 array
        Edges of primary rows.
    needs : int64 array
        By how much they have to grow.

    Notes
    -----
    O(flow edges) for each, by shortest paths; a flow has few paths as long as needs are small.
    """
    with cython.nogil:
        planes.found = planes.sides = 0
        for at in range(edges.shape[0]):
            if planes.steps <= 0 or not _cut(planes, at, edges[at], needs[at]):
                break


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _left(planes: Planes, half: cython.longlong, edge: cython.longlong, need: cython.longlong) -> cython.longlong:
    """Return how much more can flow along an edge from one of its ends."""
    e = half >> 1
    row = planes.row[e]
    most = need
    if e == edge:
        return 0
    if half & 1:
        most = min(planes.capacity[row], need)
    most *= _ONE if planes.free[row] else planes.share[row]
    return most + planes.flow[e] if half & 1 else most - planes.flow[e]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cut(planes: Planes, number: cython.longlong, edge: cython.longlong, need: cython.longlong) -> cython.bint:
    """Find the minimum cut of an edge; return whether there is place for more."""
    from_ = planes.end[edge, 1]
    to = planes.end[edge, 0]
    wanted = need * _ONE - need * _NEAR
    more: cython.bint = True
    planes.touches = 0
    while wanted > 0 and planes.steps > 0:
        reached = 0
        planes.queue[0] = from_
        planes.by[from_] = -2
        reached = _reach(planes, edge, need, to)
        for t in range(reached):
            planes.steps -= planes.first[planes.queue[t] + 1] - planes.first[planes.queue[t]]
        if planes.by[to] == -1:
            more = _keep(planes, number, edge, reached)
            wanted = 0
        else:
            wanted -= _augment(planes, edge, need, from_, to)
        for t in range(reached):
            planes.by[planes.queue[t]] = -1
    if planes.touches == planes.touched.shape[0]:
        planes.flow[:] = 0
    for t in range(planes.touches):
        planes.flow[planes.touched[t]] = 0
    return more


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reach(planes: Planes, edge: cython.longlong, need: cython.longlong, to: cython.longlong) -> cython.longlong:
    """Reach nodes by edges with something left until ``to`` is one of them; return how many there are."""
    count = 1
    t = 0
    while t < count:
        for at in range(planes.first[planes.queue[t]], planes.first[planes.queue[t] + 1]):
            half = planes.adjacent[at]
            other = planes.end[half >> 1, 1 - (half & 1)]
            if planes.by[other] == -1 and _left(planes, half, edge, need) > 0:
                planes.by[other] = half
                planes.queue[count] = other
                count += 1
                if other == to:
                    return count
        t += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _augment(
    planes: Planes, edge: cython.longlong, need: cython.longlong, from_: cython.longlong, to: cython.longlong
) -> cython.longlong:
    """Send as much as possible along the path to ``to``; return how much that is."""
    amount = need * _ONE
    node = to
    while node != from_:
        half = planes.by[node]
        amount = min(amount, _left(planes, half, edge, need))
        node = planes.end[half >> 1, half & 1]
    node = to
    while node != from_:
        half = planes.by[node]
        if planes.flow[half >> 1] == 0 and planes.touches < planes.touched.shape[0]:
            planes.touched[planes.touches] = half >> 1
            planes.touches += 1
        planes.flow[half >> 1] += -amount if half & 1 else amount
        node = planes.end[half >> 1, half & 1]
    return amount


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(planes: Planes, number: cython.longlong, edge: cython.longlong, reached: cython.longlong) -> cython.bint:
    """Keep the edges that leave the nodes that were reached; return whether there was place for them."""
    before = planes.found
    if not _keep_side(planes, number, reached):
        return False
    for t in range(reached):
        for at in range(planes.first[planes.queue[t]], planes.first[planes.queue[t] + 1]):
            half = planes.adjacent[at]
            if half >> 1 == edge or planes.by[planes.end[half >> 1, 1 - (half & 1)]] != -1:
                continue
            if half & 1 and planes.capacity[planes.row[half >> 1]] == 0:
                continue
            if planes.found == planes.pair.shape[0]:
                planes.found = before
                return False
            planes.pair[planes.found] = number
            planes.edge[planes.found] = half
            planes.found += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_side(planes: Planes, number: cython.longlong, reached: cython.longlong) -> cython.bint:
    """Keep the nodes that were reached, or the others of their plane if those are fewer; return whether there was place."""
    plane = planes.plane[planes.queue[0]]
    first = planes.nodes[plane]
    last = planes.nodes[plane + 1]
    others: cython.bint = 2 * reached > last - first
    if planes.sides + (last - first - reached if others else reached) > planes.side.shape[0]:
        return False
    for node in range(first, last):
        if (planes.by[node] == -1) == others:
            planes.side[planes.sides] = number
            planes.node[planes.sides] = node
            planes.sides += 1
    return True
