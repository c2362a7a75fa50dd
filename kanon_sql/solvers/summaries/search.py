"""Local search: neighbouring classes are destroyed and grown again, thousands of times a second.

One step does what moves and swaps of rows, and merging and splitting of classes, would do one by one.

References
----------
Schrimpf, Schneider, Stamm-Wilbrandt, Dueck: Record Breaking Optimization Results Using the Ruin and Recreate Principle (2000),
with threshold accepting.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels.classes.plans import SLOTS, Plan, put_all
from kanon_sql.kernels.random import seeded
from kanon_sql.kernels.summaries.destroy_repair import rebuild
from kanon_sql.kernels.summaries.histograms import Histograms
from kanon_sql.kernels.summaries.measure import Measure, class_losses
from kanon_sql.kernels.summaries.neighbourhoods import Classes, Shape
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.summaries.demand import Demand
from kanon_sql.solvers.summaries.division import Division
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable

_LOOKS = 4
"""Looks at the clock for each thousand row types."""

_MOST_LOOKS = 600

_DESTROYED, _LARGEST = 100_000, 4_000
"""Row types destroyed between two looks, some hundredths of a second, and in one step."""

_COMPARED = 22_000_000
"""Pairs of row types destroyed together between two looks: what counts in large classes."""

_INITIAL = 2
"""The initial threshold, in mean losses of a row: by so much may a neighbourhood become worse at first."""

_COUNTERS = 300
"""Counters of a histogram that take as long as a step without a promise; with one, a step takes a third more beside them."""

_LARGE = 16
"""Rows of a class from which classes are also grown by gain: many rows of a class then share each of its values."""


def planned(table: CodedTable, measure: Measure, k: int, member: Int64, number: Int64) -> Classes:
    """Return the classes of whole row types, ``member`` [t] in the order of their classes, as a plan that can be changed."""
    t, most = table.row_types, table.rows // k
    rows = np.zeros(most, np.int64)
    np.add.at(rows, number, table.weight[member])
    loss = class_losses(table.codes, measure, member, number, rows)
    plan = Plan(t, most)
    put_all(plan, member.astype(np.int32), number.astype(np.int32), table.weight[member])
    return Classes(plan=plan, size=np.bincount(number, minlength=most).astype(np.int64), loss=loss)


def divided(plan: Plan) -> Division:
    """Return what a plan says."""
    where = np.asarray(plan.where)
    used = np.flatnonzero(where >= 0)
    number = np.unique(where[used], return_inverse=True)[1].astype(np.int64)
    return Division(row_type=(used // SLOTS).astype(np.int32), number=number, count=np.asarray(plan.amount)[used])


def search(
    table: CodedTable, measure: Measure, scale: int, demand: Demand, classes: Classes, near: Int32, bound: int, budget: Budget
) -> None:
    """Rebuild neighbourhoods of the classes; it ends after a number of steps that depends on the table.

    Parameters
    ----------
    table : CodedTable
        t row types, at least k rows.
    measure, scale
        How loss is counted.
    demand : Demand
        What every class keeps.
    classes : Classes
        Changed.
    near : int32 array [t, s]
        Row types near each, or -1.
    bound : int
        A lower bound in units of ``measure``, at which the search ends.
    budget : Budget
        Time left, and the seed.
    """
    state, histograms = seeded(budget.seed), None
    if demand.promise is not None:
        histograms = Histograms(demand.required, demand.counter, demand.group)
    share = _COUNTERS / (_COUNTERS * 4 / 3 + demand.required.counters)
    looks = min(_MOST_LOOKS, 1 + _LOOKS * table.row_types // 1000)
    initial = _INITIAL * int(np.sum(classes.loss)) // table.rows
    for look in range(looks):
        loss = int(np.sum(classes.loss))
        if loss <= bound or budget.over():
            break
        budget.report("local search", look / looks, loss // scale, bound // scale)
        usual = demand.usual(table.rows, int(np.count_nonzero(classes.size)))
        row_types = min(3 * usual + 10, _LARGEST)
        steps = 1 + min(_DESTROYED // row_types, _COMPARED // row_types**2)
        shape = Shape(
            k=demand.least,
            classes=2 if usual >= _LARGE else 3 if usual > 5 else 4,
            row_types=row_types,
            threshold=initial * (looks - 1 - look) // looks,
            by_gain=usual >= _LARGE,
        )
        if histograms is not None:
            steps = 1 + int(steps * share)
        rebuild(table.codes, measure, classes, near, shape, steps, state, histograms)
