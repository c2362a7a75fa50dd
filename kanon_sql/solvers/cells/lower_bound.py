"""A lower bound on the cost of every suppression: the linear program of the line cuts, then whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.line_cuts import Cuts, line_cuts
from kanon_sql.solvers.integer_programs.model import Model
from kanon_sql.table.cell_table import CellTable, LineCut

_UNIT = 1 << 20
"""A price is a whole number of such parts of 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What every suppression costs at least, and the prices of cuts that prove it in units of ``1 / scale``."""

    cost: int
    cuts: tuple[LineCut, ...]
    scale: int


def lower_bound(table: CellTable, budget: Budget) -> Bound:
    """Return the best bound of the line cuts."""
    cuts = line_cuts(table)
    if not len(cuts.left):
        return Bound(cost=0, cuts=(), scale=1)
    budget.report("lower bound", 0.0)
    # The program has each cut in units of its right-hand side, so that sums and counts are of one size.
    scale = _UNIT * int(cuts.left.max())
    prices = [int(price * scale) // left for price, left in zip(_prices(table, cuts, budget), cuts.left.tolist(), strict=True)]
    priced = tuple(cuts.line_cut(number, price) for number, price in enumerate(prices) if price > 0)
    return Bound(cost=proven(table, cuts, prices, scale), cuts=priced, scale=scale)


def proven(table: CellTable, cuts: Cuts, prices: list[int], scale: int) -> int:
    """Return the bound that prices prove, in whole numbers of any size."""
    total, charged = 0, dict[int, int]()
    for price, left in zip(prices, cuts.left.tolist(), strict=True):
        total += price * left
    for cut, row, coefficient in zip(cuts.cut.tolist(), cuts.variable.tolist(), cuts.coefficient.tolist(), strict=True):
        if prices[cut]:
            charged[row] = charged.get(row, 0) + prices[cut] * coefficient
    total -= sum(max(0, charge - scale * int(table.cost[row])) for row, charge in charged.items())
    return max(0, -(-total // scale))


def _prices(table: CellTable, cuts: Cuts, budget: Budget) -> list[float]:
    """Return the optimal prices of the cuts, each divided by its right-hand side; 0 where the time is up."""
    from ortools.math_opt.python import mathopt

    rows, variable = np.unique(cuts.variable, return_inverse=True)
    program = Model()
    program.add_variables(len(rows), 1.0)
    program.add(
        program.add_constraints(len(cuts.left), 1.0, np.inf)[cuts.cut], variable, cuts.coefficient / cuts.left[cuts.cut]
    )
    model = mathopt.Model.from_model_proto(program.proto(table.cost[rows].astype(np.float64)))
    # Preprocessing solves most of it: the lines of a table hang together little.
    limit = None if budget.seconds is None else timedelta(seconds=max(budget.left(), 0.01))
    result = mathopt.solve(model, mathopt.SolverType.GLOP, params=mathopt.SolveParameters(time_limit=limit))
    if result.termination.reason != mathopt.TerminationReason.OPTIMAL:
        return [0.0] * len(cuts.left)
    return [max(0.0, price) for price in result.dual_values(list(model.linear_constraints()))]
