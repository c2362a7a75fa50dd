"""`refine` for sensitive requirements: prices for rows, classes that they open, local search, and large neighbourhoods.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013): the problem, its hardness, and
Theorem 9 (the integer program).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from kanon_sql.kernels.requirements import open_classes, sort_all
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import usual_cost
from kanon_sql.solvers.instances.suppression import never_costlier
from kanon_sql.solvers.patience import pays
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.sensitive import greedy, row_prices
from kanon_sql.solvers.sensitive.lagrangian import METHOD as RELAXED
from kanon_sql.solvers.sensitive.lagrangian import relax
from kanon_sql.solvers.sensitive.local_search import local_search
from kanon_sql.solvers.sensitive.neighbourhoods import Neighbourhoods
from kanon_sql.solvers.sensitive.pricing import FEW_COUNTERS, Floats, Guide, guide_at, prices, raised_prices
from kanon_sql.solvers.sensitive.search import Search, of_recoding, with_rest
from kanon_sql.solvers.sensitive.search_space import SensitiveSearchSpace
from kanon_sql.solvers.threads import WORKERS
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Prices, Recoding

METHOD = "cheapest possible class of each row"

_LOSSES = (0.5, 1.0)
"""Cells for each row that a class may lose at the prices when it is opened; all are tried."""

_RAISED = 1.5
"""Times the prices that open classes where sensitive values are many.

Under l(occupation) >= 3, these cost 17,200 on Adult in levels, and 21,900 without.
"""

_FAR = 1.4
"""What classes cost, in bounds, from which on higher prices are tried under suppression, too: delta then costs 7 % less."""

_LOOKS = 4
"""How often all instances are looked at, at least: which hold a class, what they gain at prices, and what these open, twice."""

_FIRST = 0.15
"""Part of the time for the release by suppression where sensitive values are few: prices open better classes later."""

_HOPELESS = 0.9
"""What a known release costs, as a part of what prices open, where a search is left out: it saves at most 6 % on Adult."""

_PROMISING = 0.05
"""Cells for each of the least rows that an instance may lose at the prices to be used by the local search."""

_FEW = 500
"""Instances of a small table: the local search uses them all."""

_SMALL = 2_000
"""Row types of a small table: a second search takes about a second, and its release may cost 15 % less."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a recoding whose classes meet the requirement, never more expensive than the greedy's, with a proven bound.

    Parameters
    ----------
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


def _refined(problem: Problem, budget: Budget, *, search: bool, below: Fraction | None = None) -> Recoding:
    """Return a recoding with prices; no search where every release is proven to cost at least ``below`` cells."""
    table, patterns = problem.table, problem.patterns
    known = row_prices.solve(problem, budget.half()) if search and row_prices.pays_off(problem) else None
    start = greedy.solve(problem, budget) if known is None else greedy.top_down(problem, budget)
    if not patterns.listed:
        return replace(start, remark="there are too many masks to list: greedy on sampled masks")
    few = problem.requirement.counters <= FEW_COUNTERS
    later = budget.seconds is None and (few or table.row_types > _SMALL)  # what prices open may make it needless
    if search and not later:
        start = _or_by_suppression(problem, start, budget.part(_FIRST) if few else budget.half())
    mean_costs, aim = known or (start.mean_costs(table), start.cost(table))
    everything = SensitiveSearchSpace.of(problem, mean_costs, budget)
    if everything is None:
        start = start if known is None or budget.over() else greedy.solve(problem, budget)
        start = _or_by_suppression(problem, start, budget.half()) if search and later else start
        size = f"{table.row_types:,} row types under {len(patterns.shown):,} masks"
        return replace(start, remark=f"{size} are too many for prices: greedy and growth")
    if not problem.requirement.in_time(budget, _LOOKS * len(everything)):
        return replace(start, remark=f"no time for prices of {len(everything):,} instances: greedy and growth")
    space, bound = everything.feasible()
    cheapest = start.cost(table) if below is None else min(start.cost(table), math.ceil(below * table.unit))
    if cheapest <= bound:
        return replace(start, lower_bound=bound, bound=METHOD)
    method, evidence = METHOD, None
    space, _ = space.with_classes(of_recoding(start))
    guide = prices(space, mean_costs, min(aim, start.cost(table)), budget.half())
    found: list[Opened] = []
    if search and not budget.over():
        found = opened(space, _leading(space, guide, cheapest, budget.half(), few=few), budget)
        start = min(start, found[0].recoding, key=lambda recoding: recoding.cost(table))
        if table.row_types > _SMALL and cheapest < _HOPELESS * start.cost(table):
            return replace(start, lower_bound=bound, bound=METHOD)
        start = _or_by_suppression(problem, start, budget.half()) if later else start
    proves = (few or not problem.for_a_start) and not budget.over()
    relaxed = relax(everything, guide.price, start.cost(table), budget.half()) if proves else None
    if relaxed is not None and relaxed.bound >= bound:
        bound, method, evidence = relaxed.bound, RELAXED, relaxed.prices
    if search and min(cheapest, start.cost(table)) > bound and not budget.over():
        far = start.cost(table) > _FAR * bound
        found += opened(space, _proven(space, guide, evidence, budget, few=few, far=far), budget)
        start = searched(sorted(found, key=lambda each: each.cost), start, bound, budget)
    return replace(start, lower_bound=bound, bound=method, prices=evidence)


