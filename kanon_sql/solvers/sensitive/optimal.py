"""`optimal` for sensitive requirements: the integer program over row types and pattern instances.

The way there: list every instance that a cheapest release may need and that can hold a class at all; prices give a bound,
and the search of `refine` a release; instances that prices prove useless are dropped. If the class that shows nothing is let
off the requirement, what is left may fall apart into components, each solved for itself: a bound, and the optimum where that
class meets the requirement anyway. Where it does not, one program decides.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.ilp import BOUND, Effort
from kanon_sql.solvers.instances.listing import Instances, useful
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.k_anonymity.lagrangian import METHOD, Relaxation, relax
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive import refine
from kanon_sql.solvers.sensitive.greedy import refuse_impossible
from kanon_sql.solvers.sensitive.program_components import QUICK, WHOLE, Answered, answered, components_of
from kanon_sql.solvers.sensitive.support import able
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices, Recoding, row_cost

_RELAXED = f"{METHOD}, over the masks that can hold a class"
"""More than prices alone prove: instances of which no rows keep every requirement are left out."""

_MOST_MEMBERS, _FEW_MEMBERS = 1 << 24, 1 << 21
"""Members of all instances that are listed for an exact solution, and for a quick one."""

_SHARE = 0.15
"""Share of the time for the release to start from."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a recoding of least cost whose classes meet the requirement, or the best found in time, with a proven bound.

    Parameters
    ----------
    problem : Problem
        t row types, m columns; the whole table meets the requirement.
    budget : Budget
        Time left. Without a limit, programs that are small enough are solved to the end.

    Raises
    ------
    InfeasibleError
        When there is no such recoding.

    Notes
    -----
    Exponential in the size of the largest component in the worst case. Tables whose instances are too many to list are
    left to `refine`, and the recoding says so.
    """
    refuse_impossible(problem)
    table, patterns, requirement = problem.table, problem.patterns, problem.requirement
    listed = useful(table, patterns, requirement.least, slack=None, limit=_MOST_MEMBERS) if patterns.listed else None
    if listed is None:
        found = refine.solve(problem, budget)
        return replace(found, remark=found.remark or "there are too many instances for an exact solution: refine")
    complete = listed.take(np.flatnonzero(able(requirement, listed)))
    if lost := int(table.weight[~np.isin(np.arange(table.row_types), complete.member)].sum()):
        raise InfeasibleError(
            f"{how_many(lost, 'row does', 'rows do')} not fit into any class that meets the guarantee under a permitted mask; "
            "hint: permit masks that show less, or the mask (), which suppresses everything"
        )
    best = _proven(problem, complete, _start(problem, budget), budget, WHOLE)
    if best.recoding is None:
        late = " within the time limit" if best.cost > best.bound else ""
        raise InfeasibleError(
            f"no release of the {table.rows} rows under the given masks meets every guarantee{late}; hint: permit "
            "masks that show less, or the mask (), which suppresses everything"
        )
    return best.released(best.recoding)


def takes(problem: Problem) -> bool:
    """Return whether the patterns are listed, so that instances can be."""
    return problem.patterns.listed


def close_gap(problem: Problem, best: Recoding | None, budget: Budget) -> Recoding:
    """Return a release of least cost where small programs find it; else ``best``, perhaps with a higher bound.

    Raises
    ------
    InfeasibleError
        When there is no release.
    """
    if best is None:
        return solve(problem, budget)
    table, requirement = problem.table, problem.requirement
    listed = useful(table, problem.patterns, requirement.least, slack=None, limit=_FEW_MEMBERS)
    if listed is None:
        return best
    complete = listed.take(np.flatnonzero(able(requirement, listed)))
    found = _proven(problem, complete, _Best.of(best, table), budget, QUICK)
    return found.released(found.recoding or best)


def _proven(problem: Problem, complete: Instances, best: _Best, budget: Budget, effort: Effort) -> _Best:
    """Return what prices of the instances prove, and then integer programs."""
    relaxed = relax(problem.table, complete, problem.requirement.least, best.cost, budget)
    best = best.at_least(relaxed.bound, _RELAXED)
    solved = True
    for free_for_all in (True, False):  # without it, programs are larger: a quick search that did not end asks for no more
        if best.cost > best.bound and not budget.over() and (solved or effort.nodes is None):
            best, solved = _by_components(problem, complete, relaxed, best, budget, free_for_all=free_for_all, effort=effort)
    return best


@dataclass(frozen=True, slots=True, kw_only=True)
class _Best:
    """What is known: the best recoding, if any, its cost (without one, more than any costs), and a bound with its evidence."""

    recoding: Recoding | None
    cost: int
    bound: int
    method: str
    prices: Prices | None = None

    @classmethod
    def of(cls, recoding: Recoding, table: CodedTable) -> _Best:
        """Return what a recoding says."""
        return cls(
            recoding=recoding,
            cost=recoding.cost(table),
            bound=recoding.lower_bound,
            method=recoding.bound,
            prices=recoding.prices,
        )

    def released(self, recoding: Recoding) -> Recoding:
        """Return a recoding with what is known."""
        return replace(recoding, lower_bound=self.bound, bound=self.method, prices=self.prices)

    def at_least(self, bound: int, method: str) -> _Best:
        """Return the same with another lower bound, if that is better."""
        return self if bound <= self.bound else replace(self, bound=min(bound, self.cost), method=method, prices=None)


def _start(problem: Problem, budget: Budget) -> _Best:
    table, patterns = problem.table, problem.patterns
    if budget.seconds is not None:
        budget = replace(budget, seconds=_SHARE * budget.seconds)
    try:
        found = refine.solve(problem, budget)
    except InfeasibleError:  # it does not find every release, and the program may
        return _Best(recoding=None, cost=table.rows * int(patterns.cost[-1]) + 1, bound=0, method="trivial")
    return _Best.of(found, table)


def _by_components(
    problem: Problem,
    complete: Instances,
    relaxed: Relaxation,
    best: _Best,
    budget: Budget,
    *,
    free_for_all: bool,
    effort: Effort,
) -> tuple[_Best, bool]:
    """Solve each component; with ``free_for_all`` the class that shows nothing may hold any rows, which is a relaxation.

    Returns
    -------
    best : _Best
        What is known then.
    solved : bool
        Whether the programs were solved to the end.
    """
    table, patterns, requirement = problem.table, problem.patterns, problem.requirement
    # Opening an instance that loses raises the bound by its loss: beyond the best release, no cheaper one opens it.
    needed = relaxed.surplus >= 0
    needed |= relaxed.value - relaxed.surplus <= (best.cost - 1) * relaxed.prices.scale
    kept = complete.take(np.flatnonzero(needed))
    everyone = np.flatnonzero(np.diff(kept.start) == table.row_types)
    fallback = int(everyone[0]) if free_for_all and len(everyone) else -1
    if free_for_all and fallback < 0:
        return best, True
    answers = answered(components_of(requirement, kept, fallback), best.cost, best.bound, budget, effort)
    found = _recoding(table, patterns, kept, answers, best.recoding)
    # Without the instances that were dropped there may be no solution: then nothing is cheaper than the best release.
    best = best.at_least(sum(answer.bound for answer in answers), BOUND)
    if found is not None and found.cost(table) < best.cost and _all_meet(requirement, found):
        best = replace(best, recoding=found, cost=found.cost(table))
    return best, all(answer.solved for answer in answers)


def _all_meet(requirement: ClassRequirement, recoding: Recoding) -> bool:
    """Return whether all classes of a recoding meet the requirement, exactly."""
    number = PartialRecoding.of(recoding).classes(requirement.table)
    return bool(requirement.holds(number, recoding.row_type, recoding.count).all())


def _recoding(
    table: CodedTable, patterns: PatternSet, kept: Instances, answers: list[Answered], known: Recoding | None
) -> Recoding | None:
    """Return the answers to all components as a recoding, or ``known`` where that is cheaper; None if one has neither."""
    nothing = np.empty(0, np.int32)
    if known is None:
        known = Recoding(row_type=nothing, shown=nothing.astype(np.uint64), count=nothing.astype(np.int64))
    cost = row_cost(known.shown, table.cost) * known.count
    parts: list[tuple[Int32, Words, Int64]] = []
    for answer in answers:
        inside = np.isin(known.row_type, answer.part.rows.row_type)
        if answer.assignment is not None and (not inside.any() or answer.assignment.cost <= int(cost[inside].sum())):
            placed = answer.part.rows.placed(answer.assignment)
            parts.append((placed.row_type, patterns.shown[kept.pattern[placed.number]], placed.count))
        elif inside.any():
            parts.append((known.row_type[inside], known.shown[inside], known.count[inside]))
        else:
            return None
    row_type, shown, count = (np.concatenate(each) for each in zip(*parts, strict=True))
    return PartialRecoding(row_type=row_type, shown=shown, count=count, placed=np.ones(len(count), np.bool_)).recoding()
