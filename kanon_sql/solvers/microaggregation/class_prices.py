"""A lower bound by prices (dual values): if sum(p[i] for i in C) <= loss(C) for all classes C of k rows, sum(p) is a bound.

Such prices are at most the loss of larger classes, too. The mean over the subsets of k rows shows it: the prices of a class
of s rows add up to at most s (k - 1) / (k (s - 1)) of its sum of squares.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.microaggregation import priced_above_loss
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.microaggregation.class_program import ClassProgram
from kanon_sql.solvers.microaggregation.places import PlacedRows
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Prices

METHOD = "prices of classes of k rows"

_MOST_ROWS, _MOST_K = 2500, 8
"""Rows and k up to which prices are looked for: all distances are kept, and the search grows fast with k."""

_SCALE, _LARGEST = 1 << 30, 1 << 61
"""Units of a cell, and what no sum of distances exceeds; less are taken where they would."""

_ROUNDS, _CLOSE, _WORTHWHILE = 40, 0.003, 0.1
"""Rounds at most; no more are made if they raise the bound by such a share at most, or of the gap that is sure to remain."""

_STEPS, _MOST_STEPS = 1_000_000, 3_000_000
"""Steps of the searches of one round, and of all rounds: some seconds."""

_SIMPLEX = 25_000_000
"""Steps of the simplex method, times row types: some seconds."""

_FIRST_SHARE = 0.5
"""How far prices go from the best valid ones to those of the program, at first; half as far after a round that did not end."""

_NOTHING = 1e-9
"""Loss of a row below which a release is as good as free. Such small numbers would defeat the program."""

_ROUNDING = 2.0**-40
"""Of a square distance: more than rounding may have added to it."""


def class_prices(placed: PlacedRows, release: SummaryPartition, k: int, budget: Budget) -> Prices | None:
    """Return prices that exceed the sum of squares of no class of k rows; None if none are found.

    Parameters
    ----------
    placed : PlacedRows
        t row types without NULL, together at least k rows.
    release : SummaryPartition
        Some good release: its classes are those that the prices begin with.
    k : int
        Least rows of a class.

    Notes
    -----
    A linear program over the classes found so far sets the prices, and `priced_above_loss` finds classes whose prices exceed
    their loss; those join the program. The price of a row from which such a class was found falls by 1/k of the excess, so all
    prices are valid after each round. O(n^2) for n rows, and what the searches take; memory 16 n^2 bytes.
    """
    rows, free = placed.rows, placed.rows < k
    place = np.repeat(np.arange(len(rows)), np.minimum(rows, np.where(free, k, k - 1)))
    if not 2 <= k <= _MOST_K or not k <= len(place) <= _MOST_ROWS or budget.over():
        return None
    distance, scale = _distances(placed.x[place], k)
    first = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
    near = np.argsort(distance[first], axis=1, kind="stable")[:, :k]
    best = np.where(free, np.take_along_axis(distance[first], near, axis=1).sum(axis=1) // (2 * k), 0)
    classes, losses = _classes(placed.x, release)
    if not free.any() or losses.sum() < _NOTHING * len(place):
        return None
    program = ClassProgram(np.where(free, rows, 0))
    program.add(classes, losses)
    members, steps, share = near, 0, _FIRST_SHARE
    for number in range(_ROUNDS):
        program.add(place[members].tolist(), _losses(distance, members) / (k * scale))
        budget.report("prices of classes", number / _ROUNDS)
        found = program.solve(budget)
        proven = int(best @ rows) / scale
        if found is None or found.value - proven <= max(_CLOSE * proven, _WORTHWHILE * (losses.sum() - found.value)):
            break
        price = np.where(free, best + np.floor((found.price * scale - best) * share).astype(np.int64), 0)
        gain, violated, taken = priced_above_loss(distance, price[place], first, k, _STEPS)
        steps += taken
        ended = bool((gain >= 0).all())
        price -= -(-gain // k)
        if ended and price @ rows > best @ rows:
            best = price
        share = share if ended else share / 2
        members = violated[gain > 0].astype(np.int64)
        if (ended and not len(members)) or steps >= _MOST_STEPS or program.steps * len(rows) >= _SIMPLEX or budget.over():
            break
    return Prices(price=best, scale=scale)


def _classes(x: NDArray[np.float64], release: SummaryPartition) -> tuple[list[list[int]], NDArray[np.float64]]:
    """Return the row types of the rows of each class of a release, and its sum of squares."""
    order = np.argsort(release.number, kind="stable")
    row_type = np.repeat(release.row_type[order], release.count[order])
    number = np.repeat(release.number[order], release.count[order])
    first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    size = np.diff(first, append=len(number))
    squares = (x[row_type] ** 2).sum(axis=1) - (np.add.reduceat(x[row_type], first) / size[:, None])[number] ** 2 @ np.ones(
        x.shape[1]
    )
    return [each.tolist() for each in np.split(row_type, first[1:])], np.maximum(0.0, np.add.reduceat(squares, first))


def _distances(x: NDArray[np.float64], k: int) -> tuple[Int64, int]:
    """Return square distances of rows, int64 [n, n], rounded down, and their units of what two cells lose."""
    square = np.zeros((len(x), len(x)))
    for column in x.T:
        square += (column[:, None] - column) ** 2
    scale = _SCALE
    while scale > 1 and float(square.max()) * scale * 8 * k**3 > _LARGEST:
        scale //= 2
    return np.maximum(0, np.floor(square * (scale * (1 - _ROUNDING))).astype(np.int64) - 2), scale


def _losses(distance: Int64, member: Int64) -> NDArray[np.float64]:
    """Return the square distances of all pairs of each class, together."""
    pairs = distance[member[:, :, None], member[:, None, :]]
    found: NDArray[np.float64] = pairs.sum(axis=(1, 2)) / 2
    return found
