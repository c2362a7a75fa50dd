"""The cheapest cycle in a plane that gives a primary row more.

A plane varies two dimensions and has boxes in the others. In it, coordinates are nodes and cells are edges, of the table
extended by its totals: a circulation changes cells so that all rows but those of its edges keep their values. The shortest path
from one end of the row's edge to the other closes a cycle. Suppressed rows cost nothing; none may lose more than it has.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int64, zeros_int64, zeros_uint8
from kanon_sql.kernels.cells.boxes import BoxSearch, odd, score_of, with_partner, without_partner
from kanon_sql.kernels.cells.search_space import CellSpace, cell_at

_FAR = cython.declare(cython.longlong, 1 << 62)
"""A distance above all others, and the amount of a cycle that takes nothing."""

_STEP = cython.declare(cython.longlong, 1 << 12)
"""What 1 of cost is longer than an edge that is free: of paths of the same cost, the shortest."""


@cython.final
@cython.cclass
class PlaneSearch:
    """The shortest paths in a plane.

    Parameters
    ----------
    space : CellSpace
        The published system.

    Attributes
    ----------
    a, b : int
        The dimensions of the plane.
    corners, depth : int
        Corners of the box in the other dimensions, and where the grouping sets are that it changes.
    distance, before, by, amount : int64 arrays
        Of each node: its distance, the node before it, a base cell of the edge between them, and the least amount on the way.
        Nodes are the coordinates of a, the total of a, the coordinates of b, and the total of b.
    """

    def __init__(self, space: CellSpace) -> None:
        nodes = 2 * int(np.asarray(space.nodes).max(initial=0)) + 2
        self.a, self.b, self.corners, self.depth, self.from_, self.to = 0, 0, 0, 0, 0, 0
        self.distance, self.before = full_int64(nodes, _FAR), zeros_int64(nodes)
        self.by, self.amount = zeros_int64(nodes), zeros_int64(nodes)
        self.done, self.open, self.opens = zeros_uint8(nodes), zeros_int64(nodes), 0
        self.edge_cost, self.edge_amount, self.total_a, self.total_b = 0, 0, 0, 0


def search_planes(space, work, planes, cell, target, need, steps):
    """Find the best cycle through a base cell that is better than what was found before.

    The caller sets ``work.score``; ``target`` is the grouping set of the primary row, ``need`` what it still needs.
    """
    work.target = target
    work.need = need
    work.steps = steps
    work.trial[0] = cell
    work.lives[0] = space.levels.shape[0]
    for g in range(space.levels.shape[0]):
        work.alive[0, g] = g
    if work.fixed[cell] > work.with_fixed:
        return
    for a in range(space.weights.shape[0]):
        for b in range(a + 1, space.weights.shape[0]):
            planes.a = a
            planes.b = b
            planes.total_a = space.nodes[a]
            planes.total_b = space.nodes[a] + 1 + space.nodes[b]
            if _extend(space, work, planes, 0, 0, 1):
                return


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _extend(
    space: CellSpace,
    work: BoxSearch,
    planes: PlaneSearch,
    dimension: cython.longlong,
    depth: cython.longlong,
    count: cython.longlong,
) -> cython.bint:
    """Try all boxes in the other dimensions; return whether the search is at its end."""
    cell = work.trial[0]
    if work.steps < 0:
        return True
    if dimension == planes.a or dimension == planes.b:
        return _extend(space, work, planes, dimension + 1, depth, count)
    if dimension == space.weights.shape[0]:
        planes.corners = count
        planes.depth = depth
        return _cycle(space, work, planes)
    without_partner(work, depth)
    if _extend(space, work, planes, dimension + 1, depth + 1, count):
        return True
    block = space.block_of[dimension, cell]
    for at in range(space.block_first[block], space.block_first[block + 1]):
        other = space.line_cells[at]
        work.steps -= 1
        if other == cell or (work.score < 1 and space.own_row[other] >= 0 and not space.suppressed[space.own_row[other]]):
            continue
        if with_partner(space, work, depth, dimension, count, other) and _extend(
            space, work, planes, dimension + 1, depth + 1, 2 * count
        ):
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _edge(
    space: CellSpace,
    work: BoxSearch,
    planes: PlaneSearch,
    cell: cython.longlong,
    fine_a: cython.bint,
    fine_b: cython.bint,
    sign: cython.longlong,
    keep: cython.bint,
) -> cython.bint:
    """Work out the cost and the amount of an edge, or keep its changes; return whether it can change in that direction.

    An edge is of one base cell where both dimensions are fine, or of its totals over one of them or both.
    """
    step = space.places[cell] - space.places[work.trial[0]]
    planes.edge_cost = 0
    planes.edge_amount = _FAR
    for c in range(planes.corners):
        corner = cell if c == 0 else cell_at(space, space.places[work.trial[c]] + step)
        if corner < 0:
            return False
        own = -sign if odd(c) else sign
        if fine_a and fine_b:
            if work.fixed[corner] > work.with_fixed:
                return False
            if keep:
                work.cell[work.cells] = corner
                work.cell_sign[work.cells] = own
                work.cells += 1
            elif own < 0:
                planes.edge_amount = min(planes.edge_amount, work.base_value[corner] + work.shift[corner])
        for k in range(work.lives[planes.depth]):
            g = work.alive[planes.depth, k]
            if space.fine[planes.a, g] != fine_a or space.fine[planes.b, g] != fine_b:
                continue
            row = space.ancestors[corner, g]
            if keep:
                work.row[work.rows] = row
                work.row_sign[work.rows] = own
                work.rows += 1
                continue
            if not space.suppressed[row]:
                if space.shown[row]:
                    return False
                planes.edge_cost += space.cost[row]
            if own < 0:
                planes.edge_amount = min(planes.edge_amount, work.value[row] + work.moved[row])
    return planes.edge_amount > 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reach(
    space: CellSpace, work: BoxSearch, planes: PlaneSearch, node: cython.longlong, to: cython.longlong, cell: cython.longlong
) -> cython.void:
    """Follow an edge of a node, if that is the shortest way so far."""
    of_a: cython.bint = node <= planes.total_a
    fine_a: cython.bint = node != planes.total_a and to != planes.total_a
    fine_b: cython.bint = node != planes.total_b and to != planes.total_b
    if planes.done[to] or (node == planes.from_ and to == planes.to):
        return
    work.steps -= 1
    if not _edge(space, work, planes, cell, fine_a, fine_b, 1 if of_a == (fine_a == fine_b) else -1, False):
        return
    length = planes.distance[node] + planes.edge_cost * _STEP + 1
    amount = min(planes.amount[node], planes.edge_amount)
    if length > planes.distance[to] or (length == planes.distance[to] and amount <= planes.amount[to]):
        return
    if score_of(work, length // _STEP, amount) >= work.score:
        return
    if planes.distance[to] == _FAR:
        planes.open[planes.opens] = to
        planes.opens += 1
    planes.distance[to] = length
    planes.before[to] = node
    planes.by[to] = cell
    planes.amount[to] = amount


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _follow(space: CellSpace, work: BoxSearch, planes: PlaneSearch, node: cython.longlong) -> cython.void:
    """Follow all edges of a node: the cells of its line, or from a total those of the line of the row itself."""
    of_a: cython.bint = node <= planes.total_a
    total: cython.bint = node in (planes.total_a, planes.total_b)
    varied = planes.b if of_a else planes.a
    cell = work.trial[0] if total else planes.by[node]
    block = space.block_of[varied, cell]
    offset = planes.total_a + 1 if of_a else 0
    for at in range(space.block_first[block], space.block_first[block + 1]):
        other = space.line_cells[at]
        row = space.own_row[other]
        if work.score < 1 and not total and row >= 0 and not space.suppressed[row]:
            continue
        _reach(space, work, planes, node, offset + space.codes[other, varied], other)
    _reach(space, work, planes, node, planes.total_b if of_a else planes.total_a, cell)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cycle(space: CellSpace, work: BoxSearch, planes: PlaneSearch) -> cython.bint:
    """Close the shortest cycle through the row; return whether the search is at its end."""
    cell = work.trial[0]
    fine_a: cython.bint = space.fine[planes.a, work.target]
    fine_b: cython.bint = space.fine[planes.b, work.target]
    own_a = space.codes[cell, planes.a] if fine_a else planes.total_a
    own_b = planes.total_a + 1 + space.codes[cell, planes.b] if fine_b else planes.total_b
    if not _edge(space, work, planes, cell, fine_a, fine_b, 1, False):
        return False
    if score_of(work, planes.edge_cost, planes.edge_amount) >= work.score:
        return False
    planes.from_ = own_b if fine_a == fine_b else own_a
    planes.to = own_a if fine_a == fine_b else own_b
    planes.distance[planes.from_] = planes.edge_cost * _STEP
    planes.amount[planes.from_] = planes.edge_amount
    planes.by[planes.from_] = cell
    planes.open[0] = planes.from_
    planes.opens = 1
    while work.steps >= 0:
        best = -1
        for k in range(planes.opens):
            node = planes.open[k]
            if not planes.done[node] and (best < 0 or planes.distance[node] < planes.distance[best]):
                best = node
        if best < 0 or best == planes.to:
            break
        planes.done[best] = 1
        _follow(space, work, planes, best)
    if planes.distance[planes.to] < _FAR:
        _keep(space, work, planes, fine_a, fine_b)
    for k in range(planes.opens):
        planes.distance[planes.open[k]] = _FAR
        planes.done[planes.open[k]] = 0
    return work.score < 1 and (work.amount >= work.need or work.need <= 16)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(space: CellSpace, work: BoxSearch, planes: PlaneSearch, fine_a: cython.bint, fine_b: cython.bint) -> cython.void:
    """Keep the cycle, which is better than the best."""
    node = planes.to
    of_a: cython.bint
    work.cells = work.rows = 0
    _edge(space, work, planes, work.trial[0], fine_a, fine_b, 1, True)
    while node != planes.from_:
        before = planes.before[node]
        of_a = before <= planes.total_a
        fine_a = before != planes.total_a and node != planes.total_a
        fine_b = before != planes.total_b and node != planes.total_b
        _edge(space, work, planes, planes.by[node], fine_a, fine_b, 1 if of_a == (fine_a == fine_b) else -1, True)
        node = before
    work.cost = planes.distance[planes.to] // _STEP
    work.amount = min(planes.amount[planes.to], work.need)
    work.score = score_of(work, work.cost, work.amount)
