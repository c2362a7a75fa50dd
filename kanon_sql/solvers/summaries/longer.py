"""Local search for k alone: it takes longer, and two threads take part if there are many row types.

The threads search two halves of the classes, which are drawn again after some rounds. What they find does not depend on
how many threads there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kanon_sql.kernels import seeded
from kanon_sql.kernels.summaries import Classes, Measure, Shape, rebuild
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.summaries.halves import Half, halved, joined
from kanon_sql.solvers.summaries.search import INITIAL, LARGE, most_of, steps_of
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable

_ROUNDS, _LEAST_ROUNDS, _MOST_ROUNDS = 30, 8, 600
"""Rounds for each thousand row types, at least and at most. Adult x 9 loses 5 % less than with 4 for each thousand."""

_LIMITED = 20
"""Times as many rounds at most with a time limit: few row types gain nothing more long before."""

_HALVED, _TURN = 4_000, 12
"""Row types from which on two threads search two halves, and rounds until these are drawn again."""


def search_longer(
    table: CodedTable,
    measure: Measure,
    scale: int,
    k: int,
    classes: Classes,
    near: Int32,
    bound: int,
    budget: Budget,
) -> Classes:
    """Return the classes after neighbourhoods of them were rebuilt, as `kanon_sql.solvers.summaries.search.search` does.

    Parameters
    ----------
    table, measure, scale, classes, near, bound, budget
        As there. With a time limit the search goes on until it ends.
    k : int
        Least rows of a class, the only requirement.
    """
    order = _first_classes(classes)
    states = [seeded(budget.seed), seeded(budget.seed + 1)]
    threshold = INITIAL * int(np.sum(classes.loss)) // table.rows
    rounds = budget.steps(min(_MOST_ROUNDS, max(_LEAST_ROUNDS, _ROUNDS * table.row_types // 1000)))
    row_types, most = most_of(k)
    together = table.row_types >= _HALVED
    turn = _TURN if together else 1

    def searched(codes: Int32, around: Int32, part: Classes, limit: int, state: int, calls: int) -> None:
        shape = Shape(k=k, classes=most, row_types=row_types, threshold=limit, by_gain=k >= LARGE)
        for _ in range(calls):
            if not budget.over():
                rebuild(codes, measure, part, around, shape, steps_of(row_types), states[state])

    def half_searched(half: Half, state: int, limit: int) -> None:
        searched(half.codes, half.near, half.classes, limit, state, _TURN // 2)

    with ThreadPoolExecutor(max_workers=2) as threads:
        for number, left in enumerate(_cooling(-(-rounds // turn), budget)):
            loss = int(np.sum(classes.loss))
            if loss <= bound:
                break
            budget.report("local search", 1 - left, loss // scale, bound // scale)
            limit = int(threshold * left)
            if together:
                halves = list(halved(table.codes, near, table.weight, classes, k, order, number))
                list(threads.map(half_searched, halves, (0, 1), (limit, limit)))
                found = joined(classes, halves)
                together = found is not classes
                classes = found
            else:
                searched(table.codes, near, classes, limit, 0, turn)
    return classes


def _cooling(turns: int, budget: Budget) -> Iterator[float]:
    """Give for each turn the share of the threshold that is left, down to 0: by the time if it is limited, else by number."""
    begun, limited = budget.share(), budget.seconds is not None
    most = turns * _LIMITED if limited else turns
    for done in range(most):
        if budget.over():
            return
        spent = (budget.share() - begun) / (1 - begun) if limited else 0.0
        yield 1 - max(spent, (done + 1) / most)


def _first_classes(classes: Classes) -> Int64:
    """Return the place of each row type in the order of the classes that it is in at first."""
    where = np.asarray(classes.partition.where).reshape(len(classes.partition.used), -1)
    first = where.max(axis=1)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first, kind="stable")] = np.arange(len(first))
    return order
