"""`optimal`: the integer program over row types and pattern instances, taken apart into components.

The way there: list every instance that a cheapest release may need; prices give a bound, and the search of `refine` a
release; instances that prices prove useless are dropped; what is left falls apart into components, each solved for itself.

References
----------
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), section 2.2.
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), section 4.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.classes import put_all
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.ilp import BOUND, INFEASIBLE, Assignment, Effort, Program, solve_program
from kanon_sql.solvers.instances.listing import Instances, useful
from kanon_sql.solvers.instances.neighbourhood import Neighbourhood
from kanon_sql.solvers.instances.repair import repair
from kanon_sql.solvers.instances.search_space import RowSearchSpace
from kanon_sql.solvers.k_anonymity import greedy, refine
from kanon_sql.solvers.k_anonymity.lagrangian import METHOD, Relaxation, evaluated, relax
from kanon_sql.solvers.k_anonymity.neighbourhoods import ROUNDS
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding

_MOST_MEMBERS = 1 << 25
"""Members of all instances that are listed for an exact solution."""

_MOST_EDGES = 1 << 21
"""Members of the instances that are left, beyond which no integer program is built."""

_FIRST_SLICE = 2.0
"""Seconds after which a program is first interrupted, to look around; each further attempt may take twice as long."""


_WHOLE, _QUICK = Effort(pairs=300_000), Effort(pairs=5_000, nodes=5)
"""To the end; and what takes a second or two at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """The best assignment of a component, if any, and a lower bound on its cost."""

    part: Neighbourhood
    assignment: Assignment | None
    bound: int


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a k-anonymous recoding of least cost, or the best found in time, with a proven bound.

    Parameters
    ----------
    budget : Budget
        Time left. Without a limit, components that are small enough are solved to the end.

    Raises
    ------
    InfeasibleError
        When some rows fit no permitted pattern with k - 1 others.

    Notes
    -----
    Exponential in the size of the largest component in the worst case. Tables whose instances are too many to list are
    left to `refine`, and the recoding says so.
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    complete = useful(table, patterns, k, slack=None, limit=_MOST_MEMBERS) if patterns.listed else None
    if complete is None:
        found = refine.solve(problem, budget)
        return replace(found, remark=found.remark or "there are too many instances for an exact solution: refine")
    start = greedy.solve(problem, budget)
    relaxed = relax(table, complete, k, start.cost(table), budget)
    best = replace(start, lower_bound=relaxed.bound, bound=METHOD, prices=relaxed.prices)
    if start.cost(table) > relaxed.bound and not budget.over():
        found = refine.searched(problem, start, relaxed, budget, ROUNDS)
        best = replace(best, row_type=found.row_type, shown=found.shown, count=found.count)
    for free_for_all in (True, False):
        if best.cost(table) > best.lower_bound and not budget.over():
            best = _by_components(problem, complete, relaxed, best, budget, free_for_all=free_for_all, effort=_WHOLE)
    return best


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
    if best is None or best.prices is None:
        return best or solve(problem, budget)
    table, k = problem.table, problem.k
    complete = useful(table, problem.patterns, k, slack=None, limit=_MOST_EDGES)
    if complete is None:
        return best
    relaxed = evaluated(table, complete, k, best.prices)
    for free_for_all in (True, False):
        if not best.optimal(table) and not budget.over():
            best = _by_components(problem, complete, relaxed, best, budget, free_for_all=free_for_all, effort=_QUICK)
    return best


