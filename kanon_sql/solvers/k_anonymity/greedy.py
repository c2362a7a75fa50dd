"""`greedy`: cheapest pattern first, then the strict repair of the last rows.

References
----------
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), Algorithm 1 and Theorem 4 (factor m).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.listing import Instances
from kanon_sql.solvers.instances.partition import divided, released
from kanon_sql.solvers.instances.repair import PartialRecoding, repair
from kanon_sql.solvers.instances.row_distance import METHOD
from kanon_sql.solvers.instances.sampled import sampled_patterns
from kanon_sql.solvers.instances.search_space import tightened
from kanon_sql.solvers.instances.sieve import sieve
from kanon_sql.solvers.k_anonymity import listed_greedy
from kanon_sql.solvers.k_anonymity.shift import shift
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix
from kanon_sql.table.patterns import PatternSet, other_orders
from kanon_sql.table.recoding import Recoding

_WORK_PER_CALL = 1 << 24
"""Patterns times row types between two checks of the clock, well below a second."""

_SMALL = 1 << 20
"""Patterns times row types up to which other orders among equally expensive patterns are tried too, and the best is kept."""

_MANY = 100_000
"""Row types beyond which no rows are shifted: those it splits would cost the release another reading of the source."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a strictly k-anonymous recoding.

    Parameters
    ----------
    budget : Budget
        Time left; when it ends, the rows not yet placed are repaired at once.

    Returns
    -------
    Recoding
        At most m times the cost of the optimum where the patterns are listed (Theorem 4), before the repair.

    Notes
    -----
    Listed patterns: O(p (j t / 64 + m e)) with e eligible row types a pattern and j sets of columns counted beforehand (at
    most m^3 / 6). Memory O(j t / 8) bytes. Patterns that are not listed are sampled first, at most 49,153.
    """
    table, patterns = problem.table, problem.patterns
    if patterns.listed:
        orders = [patterns]
        if len(patterns.shown) * table.row_types <= _SMALL:
            orders += other_orders(table, patterns)
        return min(
            (in_order(replace(problem, patterns=order), budget) for order in orders),
            key=lambda recoding: recoding.cost(table),
        )
    return min(unlisted(problem, budget), key=lambda recoding: recoding.cost(table))


def unlisted(problem: Problem, budget: Budget) -> list[Recoding]:
    """Return two recodings where patterns are too many to list: split top down, and by the patterns that sampled rows share.

    The second is left out where the time is over. Neither has a bound: sampled patterns prove nothing of the others.
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    found = [_top_down(table, k).recoding()]
    if not budget.over():
        found.append(in_order(replace(problem, patterns=sampled_patterns(table)), budget))
    return [tightened(table, patterns, k, recoding) for recoding in found]


def in_order(problem: Problem, budget: Budget, listed: Instances | None = None) -> Recoding:
    """Return a recoding by one order of the patterns, from instances that are listed already if there are any."""
    table, patterns, k = problem.table, problem.patterns, problem.k
    prices = None
    if listed_greedy.are_many(table, patterns):
        partial, prices = listed_greedy.cheapest_first(table, patterns, k, budget, listed)
    else:
        partial = cheapest_first(table, patterns, k, budget)
    if budget.over():
        partial = _with_rest_divided(table, patterns, k, partial)
    partial = repair(table, patterns, k, partial, budget)
    if table.row_types <= _MANY:
        partial = shift(table, patterns, k, partial, budget)
    recoding = partial.recoding()
    if prices is None:
        return recoding
    return replace(recoding, lower_bound=int(prices.price @ table.weight), bound=METHOD, prices=prices)


def cheapest_first(table: CodedTable, patterns: PatternSet, k: int, budget: Budget) -> PartialRecoding:
    """Let each pattern in turn take the rows of its instances with k rows or more; the last rows are unassigned."""
    if listed_greedy.are_many(table, patterns):
        return listed_greedy.cheapest_first(table, patterns, k, budget)[0]
    from kanon_sql.kernels.classes import take_frequent

    word, stride, _ = mixed_radix(table.cardinality)
    place = np.stack([word, stride])
    sifted = sieve(table.codes, table.cardinality, table.weight, k, len(patterns.shown))
    alive = np.zeros((table.row_types + 63) // 64, np.uint64)
    everyone = np.arange(table.row_types)
    np.bitwise_or.at(alive, everyone >> 6, np.uint64(1) << (everyone & 63).astype(np.uint64))
    taken = np.full(table.row_types, -1, np.int32)
    left = table.rows
    step = min(256, max(1, _WORK_PER_CALL // table.row_types))
    for start in range(0, len(patterns.shown), step):
        batch = patterns.shown[start : start + step]
        pattern = np.full(table.row_types, -1, np.int32)
        left -= take_frequent(table.codes, table.weight, place, batch, sifted, alive, k, pattern)
        taken[pattern >= 0] = pattern[pattern >= 0] + start
        budget.report("greedy", 1 - left / table.rows)
        if left < k or budget.over():
            break
    return PartialRecoding.of_row_types(table, taken >= 0, patterns.shown[taken])


def _with_rest_divided(table: CodedTable, patterns: PatternSet, k: int, partial: PartialRecoding) -> PartialRecoding:
    """Split the rows that time left without a class top down, where masks permit it: one class of all would show nothing."""
    left = np.flatnonzero(~partial.placed)
    row_type = partial.row_type[left].astype(np.int64)
    rest = table.of_row_types(row_type, partial.count[left])
    if rest.rows < k:
        return partial
    try:
        found = released(rest, patterns, k, divided(rest, np.arange(rest.row_types), rest.weight, k), UNLIMITED)
    except InfeasibleError:  # together with others they may fit a mask
        return partial
    return partial.with_rest(PartialRecoding.of(found), row_type)


def _top_down(table: CodedTable, k: int) -> PartialRecoding:
    from kanon_sql.kernels.partitions import split_classes

    shown = split_classes(table.codes, table.weight, table.cost, table.cardinality, k)
    return PartialRecoding.of_row_types(table, np.ones(table.row_types, np.bool_), shown)
