"""Releases whose classes by every set of known columns meet their requirement: the algorithm ``projections``.

The lower bound is computed on a thread of its own meanwhile. Small tables end with an exact program.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.all_columns_known import greatest_people
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, Requirement, by_all_or_known, least_rows
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.placing import placed
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Masks, named
from kanon_sql.solvers.projections.exact import improved
from kanon_sql.solvers.projections.partition_bound import proven_prices
from kanon_sql.solvers.projections.rows import Rows
from kanon_sql.solvers.projections.search import CASCADE, Search
from kanon_sql.solvers.projections.set_requirements import Sets, sets_of
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.threads import background
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding

_MOST_CLASSES = 200_000_000
"""Rows times sets up to which cells are hidden one by one; classes that take more than 1 GB end it.

100,000 x 60 for any 2 columns takes minutes, and loses 1.6 % of the cells: by all columns it is 60 %.
"""

_PER_SECOND = 20_000_000
"""Rows times sets that a cascade counts in a second, at least: with less time, it is not begun."""

_FEW_ROWS = 2_000
"""Rows up to which the release by all columns is searched thoroughly, too; of more rows, it is only greedy."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return the cheapest of the releases that are found, with what every row has to cost.

    Raises
    ------
    InfeasibleError
        When none is found.

    Notes
    -----
    What classes by all columns meet, their unions meet, too. So a release that meets everything by all columns is always one.
    """
    sets = sets_of(problem.requirement)
    bound = background(lambda ended: proven_prices(problem.table, sets, budget.alongside(ended)), at_once=True)
    with bound as finished:
        found = _found(problem, sets, budget)
        prices, method = finished(lambda: budget.report("bound", 0.95, found.cost(problem.table)))
    least = -(-int(prices.price @ problem.table.weight) // prices.scale)
    return improved(problem, sets, replace(found, lower_bound=least, bound=method, prices=prices, remark=""), budget)


def _found(problem: Problem, sets: Sets, budget: Budget) -> Recoding:
    """Return the cheapest release that is found."""
    rows = Rows.of(problem.table, max(each.rows for each in sets.values()))
    search, found = None, None
    values = sum(len(each.count) for each in problem.table.sensitive if any(required.values for required in sets.values()))
    if len(rows.weight) * len(sets) * (4 + values) <= 4 * min(_MOST_CLASSES, (budget.clock() + CASCADE) * _PER_SECOND):
        search = Search(problem=problem, budget=budget, rows=rows, classes=rows.classes(sets, budget.seed))
        found = search.by_cells()
        if problem.table.has_ladders and search.free:
            suppressed = _by_suppression(problem, budget)
            shown = None if suppressed is None else search.shown_again(rows.hidden(suppressed))
            found = min((each for each in (found, shown) if each), key=lambda each: each.cost(problem.table), default=None)
    if found is not None and len(rows.weight) > _FEW_ROWS:
        return found
    try:
        whole = by_all_columns(problem, budget, thorough=len(rows.weight) <= _FEW_ROWS and not budget.over())
    except InfeasibleError:
        if found is None:
            raise
        return found
    starts = [found, whole, search.shown_again(rows.hidden(whole)) if search else None]
    return min((each for each in starts if each), key=lambda each: each.cost(problem.table))


def _by_suppression(problem: Problem, budget: Budget) -> Recoding | None:
    """Return a release that shows the finest permitted level of each cell or nothing; None if none is found."""
    suppressing, finest = whole_cells(problem)
    sets = sets_of(suppressing.requirement)
    rows = Rows.of(suppressing.table, max(each.rows for each in sets.values()))
    search = Search(problem=suppressing, budget=budget, rows=rows, classes=rows.classes(sets, budget.seed))
    found = search.by_cells()
    return None if found is None else replace(found, shown=with_levels(found.shown, finest))


def by_all_columns(problem: Problem, budget: Budget, *, thorough: bool) -> Recoding:
    """Return a release in which the classes by all columns meet the requirement: by fewer, classes are unions of its classes.

    Raises
    ------
    InfeasibleError
        When none is found.
    """
    requested = problem.requirement
    direct: tuple[Requirement, ...] = (KAnonymity(k=max(1, requested.k)), *requested.requirements)
    every = greatest_people(by_all_or_known((*direct, *requested.known)))
    k = least_rows(every)
    every = (KAnonymity(k=k), *(each for each in every if not isinstance(each, KAnonymity)))
    problems = Masks.of(Policy(every_column=True, requirements=every))
    requirement: ClassRequirement = named(problems.requirement).of(requested.table, every)
    solver = problems.solvers["refine" if thorough else "greedy"]
    return placed(problems, replace(problem, requirement=requirement), budget, solver)


def whole_cells(problem: Problem) -> tuple[Problem, list[list[int]]]:
    """Return the problem in which a column with levels is one coded column, and the coded columns that each stands for.

    A cell shows its finest permitted level or nothing. Every pattern has to be permitted.
    """
    table = problem.table
    shown = {
        names: [place for place in places if not table.hidden_levels >> place & 1] for names, places in table.ladders.items()
    }
    finest = {names: places for names, places in shown.items() if places}
    cost: Int64 = np.array([table.cost[places].sum() for places in finest.values()], np.int64)
    first = [places[0] for places in finest.values()]
    codes = np.ascontiguousarray(table.codes[:, first])
    plain = replace(table, columns=tuple(finest), codes=codes, cost=cost, hidden_levels=0, levels={})
    every = PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))
    requirement = replace(problem.requirement, table=plain)
    return replace(problem, table=plain, patterns=every, requirement=requirement), list(finest.values())


def with_levels(shown: Words, finest: list[list[int]]) -> Words:
    """Return patterns of the table with levels that show what those of the table without do."""
    found = np.zeros_like(shown)
    for column, places in enumerate(finest):
        bits = np.uint64(sum(1 << place for place in places))
        found |= (shown >> np.uint64(column) & np.uint64(1)) * bits
    return found
