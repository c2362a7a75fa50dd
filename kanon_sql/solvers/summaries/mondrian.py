"""Ranges and sets of the classes' own values: cuts that lose least, then local search.

References
----------
LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006), for the cuts.
Xu, Wang, Pei, Wang, Shi, Fu: Utility-Based Anonymization Using Local Recoding (KDD 2006), for the loss that chooses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kanon_sql.coded import CodedTable, Int32
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.summaries.cuts import cut
from kanon_sql.solvers.summaries.division import Division
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.nearby import nearby
from kanon_sql.solvers.summaries.search import divided, planned, search


def solve(table: CodedTable, kinds: Sequence[str], null: Int32, k: int, budget: Budget) -> Division:
    """Return a division of the rows into classes of k rows or more that loses little, with a proven lower bound.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns, at least k rows. Codes follow the order of the values.
    kinds : sequence of str
        What a class shows of each column: ``'plain'``, ``'range'`` or ``'set'``; see `Division.cost`.
    null : int32 array [m]
        Code of NULL, the highest of its column; -1 where there is none.
    k : int
        Least number of rows of a class.
    budget : Budget
        Time left; without a limit the search ends after a fixed number of steps.

    Returns
    -------
    Division
        Never worse than the cuts alone.

    Notes
    -----
    O(m^2 t) a level of cuts and O(t^2) for the bound, both for tens of thousands of row types well below a second; a few
    seconds of search. Memory O((m + 20) t + 16 codes of all columns).
    """
    measure, scale = measured(table, kinds, null)
    member, number = cut(table, measure, k, budget)
    classes = planned(table, measure, k, member, number)
    start, lost = divided(classes.plan), int(classes.loss.sum())
    if lost == 0 or budget.over():
        return start
    found = nearby(table, measure, scale, k, member)
    search(table, measure, scale, k, classes, found.near, int(found.lower_bound * scale), budget)
    best = divided(classes.plan) if int(classes.loss.sum()) < lost else start
    return replace(best, lower_bound=found.lower_bound, bound=found.bound)
