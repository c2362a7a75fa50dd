"""t-closeness as linear constraints: along the edges of a tree, or as a transport in any metric."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.distances import Distance, MatrixDistance, TreeDistance
from kanon_sql.model.requirements import TCloseness
from kanon_sql.solvers.sensitive.counters import Counters, add_whole, each_value, some_of, whole_numbers
from kanon_sql.solvers.sensitive.model import Model
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import Sensitive


def close(model: Model, counters: Counters, requirement: TCloseness, about: Sensitive, least: int) -> None:
    """Add that every class is within t of the whole table, and the rows that this takes of ``least`` rows or more."""
    distance = about.distances[requirement.metric]
    sets = each_value(about)
    if isinstance(distance, TreeDistance):
        _near_along_tree(model, counters, requirement.t, distance, about.count)
        sets = np.vstack([sets, distance.below])
    else:
        _near(model, counters, requirement.t, distance, about.count)
    sets = np.unique(np.vstack([sets, ~sets]), axis=0)
    some_of(model, counters, sets, _least_near(requirement.t, distance, about.count, sets, least))


def _near_along_tree(model: Model, counters: Counters, t: Fraction, distance: TreeDistance, total: Int64) -> None:
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
    beside = np.where(all_below, length * (n - rows_below), length * rows_below).sum(axis=1) * t.denominator
    entries = [(row[j], more, length[e] * (2 * t.denominator)), (row[owner], counters.held, lowered)]
    add_whole(model, entries, row, counters.size, beside - t.numerator * distance.scale * n)


def _near(model: Model, counters: Counters, t: Fraction, distance: MatrixDistance, total: Int64) -> None:
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
