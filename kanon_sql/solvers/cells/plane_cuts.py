"""Plane cuts: what a primary row needs in the plane of two dimensions around it, whatever else is suppressed.

Let S be a grouping set and S' one that is coarser in exactly two dimensions. The rows of S in one row of S', their totals over
each of the two dimensions, and that row itself are a *plane*: a table with two dimensions. What can change in it is a
circulation, so what a primary row can gain is a maximum flow, and the rows of a minimum cut, each with a sign, prove it:

    row p = sum of sign(c) * row c, for all tables, so p gains at most what rows with a plus gain and rows with a minus lose
    left = need - sum of min(capacity(c), need) over free c with a minus (no free row has a plus)
    sum of left x(c) over c with a plus + sum of min(capacity(c), left) x(c) over c with a minus, none of them free >= left

with the words of `line_cuts`, whose cuts are those with one node on one side. Each node is a line: the identity is the sum of
the lines on one side, those of one dimension with a minus.

References
----------
Fischetti and Salazar-Gonzalez: Models and Algorithms for the 2-Dimensional Cell Suppression Problem in Statistical Disclosure
Control (1999), for capacity cuts by maximum flows in a table with two dimensions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.kernels.cells import ONE, Planes, separate
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.cuts import Cuts
from kanon_sql.solvers.cells.derived_cuts import DerivedCuts, Lines
from kanon_sql.solvers.cells.line_cuts import capacities
from kanon_sql.solvers.integer_programs.model import Floats
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import CellTable

_MOST_EDGES = 4_000_000
"""Edges of all planes together, at most."""

_STEPS = 200_000_000
"""Edges that the flows of one search follow, at most; those in small planes come first."""

_QUESTIONS = 4_096
"""Flows between two checks of the clock."""

_VIOLATED = 1e-3
"""By what part of its right-hand side a cut is violated, at least."""


class PlaneCuts:
    """The planes of a table with primary rows."""

    def __init__(self, table: CellTable) -> None:
        self._table = table
        self._free = table.primary | table.suppressed
        self._network = _network(table)
        row, end, plane = self._network.row, self._network.end, self._network.plane
        half = np.repeat(np.arange(len(row)) * 2, 2) + np.tile([0, 1], len(row))
        order = np.argsort(end.ravel(), kind="stable")
        first = np.searchsorted(end.ravel()[order], np.arange(len(plane) + 1))
        adjacent = half[order].astype(np.int32)
        nodes = np.searchsorted(plane, np.arange(plane.max(initial=-1) + 2)).astype(np.int32)
        self._planes = Planes(row, end, adjacent, first.astype(np.int64), plane, nodes, self._free.astype(np.uint8))
        self._questions = [(number, *self._question(number, row)) for number in range(len(table.measures))]

    def separate(self, share: Floats, budget: Budget) -> DerivedCuts:
        """Return cuts that shares of suppressed rows violate."""
        planes, found = self._planes, DerivedCuts.none()
        planes.steps = _STEPS
        np.asarray(planes.share)[:] = np.floor(share * ONE).astype(np.int64)
        for measure, edges, needs, capacity in self._questions:
            np.asarray(planes.capacity)[:] = capacity
            for at in range(0, len(edges), _QUESTIONS):
                if budget.over():
                    return found
                part = slice(at, at + _QUESTIONS)
                separate(planes, edges[part], needs[part])
                more = self._cuts(measure, edges[part], needs[part], capacity)
                found = found.with_more(more.some(more.cuts.violated(share, _VIOLATED)))
        return found.some(found.cuts.violated(share, _VIOLATED))

    def _question(self, number: int, row: Int32) -> tuple[Int32, Int64, Int64]:
        """Return the edges of the primary rows of a measure, what they need, and the capacities of all rows."""
        table, measure = self._table, self._table.measures[number]
        value = table.values(number)
        need = np.where(table.shown | table.unseen, 0, measure.required - value)
        edges = np.flatnonzero(need[row] > 0)
        size = np.diff(np.asarray(self._planes.first))[np.asarray(self._planes.end)[edges]].sum(axis=1)
        edges = edges[np.argsort(size, kind="stable")]
        capacity = capacities(table, number, value)
        # Flows are exact below this, and nobody needs more.
        wanted = need[row[edges]] < 1 << 40
        return edges[wanted].astype(np.int32), need[row[edges[wanted]]], np.minimum(capacity, 1 << 41)

    def _cuts(self, measure: int, edges: Int32, needs: Int64, capacity: Int64) -> DerivedCuts:
        """Return the minimum cuts that were found as cuts of suppressed rows."""
        planes, table = self._planes, self._table
        pair, half = (np.asarray(each)[: planes.found].astype(np.int64) for each in (planes.pair, planes.edge))
        row = np.asarray(planes.row)[half >> 1].astype(np.int64)
        numbers, cut = np.unique(pair, return_inverse=True)
        left = needs[numbers]
        given = np.minimum(capacity[row], left[cut])
        left = left - np.bincount(cut, np.where(self._free[row], given, 0), len(left)).astype(np.int64)
        coefficient = np.where(half & 1, np.minimum(capacity[row], left[cut]), left[cut])
        open_ = ~self._free[row] & ~table.shown[row]
        # A row that ends in two edges of one cut counts once: they are of the same plane.
        cuts = Cuts(left=left, cut=cut[open_], variable=row[open_], coefficient=coefficient[open_])
        found = DerivedCuts(
            row=np.asarray(planes.row)[edges[numbers]],
            measure=np.full(len(numbers), measure, np.int32),
            lines=self._lines(numbers),
            cuts=cuts,
        )
        return found.some(np.flatnonzero(left > 0))

    def _lines(self, numbers: Int64) -> Lines:
        """Return the lines on one side of the minimum cuts of some questions."""
        planes, network = self._planes, self._network
        side, node = (np.asarray(each)[: planes.sides].astype(np.int64) for each in (planes.side, planes.node))
        kept = np.isin(side, numbers)
        side, node = side[kept], node[kept]
        return Lines(
            cut=np.searchsorted(numbers, side),
            parent=network.parent[node],
            refined=network.refined[node],
            times=network.times[node],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Network:
    """Planes as a network of lines."""

    row: Int32  # [e]: the row of each edge
    end: Int32  # [e, 2]: its nodes
    plane: Int32  # [n]: the plane of each node, in ascending order
    # parent, refined, times [n]: the line of each node, see `PricedCut.lines`: nodes of one dimension count once, those of the
    # other less once
    parent: Int32
    refined: Int32
    times: Int32


def _network(table: CellTable) -> _Network:
    """Return the planes with a primary row, as many as there is place for."""
    sets = {tuple(levels): number for number, levels in enumerate(table.levels.tolist())}
    none = np.zeros(0, np.int32)
    parts = [_Network(row=none, end=none.reshape(0, 2), plane=none, parent=none, refined=none, times=none)]
    nodes, planes, edges = 0, 0, 0
    for quadruple in _quadruples(list(sets)):
        found = _in_planes(table, *(sets[each] for each in quadruple))
        edges += len(found.row)
        if edges > _MOST_EDGES:
            break
        parts.append(replace(found, end=found.end + nodes, plane=found.plane + planes))
        nodes, planes = nodes + len(found.plane), planes + int(found.plane.max(initial=-1)) + 1
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _Network.__dataclass_fields__}
    return _Network(**{name: np.ascontiguousarray(column, dtype=np.int32) for name, column in columns.items()})


def _quadruples(sets: list[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Return four grouping sets each: one, coarser ones in one dimension and in another, and one that is coarser in both."""
    known = set(sets)
    for fine, coarse in itertools.product(sets, repeat=2):
        differ = [d for d, (low, high) in enumerate(zip(fine, coarse, strict=True)) if low != high]
        if len(differ) != 2 or any(fine[d] > coarse[d] for d in differ):
            continue
        first, second = (tuple(coarse[d] if d == own else level for d, level in enumerate(fine)) for own in differ)
        if first in known and second in known:
            yield fine, first, second, coarse


