"""`row_assignment`: every set of pattern instances that could be in use, and for each the cheapest assignment of rows.

Given the instances in use, which rows go where is a flow of least cost with a lower bound of k rows on each instance.

References
----------
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), Theorem 3.
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), section 4.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.flow import cheapest_flow, side_by_side
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.undominated import UsefulInstances, undominated
from kanon_sql.solvers.k_anonymity.greedy import solve as greedy
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding

_BOUND = "enumeration of the pattern instances in use"


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a k-anonymous recoding of least cost.

    Parameters
    ----------
    problem : Problem
        t row types, m columns.
        The patterns are all listed.
    budget : Budget
        Time left; when it ends, the best recoding so far or the greedy's is returned, with the bound proven so far.

    Raises
    ------
    PolicyError
        When more than 20 pattern instances are useful.
    InfeasibleError
        When no set of instances can cover all rows.

    Notes
    -----
    At most 2^r flows for r useful instances, over r nodes and one for each group of row types (all that fit the same
    instances). The sets are tried in the order of a lower bound on their cost, so the search ends, with a proof, at the
    first bound that reaches the best cost. Memory O(2^r + t r).
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    instances = undominated(table, patterns, k)
    sets, bound = _candidates(instances, k)
    best: Recoding | None = None
    cost, proven = 0, 0
    for number, (chosen, proven) in enumerate(zip(sets.tolist(), bound.tolist(), strict=True)):
        if best is not None and proven >= cost:
            break
        if budget.over():
            found = greedy(problem, budget) if best is None else best
            return replace(found, lower_bound=proven, bound=_BOUND)
        budget.report("assignment", number / len(sets))
        flow = _cheapest_flow(instances, chosen, k)
        if flow is not None and (best is None or int((flow @ instances.cost).sum()) < cost):
            best = _recoding(table, instances, flow)
            cost = best.cost(table)
    if best is None:
        raise InfeasibleError(
            f"no set of the {len(instances.cost)} pattern instances with at least k = {k} rows can cover all {table.rows} "
            "rows; hint: permit masks that show less, or the mask (), which suppresses everything"
        )
    return replace(best, lower_bound=cost, bound=_BOUND)


def _candidates(instances: UsefulInstances, k: int) -> tuple[Int64, Int64]:
    """Return the sets of instances that might be in use together, as bits, and a lower bound on the cost of each, ascending.

    Each row pays at least for the cheapest instance of the set that it fits. If fewer than k rows have instance j as their
    cheapest, those that fill it up pay for j instead of something cheaper, hence not above the next cheaper of the set.

    Notes
    -----
    O(r 2^r), whatever the number of rows: sets are extended by more and more expensive instances.
    """
    r = len(instances.cost)
    within = np.zeros(1 << r, np.int64)
    np.add.at(within, instances.fits, instances.rows)
    for j in range(r):  # sums over subsets, an instance at a time
        halves = within.reshape(-1, 2, 1 << j)
        halves[:, 1] += halves[:, 0]
    uncovered = within[::-1]  # rows that fit only instances outside of the set
    bound = np.zeros(1 << r, np.int64)
    highest_cost = np.zeros(1 << r, np.int64)
    for j in range(r):
        low, high = slice(0, 1 << j), slice(1 << j, 2 << j)
        own = uncovered[low] - uncovered[high]
        bound[high] = bound[low] + own * instances.cost[j]
        bound[high] += np.maximum(k - own, 0) * (instances.cost[j] - highest_cost[low])
        highest_cost[high] = instances.cost[j]
    members = np.bitwise_count(np.arange(1 << r)).astype(np.int64)
    sets = np.flatnonzero((uncovered == 0) & (members * k <= instances.rows.sum()))
    sets = sets[np.argsort(bound[sets], kind="stable")]
    return sets, bound[sets]


def _cheapest_flow(instances: UsefulInstances, chosen: int, k: int) -> Int64 | None:
    """Return how many rows of each group go to each instance, int64 [s, r], each one taking k or more; None if none can."""
    used = np.flatnonzero(chosen >> np.arange(len(instances.cost)) & 1)
    group, place = np.nonzero(instances.fits[:, None] >> used & 1)
    nowhere = np.full(len(instances.rows), -1, np.int64)
    found = cheapest_flow(instances.rows, group, place, instances.cost[used], nowhere, k)
    if found is None:
        return None
    flow = np.zeros((len(instances.rows), len(instances.cost)), np.int64)
    flow[group, used[place]] = found[0]
    return flow


def _recoding(table: CodedTable, instances: UsefulInstances, flow: Int64) -> Recoding:
    order = np.argsort(instances.group, kind="stable").astype(np.int32)
    source, target, count = side_by_side(table.weight[order], flow.ravel())
    partial = PartialRecoding(
        row_type=order[source],
        shown=instances.shown[target % len(instances.cost)],
        count=count,
        placed=np.ones(len(count), np.bool_),
    )
    return partial.recoding()
