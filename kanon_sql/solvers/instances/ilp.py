"""The integer program of rows and pattern instances, solved by SCIP through OR-Tools.

Rows x[i, j] of group i are in instance j, which is open (u[j] = 1) with k rows or more, or closed::

    minimize    sum cost[j] x[i, j]
    subject to  sum_j x[i, j] = rows[i]
                sum_i x[i, j] >= k u[j]
                x[i, j] <= rows[i] u[j]        u binary, x >= 0

For fixed u the x are a transportation problem, whose corners are whole numbers: only u has to be integer. The link of each
x to its u alone, instead of the sum over i, closes most of the gap of the linear relaxation.

References
----------
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), section 2.2.
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.instances.flow import cheapest_flow
from kanon_sql.table.arrays import Int64

BOUND = "integer programming (SCIP)"
"""What a bound of these programs is called in certificates."""

INFEASIBLE = 1 << 62
"""The bound of a program that has no solution."""

_ROUNDING = 1e-4
"""Costs are whole numbers; the solver's tolerances are far below this share of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Groups of rows, instances, and which fits which."""

    rows: Int64  # [f]: rows of each group
    group: Int64  # [p]: the group of each pair that fits
    instance: Int64  # [p]: its instance
    cost: Int64  # [j]: cost of a row in each instance
    other: Int64  # [f]: cost of a row in the cheapest class that is open anyway, -1 where there is none
    k: int  # least number of rows of an open instance


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """An answer."""

    count: Int64  # [p]: rows of each pair
    elsewhere: Int64  # [f]: rows that go to classes that are open anyway
    cost: int  # what it costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a program."""

    assignment: Assignment | None  # the best one found, if any
    bound: int  # a lower bound on the cost of every assignment: 0 when nothing is proven, `INFEASIBLE` when there is none
    nodes: int  # nodes of the search tree: how hard it was

    @property
    def proven(self) -> bool:
        """Whether no assignment costs less."""
        return self.assignment is not None and self.assignment.cost == self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is spent on the programs of a table that falls into components."""

    pairs: int  # pairs of a group of rows and an instance up to which the program of a component is built
    nodes: int | None = None  # nodes of each search tree; without it, the search ends with the optimum


def solve_program(
    program: Program, *, seconds: float = math.inf, nodes: int | None = None, quick: bool = False, backend: str = "GSCIP"
) -> Outcome:
    """Return the best assignment found and a lower bound on the cost of every assignment.

    Parameters
    ----------
    seconds, nodes : float, int
        Limits; the one on nodes of the search tree does not depend on the clock.
    quick : bool
        No cuts and less presolving, for small programs: a third of the time, and as good an answer, but a weaker bound.
    backend : str
        Name of a solver of OR-Tools' MathOpt.

    Notes
    -----
    Exponential in the worst case. The interpreter is free for other threads meanwhile.
    """
    from kanon_sql.solvers.or_tools import mathopt

    unit = int(np.gcd.reduce(np.concatenate([program.cost, program.other[program.other > 0]]), initial=0)) or 1
    outside = np.flatnonzero(program.other >= 0)
    model = mathopt.Model.from_model_proto(_model(program, outside, unit))
    parameters = mathopt.SolveParameters(
        time_limit=timedelta(seconds=max(seconds, 0.01)) if seconds < math.inf else None,
        node_limit=nodes,
        presolve=mathopt.Emphasis.LOW if quick else None,
        cuts=mathopt.Emphasis.OFF if quick else None,
        # Whole numbers: what is less than one unit away cannot be better.
        absolute_gap_tolerance=1 - _ROUNDING,
        relative_gap_tolerance=0.0,
    )
    result = mathopt.solve(model, mathopt.SolverType[backend], params=parameters)
    nodes = result.solve_stats.node_count
    if result.termination.reason == mathopt.TerminationReason.INFEASIBLE:
        return Outcome(assignment=None, bound=INFEASIBLE, nodes=nodes)
    proven = result.termination.objective_bounds.dual_bound
    bound = max(0, unit * math.ceil(proven - _ROUNDING * max(1.0, abs(proven) * 1e-6))) if math.isfinite(proven) else 0
    if not result.has_primal_feasible_solution():
        return Outcome(assignment=None, bound=bound, nodes=nodes)
    values = result.variable_values()
    variables = list(model.variables())
    opened = np.array([values[variable] for variable in variables[len(variables) - len(program.cost) :]]) > 0.5
    assignment = _whole_rows(program, opened)
    return Outcome(assignment=assignment, bound=bound if assignment is None else min(bound, assignment.cost), nodes=nodes)


def _whole_rows(program: Program, opened: NDArray[np.bool_]) -> Assignment | None:
    """Assign whole rows to the instances that are open: the x of a solver may divide rows, and are only nearly exact."""
    used = opened[program.instance]
    number = np.cumsum(opened) - 1
    flow = cheapest_flow(
        program.rows,
        program.group[used],
        number[program.instance[used]],
        program.cost[opened],
        program.other,
        program.k,
    )
    if flow is None:
        return None
    count = np.zeros(len(program.group), np.int64)
    count[used] = flow[0]
    outside = program.other >= 0
    cost = int(count @ program.cost[program.instance]) + int(flow[1][outside] @ program.other[outside])
    return Assignment(count=count, elsewhere=flow[1], cost=cost)


def _model(program: Program, outside: Int64, unit: int) -> object:
    """Lay the program out for MathOpt: variables x by pair, x elsewhere, u; constraints by group, by instance, by pair."""
    from kanon_sql.solvers.or_tools import model_pb2

    pairs, groups, instances = len(program.group), len(program.rows), len(program.cost)
    free = pairs + len(outside)
    model = model_pb2.ModelProto()
    variables, objective, constraints = model.variables, model.objective, model.linear_constraints
    upper = np.concatenate([program.rows[program.group], program.rows[outside], np.ones(instances)])
    variables.ids.extend(range(free + instances))
    variables.lower_bounds.extend(np.zeros(free + instances).tolist())
    variables.upper_bounds.extend(upper.astype(np.float64).tolist())
    variables.integers.extend([False] * free + [True] * instances)
    objective.linear_coefficients.ids.extend(range(free))
    price = np.concatenate([program.cost[program.instance], program.other[outside]]) // unit
    objective.linear_coefficients.values.extend(price.astype(np.float64).tolist())
    constraints.ids.extend(range(groups + instances + pairs))
    low = np.concatenate([program.rows, np.zeros(instances), np.full(pairs, -np.inf)])
    high = np.concatenate([program.rows, np.full(instances, np.inf), np.zeros(pairs)])
    constraints.lower_bounds.extend(low.astype(np.float64).tolist())
    constraints.upper_bounds.extend(high.astype(np.float64).tolist())
    pair, instance, opened = np.arange(pairs), np.arange(instances), free + np.arange(instances)
    link = groups + instances + pair
    entries: list[tuple[Int64, Int64, NDArray[np.float64]]] = [
        (program.group, pair, np.ones(pairs)),
        (outside, pairs + np.arange(len(outside)), np.ones(len(outside))),
        (groups + program.instance, pair, np.ones(pairs)),
        (groups + instance, opened, np.full(instances, -float(program.k))),
        (link, pair, np.ones(pairs)),
        (link, opened[program.instance], -program.rows[program.group].astype(np.float64)),
    ]
    row, column, value = (np.concatenate(part) for part in zip(*entries, strict=True))
    order = np.lexsort((column, row))
    matrix = model.linear_constraint_matrix
    matrix.row_ids.extend(row[order].tolist())
    matrix.column_ids.extend(column[order].tolist())
    matrix.coefficients.extend(value[order].tolist())
    return model
