"""Ranges and sets where people are counted: classes of rows, merged where they are of too few people.

Where that loses much, the rows that stand for one person each are counted, too: they add up, so the solver of summaries can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.people import distinct
from kanon_sql.solvers.people.by_rows import WithoutPeople
from kanon_sql.solvers.people.people_requirement import least_people, person_of
from kanon_sql.solvers.people.representatives import Represented
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries import mondrian
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.merging import merged
from kanon_sql.solvers.summaries.nearest import person_distance
from kanon_sql.solvers.summaries.partition import SummaryPartition, joined
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable

_NEARLY = Fraction(21, 20)
"""How much more than the classes of rows those of people may cost so that no others are tried."""


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
    What `mondrian` takes for rows, and where that is not enough for the table of representatives; once more O(t^2) for the
    bound.
    """
    requested = replace(requirement, table=table)
    whole, least = _by_rows(table, kinds, null, requested, budget.half().of_rows())
    cost = whole.cost(table, kinds, null)
    if cost > _NEARLY * least and not budget.over():
        other = _represented(kinds, null, requested, budget.of_rows())
        if other.cost(table, kinds, null) < cost:
            whole = replace(other, lower_bound=whole.lower_bound, bound=whole.bound)
    whole = mondrian.checked(improved(table, kinds, null, requested, whole, budget), requirement)
    if budget.over():
        return whole
    measure, scale = measured(table, kinds, null)
    bound, method = person_distance(table, measure, scale, least_people(requirement), person_of(requirement))
    return replace(whole, lower_bound=bound, bound=method) if bound > whole.lower_bound else whole


def improved(
    table: CodedTable,
    kinds: Sequence[str],
    null: Int32,
    requirement: ClassRequirement,
    start: SummaryPartition,
    budget: Budget,
) -> SummaryPartition:
    """Return what a local search makes of a partition with classes of enough people, as `mondrian.improved`.

    In larger tables the start is returned: the search counts the rows of each person in each class.
    """
    if not distinct.few(requirement):
        return start
    return mondrian.improved(table, kinds, null, distinct.counted(requirement), start, budget)


def _by_rows(
    table: CodedTable, kinds: Sequence[str], null: Int32, requirement: ClassRequirement, budget: Budget
) -> tuple[SummaryPartition, Fraction]:
    """Return classes of as many rows as required people, merged until they have as many people, and what the first cost.

    Rows prove a bound, too: k people have k rows.
    """
    alike = WithoutPeople.of(requirement)
    found = mondrian.solve(alike.table, kinds, null, alike.requirement(requirement), budget)
    row_type, piece, count = alike.behind(found.row_type, found.count)
    classes = joined(row_type, found.number[piece], count)
    whole = merged(table, kinds, null, requirement, classes, budget)
    return replace(whole, lower_bound=found.lower_bound, bound=found.bound), found.cost(alike.table, kinds, null)


def _represented(kinds: Sequence[str], null: Int32, requirement: ClassRequirement, budget: Budget) -> SummaryPartition:
    """Return classes with k rows that stand for a person each."""
    represented = Represented.of(requirement)
    found = mondrian.solve(represented.table, kinds, null, represented.requirement(requirement), budget)
    row_type, piece, count = represented.behind(found.row_type, found.count)
    return joined(row_type, found.number[piece], count)
