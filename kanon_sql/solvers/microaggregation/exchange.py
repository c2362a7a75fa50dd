"""`exchange`: MDAV, then rows change places with others, and neighbouring classes are built again, as long as that saves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_sql.kernels import seeded
from kanon_sql.kernels.microaggregation import PointPartition, Points, RebuildWorkspace, rebuild, sweep
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.microaggregation import mdav
from kanon_sql.solvers.microaggregation.places import PlacedRows
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int32, Int64

_ROUNDS, _MOST_ROUNDS = 4, 200
"""Rounds for each thousand rows that may move, without a time limit."""

_SMALL_ROUNDS, _TOGETHER = 300, 1_500_000
"""The same where rows are few: as many as this, for each thousand rows too, as long as rounds times rows are so many."""

_DESTROYED = 100_000
"""Rows that are built again in a round, some hundredths of a second."""

_COMPARED = 22_000_000
"""Pairs of them, times columns: what counts in large classes."""

_SWEEPS, _SWAPS = 20, 2_000_000_000
"""Sweeps at most, and swaps that they may weigh together, times columns: some seconds."""

_NOTHING = 1e-12
"""Of all deviation: what rounding may feign."""

_INITIAL = 1.0
"""The initial threshold, in mean losses of a row."""


def search(groups: PointPartition, points: Points, rows: int, k: int, budget: Budget) -> None:
    """Exchange rows with those of near classes, and rebuild neighbouring classes, by threshold accepting."""
    x = np.asarray(groups.x)
    least = _NOTHING * float((x * x).sum())
    most = 2 if k >= 16 else 3 if k > 5 else 4
    work = RebuildWorkspace(groups, k, most)
    state = seeded(budget.seed)
    _sweeps(groups, points, k, least, budget)
    usual = most * k + k
    steps = 1 + min(_DESTROYED // usual, _COMPARED // (usual * usual * x.shape[1]))
    threshold = _INITIAL * groups.within() / rows
    for left in _cooling(rows, budget):
        budget.report("exchange", 1 - left)
        rebuild(groups, points, work, threshold * left, steps, state)
    _sweeps(groups, points, k, least, budget)


def solve(placed: PlacedRows, near: Int32, k: int, budget: Budget) -> SummaryPartition:
    """Return a partition of the rows.

    Parameters
    ----------
    placed : PlacedRows
        t row types, at least k rows.
    near : int32 array [t, s]
        Row types near each, or -1.
    budget : Budget
        Time left, and the seed; without a limit the search ends after a fixed number of steps.

    Notes
    -----
    A row type of k rows is a class that loses nothing, which other rows may join; the rows of all others move one by one.
    In addition to MDAV O(m k) a row and sweep, and some hundredths of a second a round; memory O(m n) for n rows that move.
    """
    closed = np.flatnonzero(placed.rows >= k)
    free = np.flatnonzero(placed.rows < k)
    row_type = np.repeat(free, placed.rows[free])
    if not len(row_type):
        return _whole(placed, closed, row_type, closed[:0])
    x = np.ascontiguousarray(placed.x[row_type])
    if len(row_type) < k:
        if len(closed):
            return _whole(placed, closed, row_type, _nearest(placed, closed, x))
        return mdav.gathered(np.repeat(np.arange(len(placed.rows)), placed.rows), np.zeros(int(placed.rows.sum()), np.int64))
    of = len(closed) + mdav.classes(x, k, budget)
    groups = PointPartition(x, of, placed.x[closed], placed.rows[closed], len(closed) + len(x) // k, k)
    search(groups, _points(placed, near, closed, row_type), len(x), k, budget)
    return _whole(placed, closed, row_type, np.asarray(groups.of))


def _cooling(rows: int, budget: Budget) -> Iterator[float]:
    """Give for each round the share of the threshold that is left, down to 0: by the time if it is limited, else by number."""
    if budget.seconds is not None:
        begun = budget.share()
        while not budget.over():
            yield (1 - budget.share()) / (1 - begun)
        return
    small = min(_SMALL_ROUNDS, 1 + _SMALL_ROUNDS * rows // 1000, _TOGETHER // rows)
    rounds = budget.steps(max(small, min(_MOST_ROUNDS, 1 + _ROUNDS * rows // 1000)))
    for done in range(rounds):
        if budget.over():
            return
        yield (rounds - 1 - done) / rounds


def _sweeps(groups: PointPartition, points: Points, k: int, least: float, budget: Budget) -> None:
    swaps = len(np.asarray(groups.of)) * points.near.shape[1] * k * groups.columns
    for _ in range(max(1, min(_SWEEPS, _SWAPS // swaps))):
        if budget.over() or not sweep(groups, points, k, least):
            break


def _points(placed: PlacedRows, near: Int32, closed: Int64, row_type: Int64) -> Points:
    """Return where the rows that move are, and what is near them."""
    units = np.where(np.isin(np.arange(len(placed.rows)), closed), 0, placed.rows)
    number = np.full(len(placed.rows), -1, np.int64)
    number[closed] = np.arange(len(closed))
    return Points(near=near, of=row_type, first=np.cumsum(units) - units, units=units, closed=number)


def _nearest(placed: PlacedRows, closed: Int64, x: np.ndarray) -> Int64:
    """Return the place among the closed classes that each of a few rows is nearest to."""
    return np.array([int(np.argmin(((placed.x[closed] - each) ** 2).sum(axis=1))) for each in x], np.int64)


def _whole(placed: PlacedRows, closed: Int64, row_type: Int64, of: Int64) -> SummaryPartition:
    """Return the partition of closed classes and of the rows that move: the class of each of these."""
    types = np.concatenate([closed, row_type])
    count = np.concatenate([placed.rows[closed], np.ones(len(row_type), np.int64)])
    number = np.unique(np.concatenate([np.arange(len(closed)), of]), return_inverse=True)[1]
    pieces, place = np.unique(np.stack([types, number]), axis=1, return_inverse=True)
    rows = np.zeros(pieces.shape[1], np.int64)
    np.add.at(rows, place, count)
    return SummaryPartition(row_type=pieces[0].astype(np.int32), number=pieces[1], count=rows)
