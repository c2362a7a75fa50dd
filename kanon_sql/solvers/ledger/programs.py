"""Integer programs over atoms: they look for a table of whole numbers that agrees with facts, and with a goal for a group."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.ledger.linear import cheapest
from kanon_sql.solvers.ledger.views import Array

WITNESS, IMPOSSIBLE, UNKNOWN = "witness", "impossible", "unknown"
"""The answers of a program."""


_ERROR = 1e-6
"""What a bound of the solver, which is a whole number, may be off as a float."""

_NONE = 1 << 60
"""More than any count."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A group shall have at least and at most so many people."""

    group: Array  # for each atom whether it belongs to the group
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program found."""

    status: str
    values: Array | None = None  # of each atom, if there is a witness
    bound: int | None = None  # of an optimum: what is proven of all tables


def solved(inside: Array, lower: Array, upper: Array, goal: Goal | None, n: int, budget: Budget, seconds: float) -> Answer:
    """Look for a table of whole numbers.

    Parameters
    ----------
    inside : array of bool
        For each fact the atoms that it counts.
    lower, upper : array of int
        The bounds of each fact; -1 is without limit.
    goal : Goal, optional
        What the table shall show.
    n : int
        Groups below this are small. An atom without an upper bound needs no more than this above all lower bounds.
    budget : Budget
        What may be spent.
    seconds : float
        The most that this program may take.
    """
    from kanon_sql.solvers.or_tools import cp_model

    model = cp_model.CpModel()
    variables = _variables(model, inside, lower, upper, n)
    for row, low, high in zip(inside, lower.tolist(), upper.tolist(), strict=True):
        _limit(model, variables, row, low, None if high < 0 else high)
    if goal is not None:
        _limit(model, variables, goal.group, goal.least, goal.most)
    solver, status = run(model, budget, seconds)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Answer(WITNESS, np.array(solver.values(variables), dtype=np.int64))
    return Answer(IMPOSSIBLE if status == cp_model.INFEASIBLE else UNKNOWN)


def rounded(inside: Array, lower: Array, upper: Array, goal: Goal | None, budget: Budget, seconds: float) -> Answer:
    """Look for a table next to a fractional one, which is much faster than `solved`; without one, nothing is proven.

    Notes
    -----
    A vertex of the linear program has few fractions. Only these are rounded by an integer program. Another objective gives
    another vertex if that fails.
    """
    random = np.random.default_rng(budget.seed)
    for attempt in range(3):
        if budget.over():
            break
        prices = random.random(inside.shape[1]) if attempt else np.zeros(inside.shape[1])
        vertex = _vertex(inside, lower, upper, goal, prices)
        if vertex is None:
            break
        near = np.floor(vertex + _ERROR).astype(np.int64)
        open_ = np.flatnonzero(vertex - near > _ERROR)
        known = near.copy()
        known[open_] = 0
        fixed = inside @ known
        rows = inside[:, open_].any(axis=1)
        above = np.where(upper < 0, -1, upper - fixed)
        broken = (~rows & (fixed < lower)) | ((upper >= 0) & (above < 0))
        if broken.any():
            continue
        shift = inside[np.ix_(rows, open_)] @ near[open_]
        low = np.maximum(lower - fixed, 0)[rows] - shift
        high = np.where(upper < 0, _NONE, upper - fixed)[rows] - shift
        wanted = None
        if goal is not None:
            there = int(known[goal.group].sum()) + int(near[open_][goal.group[open_]].sum())
            wanted = Goal(goal.group[open_], goal.least - there, None if goal.most is None else goal.most - there)
        ups = _ups(inside[np.ix_(rows, open_)], low, high, wanted, budget, seconds)
        if ups is not None:
            near[open_] += ups
            return Answer(WITNESS, near)
    return Answer(UNKNOWN)


def _vertex(inside: Array, lower: Array, upper: Array, goal: Goal | None, prices: Array) -> Array | None:
    rows, low, high = inside, lower.astype(float), np.where(upper < 0, np.inf, upper)
    if goal is not None:
        rows = np.vstack([inside, goal.group[None, :]])
        low, high = np.append(low, goal.least), np.append(high, np.inf if goal.most is None else goal.most)
    atoms = inside.shape[1]
    return cheapest((rows, low, high), np.zeros(atoms), np.full(atoms, np.inf), prices)


def vertex_end(inside: Array, lower: Array, upper: Array, group: Array, *, most: bool) -> int | None:
    """Return a bound of the number of people of a group, by a linear program; see `solved`."""
    prices = -group.astype(float) if most else group.astype(float)
    vertex = _vertex(inside, lower, upper, None, prices)
    if vertex is None:
        return None
    total = float(vertex[group].sum())
    slack = _ERROR * max(1.0, float(vertex.max()))
    return floor(total + slack) if most else ceil(total - slack)


def _ups(inside: Array, low: Array, high: Array, goal: Goal | None, budget: Budget, seconds: float) -> Array | None:
    """Return which fractions are rounded up."""
    from kanon_sql.solvers.or_tools import cp_model

    model = cp_model.CpModel()
    variables = [model.new_bool_var("") for _ in range(inside.shape[1])]
    sums = list(zip(inside, low.tolist(), high.tolist(), strict=True))
    if goal is not None:
        sums.append((goal.group, goal.least, _NONE if goal.most is None else goal.most))
    for row, least, most in sums:
        total = cp_model.LinearExpr.sum([variables[place] for place in np.flatnonzero(row)])
        model.add_linear_constraint(total, least, most)
    solver, status = run(model, budget, seconds)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return np.array([solver.boolean_value(each) for each in variables], dtype=np.int64)


def optimum(
    inside: Array, lower: Array, upper: Array, group: Array, n: int, budget: Budget, seconds: float, *, most: bool
) -> Answer:
    """Look for the least or the greatest number of people of a group; see `solved`."""
    from kanon_sql.solvers.or_tools import cp_model

    model = cp_model.CpModel()
    variables = _variables(model, inside, lower, upper, n)
    for row, low, high in zip(inside, lower.tolist(), upper.tolist(), strict=True):
        _limit(model, variables, row, low, None if high < 0 else high)
    total = cp_model.LinearExpr.sum([variables[place] for place in np.flatnonzero(group)])
    (model.maximize if most else model.minimize)(total)
    solver, status = run(model, budget, seconds)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Answer(IMPOSSIBLE if status == cp_model.INFEASIBLE else UNKNOWN)
    bound = floor(solver.best_objective_bound + _ERROR) if most else ceil(solver.best_objective_bound - _ERROR)
    return Answer(WITNESS, np.array(solver.values(variables), dtype=np.int64), bound)


def _variables(model: Any, inside: Array, lower: Array, upper: Array, n: int) -> list[Any]:
    """Return a variable for each atom: at most the least upper bound, or what is never needed."""
    enough = int(lower.max(initial=0)) + n
    limits = np.where(inside & (upper >= 0)[:, None], upper[:, None], _NONE).min(axis=0, initial=_NONE)
    caps = np.where(limits < _NONE, limits, enough)
    return [model.new_int_var(0, cap, "") for cap in caps.tolist()]


def _limit(model: Any, variables: list[Any], row: Array, low: int, high: int | None) -> None:
    from kanon_sql.solvers.or_tools import cp_model

    total = cp_model.LinearExpr.sum([variables[place] for place in np.flatnonzero(row)])
    if high is not None:
        model.add_linear_constraint(total, low, high)
    elif low > 0:
        model.add(total >= low)


def run(model: Any, budget: Budget, seconds: float) -> tuple[Any, Any]:
    """Run CP-SAT on one core; return it, and its status."""
    from kanon_sql.solvers.or_tools import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = budget.seed % (1 << 31)
    solver.parameters.max_time_in_seconds = max(0.01, min(seconds, budget.left()))
    return solver, solver.solve(model)
