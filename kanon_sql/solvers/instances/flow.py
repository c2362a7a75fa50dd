"""Which rows go where, once it is decided which instances are open: a flow of least cost with a lower bound of k on each."""

from __future__ import annotations

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.table.arrays import Int64


def cheapest_flow(rows: Int64, group: Int64, instance: Int64, cost: Int64, other: Int64, k: int) -> tuple[Int64, Int64] | None:
    """Assign all rows to open instances, k or more to each, or elsewhere, at the least cost.

    Parameters
    ----------
    rows : int64 array [f]
        Rows of each group.
    group, instance : int64 arrays [p]
        The pairs that fit; every instance is open and in some pair.
    cost : int64 array [j]
        Cost of a row in each instance.
    other : int64 array [f]
        Cost of a row elsewhere, -1 where there is no such place.
    k : int
        Least number of rows of an instance.

    Returns
    -------
    tuple of int64 arrays [p], [f], or None
        Rows of each pair, and rows that go elsewhere; None if the instances cannot all be filled, or rows find no place.

    Notes
    -----
    A lower bound on the flow through an instance is a supply of -k at its node; what is beyond goes on to a sink, and so do
    rows that go elsewhere. All ends of such a network are whole numbers.
    """
    from kanon_sql.solvers.or_tools import min_cost_flow

    groups, instances, total = len(rows), len(cost), int(rows.sum())
    beyond = total - k * instances
    if beyond < 0:
        return None
    outside = np.flatnonzero(other >= 0)
    sink = groups + instances
    # Less the least cost, so that the solver's bound on the sum of all costs is met by larger tables.
    least = int(np.concatenate([cost, other[outside]]).min())
    network = min_cost_flow.SimpleMinCostFlow()
    inside = network.add_arcs_with_capacity_and_unit_cost(group, groups + instance, rows[group], cost[instance] - least)
    away = network.add_arcs_with_capacity_and_unit_cost(
        outside, np.full(len(outside), sink), rows[outside], other[outside] - least
    )
    network.add_arcs_with_capacity_and_unit_cost(groups + np.arange(instances), np.full(instances, sink), beyond, 0)
    network.set_nodes_supplies(np.arange(sink + 1), np.concatenate([rows, np.full(instances, -k), [-beyond]]))
    status = network.solve()
    if status == network.INFEASIBLE:
        return None
    if status != network.OPTIMAL:
        raise PolicyError(
            f"{total} rows cannot be assigned to classes at the minimum cost ({status.name}); hint: use smaller weights"
        )
    elsewhere = np.zeros(groups, np.int64)
    elsewhere[outside] = network.flows(away)
    return np.asarray(network.flows(inside), np.int64), elsewhere


def side_by_side(first: Int64, second: Int64) -> tuple[Int64, Int64, Int64]:
    """Lay two divisions of the same rows side by side; every stretch between two ends is a piece.

    Parameters
    ----------
    first, second : int64 arrays
        Rows of each part, the same number in all.

    Returns
    -------
    tuple of int64 arrays [q]
        For each piece its part of the first and of the second division, and its rows, above 0; O(q log q).
    """
    ends = np.cumsum(first), np.cumsum(second)
    end = np.union1d(*ends)
    end = end[end > 0]
    return np.searchsorted(ends[0], end), np.searchsorted(ends[1], end), np.diff(end, prepend=0)
