"""t-closeness: the values of every class are distributed nearly as in the whole table.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 9 (the constraints).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.criteria import EQUAL, MATRIX, TREE, transport
from kanon_sql.model.distances import Distance, MatrixDistance, TreeDistance
from kanon_sql.model.requirements import TCloseness
from kanon_sql.solvers.guarantees.attribute_requirement import (
    SAFE,
    AttributeRequirement,
    Bools,
    Criteria,
    Floats,
    fit_for,
    stricter,
    up_to,
)
from kanon_sql.solvers.guarantees.limit import ONE, Limit, TreeEdges, is_equal
from kanon_sql.solvers.integer_programs.counters import Counters, add_whole, each_value, some_of, whole_numbers
from kanon_sql.solvers.integer_programs.model import Model
from kanon_sql.table.arrays import Int64

_BATCH = 1 << 20
"""Numbers of rows times edges that are looked at together."""


@dataclass(frozen=True, slots=True)
class RequiredTCloseness(AttributeRequirement[TCloseness]):
    """t-closeness under a distance of the values: along the edges of a tree, or by a matrix."""

    @property
    def distance(self) -> Distance:
        """The ground distance of the values."""
        return self.about.distances[self.requirement.metric]

    def meets(self, histograms: Int64, rows: Int64) -> Any:
        """Return where the work to move a class to the whole table is at most t, in whole numbers."""
        distance, t, count = self.distance, self.requirement.t, self.about.count
        n, most = int(count.sum()), int(rows.max(initial=1))
        if isinstance(distance, MatrixDistance):
            limits = [t.numerator * distance.scale * n * size for size in rows.tolist()]
            works = [_work(distance, n * held - size * count) for held, size in zip(histograms, rows, strict=True)]
            return np.array([work * t.denominator <= limit for work, limit in zip(works, limits, strict=True)], np.bool_)
        size = fit_for(max(int(distance.length.sum()), distance.scale) * n * most * t.denominator * max(t.numerator, 1))
        work = np.zeros(len(rows), size)
        tree = TreeEdges.of(distance)
        totals = tree.below(count[None])[:, 0].tolist()
        for below, length, total in zip(tree.below(histograms), tree.length.tolist(), totals, strict=True):
            work += np.abs(n * below - rows * total).astype(size) * length
        return work * t.denominator <= rows.astype(size) * (t.numerator * distance.scale * n)

    def encode(self, criteria: Criteria, places: tuple[int, int]) -> None:
        """Add the criterion of the distance, with its matrix or its edges."""
        distance, t = self.distance, stricter(self.requirement.t, up=False)
        most, start = criteria.rows**2 * max(t.numerator, t.denominator), criteria.data_start
        if isinstance(distance, MatrixDistance):
            exact = most * max(int(distance.cost.max(initial=0)), distance.scale) < SAFE
            criteria.data.append(distance.cost.ravel().astype(np.int64))
            criteria.add(MATRIX, places, t, distance.scale, (int(exact), start, 0, 0))
            return
        exact = most * max(int(distance.length.sum()), distance.scale) < SAFE
        if is_equal(distance) and distance.scale % int(distance.length[0]) == 0:
            criteria.add(EQUAL, places, t, distance.scale // int(distance.length[0]), (int(exact), 0, 0, 0))
            return
        tree = TreeEdges.of(distance)
        edges, shares = len(tree.length), sum(map(len, criteria.shares))
        below = tree.below(self.about.count[None])[:, 0]
        criteria.data.append(np.concatenate([tree.length, tree.parent, below, tree.leaf]).astype(np.int64))
        criteria.shares.append(below)
        criteria.add(TREE, places, t, distance.scale, (int(exact), start, edges, shares))

    def least_rows(self) -> int:
        """Return a number of rows below which no class is t-close to the whole table.

        Notes
        -----
        The share of the whole table that lies below an edge is mostly no whole number of r rows. So a class of r rows is at
        least as far from the whole table as the nearest whole numbers are, summed over the edges. If the values are on a line,
        these are the numbers of a class, since what is nearest to growing shares grows, and the bound is the least class. In
        the equal distance they also have to add up to r: rounding by the largest remainders is nearest then, and the bound
        exact.

        O(v / t) class sizes of O(v) each, O(n) where t is 0. Of a matrix, nothing is known.
        """
        distance, t = self.distance, self.requirement.t
        if not isinstance(distance, TreeDistance):
            return 1
        rows, below = int(self.about.count.sum()), distance.below @ self.about.count
        apart = is_equal(distance)
        size = fit_for(max(int(distance.length.sum()), distance.scale) * rows * rows * t.denominator * max(t.numerator, 1))
        step = max(1, _BATCH // max(1, len(below)))
        for start in range(1, rows + 1, step):
            class_rows = np.arange(start, min(start + step, rows + 1))
            over = class_rows[:, None] * below % rows
            gap = _rounded(over, rows) if apart else np.minimum(over, rows - over)
            work = gap.astype(size) @ distance.length.astype(size) * t.denominator
            close = work <= t.numerator * distance.scale * rows * class_rows.astype(size)
            if close.any():
                return int(class_rows[np.argmax(close)])
        return rows

    @property
    def transports(self) -> bool:
        """Whether the distances are a table."""
        return isinstance(self.distance, MatrixDistance)

    def supported(self, support: Floats, rows: float) -> Bools:
        """Return where the rows can be t-close, as far as each edge of a tree alone tells."""
        distance, count = self.distance, self.about.count
        if not isinstance(distance, TreeDistance):
            return np.ones(len(support), np.bool_)
        below = distance.below.T.astype(np.float64)
        held, wanted = support @ below, rows * (count @ below) / count.sum()
        missing = np.maximum(0.0, wanted - held)
        if is_equal(distance):  # what is missing of some values is too much of others
            work = 2 * missing @ distance.length
        else:
            elsewhere = support.sum(axis=1)[:, None] - held
            work = np.maximum(missing, rows - wanted - elsewhere) @ distance.length
        return up_to(work, np.full(len(support), float(self.requirement.t) * distance.scale * rows))

    def limit(self) -> Limit | None:
        """Return how far the rows below all edges may be off together; None for a matrix."""
        distance, count, most = self.distance, self.about.count, ceil(self.requirement.t * ONE)
        if not isinstance(distance, TreeDistance):
            return None
        if is_equal(distance):
            values = len(count)
            apart = Fraction(2 * int(distance.length[0]), distance.scale)
            return Limit(
                leaf=np.arange(values, dtype=np.int32),
                parent=np.full(values, -1, np.int64),
                numerator=count,
                denominator=int(count.sum()),
                length=np.full(values, floor(apart * ONE)),
                most=most,
            )
        tree = TreeEdges.of(distance)
        return Limit(
            leaf=tree.leaf.astype(np.int32),
            parent=tree.parent,
            numerator=tree.below(count[None])[:, 0],
            denominator=int(count.sum()),
            length=np.array([floor(Fraction(length, distance.scale) * ONE) for length in tree.length.tolist()], np.int64),
            most=most,
            signed=True,
        )

    def constrain(self, model: Model, counters: Counters, least: int) -> None:
        """Add that every class is within t of the whole table, and the rows that this takes of ``least`` rows or more."""
        distance, t, total = self.distance, self.requirement.t, self.about.count
        sets = each_value(self.about)
        if isinstance(distance, TreeDistance):
            _near_along_tree(model, counters, t, distance, total)
            sets = np.vstack([sets, distance.below])
        else:
            _near(model, counters, t, distance, total)
        sets = np.unique(np.vstack([sets, ~sets]), axis=0)
        some_of(model, counters, sets, _least_near(t, distance, total, sets, least))

    @property
    def finds_parts(self) -> bool:
        """Whether all values are equally far apart."""
        return self.requirement.metric == "equal"


def _work(distance: MatrixDistance, excess: Int64) -> int:
    flow, _ = transport(np.ascontiguousarray(distance.cost.ravel()), excess)
    used = np.nonzero(flow)
    return sum(amount * cost for amount, cost in zip(flow[used].tolist(), distance.cost[used].tolist(), strict=True))


def _rounded(over: Int64, rows: int) -> NDArray[np.int64]:
    """Return how far each share is from what the largest remainders ``over / rows`` [r, v] round it to, in 1 / ``rows``."""
    up = over.sum(axis=1) // rows
    descending = -np.sort(-over, axis=1)
    raised = np.arange(over.shape[1]) < up[:, None]
    return np.where(raised, rows - descending, descending)


def _near_along_tree(model: Model, counters: Counters, t: Fraction, distance: TreeDistance, total: Int64) -> None:
    """Add sum_e length[e] |a[j, e]| <= t scale n[j], where a[j, e] is what class j has more below edge e than the whole table.

    |a| = 2 p - a for the least p >= a, p >= 0.
    """
    n, classes, owner = int(total.sum()), len(counters.size), counters.owner
    below = distance.below
    length, rows_below = whole_numbers(distance.length.tolist()), (below @ total).astype(object)
    there = np.zeros((classes, len(below)), np.int64)
    np.add.at(there, owner, below[:, counters.value].T.astype(np.int64))
    # Where all values of a class are on one side of an edge, its size says what it has more below.
    all_below = there == np.bincount(owner, minlength=classes)[:, None]
    undecided = (there > 0) & ~all_below
    j, e = np.nonzero(undecided)
    more = model.add_variables(len(j))
    row = model.add_constraints(len(j), 0.0, np.inf)
    place = np.zeros(undecided.shape, np.int64)
    place[j, e] = row
    c, edge = np.nonzero(undecided[owner] & below[:, counters.value].T)
    model.add(row, more, 1.0)
    model.add(row, counters.size[j], rows_below[e])
    model.add(place[owner[c], edge], counters.held[c], -float(n))
    row = model.add_constraints(classes, -np.inf, 0.0)
    lowered = np.zeros(len(owner), object)
    np.add.at(lowered, c, length[edge] * -(t.denominator * n))
    weighted = np.where(all_below, length * (n - rows_below), length * rows_below).sum(axis=1) * t.denominator
    entries = [(row[j], more, length[e] * (2 * t.denominator)), (row[owner], counters.held, lowered)]
    add_whole(model, entries, row, counters.size, weighted - t.numerator * distance.scale * n)


def _near(model: Model, counters: Counters, t: Fraction, distance: MatrixDistance, total: Int64) -> None:
    """Add a transport from each class to the whole table that costs at most t n[j]."""
    n, classes, values = int(total.sum()), len(counters.size), len(total)
    cells = len(counters.held)
    moved = model.add_variables(cells * values).reshape(cells, values)
    row = model.add_constraints(cells, 0.0, 0.0)
    model.add(np.repeat(row, values), moved.ravel(), 1.0)
    model.add(row, counters.held, -float(n))
    row = model.add_constraints(classes * values, 0.0, 0.0).reshape(classes, values)
    model.add(row[counters.owner].ravel(), moved.ravel(), 1.0)
    model.add(row.ravel(), np.repeat(counters.size, values), np.tile(-total, classes))
    row = model.add_constraints(classes, -np.inf, 0.0)
    cost = distance.cost[counters.value].astype(object) * t.denominator
    entries = [(np.repeat(row[counters.owner], values), moved.ravel(), cost.ravel())]
    add_whole(model, entries, row, counters.size, whole_numbers([-t.numerator * distance.scale * n] * classes))


def _least_near(t: Fraction, distance: Distance, total: Int64, sets: NDArray[np.bool_], least: int) -> list[int]:
    """Return how many rows of each set of values ``least`` rows need: their shortfall comes from the nearest other value."""
    n, apart = int(total.sum()), _distances_of(distance)
    found = []
    for inside in sets:
        nearest = int(apart[inside][:, ~inside].min(initial=np.iinfo(np.int64).max))
        found.append(ceil(least * (Fraction(int(total[inside].sum()), n) - t * distance.scale / nearest)) if nearest else 0)
    return found


def _distances_of(distance: Distance) -> Int64:
    """Return the distances of all values, int64 [v, v], in units of its scale; O(e v^2) for a tree."""
    if isinstance(distance, MatrixDistance):
        return distance.cost.copy()
    below = distance.below.astype(np.int64)
    both = below.T @ (below * distance.length[:, None])
    alone = np.diagonal(both)
    found: Int64 = alone[:, None] + alone - 2 * both
    return found
