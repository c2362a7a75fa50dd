"""`refine`: prices for rows, a greedy guided by them, local search, and large neighbourhoods with the integer program.

References
----------
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), section 4 (the integer program).
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), section 2.2 (the same over patterns).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import deepest
from kanon_sql.solvers.instances.repair import PartialRecoding, repair
from kanon_sql.solvers.instances.search_space import RowSearchSpace, as_partition, tightened
from kanon_sql.solvers.k_anonymity import greedy
from kanon_sql.solvers.k_anonymity.destroy_repair import local_search
from kanon_sql.solvers.k_anonymity.guided_opening import guided
from kanon_sql.solvers.k_anonymity.lagrangian import METHOD, Relaxation, raised, relax
from kanon_sql.solvers.k_anonymity.listed_greedy import are_many
from kanon_sql.solvers.k_anonymity.neighbourhoods import ROUNDS, improve
from kanon_sql.solvers.k_anonymity.priced_listing import leading, pays_off, relax_by_price
from kanon_sql.solvers.k_anonymity.shift import shift
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.threads import background
from kanon_sql.table.recoding import Recoding

_LOSS = 0.1
"""Cells for each of k rows that a class may lose at the prices before its instance is left out of the search."""

_FEW_ROWS = 5
"""Smaller classes may lose as much as one of so many rows."""

_SMALL = 2_000
"""Row types of a table in which large neighbourhoods gain something even while the local search still does."""

_RAISED = 50_000
"""Row types below which the bound is raised during the search, which uses one core: more take both."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a k-anonymous recoding that is never more expensive than the greedy's, with a proven bound.

    Parameters
    ----------
    budget : Budget
        Time left; without a limit the search ends after a fixed number of steps.

    Returns
    -------
    Recoding
        With prices that prove its bound; where the patterns or the row types are too many for that, the greedy's.

    Notes
    -----
    O(p t m) to list the instances, in practice far less; memory 8 bytes for each row type of each instance listed.
    """
    return _refined(problem, budget, search=True)


def priced(problem: Problem, budget: Budget) -> Recoding:
    """Return the greedy's recoding with the prices and the bound of `solve`: a start for solvers that need no search."""
    return _refined(problem, budget, search=False)


def _refined(problem: Problem, budget: Budget, *, search: bool) -> Recoding:
    table, patterns, k = problem.table, problem.patterns, problem.k
    if not patterns.listed:
        starts = greedy.unlisted(problem, budget)
        best = min(starts, key=lambda each: each.cost(table))
        if search and best.cost(table) and not budget.over():
            from kanon_sql.solvers.summaries.suppression import improve as improve_unlisted  # loaded only for wide tables

            best = min(best, improve_unlisted(problem, starts[0], starts[-1], budget), key=lambda each: each.cost(table))
        return replace(best, remark="there are too many masks to list: greedy on sampled masks, and local search")
    many, by_price = are_many(table, patterns), pays_off(table, patterns, budget)
    instances = deepest(table, patterns, k, budget) if many and not by_price else None
    start = greedy.solve(problem, budget) if instances is None else greedy.in_order(problem, budget, instances)
    relaxed = relax_by_price(table, patterns, k, start, budget) if by_price else None
    if relaxed is None and (by_price or not many):
        instances = deepest(table, patterns, k, budget)
    if instances is not None:
        relaxed = relax(table, instances, k, start.cost(table), budget)
    if relaxed is None:
        shifted = shift(table, patterns, k, PartialRecoding.of(start), budget).recoding()
        reason = f"{table.row_types:,} row types under {len(patterns.shown):,} masks are too many"
        return replace(shifted, remark=f"{'the time was short' if budget.over() else reason} for prices: greedy and shift")
    best = start
    if search and start.cost(table) > relaxed.bound and not budget.over():
        lead = leading(table, patterns, k, relaxed, budget) if by_price else relaxed
        if _SMALL < table.row_types < _RAISED:
            best, relaxed = _searched_and_raised(problem, start, lead, relaxed, budget)
        else:
            relaxed = lead  # what else is listed takes memory
            best = searched(problem, start, lead, budget, _rounds(budget))
    return replace(best, lower_bound=relaxed.bound, bound=METHOD, prices=relaxed.prices)


def _rounds(budget: Budget) -> int | None:
    """Return how many neighbourhoods are rebuilt at most, None with a time limit."""
    return budget.steps(ROUNDS) if budget.seconds is None else None


def _searched_and_raised(
    problem: Problem, start: Recoding, lead: Relaxation, relaxed: Relaxation, budget: Budget
) -> tuple[Recoding, Relaxation]:
    """Return the best recoding found, and prices that prove more, which take their steps on another core.

    The search follows the first prices: better ones led it to more expensive releases.
    """
    upper = start.cost(problem.table)

    def more(ended: Callable[[], bool]) -> Relaxation:
        return raised(problem.table, relaxed, problem.k, upper, budget.alongside(ended))

    with background(more, at_once=True) as proven:
        best = searched(problem, start, lead, budget, _rounds(budget))
        cost = best.cost(problem.table)
        found = proven(lambda: budget.report("prices", 0.0, cost, relaxed.bound))
    return best, max(relaxed, found, key=lambda each: each.bound)


def searched(
    problem: Problem,
    start: Recoding,
    relaxed: Relaxation,
    budget: Budget,
    rounds: int | None,
) -> Recoding:
    """Return the best recoding found from a start: opening by price, local search, large neighbourhoods.

    Without ``rounds``, which limit the neighbourhoods, both searches go on until the time is over.
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    loss = _LOSS * max(k, _FEW_ROWS) * int(table.cost.max()) * relaxed.prices.scale
    kept = relaxed.instances.take(np.flatnonzero(relaxed.surplus >= -loss))
    space = RowSearchSpace.of(table, patterns, k, kept, relaxed.prices)
    found = guided(space, budget)
    best = tightened(table, patterns, k, min(start, found, key=lambda each: each.cost(table)))
    space, partition = as_partition(space, best, relaxed.prices)
    idle = local_search(space, partition, relaxed.bound, budget, endless=rounds is None)
    if table.row_types <= _SMALL or (idle and rounds is None):
        improve(space, partition, relaxed.bound, budget, rounds)
    found = repair(table, patterns, k, space.partial(partition), budget).recoding()
    return min(best, found, key=lambda each: each.cost(table))
