"""`refine` for sensitive requirements: prices for rows, classes that they open, local search, and large neighbourhoods.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013): the problem, its hardness, and
Theorem 9 (the integer program).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from kanon_sql.kernels.random import seeded
from kanon_sql.kernels.requirements.candidates import sort_all
from kanon_sql.kernels.requirements.guided_opening import open_classes
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import usual_cost
from kanon_sql.solvers.instances.suppression import never_costlier
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.sensitive import greedy, row_prices
from kanon_sql.solvers.sensitive.labels import by_labels, pays_off
from kanon_sql.solvers.sensitive.lagrangian import METHOD as RELAXED
from kanon_sql.solvers.sensitive.lagrangian import relax
from kanon_sql.solvers.sensitive.neighbourhoods import Neighbourhoods
from kanon_sql.solvers.sensitive.pricing import Guide, guide_at, prices
from kanon_sql.solvers.sensitive.search import Search, of_recoding, with_rest
from kanon_sql.solvers.sensitive.search_space import SensitiveSearchSpace
from kanon_sql.solvers.threads import WORKERS
from kanon_sql.table.recoding import Prices, Recoding

METHOD = "cheapest possible class of each row"

_LOSSES = (0.5, 1.0)
"""Cells for each row that a class may lose at the prices when it is opened; all are tried."""

_PROMISING = 0.05
"""Cells for each of the least rows that an instance may lose at the prices to be used by the local search."""

_FEW = 500
"""Instances of a small table: the local search uses them all."""

_STEPS_PER_ROW_TYPE, _MOST_STEPS = 0.4, 50_000
"""Steps of the local search where the clock does not decide, in a large table."""

_MORE_STEPS, _WORK = 25, 15_000_000
"""Steps for each row type of a small table, as long as those times the row types are no more work."""

_FEW_COUNTERS = 4
"""Sensitive values up to which prices that prove a bound also lead to better releases, and take little time.

With the 15 occupations of Adult they take 8 of 16 CPU seconds for t, and no release is better.
"""

_SMALL = 2_000
"""Row types of a small table: a second search takes about a second, and its release may cost 15 % less."""

_STEPS = 1_000
"""Steps between two sweeps of growth, some hundredths of a second or tenths."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a recoding whose classes meet the requirement, never dearer than the greedy's, with a proven bound.

    Parameters
    ----------
    problem : Problem
        t row types, m columns.
    budget : Budget
        Time left; without a limit the search ends after a fixed number of steps.

    Raises
    ------
    InfeasibleError
        When no release meets the requirement, or none is found under the masks.

    Notes
    -----
    O(p t m) to list the instances, in practice far less; memory some 20 bytes for each row type of each instance listed.
    Where there are too many, the greedy's recoding.
    """
    return _refined(problem, budget, search=True)


def priced(problem: Problem, budget: Budget) -> Recoding:
    """Return the greedy's recoding with the prices and the bound of `solve`: a start for solvers that need no search."""
    return _refined(problem, budget, search=False)


def _refined(problem: Problem, budget: Budget, *, search: bool) -> Recoding:
    table, patterns = problem.table, problem.patterns
    known = row_prices.solve(problem, budget.half()) if search and row_prices.pays_off(problem) else None
    start = greedy.solve(problem, budget) if known is None else greedy.top_down(problem, budget)
    if not patterns.listed:
        return replace(start, remark="there are too many masks to list: greedy on sampled masks")
    if search and pays_off(problem) and start.cost(table) and not budget.over():
        start = min(filter(None, (start, by_labels(problem, budget.half()))), key=lambda each: each.cost(table))
    if search:
        start = never_costlier(problem, start, budget.half(), solve)
    paid, aim = known or (start.paid(table), start.cost(table))
    everything = SensitiveSearchSpace.of(problem, paid, budget)
    if everything is None:
        start = start if known is None or budget.over() else greedy.solve(problem, budget)
        size = f"{table.row_types:,} row types under {len(patterns.shown):,} masks"
        return replace(start, remark=f"{size} are too many for prices: greedy and growth")
    space, bound = everything.feasible()
    best, method, evidence = start, METHOD, None
    space, _ = space.with_classes(of_recoding(start))
    guide = prices(space, paid, min(aim, start.cost(table)), budget)
    proves = not problem.for_a_start or problem.requirement.counters <= _FEW_COUNTERS
    relaxed = relax(everything, guide.price, start.cost(table), budget) if proves else None
    if relaxed is not None and relaxed.bound >= bound:
        bound, method, evidence = relaxed.bound, RELAXED, relaxed.prices
    if search and start.cost(table) > bound and not budget.over():
        best = searched(space, start, bound, budget, guide, evidence)
    return replace(best, lower_bound=bound, bound=method, prices=evidence)


