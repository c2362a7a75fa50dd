"""`region_exact`: connected regions with the least heaviest one, chosen among all connected sets that may be regions.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), section 2 (the problem, and why it is hard).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.kernels.labels import connected_sets, graph_of
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.integer_programs.constraint_search import searched
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.solvers.labels.lumped_graph import BOUND, LumpedGraph
from kanon_sql.solvers.labels.regions import cut_trees, guarantee, improve
from kanon_sql.solvers.labels.small_components import with_small
from kanon_sql.table.arrays import Int64

_MEMBERS = 1 << 18
"""Members of the sets of one component that a program can have: 26,000 sets of 10 nodes."""

_LOOKS = 1 << 26
"""Nodes that may be met while the sets of one component are listed: some tenths of a second."""

_WORK = 60.0
"""Work of the solver on one component where there is no time limit, in its own units: about a minute."""

GUARANTEE = "the optimum (constraint programming)"

_EXACT = "choice among all connected sets"


def group(weight: Int64, edges: Int64, k: int, budget: Budget, *, merge: bool = False) -> Grouping:
    """Return connected regions whose heaviest is as light as possible, or the best found with what is proven.

    Parameters
    ----------
    weight, edges, k, merge
        As in `regions.group`.
    budget : Budget
        Time left; without a limit the search ends after a fixed amount of work.

    Raises
    ------
    InfeasibleError
        As `regions.group`.

    Notes
    -----
    From the division of `regions`. A component is taken up while its heaviest region is above what is proven for some
    component; all its connected sets that are lighter than that region are listed, and a program chooses some of them that hold
    each node once. Exponential in the nodes of a region, so in practice exact for small graphs and for small regions. Where
    there are too many sets only lighter ones are listed; where these are still too many, the component keeps its division and
    its bound.
    """
    return with_small(weight, edges, k, budget, _divided, merge=merge)


def _divided(weight: Int64, edges: Int64, k: int, budget: Budget) -> Grouping:
    graph = LumpedGraph.of(weight, edges, k)
    region, degree = cut_trees(graph, budget)
    bounds = graph.bounds()
    start = int(bounds.max())
    improve(graph, region, start, budget, endless=False)
    total = np.zeros(len(region), np.int64)
    np.add.at(total, region, graph.weight)
    for done, each in enumerate(np.argsort(-bounds, kind="stable")):
        if budget.over():
            break
        budget.report("connected sets", done / len(bounds), int(total.max()), int(bounds.max()))
        nodes = np.flatnonzero(graph.component == each)
        most = int(total[region[nodes]].max()) - 1
        if most < bounds.max():
            continue
        answer = _lightest(graph, nodes, int(bounds.max()), most, budget)
        bounds[each] = max(int(bounds[each]), answer.bound)
        for chosen in answer.regions:
            region[chosen] = chosen[0]
        total[nodes] = 0
        np.add.at(total, region[nodes], graph.weight[nodes])
    lower = int(bounds.max())
    improve(graph, region, lower, budget, endless=False)
    found = Grouping.of(region[graph.lump], lower, BOUND if lower == start else _EXACT, GUARANTEE)
    if int(found.rows(weight).max()) > lower:
        found = replace(found, guarantee=f"the search did not end; it began with a solution of {guarantee(degree)}")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """The regions of a component, none when no better ones were found, and a lower bound on the heaviest."""

    regions: list[Int64]
    bound: int


def _lightest(graph: LumpedGraph, nodes: Int64, least: int, most: int, budget: Budget) -> _Answer:
    """Divide a component so that its heaviest region has ``most`` rows or fewer; less than ``least`` is not needed."""
    number = np.full(len(graph.weight), -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    begin, near = graph.graph.arrays()
    source = np.repeat(np.arange(len(graph.weight)), np.diff(begin))
    edges = np.stack([number[source], number[near]], axis=1)
    inner = graph_of(len(nodes), edges[edges[:, 0] >= 0])
    weight = graph.weight[nodes]
    while most >= least and not budget.over():
        first, member, complete = connected_sets(inner, weight, graph.k, most, _MEMBERS, _LOOKS)
        if complete:
            return _chosen(nodes, weight, first, member, least, most, budget)
        most = (least + most) // 2 if most > least else least - 1  # fewer sets, and a bound where they do not suffice
    return _Answer(regions=[], bound=0)


def _chosen(nodes: Int64, weight: Int64, first: Int64, member: Int64, least: int, most: int, budget: Budget) -> _Answer:
    """Choose sets that hold each node once, the heaviest as light as possible, by CP-SAT."""
    from kanon_sql.solvers.or_tools import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in range(len(first) - 1)]
    heaviest = model.new_int_var(least, most, "")
    owner = np.repeat(np.arange(len(chosen)), np.diff(first))
    rows = np.add.reduceat(weight[member], first[:-1]) if len(chosen) else np.zeros(0, np.int64)
    order = np.argsort(member, kind="stable")
    for held in np.split(owner[order], np.searchsorted(member[order], np.arange(1, len(nodes)))):
        sets = [chosen[each] for each in held]
        model.add_exactly_one(sets)
        model.add(cp_model.LinearExpr.weighted_sum(sets, rows[held].tolist()) <= heaviest)
    model.minimize(heaviest)
    solver, status = searched(model, budget, lambda: budget.report("connected sets", budget.share()), work=_WORK, workers=1)
    if status == cp_model.INFEASIBLE:
        return _Answer(regions=[], bound=most + 1)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    used = [each for each, variable in enumerate(chosen) if found and solver.boolean_value(variable)]
    bound = max(least, round(solver.best_objective_bound))
    return _Answer(regions=[nodes[member[first[each] : first[each + 1]]] for each in used], bound=bound)
