"""Ranges and sets of the classes' own values: cuts that lose least, then local search.

References
----------
LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006), for the cuts.
Cao, Karras, Kalnis, Tan: SABRE (VLDB Journal 2011), for sides with shares of each sensitive value.
Xu, Wang, Pei, Wang, Shi, Fu: Utility-Based Anonymization Using Local Recoding (KDD 2006), for the loss that chooses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.summaries.cuts import cut
from kanon_sql.solvers.summaries.demand import Demand
from kanon_sql.solvers.summaries.division import Division
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.nearest import nearby
from kanon_sql.solvers.summaries.search import divided, planned, search
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable

if TYPE_CHECKING:
    from kanon_sql.solvers.sensitive.promise import Promise


def solve(table: CodedTable, kinds: Sequence[str], null: Int32, asked: int | Promise, budget: Budget) -> Division:
    """Return a division of the rows into classes that keep what is asked and lose little, with a proven lower bound.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns. Codes follow the order of the values.
    kinds : sequence of str
        What a class shows of each column: ``'plain'``, ``'range'`` or ``'set'``; see `Division.cost`.
    null : int32 array [m]
        Code of NULL, the highest of its column; -1 where there is none.
    asked : int or Promise
        Least number of rows of a class, or what each class promises; the table as one class has to keep it.
    budget : Budget
        Time left; without a limit the search ends after a fixed number of steps.

    Returns
    -------
    Division
        Never worse than the cuts alone.

    Raises
    ------
    AuditError
        When a class does not keep its promise.

    Notes
    -----
    O(m^2 t) a level of cuts and O(t^2) for the bound, both for tens of thousands of row types well below a second; a few
    seconds of search, twice as many with a promise about sensitive values. Memory O((m + 20) t + 64 codes of all columns).
    """
    demand = Demand.of(table, asked)
    measure, scale = measured(table, kinds, null)
    member, number = cut(table, measure, demand, budget)
    classes = planned(table, measure, demand.least, member, number)
    best, lost = divided(classes.plan), int(np.sum(classes.loss))
    if lost and not budget.over():
        found = nearby(table, measure, scale, demand.least, member)
        search(table, measure, scale, demand, classes, found.near, int(found.lower_bound * scale), budget)
        best = divided(classes.plan) if int(np.sum(classes.loss)) < lost else best
        best = replace(best, lower_bound=found.lower_bound, bound=found.bound)
    if demand.promise is not None:
        broken = int((~demand.promise.holds(best.number, best.row_type, best.count)).sum())
        if broken:
            raise AuditError(f"{broken} classes of the solver 'mondrian' break the promise; nothing was released")
    return best
