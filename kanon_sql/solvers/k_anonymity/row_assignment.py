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
from kanon_sql.solvers.instances.repair import Pieces
from kanon_sql.solvers.instances.undominated import Looks, undominated
from kanon_sql.solvers.k_anonymity.greedy import solve as greedy
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding

_BOUND = "enumeration of the pattern instances in use"


def solve(table: CodedTable, patterns: PatternSet, k: int, budget: Budget) -> Recoding:
    """Return a k-anonymous recoding of least cost.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns.
    patterns : PatternSet
        The permitted patterns, all listed.
    k : int
        Least number of rows of a class.
    budget : Budget
        Time left; when it ends, the best recoding so far or the greedy's is returned, with the bound proven so far.

    Raises
    ------
    PolicyError
        When more than 20 pattern instances are useful.
    InfeasibleError
        When no set of instances can take all rows.

    Notes
    -----
    At most 2^r flows for r useful instances, over r nodes and one for each kind of row types (all that fit the same
    instances). The sets are tried in the order of a lower bound on their cost, so the search ends, with a proof, at the
    first bound that reaches the best cost. Memory O(2^r + t r).
    """
    looks = undominated(table, patterns, k)
    sets, bound = _candidates(looks, k)
    best: Recoding | None = None
    cost, proven = 0, 0
    for number, (chosen, proven) in enumerate(zip(sets.tolist(), bound.tolist(), strict=True)):
        if best is not None and proven >= cost:
            break
        if budget.over():
            found = greedy(table, patterns, k, budget) if best is None else best
            return replace(found, lower_bound=proven, bound=_BOUND)
        budget.report("assignment", number / len(sets))
        flow = _cheapest_flow(looks, chosen, k)
        if flow is not None and (best is None or int((flow @ looks.cost).sum()) < cost):
            best = _recoding(table, looks, flow)
            cost = best.cost(table)
    if best is None:
        raise InfeasibleError(
            f"no set of the {len(looks.cost)} pattern instances with k = {k} rows or more can take all {table.rows} rows; "
            "hint: permit coarser masks, or the mask () that suppresses everything"
        )
    return replace(best, lower_bound=cost, bound=_BOUND)


def _candidates(looks: Looks, k: int) -> tuple[Int64, Int64]:
    """Return the sets of instances that might be in use together, as bits, and a lower bound on the cost of each, ascending.

    Each row pays at least for the cheapest instance of the set that it fits. If fewer than k rows have instance j as their
    cheapest, those that fill it up pay for j instead of something cheaper, hence not above the next cheaper of the set.

    Notes
    -----
    O(r 2^r), whatever the number of rows: sets are extended by dearer and dearer looks.
    """
    r = len(looks.cost)
    within = np.zeros(1 << r, np.int64)
    np.add.at(within, looks.fits, looks.rows)
    for j in range(r):  # sums over subsets, an instance at a time
        halves = within.reshape(-1, 2, 1 << j)
        halves[:, 1] += halves[:, 0]
    uncovered = within[::-1]  # rows that fit only instances outside of the set
    bound = np.zeros(1 << r, np.int64)
    dearest = np.zeros(1 << r, np.int64)
    for j in range(r):
        low, high = slice(0, 1 << j), slice(1 << j, 2 << j)
        own = uncovered[low] - uncovered[high]
        bound[high] = bound[low] + own * looks.cost[j]
        bound[high] += np.maximum(k - own, 0) * (looks.cost[j] - dearest[low])
        dearest[high] = looks.cost[j]
    members = np.bitwise_count(np.arange(1 << r)).astype(np.int64)
    sets = np.flatnonzero((uncovered == 0) & (members * k <= looks.rows.sum()))
    sets = sets[np.argsort(bound[sets], kind="stable")]
    return sets, bound[sets]


def _cheapest_flow(looks: Looks, chosen: int, k: int) -> Int64 | None:
    """Return how many rows of each kind go to each instance, int64 [s, r], each one taking k or more; None if none can."""
    used = np.flatnonzero(chosen >> np.arange(len(looks.cost)) & 1)
    kind, place = np.nonzero(looks.fits[:, None] >> used & 1)
    nowhere = np.full(len(looks.rows), -1, np.int64)
    found = cheapest_flow(looks.rows, kind, place, looks.cost[used], nowhere, k)
    if found is None:
        return None
    flow = np.zeros((len(looks.rows), len(looks.cost)), np.int64)
    flow[kind, used[place]] = found[0]
    return flow


def _recoding(table: CodedTable, looks: Looks, flow: Int64) -> Recoding:
    order = np.argsort(looks.kind, kind="stable").astype(np.int32)
    source, target, count = side_by_side(table.weight[order], flow.ravel())
    pieces = Pieces(
        row_type=order[source],
        shown=looks.shown[target % len(looks.cost)],
        count=count,
        placed=np.ones(len(count), np.bool_),
    )
    return pieces.recoding()
