"""Connected components of a graph of labels that have fewer than k rows, and so hold no region."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.components import components
from kanon_sql.solvers.labels import balanced
from kanon_sql.solvers.labels.grouping import Grouping, refuse_few
from kanon_sql.table.arrays import Int64

_NAMED = 12
"""Weights that an error names."""

Divide = Callable[[Int64, Int64, int, Budget], Grouping]
"""Divides a graph in which each component has k rows or more into connected regions."""


def too_small(weight: Int64, edges: Int64, k: int) -> Int64:
    """Return the nodes of the components that have fewer than k rows, ascending; O(n + e)."""
    component, rows = _components(weight, edges)
    return np.flatnonzero(rows[component] < k)


def with_small(weight: Int64, edges: Int64, k: int, budget: Budget, divide: Divide, *, merge: bool) -> Grouping:
    """Divide a graph by ``divide``; refuse components of fewer than k rows, or put them together.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each node.
    edges : int64 array [e, 2]
        Pairs of neighbours, in any direction, even twice.
    k : int
        Least rows of a region.
    budget : Budget
        For `divide`.
    divide : callable
        For the components of k rows or more.
    merge : bool
        Small components stay whole and are put together to regions of k rows or more by `balanced`, so each region is either
        connected or a union of small components. Where these have fewer than k rows in all, they are one part, which the
        lightest region takes: one region is not connected then.

    Raises
    ------
    InfeasibleError
        When a component has fewer than k rows and may not be merged, or all labels together have fewer.
    """
    refuse_few(weight, k)
    component, rows = _components(weight, edges)
    small = rows < k
    if not small.any():
        return divide(weight, edges, k, budget)
    few = rows[small]
    if not merge:
        named = ", ".join(str(each) for each in np.sort(few)[:_NAMED].tolist()) + (", ..." if len(few) > _NAMED else "")
        raise InfeasibleError(
            f"{len(few)} of the {len(rows)} connected components {'has' if len(few) == 1 else 'have'} fewer than k "
            f"= {k} rows: {named}; hint: add neighbours, or permit merging these components"
        )
    group = np.empty(len(weight), np.int64)
    lower, name, guarantee = 0, "", "nothing is guaranteed, as small parts of the map were merged"
    inside = small[component]
    regions = 0
    if not inside.all():
        number = np.cumsum(~inside) - 1
        found = divide(weight[~inside], number[edges[~inside[edges[:, 0]]]], k, budget)
        group[~inside] = found.group
        lower, name = found.lower_bound, found.bound
        regions = int(found.group.max()) + 1
    if int(few.sum()) >= k:
        packed = balanced.group(few, k, budget)
        place = packed.group + regions
        if packed.lower_bound > lower:
            lower, name = packed.lower_bound, packed.bound
    else:
        place = np.full(len(few), np.argmin(found.rows(weight[~inside])))
        # Whichever region takes them has k rows already.
        if k + int(few.sum()) > lower:
            lower, name = k + int(few.sum()), "components that are too small"
    group[inside] = place[(np.cumsum(small) - 1)[component[inside]]]
    return Grouping.of(group, lower, name, guarantee)


def _components(weight: Int64, edges: Int64) -> tuple[Int64, Int64]:
    """Return the component of each node, and the rows of each component."""
    component = components(len(weight), edges)
    rows = np.zeros(int(component.max(initial=-1)) + 1, np.int64)
    np.add.at(rows, component, weight)
    return component, rows
