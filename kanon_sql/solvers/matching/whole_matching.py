"""The integer program of a matching in pairs and triples, solved by SCIP through OR-Tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.instances.ilp import INFEASIBLE
from kanon_sql.solvers.matching.odd_set_program import odd_in
from kanon_sql.table.arrays import Int32, Int64

_ROUNDING = 1e-4
"""Costs are whole numbers; the solver's tolerances are far below this share of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """What became of an integer program."""

    count: Int64 | None  # [g]: how often each class is there in the best matching found, if any
    bound: int  # a lower bound on the cost of every matching of these classes; `INFEASIBLE` when there is none
    proven: bool  # whether no matching of these classes costs less


def whole_matching(
    rows: Int64,
    member: Int32,
    cost: Int64,
    cuts: Sequence[NDArray[np.bool_]],
    *,
    seconds: float | None = None,
    nodes: int | None = None,
) -> Whole:
    """Return the cheapest way to divide all rows into some of the given classes.

    Parameters
    ----------
    rows : int64 array [t]
        Rows of each row type.
    member, cost : int32 array [g, 3], int64 array [g]
        The classes, -1 for the third row type of a pair, and what each costs.
    cuts : sequence of bool array [t]
        Sets with an odd number of rows: valid cuts that make the search shorter.
    seconds, nodes : float, int, optional
        Limits; the one on nodes of the search tree does not depend on the clock.

    Notes
    -----
    Exponential in the worst case. The interpreter is free for other threads meanwhile.
    """
    from kanon_sql.solvers.or_tools import mathopt

    model = mathopt.Model()
    needed = np.flatnonzero(rows)
    once = {row: model.add_linear_constraint(lb=float(rows[row]), ub=float(rows[row])) for row in needed.tolist()}
    variables = []
    for each, price in zip(member.tolist(), cost.tolist(), strict=True):
        held = Counter(row for row in each if row >= 0)
        variable = model.add_integer_variable(lb=0.0, ub=float(min(rows[row] // times for row, times in held.items())))
        model.objective.set_linear_coefficient(variable, float(price))
        for row, times in held.items():
            once[row].set_coefficient(variable, float(times))
        variables.append(variable)
    for inside in cuts:
        constraint = model.add_linear_constraint(lb=1.0)
        for place in np.flatnonzero(odd_in(inside, member)).tolist():
            constraint.set_coefficient(variables[place], 1.0)
    parameters = mathopt.SolveParameters(
        time_limit=None if seconds is None else timedelta(seconds=max(seconds, 0.01)),
        node_limit=nodes,
        absolute_gap_tolerance=1 - _ROUNDING,
        relative_gap_tolerance=0.0,
    )
    result = mathopt.solve(model, mathopt.SolverType.GSCIP, params=parameters)
    if result.termination.reason == mathopt.TerminationReason.INFEASIBLE:
        return Whole(count=None, bound=INFEASIBLE, proven=True)
    dual = result.termination.objective_bounds.dual_bound
    bound = max(0, int(np.ceil(dual - _ROUNDING))) if np.isfinite(dual) else 0
    if not result.has_primal_feasible_solution():
        return Whole(count=None, bound=bound, proven=False)
    count = np.rint(np.array(result.variable_values(variables))).astype(np.int64)
    if not _covers(rows, member, count):
        return Whole(count=None, bound=bound, proven=False)
    return Whole(count=count, bound=bound, proven=int(count @ cost) == bound)


def _covers(rows: Int64, member: Int32, count: Int64) -> bool:
    """Return whether the classes hold every row once."""
    held = np.zeros(len(rows) + 1, np.int64)
    np.add.at(held, member, count[:, None])  # the row type -1 is the last place
    return bool((held[:-1] == rows).all())