def _by_components(
    problem: Problem,
    complete: Instances,
    relaxed: Relaxation,
    best: Recoding,
    budget: Budget,
    *,
    free_for_all: bool,
    effort: Effort,
) -> Recoding:
    """Solve each component; with ``free_for_all`` the instance of all rows may also hold fewer than k, which is a relaxation.

    An instance without which k rows could not be placed is open in any case, so it connects nothing.
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    upper = best.cost(table)
    # Opening an instance that loses raises the bound by its loss: beyond the best release, no cheaper one opens it.
    needed = relaxed.surplus >= 0
    needed |= relaxed.value - relaxed.surplus <= (upper - 1) * relaxed.prices.scale
    kept = complete.take(np.flatnonzero(needed))
    if len(kept.member) > _MOST_EDGES:
        return replace(best, remark="the integer program is too large: refine")
    space = RowSearchSpace.of(table, patterns, k, kept, relaxed.prices)
    free = _forced(table, kept, k)
    if free_for_all:
        free |= np.diff(kept.start) == table.row_types
    partition = space.empty()
    np.asarray(partition.rows)[free] = 1
    component = _components(kept, free)
    parts = []
    for number in np.unique(component).tolist():
        members = np.flatnonzero(component == number)
        parts.append(Neighbourhood.of(space, partition, members, table.weight[members]))
    parts.sort(key=lambda part: len(part.program.group))
    shares = [number / len(parts) for number in range(len(parts))]
    with ThreadPoolExecutor(max_workers=2) as threads:
        solved = partial(_solved, budget=budget, upper=upper, lower=best.lower_bound, effort=effort)
        answers = list(threads.map(solved, parts, shares))
    bound = max(best.lower_bound, min(sum(answer.bound for answer in answers), upper))
    method = BOUND if bound > best.lower_bound else best.bound
    if all(answer.assignment is not None for answer in answers):
        np.asarray(partition.rows)[free] = 0
        for answer in answers:
            if answer.assignment is not None:
                placement = answer.part.placed(answer.assignment)
                put_all(partition, placement.row_type, placement.number, placement.count)
        found = repair(table, patterns, k, space.partial(partition), budget).recoding()
        if found.cost(table) < upper:
            best = replace(best, row_type=found.row_type, shown=found.shown, count=found.count)
    return replace(best, lower_bound=bound, bound=method)


def _forced(table: CodedTable, instances: Instances, k: int) -> NDArray[np.bool_]:
    """Return the instances that are the only one for k rows or more."""
    choices = np.bincount(instances.member, minlength=table.row_types)
    only = choices[instances.member] == 1
    rows = np.bincount(instances.owner()[only], weights=table.weight[instances.member[only]], minlength=len(instances))
    return rows >= k


def _components(instances: Instances, free: NDArray[np.bool_]) -> Int64:
    """Return the component of each row type, int64 [t]: row types are connected by the instances that are not free."""
    import rustworkx

    owner = instances.owner()
    types, linked = len(instances.price_limit), ~free[owner]
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(types + len(instances)))
    edges = zip(instances.member[linked].tolist(), (types + owner[linked]).tolist(), strict=True)
    graph.extend_from_edge_list(list(edges))
    component = np.empty(types + len(instances), np.int64)
    for number, nodes in enumerate(rustworkx.connected_components(graph)):
        component[list(nodes)] = number
    return component[:types]


def _solved(part: Neighbourhood, share: float, *, budget: Budget, upper: int, lower: int, effort: Effort) -> _Answer:
    """Solve one component, interrupted now and then to hear whether to go on."""
    program = part.program
    least = _cheapest(program)
    if not len(program.group) or least == INFEASIBLE:
        return _Answer(part=part, assignment=_everyone_elsewhere(program), bound=least)
    if len(program.group) > effort.pairs:
        return _Answer(part=part, assignment=None, bound=least)
    seconds = _FIRST_SLICE if effort.nodes is None else inf
    while True:
        budget.report("integer programs", share, upper, lower)
        if budget.over():
            return _Answer(part=part, assignment=None, bound=least)
        outcome = solve_program(program, seconds=min(seconds, budget.left()), nodes=effort.nodes)
        least = max(least, outcome.bound)
        # Without the instances that were dropped there may be no solution: then the best release is the cheapest.
        if budget.over() or effort.nodes or outcome.bound == INFEASIBLE or outcome.proven:
            return _Answer(part=part, assignment=outcome.assignment, bound=least)
        seconds *= 2


def _cheapest(program: Program) -> int:
    """Return what the rows cost if each has its cheapest instance; `INFEASIBLE` if one has none."""
    cost = np.where(program.other >= 0, program.other, INFEASIBLE)
    np.minimum.at(cost, program.group, program.cost[program.instance])
    return INFEASIBLE if (cost == INFEASIBLE).any() else int(cost @ program.rows)


def _everyone_elsewhere(program: Program) -> Assignment | None:
    if (program.other < 0).any():
        return None
    return Assignment(count=np.zeros(0, np.int64), elsewhere=program.rows, cost=int(program.other @ program.rows))
