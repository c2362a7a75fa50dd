"""Ranges and sets of the classes' own values: cuts that lose least, then local search.

References
----------
LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006), for the cuts.
Cao, Karras, Kalnis, Tan: SABRE (VLDB Journal 2011), for sides with shares of each sensitive value.
Xu, Wang, Pei, Wang, Shi, Fu: Utility-Based Anonymization Using Local Recoding (KDD 2006), for the loss that chooses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.kernels.summaries import Measure, cut_parts
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.longer import search_longer
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.nearest import nearby
from kanon_sql.solvers.summaries.partition import SummaryPartition, joined
from kanon_sql.solvers.summaries.search import divided, planned, search
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable

_MOST_PIECES = 2_000
"""About as many pieces as a table is split into."""

_LEAST_ROWS = 2
"""Rows of a row type, on average, from which a table is split."""


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
            f"{how_many(broken, 'class', 'classes')} from the solver 'mondrian' "
            f"{'breaks' if broken == 1 else 'break'} the guarantee; nothing was released"
        )
    return best


def cut(table: CodedTable, measure: Measure, requirement: ClassRequirement, budget: Budget) -> tuple[Int64, Int64]:
    """Return the row types in the order of the parts that no cut improves, and the part of each, int64 [t].

    A part is cut between two codes of a column, or one value of a set or plain column is separated; similar row types are
    near each other in the order.

    Notes
    -----
    O(m^2 t) a level of cuts; memory O(t + all codes). When the budget ends, the parts that there are stay.
    """
    member = np.arange(table.row_types)
    starts = np.zeros(table.row_types, np.uint8)
    parts = np.array([[0, table.row_types]])
    while len(parts) and not budget.over():
        parts = cut_parts(table.codes, table.weight, measure, requirement.encoded, requirement.group, member, parts, starts)
        budget.report("cuts", 1 - int((parts[:, 1] - parts[:, 0]).sum()) / table.row_types)
    return member, np.cumsum(starts, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTable:
    """A table whose row types are split: classes that need some of each sensitive value take a part of a row type."""

    table: CodedTable  # a row type for each piece
    whole: Int64  # [pieces]: the row type of the table that each piece is of

    @classmethod
    def of(cls, table: CodedTable) -> SplitTable | None:
        """Split the row types of a table into pieces of about equal size; None if it has many, or few rows of each."""
        if table.row_types >= _MOST_PIECES or table.rows < _LEAST_ROWS * table.row_types:
            return None
        most = -(-table.rows // _MOST_PIECES)
        pieces = -(-table.weight // most)
        whole = np.repeat(np.arange(table.row_types), pieces)
        weight = np.full(len(whole), most, np.int64)
        weight[np.cumsum(pieces) - pieces] -= pieces * most - table.weight
        sensitive = tuple(replace(each, codes=np.ascontiguousarray(each.codes[whole])) for each in table.sensitive)
        return cls(table=replace(table.of_row_types(whole, weight), sensitive=sensitive), whole=whole)

    def joined(self, partition: SummaryPartition) -> SummaryPartition:
        """Return a partition of the pieces as one of the row types."""
        row_type = self.whole[partition.row_type].astype(np.int32)
        found = joined(row_type, partition.number, partition.count)
        return replace(partition, row_type=found.row_type, number=found.number, count=found.count)