def _in_planes(table: CellTable, fine: int, first: int, second: int, coarse: int) -> _Network:
    """Return the planes of four grouping sets.

    The totals over the first dimension are those of the second one's coordinates, and the other way round. A plane has a node
    for each coordinate, and one for the total of each dimension.
    """
    rows, at = np.unique(table.ancestors[:, fine], return_index=True)
    above = table.ancestors[at]
    planes, plane = np.unique(above[:, coarse], return_inverse=True)
    ones, one = np.unique(above[:, first], return_inverse=True)
    others, other = np.unique(above[:, second], return_inverse=True)
    a, b, c = len(ones), len(others), len(planes)
    one_plane, other_plane = np.zeros(a, np.int64), np.zeros(b, np.int64)
    one_plane[one], other_plane[other] = plane, plane
    # Nodes: coordinates of the second dimension, of the first, and two totals.
    row = np.concatenate((rows, ones, others, planes))
    begin = np.concatenate((one, np.arange(a), a + b + other_plane, a + b + np.arange(c)))
    end = np.concatenate((a + other, a + b + c + one_plane, a + np.arange(b), a + b + c + np.arange(c)))
    gains = np.concatenate((np.ones(len(rows)), np.zeros(a + b), np.ones(c))) > 0
    ends = np.stack((np.where(gains, begin, end), np.where(gains, end, begin)), axis=1)
    of = np.concatenate((one_plane, other_plane, np.arange(c), np.arange(c)))
    has = np.zeros(c, np.bool_)
    has[of[begin[table.primary[row]]]] = True
    kept = has[of[begin]]
    # The nodes that stay, those of a plane together.
    used = np.flatnonzero(has[of])
    used = used[np.argsort(of[used], kind="stable")]
    compact = np.zeros(len(of), np.int64)
    compact[used] = np.arange(len(used))
    return _Network(
        row=row[kept].astype(np.int32),
        end=compact[ends[kept]].astype(np.int32),
        plane=np.unique(of[used], return_inverse=True)[1].astype(np.int32),
        parent=np.concatenate((ones, others, planes, planes))[used].astype(np.int32),
        refined=np.repeat([fine, fine, second, first], [a, b, c, c])[used].astype(np.int32),
        times=np.repeat([1, -1, -1, 1], [a, b, c, c])[used].astype(np.int32),
    )