def searched(
    space: SensitiveSearchSpace, start: Recoding, bound: int, budget: Budget, guide: Guide, proof: Prices | None
) -> Recoding:
    """Return the best recoding found from a start: classes opened by prices, local search, and where it idles, programs.

    Classes are opened by prices that a heuristic leads, and by those that prove the bound. The better ones lead the search; in
    a small table, both lead one.
    """
    table = space.table
    margin = _PROMISING * space.requirement.least * float(table.cost.max())

    def led(guide: Guide) -> tuple[int, Recoding, SensitiveSearchSpace, Guide]:
        """Return the best classes that a guide opens, after their cost, and what the search looks at with it."""
        near = space if len(space) <= _FEW else space.take(np.flatnonzero(guide.surplus > -margin))
        opened = min(_opened(space, near, guide, budget), key=lambda recoding: recoding.cost(table))
        return opened.cost(table), opened, near, guide

    found = [led(guide)]
    if proof is not None and not budget.over():
        found.append(led(guide_at(space, proof.price / proof.scale)))
    found.sort(key=lambda each: each[0])
    best = start
    for cost, opened, near, guide in found if budget.seconds is None and table.row_types <= _SMALL else found[:1]:
        improved, complete = _improved(near, opened if cost < start.cost(table) else start, bound, budget, guide)
        best = min(best, improved, key=lambda recoding: recoding.cost(table))
        if complete or best.cost(table) <= bound or budget.over():
            break
    return best


def _improved(space: SensitiveSearchSpace, start: Recoding, bound: int, budget: Budget, guide: Guide) -> tuple[Recoding, bool]:
    """Return the better of a start and what a local search makes of it, and whether a program was about the whole table."""
    table = space.table
    search, state = Search.of(space, of_recoding(start), guide.price), seeded(budget.seed)
    wide = Neighbourhoods(search=search, random=np.random.default_rng(budget.seed))
    steps, done = budget.steps(_steps(table.row_types)) if budget.seconds is None else None, 0
    while search.cost > bound and not budget.over() and not wide.complete and (steps is None or done < steps):
        budget.report("local search", budget.share() if steps is None else done / steps, search.cost, bound)
        cost = search.cost
        search.grow(budget)
        search.rebuild(_STEPS, state)
        done += _STEPS
        if search.cost == cost or wide.whole:
            wide.solve(budget)
    search.grow(budget)
    return min(start, search.recoding(budget), key=lambda recoding: recoding.cost(table)), wide.complete


def _steps(row_types: int) -> int:
    """Return how many steps the local search takes where the clock does not decide."""
    large = min(_MOST_STEPS, _STEPS_PER_ROW_TYPE * row_types)
    return int(max(large, min(_MORE_STEPS * row_types, _WORK / row_types)))


def _opened(space: SensitiveSearchSpace, near: SensitiveSearchSpace, guide: Guide, budget: Budget) -> list[Recoding]:
    """Return recodings whose classes prices opened; the rows that pay for none are drawn into them, as far as possible."""
    sort_all(space.candidates, guide.price)

    def opened(loss: float) -> Recoding:
        left = space.table.weight.copy()
        found = open_classes(space.selection(left, guide.price), space.candidates, space.cost, loss * usual_cost(space.table))
        partial = with_rest(found, space.patterns.shown[space.instances.pattern], left)
        search = Search.of(near, partial, guide.price)
        search.grow(budget)
        return search.recoding(budget)

    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        return list(threads.map(opened, _LOSSES))
