"""Start from the release that counts rows, and merge the classes whose rows are of too few people.

If the rows of a person seldom look alike, nearly all classes of k rows have rows of k people.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.model.requirements import KAnonymity
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.partition import Classes, released
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.people.people_requirement import least_people, of_values, persons
from kanon_sql.solvers.people.priced_bound import METHOD, proven
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import SENSITIVE_SOLVERS, SOLVERS, Solver
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.columns import shown_columns
from kanon_sql.solvers.summaries.merging import merged
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import Prices, Recoding

_FOR_A_BOUND = 1.0
"""Seconds for the bound that counts people, even after the time limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutPeople:
    """A table in which people are not distinguished."""

    table: CodedTable  # without the attribute that tells them apart
    number: Int64  # [t]: its row type for each row type of the whole table
    weight: Int64  # [t]: rows of the row types of the whole table

    @classmethod
    def of(cls, requirement: ClassRequirement) -> WithoutPeople:
        """Put row types together that differ in their person only; O(t m log t)."""
        table, about = requirement.table, persons(requirement)
        others = [each for each in table.sensitive if each is not about]
        columns = np.column_stack([*(each.codes for each in others), table.codes])  # the last count most
        number = alike(columns, columns.max(axis=0).astype(np.int64) + 1, np.zeros(columns.shape[1], np.bool_))
        _, sample, number = np.unique(number, return_index=True, return_inverse=True)
        whole = replace(
            table,
            codes=np.ascontiguousarray(table.codes[sample]),
            weight=np.bincount(number, table.weight).astype(np.int64),
            origin=table.origin[sample],
            sensitive=tuple(replace(each, codes=np.ascontiguousarray(each.codes[sample])) for each in others),
        )
        return cls(table=whole, number=number.astype(np.int64), weight=table.weight)

    def requirement(self, requested: ClassRequirement) -> ClassRequirement:
        """Return the requirements of rows: at least as many as people, and all else."""
        rows = KAnonymity(k=max(requested.k, least_people(requested)))
        return ClassRequirement.of(self.table, (rows, *of_values(requested)))

    def behind(self, row_type: Int32, count: Int64) -> tuple[Int32, Int64, Int64]:
        """Return the rows of the whole table behind pieces of this one: row type, piece and rows of each part."""
        by_number, by_piece = np.argsort(self.number, kind="stable"), np.argsort(row_type, kind="stable")
        ends = [np.cumsum(self.weight[by_number]), np.cumsum(count[by_piece])]
        end = np.unique(np.concatenate(ends))
        own, piece = (np.searchsorted(each, end) for each in ends)
        return by_number[own].astype(np.int32), by_piece[piece], np.diff(end, prepend=0)


def solve(problem: Problem, budget: Budget, solver: Solver) -> tuple[Recoding, int] | None:
    """Return a release whose classes hold rows of k people, and the cost of the one that counts rows; None where none is found.

    Parameters
    ----------
    problem : Problem
        Its requirement counts people.
    solver : Solver
        The solver of the same name that counts rows is used if there is one, else `refine`.

    Raises
    ------
    InfeasibleError
        When there is no release that counts rows.

    Notes
    -----
    The bound of the release that counts rows holds here too, because k people have at least k rows. If no sensitive values are
    restricted, its prices can prove more: instances without rows of k people gain nothing.
    """
    table = problem.table
    alike_people = WithoutPeople.of(problem.requirement)
    requirement = alike_people.requirement(problem.requirement)
    known = SENSITIVE_SOLVERS if requirement.requirements else SOLVERS
    chosen = known.get(solver.name, known["refine"])
    found = chosen.load()(replace(problem, table=alike_people.table, requirement=requirement), budget)
    row_type, piece, count = alike_people.behind(found.row_type, found.count)
    pieces = PartialRecoding(row_type=row_type, shown=found.shown[piece], count=count, placed=np.ones(len(count), np.bool_))
    seen = shown_columns(table, [c for c in range(len(table.columns)) if not table.hidden_levels >> c & 1])
    kinds, null = ["plain"] * len(seen.columns), np.full(len(seen.columns), -1, np.int32)
    partition = SummaryPartition(row_type=row_type, number=pieces.classes(table), count=count)
    whole = merged(seen, kinds, null, problem.requirement, partition, budget)
    classes = Classes(row_type=whole.row_type, count=whole.count, number=whole.number)
    recoding = released(table, problem.patterns, problem.k, classes, budget)
    number = PartialRecoding.of(recoding).classes(table)
    if not problem.requirement.holds(number, recoding.row_type, recoding.count).all():
        return None
    if found.prices is not None:
        prices = Prices(price=found.prices.price[alike_people.number], scale=found.prices.scale)
        recoding = replace(recoding, lower_bound=found.lower_bound, bound=found.bound, prices=prices)
    if found.prices is not None and not requirement.requirements:
        given = budget.at_least(_FOR_A_BOUND, budget.ended)
        counted = proven(problem.requirement, problem.patterns, prices, given) if problem.patterns.listed else None
        if counted is not None and counted >= found.lower_bound:
            recoding = replace(recoding, lower_bound=counted, bound=METHOD)
    remark = "starts from the release that counts rows; classes of too few people are merged"
    return replace(recoding, remark=remark), found.cost(alike_people.table)
