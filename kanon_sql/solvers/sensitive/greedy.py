"""`greedy` for sensitive requirements: cheapest pattern first, a class the largest part of its instance; or plain, or top down.

References
----------
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), Algorithm 1: the pass over the patterns.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.kernels.criteria import Part
from kanon_sql.kernels.instances import GroupingWorkspace
from kanon_sql.kernels.requirements import Greedy, split, take_pieces
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.sampled import sampled_patterns
from kanon_sql.solvers.instances.search_space import tightened
from kanon_sql.solvers.instances.sieve import sieve
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.sensitive.repair import repair
from kanon_sql.solvers.sensitive.search import Search, of_recoding, with_rest
from kanon_sql.solvers.sensitive.search_space import QIGroups, SensitiveSearchSpace
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Recoding

_WORK_PER_CALL = 1 << 22
"""Patterns times row types between two checks of the clock, well below a second."""

_MANY = 100_000
"""Row types beyond which rows no longer move from class to class at the end."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a recoding whose classes meet the requirement, without a guarantee on its cost.

    Parameters
    ----------
    budget : Budget
        Time left; when it ends, the rows not yet placed are placed at once.

    Raises
    ------
    InfeasibleError
        When no release meets the requirement, or none is found under the masks.

    Notes
    -----
    O(p (j t / 64 + m e + e log n)) with e eligible row types a pattern and j sets of columns counted beforehand, and O(m^2 t)
    for the splitting; memory O(j t / 8) bytes.
    """
    refuse_impossible(problem)
    table, patterns = problem.table, problem.patterns
    tried = patterns if patterns.listed else sampled_patterns(QIGroups.of(table).table)
    best = top_down(problem, budget)
    classes = len(tried.shown) * QIGroups.of(table).table.row_types
    for whole in (False, True):
        if budget.over() or not problem.requirement.in_time(budget, classes):
            break
        partial = cheapest_first(replace(problem, patterns=tried), budget, whole=whole)
        found = _repaired(problem, partial, budget)
        if found.cost(table) < best.cost(table):
            best = found
    if not patterns.listed or table.row_types > _MANY or budget.over():
        return best
    search = Search.of(SensitiveSearchSpace.nothing(problem), of_recoding(best), np.zeros(table.row_types))
    search.grow(budget)
    return min(best, search.recoding(budget), key=lambda recoding: recoding.cost(table))


def top_down(problem: Problem, budget: Budget) -> Recoding:
    """Return the release of classes that are split while every part meets the requirement."""
    refuse_impossible(problem)
    return _repaired(problem, _top_down(problem, budget), budget)


def refuse_impossible(problem: Problem) -> None:
    """Refuse a table that does not meet the requirement as one class: then no division of it does.

    Raises
    ------
    InfeasibleError
        With the counts that say why.
    """
    table, requirement = problem.table, problem.requirement
    if table.rows < requirement.least:
        raise InfeasibleError(
            f"the table has {how_many(table.rows, 'row')}, but a class that meets the guarantee needs at least "
            f"{requirement.least}; hint: weaken the guarantee"
        )
    everything = np.concatenate([each.count for each in table.sensitive])[None]
    if not requirement.met(everything).all():
        raise InfeasibleError(
            f"a single class of all {table.rows} rows breaks the guarantee, so every division into classes does too; "
            "hint: weaken the guarantee"
        )


def cheapest_first(problem: Problem, budget: Budget, *, whole: bool, left: Int64 | None = None) -> PartialRecoding:
    """Let each pattern in turn take the largest part of each instance that meets the requirement; the rest is unassigned.

    Parameters
    ----------
    whole : bool
        All of an instance or nothing.
    left : int64 array [t], optional
        The rows to take from; None is all of them.
    """
    table, patterns, requirement = problem.table, problem.patterns, problem.requirement
    groups = QIGroups.of(table)
    left = table.weight.copy() if left is None else left.copy()
    rows = np.add.reduceat(left, groups.first[:-1])
    sets, frequent = sieve(groups.table.codes, groups.table.cardinality, rows, requirement.least, len(patterns.shown))
    state = Greedy(
        Part(requirement.encoded, requirement.group_counter),
        GroupingWorkspace(codes=groups.table.codes, place=groups.place, sets=sets, frequent=frequent),
        groups.first,
        requirement.group,
        left,
    )
    step = min(256, max(1, _WORK_PER_CALL // table.row_types))
    for start in range(0, len(patterns.shown), step):
        take_pieces(state, patterns.shown, start, min(start + step, len(patterns.shown)), whole)
        unassigned = int(left.sum())
        budget.report("greedy", 1 - unassigned / table.rows)
        if unassigned < requirement.least or budget.over():
            break
    return with_rest(state.found(), patterns.shown, left)


def _top_down(problem: Problem, budget: Budget) -> PartialRecoding:
    """Split the table while every part meets the requirement; each part shows the permitted mask that fits it best."""
    table, patterns = problem.table, problem.patterns
    chosen = _columns_in_time(problem, budget)
    shown = np.zeros(table.row_types, np.uint64)
    if chosen:
        codes = np.ascontiguousarray(table.codes[:, chosen])
        found = split(problem.requirement.encoded, codes, table.weight, table.cost[chosen], table.cardinality[chosen])
        for place, column in enumerate(chosen):
            shown |= (found >> np.uint64(place) & np.uint64(1)) << np.uint64(column)
    partial = PartialRecoding.of_row_types(table, np.ones(table.row_types, np.bool_), shown)
    if not patterns.listed:
        return partial
    distinct, which = np.unique(shown, return_inverse=True)
    fitting = [np.flatnonzero((patterns.shown & ~each) == 0)[:1] for each in distinct]
    cheapest = np.array([patterns.shown[each[0]] if len(each) else 0 for each in fitting], np.uint64)
    placed = np.array([len(each) > 0 for each in fitting])
    return replace(partial, shown=cheapest[which], placed=placed[which])


def _columns_in_time(problem: Problem, budget: Budget) -> list[int]:
    """Return the columns by which the table is split: all, or those of few values if more classes than that take too long."""
    table, chosen = problem.table, list[int]()
    if not budget.limited or not problem.requirement.seconds:
        return list(range(len(table.columns)))
    for column in np.argsort(table.cardinality, kind="stable").tolist():
        classes = len(np.unique(table.codes[:, [*chosen, column]], axis=0))
        if not problem.requirement.in_time(budget, classes * (len(chosen) + 1)):
            break
        chosen.append(column)
    return sorted(chosen)


def _repaired(problem: Problem, partial: PartialRecoding, budget: Budget) -> Recoding:
    recoding = repair(problem, partial, budget).recoding()
    return tightened(problem.table, problem.patterns, problem.k, recoding)
