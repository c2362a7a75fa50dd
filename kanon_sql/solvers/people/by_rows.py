"""Start from the release that counts rows, and merge the classes whose rows are of too few people.

If the rows of a person seldom look alike, nearly all classes of k rows have rows of k people. Where people are counted, the
bound that the prices of rows prove counts no instance without rows of k people: it gains nothing.

References
----------
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), section 4 (the integer program).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import KAnonymity
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import Instances, gaining, of_classes
from kanon_sql.solvers.instances.partition import Classes, released
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.people.people_requirement import enough_people, least_people, of_values, persons
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import SENSITIVE_SOLVERS, SOLVERS, Solver
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.merging import merged
from kanon_sql.solvers.summaries.partition import SummaryPartition, shown_columns
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import alike
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices, Recoding

_FOR_A_BOUND = 1.0
"""Seconds for the bound that counts people, even after the time limit."""

METHOD = "Lagrangian relaxation, counting people"

_MEMBERS = 1 << 26
"""Most QI groups in all instances that gain something; with more, the bound that counts rows stays."""

_ITEMS = 1 << 22
"""Most row types whose people are counted at once."""


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


def proven(requirement: ClassRequirement, patterns: PatternSet, prices: Prices, budget: Budget) -> int | None:
    """Return the lower bound that prices prove, in units of the table; None if there are too many instances or no time is left.

    Parameters
    ----------
    requirement : ClassRequirement
        What every class must meet, with its table: t row types, of which those of a QI group stand next to each other.
    patterns : PatternSet
        The permitted patterns, listed.
    prices : Prices
        Those of row types of one QI group are equal.

    Notes
    -----
    An instance counts if it has rows of k people and no other instance can take all of its rows, because merged classes keep
    their people. Its gain is bounded by that of its best rows, even if these belong to fewer than k people. O(members of the
    instances that gain something), and a sort of their row types.
    """
    table = requirement.table
    groups, first = table.without_sensitive()
    price, least = prices.price[first], requirement.least
    listed = gaining(groups, patterns, least, most=price, scale=prices.scale, limit=_MEMBERS, budget=budget)
    if listed is None:
        return None
    kept = _of_people(requirement, listed, first, budget)
    if kept is None:
        return None
    listed = listed.take(kept)
    listed = listed.take(np.flatnonzero(~_replaceable(groups, patterns, listed)))
    return -(-(int(prices.price @ table.weight) - _gained(groups, listed, price, prices.scale, least)) // prices.scale)


def _gained(groups: CodedTable, listed: Instances, price: Int64, scale: int, least: int) -> int:
    """Return what all instances gain, each with its best rows."""
    from kanon_sql.kernels.instances import instance_gains

    found: Int64 = instance_gains(
        listed.start, listed.member, listed.cost * scale, groups.weight, price, least, (0, len(listed))
    )
    return sum(found[found > 0].tolist())


def _of_people(requirement: ClassRequirement, listed: Instances, first: Int64, budget: Budget) -> Int64 | None:
    """Return the instances that have rows of enough people, by their numbers; None if time ends."""
    held = np.diff(first, append=requirement.table.row_types)
    items = np.append(0, np.cumsum(held[listed.member]))[listed.start]
    ends = np.unique(np.append(np.searchsorted(items, np.arange(_ITEMS, items[-1], _ITEMS)), len(listed))).tolist()
    enough = [np.zeros(0, np.bool_)]
    for low, high in zip([0, *ends[:-1]], ends, strict=True):
        budget.report("people", low / max(1, len(listed)))
        if low and budget.over():
            return None
        member = listed.member[listed.start[low] : listed.start[high]]
        size = held[member]
        number = np.repeat(np.repeat(np.arange(high - low), np.diff(listed.start[low : high + 1])), size)
        within = np.arange(len(number)) - np.repeat(np.cumsum(size) - size, size)
        row_type = (np.repeat(first[member], size) + within).astype(np.int32)
        enough.append(enough_people(requirement, number, row_type))
    return np.flatnonzero(np.concatenate(enough))


def _replaceable(groups: CodedTable, patterns: PatternSet, listed: Instances) -> NDArray[np.bool_]:
    """Return which instances could move as a whole to another one: cheaper, or as cheap and larger, or listed before it.

    Instances of the same rows agree in the same columns, and so do no others that share a row with them.
    """
    agreed = _agreed(groups, listed)
    closures, number = np.unique(agreed, return_inverse=True)
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=len(closures))).tolist()
    found = np.zeros(len(listed), np.bool_)
    for closure, low, high in zip(closures, [0, *ends], ends, strict=False):
        own = order[low:high]
        fits = np.flatnonzero(patterns.shown & ~closure == 0)  # ascending by their cost
        cheapest = fits[patterns.cost[fits] == patterns.cost[fits[0]]].astype(np.int32)
        found[own] = listed.cost[own] > patterns.cost[fits[0]]
        tied = own[~found[own]]
        if len(cheapest) > 1 and len(tied):
            found[tied] = _outgrown(groups, patterns, listed, tied, cheapest)
    kept = np.flatnonzero(~found)
    least = np.minimum.reduceat(listed.member, listed.start[:-1])[kept] if len(listed) else kept
    _, first = np.unique(np.stack([number[kept], least]), axis=1, return_index=True)
    found[np.delete(kept, first)] = True
    return found


def _agreed(groups: CodedTable, listed: Instances) -> Words:
    """Return the columns in which the row types of each instance agree, uint64 [j]."""
    found = np.zeros(len(listed), np.uint64)
    if len(listed):
        for column in range(groups.codes.shape[1]):
            code = groups.codes[listed.member, column]
            start = listed.start[:-1]
            same = np.minimum.reduceat(code, start) == np.maximum.reduceat(code, start)
            found |= same.astype(np.uint64) << np.uint64(column)
    return found


def _outgrown(groups: CodedTable, patterns: PatternSet, listed: Instances, tied: Int64, cheapest: Int32) -> NDArray[np.bool_]:
    """Return which of some instances have fewer row types than one as cheap."""
    sample, size = listed.member[listed.start[tied]], np.diff(listed.start)[tied]
    found = np.zeros(len(tied), np.bool_)
    for pattern in cheapest.tolist():
        given = np.full(len(tied), pattern, np.int32), sample
        found |= np.diff(of_classes(groups, patterns, *given, listed.price_limit).start) > size
    return found
