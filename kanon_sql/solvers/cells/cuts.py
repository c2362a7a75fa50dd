"""Cuts: what every suppression has to satisfy, as a sparse matrix of whole numbers, and the linear program of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.integer_programs.model import Floats, Model
from kanon_sql.table.arrays import Int64


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Weighted sums of suppressed rows that are not below a number."""

    left: Int64  # [n]: the right-hand sides, at least 1
    cut: Int64  # the entries: which cut
    variable: Int64  # a row that can be suppressed at a cost
    coefficient: Int64  # its weight, at most that of the right-hand side

    def with_more(self, more: Cuts) -> Cuts:
        """Return these cuts and more of them."""
        return Cuts(
            left=np.concatenate((self.left, more.left)),
            cut=np.concatenate((self.cut, more.cut + len(self.left))),
            variable=np.concatenate((self.variable, more.variable)),
            coefficient=np.concatenate((self.coefficient, more.coefficient)),
        )

    def weight(self, share: Floats) -> Floats:
        """Return the weighted sum of shares of suppressed rows in each cut."""
        return np.asarray(np.bincount(self.cut, self.coefficient * share[self.variable], len(self.left)), np.float64)

    def violated(self, share: Floats, least: float) -> Int64:
        """Return which cuts are violated by at least so large a part of their right-hand sides; of equal ones, the first."""
        chosen = self.weight(share) < self.left * (1 - least)
        # Equal cuts have equal sums of random numbers.
        random = np.random.default_rng(0).integers(1 << 62, size=len(share))
        mark = self.left * 0x9E3779B97F4A7C1 + 1
        np.add.at(mark, self.cut, random[self.variable] * self.coefficient)
        first = np.zeros(len(self.left), np.bool_)
        first[np.unique(mark, return_index=True)[1]] = True
        return np.flatnonzero(chosen & first)

    def some(self, numbers: Int64) -> Cuts:
        """Return some of these cuts."""
        place = np.full(len(self.left), -1, np.int64)
        place[numbers] = np.arange(len(numbers))
        entry = place[self.cut] >= 0
        return Cuts(
            left=self.left[numbers],
            cut=place[self.cut[entry]],
            variable=self.variable[entry],
            coefficient=self.coefficient[entry],
        )

    def proven(self, prices: list[int], scale: int, cost: Int64) -> int:
        """Return what prices in units of ``1 / scale`` prove of every suppression, in whole numbers of any size."""
        total: int = sum(price * left for price, left in zip(prices, self.left.tolist(), strict=True))
        charged = dict[int, int]()
        for cut, row, coefficient in zip(self.cut.tolist(), self.variable.tolist(), self.coefficient.tolist(), strict=True):
            if prices[cut]:
                charged[row] = charged.get(row, 0) + prices[cut] * coefficient
        total -= sum(max(0, charge - scale * int(cost[row])) for row, charge in charged.items())
        return max(0, -(-total // scale))


def one_cut(left: int, weight: dict[int, int]) -> Cuts:
    """Return one cut from the weights of its rows."""
    rows = sorted(weight)
    return Cuts(
        left=np.array([left], np.int64),
        cut=np.zeros(len(rows), np.int64),
        variable=np.array(rows, np.int64),
        coefficient=np.array([weight[row] for row in rows], np.int64),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """An optimum of the linear program."""

    share: Floats  # [r]: to what share each row is suppressed
    price: Floats  # [n]: the prices of the cuts, each times its right-hand side
    cost: float  # what the shares cost


def relaxed(cuts: Cuts, cost: Int64, budget: Budget) -> Relaxation | None:
    """Return the cheapest shares of rows that satisfy all cuts; None where the time is up.

    Notes
    -----
    Each cut is divided by its right-hand side, so that sums and counts are of one size.
    """
    from kanon_sql.solvers.or_tools import mathopt

    rows, variable = np.unique(cuts.variable, return_inverse=True)
    program = Model()
    program.add_variables(len(rows), 1.0)
    constraint = program.add_constraints(len(cuts.left), 1.0, np.inf)
    program.add(constraint[cuts.cut], variable, cuts.coefficient / cuts.left[cuts.cut])
    model = mathopt.Model.from_model_proto(program.proto(cost[rows].astype(np.float64)))
    # Preprocessing solves most of it: the lines of a table hang together little.
    limit = None if budget.seconds is None else timedelta(seconds=max(budget.left(), 0.01))
    result = mathopt.solve(model, mathopt.SolverType.GLOP, params=mathopt.SolveParameters(time_limit=limit))
    if result.termination.reason != mathopt.TerminationReason.OPTIMAL:
        return None
    share = np.zeros(len(cost))
    share[rows] = np.clip(result.variable_values(list(model.variables())), 0.0, 1.0)
    price = np.maximum(result.dual_values(list(model.linear_constraints())), 0.0)
    return Relaxation(share=share, price=price, cost=float(result.objective_value()))