def _leading(space: SensitiveSearchSpace, guide: Guide, cost: int, budget: Budget, *, few: bool) -> Iterator[Guide]:
    """Yield the prices that open classes before the bound is proven; in a small table, with and without a raise."""
    levels, small = space.table.has_ladders, space.table.row_types <= _SMALL
    if few:
        yield raised_prices(space, guide, cost, budget)
        return
    if small or not levels:
        yield guide
    if small or levels:
        yield guide_at(space, _RAISED * guide.price, budget)


def _proven(
    space: SensitiveSearchSpace, guide: Guide, proof: Prices | None, budget: Budget, *, few: bool, far: bool
) -> Iterator[Guide]:
    """Yield the prices that open classes once they have proven the bound: with levels or few values, in a small table only.

    Higher ones are of use in a small table, too, and where classes cost far more than the bound, as under beta and delta.
    """
    table, small = space.table, space.table.row_types <= _SMALL
    if proof is None or (few and not small) or (not few and table.has_ladders):
        return
    price = proof.price / proof.scale
    yield guide_at(space, price, budget)
    if not few and (small or far):
        yield guide_at(space, _RAISED * price, budget)
    if not few and far and not small:
        yield guide_at(space, _RAISED * guide.price, budget)


def _or_by_suppression(problem: Problem, found: Recoding, budget: Budget) -> Recoding:
    """Return a release with levels, or the one by suppression if that costs less."""
    below = Fraction(found.cost(problem.table), problem.table.unit)
    return never_costlier(problem, found, budget, partial(_refined, search=True, below=below))


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Classes that prices opened, and what leads a search from there."""

    cost: int  # of the classes, in units of the table
    recoding: Recoding  # the classes
    near: SensitiveSearchSpace  # the instances that the search looks at
    guide: Guide  # the prices


def opened(space: SensitiveSearchSpace, guides: Iterable[Guide], budget: Budget) -> list[Opened]:
    """Return the classes that each guide opens, those that cost least first; one guide is used however little time is left."""
    table = space.table
    margin = _PROMISING * space.requirement.least * float(table.cost.max())
    found: list[Opened] = []
    for guide in guides:
        if found and not space.requirement.in_time(budget, 2 * len(space)):
            break
        near = space if len(space) <= _FEW else space.take(np.flatnonzero(guide.surplus > -margin))
        recoding = min(_opened(space, near, guide, budget), key=lambda recoding: recoding.cost(table))
        if len(near) > max(_FEW, table.row_types):
            near = space.take(_promising(guide.surplus, margin, table.row_types))
        found.append(Opened(cost=recoding.cost(table), recoding=recoding, near=near, guide=guide))
        if budget.over():
            break
    return sorted(found, key=lambda each: each.cost)


def _promising(surplus: Floats, margin: float, most: int) -> Int64:
    """Return the instances that lose less than a margin at the prices, and at most so many: those that gain most."""
    found = np.flatnonzero(surplus > -margin)
    return found if len(found) <= most else np.sort(found[np.argsort(-surplus[found], kind="stable")[:most]])


def searched(found: list[Opened], start: Recoding, bound: int, budget: Budget) -> Recoding:
    """Return the best recoding found from a start: local search, and where it idles, programs.

    The cheaper classes that prices opened lead the search; in a small table, all lead one.
    """
    table, best = found[0].near.table, start
    for number, each in enumerate(found if budget.seconds is None and table.row_types <= _SMALL else found[:1]):
        first, before = each.recoding if each.cost < start.cost(table) else start, best.cost(table)
        state = Search.of(each.near, of_recoding(first), each.guide.price)
        large = Neighbourhoods(search=state, random=np.random.default_rng(budget.seed))
        local_search(state, large, bound, budget)
        best = min(best, first, state.recoding(budget), key=lambda recoding: recoding.cost(table))
        idle = number > 0 and not pays(best.cost(table), before, bound)
        if large.complete or best.cost(table) <= bound or budget.over() or (idle and budget.effort != "thorough"):
            break
    return best


def _opened(space: SensitiveSearchSpace, near: SensitiveSearchSpace, guide: Guide, budget: Budget) -> list[Recoding]:
    """Return recodings whose classes prices opened; the rows that pay for none are drawn into them, as far as possible."""
    sort_all(space.candidates, guide.price)

    def opened(loss: float) -> Recoding:
        left = space.table.weight.copy()
        found = open_classes(space.selection(left, guide.price), space.candidates, space.cost, loss * usual_cost(space.table))
        pieces = with_rest(found, space.patterns.shown[space.instances.pattern], left)
        search = Search.of(near, pieces, guide.price)
        search.grow(budget)
        return search.recoding(budget)

    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        return list(threads.map(opened, _LOSSES))
