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

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.cuts import cut
from kanon_sql.solvers.summaries.longer import search_longer
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.nearest import nearby
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.solvers.summaries.search import divided, planned, search
from kanon_sql.solvers.summaries.single_rows import SplitTable
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable


def solve(
    table: CodedTable, kinds: Sequence[str], null: Int32, requirement: ClassRequirement, budget: Budget
) -> SummaryPartition:
    """Return a partition of the rows into classes that meet a requirement and lose little, with a proven lower bound.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns. Codes follow the order of the values.
    kinds : sequence of str
        What a class shows of each column: ``'plain'``, ``'range'`` or ``'set'``; see `SummaryPartition.cost`.
    null : int32 array [m]
        Code of NULL, the highest of its column; -1 where there is none.
    requirement : ClassRequirement
        What every class must meet; the table as one class has to meet it.
    budget : Budget
        Time left; without a limit the search ends after a fixed number of steps.

    Returns
    -------
    SummaryPartition
        Never worse than the cuts alone.

    Raises
    ------
    AuditError
        When a class does not keep its requirement.

    Notes
    -----
    O(m^2 t) a level of cuts and O(t^2) for the bound, both for tens of thousands of row types well below a second; a few
    seconds of search, twice as many with requirements on sensitive values. Memory O((m + 20) t + 64 codes of all columns).
    """
    split = SplitTable.of(table) if requirement.requirements else None
    if split is None:
        return _divided(table, kinds, null, requirement, budget)
    best = _divided(table, kinds, null, requirement, budget.half())
    if best.cost(table, kinds, null) > best.lower_bound and not budget.over():
        pieces = _divided(split.table, kinds, null, replace(requirement, table=split.table), budget)
        other = split.joined(pieces)
        if other.cost(table, kinds, null) < best.cost(table, kinds, null):
            other = replace(other, lower_bound=best.lower_bound, bound=best.bound, prices=best.prices)
            return checked(other, requirement)
    return best


def _divided(
    table: CodedTable, kinds: Sequence[str], null: Int32, requirement: ClassRequirement, budget: Budget
) -> SummaryPartition:
    """Return what cuts and a local search find; arguments and errors as for `solve`."""
    measure, scale = measured(table, kinds, null)
    member, number = cut(table, measure, requirement, budget)
    classes = planned(table, measure, requirement.least, member, number, table.weight[member])
    best, lost = divided(classes.partition), int(np.sum(classes.loss))
    if lost and not budget.over():
        found = nearby(table, measure, scale, requirement.least, member, classes=True)
        given = table, measure, scale
        if requirement.requirements:
            search(*given, requirement, classes, found.near, int(found.lower_bound * scale), budget)
        else:
            classes = search_longer(*given, requirement.k, classes, found.near, int(found.lower_bound * scale), budget)
        best = divided(classes.partition) if int(np.sum(classes.loss)) < lost else best
        best = replace(best, lower_bound=found.lower_bound, bound=found.bound, prices=found.prices)
    return checked(best, requirement)


def improved(
    table: CodedTable,
    kinds: Sequence[str],
    null: Int32,
    requirement: ClassRequirement,
    start: SummaryPartition,
    budget: Budget,
) -> SummaryPartition:
    """Return what the local search makes of a partition whose classes meet the requirement, with the same lower bound.

    Parameters
    ----------
    table, kinds, null, requirement, budget
        As for `solve`.
    start : SummaryPartition
        Where the search starts; it is returned if the search finds nothing better.

    Raises
    ------
    AuditError
        When a class does not keep its requirement.
    """
    measure, scale = measured(table, kinds, null)
    order = np.argsort(start.number, kind="stable")
    member = start.row_type[order].astype(np.int64)
    classes = planned(table, measure, requirement.least, member, start.number[order], start.count[order])
    lost = int(np.sum(classes.loss))
    if not lost or budget.over():
        return start
    row_types, first = np.unique(member, return_index=True)
    near = nearby(table, measure, scale, requirement.least, row_types[np.argsort(first)]).near
    search(table, measure, scale, requirement, classes, near, int(start.lower_bound * scale), budget, initial=0)
    if int(np.sum(classes.loss)) >= lost:
        return start
    best = replace(divided(classes.partition), lower_bound=start.lower_bound, bound=start.bound, prices=start.prices)
    return checked(best, requirement)


def checked(best: SummaryPartition, requirement: ClassRequirement) -> SummaryPartition:
    """Return a partition whose classes all meet the requirement.

    Raises
    ------
    AuditError
        When one does not.
    """
    broken = int((~requirement.holds(best.number, best.row_type, best.count)).sum())
    if broken:
        raise AuditError(
            f"{how_many(broken, 'class', 'classes')} of the solver 'mondrian' "
            f"{'breaks' if broken == 1 else 'break'} the guarantee; nothing was released"
        )
    return best
