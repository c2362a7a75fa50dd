"""`regions`: labels on a map divided into connected regions: cuts of spanning trees, then neighbours divided anew.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), section 2 and the remark there that the greedy cut of a low-degree tree suffices.
Fürer, Raghavachari: Approximating the Minimum-Degree Steiner Tree to within One of Optimal (1994).
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import seeded
from kanon_sql.kernels.labels import cut_tree, depth_first, leaves_first, lower_degrees, recut, shuffled
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.solvers.labels.lumped_graph import BOUND, LumpedGraph
from kanon_sql.solvers.labels.small_components import with_small
from kanon_sql.table.arrays import Int64

TREES = 4
"""Spanning trees that are cut, each from a random start."""

_EXCHANGES, _MOST_EXCHANGES = 1 << 20, 1 << 26
"""Edges that may be visited before a tree keeps its degree, at least and at most: hundredths of a second, and one second."""

_EXCHANGES_PER_PAIR = 16
"""The same for the first tree, for each pair of nodes: a Hamiltonian path of 2,000 nodes is mostly found."""

_EFFORT_PER_NODE = 800
_MOST_EFFORT = 10_000_000
"""Nodes that may be met while regions are divided anew: 5 million take a second."""

_SLICE = 500_000
"""The same between two checks of the clock."""


def improve(graph: LumpedGraph, region: Int64, bound: int, budget: Budget, *, endless: bool) -> None:
    """Divide neighbouring regions anew, never for worse, until the steps are done or the time is over.

    Parameters
    ----------
    region : int64 array [m]
        The region of each node, as one of its nodes; changed.
    bound : int
        A lower bound on the rows of the heaviest region.
    endless : bool
        Whether the search goes on after its steps until the time is over, or the heaviest region is at the bound.
    """
    total = np.zeros(len(region), np.int64)
    np.add.at(total, region, graph.weight)
    state = seeded(budget.seed)
    effort = min(_MOST_EFFORT, _EFFORT_PER_NODE * len(region))
    done = 0
    while not budget.over() and (done < effort or (endless and int(total.max()) > bound)):
        budget.report("regions", min(1.0, done / effort), int(total.max()), bound)
        step = min(_SLICE, effort - done) if done < effort else _SLICE
        recut(graph.graph, graph.weight, graph.k, bound, region, total, step, state)
        done += step


def group(weight: Int64, edges: Int64, k: int, budget: Budget, *, merge: bool = False) -> Grouping:
    """Divide a graph into connected regions of k rows or more, the heaviest as light as found.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each node, positive.
    edges : int64 array [e, 2]
        Pairs of neighbours, in any direction, even twice. The graph need not be planar.
    k : int
        Least rows of a region.
    budget : Budget
        Time left, and the seed; without a limit the search ends after a number of steps that depends on the graph.
    merge : bool
        Whether components of fewer than k rows are put together, as `small_components.with_small` says, instead of refused.

    Returns
    -------
    Grouping
        Of equal heaviest regions that with the smaller sum of squared weights is kept.

    Raises
    ------
    InfeasibleError
        When a component has fewer than k rows and may not be merged, or all labels together have fewer.

    Notes
    -----
    Guarantee: the heaviest region has at most w + D (k - 1) rows, by `cut_tree`, for the heaviest node w and the least largest
    degree D of the trees: at most D + 1 times the optimum, which is at least w and k. Both are meant after labels that no
    division separates are made one node (`lumps`), which changes no optimum, decides a star at once, and lowers D. Merging adds
    to this what `with_small` puts to the lightest region. Planar graphs have trees with D = 3 where they are 3-connected, and
    with D = 2 where they are 4-connected; the D that was found counts.

    O((n + e) log e) and the steps; memory O(n + e).
    """
    return with_small(weight, edges, k, budget, _divided, merge=merge)


def cut_trees(graph: LumpedGraph, budget: Budget) -> tuple[Int64, int]:
    """Cut some spanning trees; return the best division, int64 [m], a region as one of its nodes, and the least degree.

    O(n + e) and the exchanges for each tree; one tree is cut even when the time is over.
    """
    n = len(graph.weight)
    state = seeded(budget.seed)
    keys: list[tuple[int, int]] = []
    heads: list[Int64] = []
    degree = n
    exchanges = min(_MOST_EXCHANGES, _EXCHANGES + _EXCHANGES_PER_PAIR * n * n)
    for _ in range(TREES):
        shuffle = shuffled(graph.graph, state)
        starts = np.roll(np.arange(n), int(state[0] % np.uint64(n)))
        _, parent = depth_first(shuffle, starts)
        degree = min(degree, lower_degrees(shuffle, parent, exchanges, state))
        exchanges = _EXCHANGES  # the first tree proves the degree, the others are only more divisions
        head = np.empty(n, np.int64)
        cut_tree(graph.weight, leaves_first(parent), parent, graph.k, graph.k, head)
        total = np.zeros(n, np.int64)
        np.add.at(total, head, graph.weight)
        keys.append((int(total.max()), sum(rows**2 for rows in total[total > 0].tolist())))
        heads.append(head)
        if budget.over():
            break
    return heads[keys.index(min(keys))], degree


def guarantee(degree: int) -> str:
    """Return what the cut of a spanning tree of that degree guarantees."""
    return f"at most {degree + 1} times the optimum (Du et al. 2009, section 2, by a spanning tree of degree {degree})"


def _divided(weight: Int64, edges: Int64, k: int, budget: Budget) -> Grouping:
    graph = LumpedGraph.of(weight, edges, k)
    bound = int(graph.bounds().max())
    region, degree = cut_trees(graph, budget)
    improve(graph, region, bound, budget, endless=budget.seconds is not None)
    return Grouping.of(region[graph.lump], bound, BOUND, guarantee(degree))
