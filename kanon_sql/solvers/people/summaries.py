"""Ranges and sets where people are counted: the rows that stand for one add up, so the solver of summaries can count them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.people.people_requirement import least_people, person_of
from kanon_sql.solvers.people.representatives import Represented
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries import mondrian
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.nearest import person_distance
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable


def solve(
    table: CodedTable, kinds: Sequence[str], null: Int32, requirement: ClassRequirement, budget: Budget
) -> SummaryPartition:
    """Return a partition into classes that hold rows of k people, as `kanon_sql.solvers.summaries.mondrian.solve`.

    Parameters
    ----------
    requirement : ClassRequirement
        It counts people, who are one of the sensitive attributes of the table.

    Raises
    ------
    AuditError
        When a class does not keep its requirement.

    Notes
    -----
    What `mondrian` takes for the table of representatives, and once more O(t^2) for the bound.
    """
    represented = Represented.of(replace(requirement, table=table))
    found = mondrian.solve(represented.table, kinds, null, represented.requirement(requirement), budget)
    row_type, piece, count = represented.behind(found.row_type, found.count)
    classes = int(found.number.max()) + 1
    key, place = np.unique(row_type * np.int64(classes) + found.number[piece], return_inverse=True)
    rows = np.zeros(len(key), np.int64)
    np.add.at(rows, place, count)
    whole = replace(found, row_type=(key // classes).astype(np.int32), number=key % classes, count=rows)
    broken = int((~requirement.holds(whole.number, whole.row_type, whole.count)).sum())
    if broken:
        raise AuditError(
            f"{how_many(broken, 'class', 'classes')} of the solver 'mondrian' "
            f"{'breaks' if broken == 1 else 'break'} the guarantee; nothing was released"
        )
    if budget.over():
        return whole
    measure, scale = measured(table, kinds, null)
    bound, method = person_distance(table, measure, scale, least_people(requirement), person_of(requirement))
    return replace(whole, lower_bound=bound, bound=method) if bound > whole.lower_bound else whole
