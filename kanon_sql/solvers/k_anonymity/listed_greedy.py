"""The greedy over many patterns: instances are listed, not looked for one pattern after the other.

The cheapest instances of the rows that are left are listed, and those with enough rows take them in the order of their cost;
what then is left is listed anew, among itself. Each time a fraction of the rows remains.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import NOTHING, Instances, among, usual_cost
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices

_MANY_PATTERNS, _FEW_ROW_TYPES = 1 << 14, 1024
"""More patterns than these, on more row types, are not tried one by one."""


def are_many(table: CodedTable, patterns: PatternSet) -> bool:
    """Return whether to list instances rather than to try one pattern after the other."""
    return len(patterns.shown) > _MANY_PATTERNS and table.row_types > _FEW_ROW_TYPES


def cheapest_first(
    table: CodedTable, patterns: PatternSet, k: int, budget: Budget, listed: Instances | None = None
) -> tuple[PartialRecoding, Prices | None]:
    """Let each instance in turn, cheapest first, take its rows if k or more are left; the last rows are unassigned.

    Returns
    -------
    tuple of (PartialRecoding, Prices or None)
        What was taken; and what a row costs at least in any release, by its cheapest instance, if this was listed here.

    Parameters
    ----------
    table, patterns, k
        The problem; the patterns are listed.
    listed : Instances, optional
        Instances of the table, if they are known already, with a slack of one cell or more.

    Notes
    -----
    A row that costs nothing in the optimum costs nothing here: its class is the first of all (Bredereck, Nichterlein,
    Niedermeier, Theorem 4: factor m). Each round lists the instances of the rows that are left, within a cell of the
    cheapest; O(log t) rounds in practice.
    """
    from kanon_sql.kernels.classes import take_listed

    pattern, prices = np.full(table.row_types, -1, np.int32), None
    left = np.arange(table.row_types)
    while table.weight[left].sum() >= k and not budget.over():
        rest = table.of_row_types(left)
        instances = among(rest, patterns, k, slack=1, budget=budget) if listed is None else listed.near(usual_cost(table))
        if instances is None:
            break
        if listed is None and len(left) == table.row_types:
            least = np.where(instances.price_limit == NOTHING, 0, instances.price_limit - usual_cost(table))
            prices = Prices(price=least, scale=1)
        listed = None
        taken = np.full(len(left), -1, np.int32)
        order = np.argsort(instances.cost, kind="stable")
        if not take_listed(instances.start, instances.member, order, rest.weight, k, taken):
            break
        here = taken >= 0
        pattern[left[here]] = instances.pattern[taken[here]]
        left = left[~here]
        budget.report("greedy", 1 - len(left) / table.row_types)
    return PartialRecoding.of_row_types(table, pattern >= 0, patterns.shown[pattern]), prices
