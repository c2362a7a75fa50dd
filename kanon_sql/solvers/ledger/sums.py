"""Sums of facts that bound a group from both sides: a proof that a person can check by adding and subtracting."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.ledger.linear import cheapest
from kanon_sql.solvers.ledger.programs import run
from kanon_sql.solvers.ledger.views import Array

_MULTIPLE = 4
"""Halves that a fact may be added or subtracted."""

_NONZERO = 1e-7
"""Multiples below this are errors of the method."""


def lightest(inside: Array, lower: Array, upper: Array, group: Array, n: int) -> list[int]:
    """Return the facts of a proof with small multiples, by a linear program; none if there is no such proof.

    Notes
    -----
    The parameters are those of `kanon_sql.solvers.ledger.bounds.bounds`. A sum that counts each atom of the group at least
    once, and no other one a negative number of times, is at least the group.
    The facts come from numbers that are not exact, so the proof has to be checked.
    """
    used: set[int] = set()
    count, (facts, atoms) = inside.T.astype(float), inside.shape
    for most in (True, False):
        added, taken = (upper, lower) if most else (lower, upper)
        values = np.concatenate([np.maximum(added, 0), -np.maximum(taken, 0)])
        limits = np.where(np.concatenate([added, taken]) < 0, 0.0, _MULTIPLE / 2)
        rows = np.vstack([np.hstack([count, -count]), values[None, :]])
        own, free = group.astype(float), np.full(atoms, np.inf)
        low = np.append(own if most else -free, -np.inf if most else 0.5)
        high = np.append(free if most else own, n - 0.5 if most else np.inf)
        found = cheapest((rows, low, high), np.zeros(2 * facts), limits, np.ones(2 * facts))
        if found is None:
            return []
        used |= {*(np.flatnonzero(found > _NONZERO) % facts).tolist()}
    return sorted(used)


def fewest(
    inside: Array, lower: Array, upper: Array, group: Array, n: int, below: int, budget: Budget, seconds: float
) -> dict[int, int]:
    """Return a smallest proof with fewer facts than ``below``, and 1 or -1 for each; none if none was found.

    Notes
    -----
    Multiples are halves, so that bounds may be half a person off: people are whole. The sign of a fact is that for the upper
    bound, if it is needed there.
    """
    from kanon_sql.solvers.or_tools import cp_model

    model = cp_model.CpModel()
    used = [model.new_bool_var("") for _ in range(len(inside))]
    sums: list[list[Any]] = []
    for most in (True, False):
        multiples, value = [], []
        for fact, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
            added, taken = (high, low) if most else (low, high)
            plus = model.new_int_var(0, 0 if added < 0 else _MULTIPLE, "")
            minus = model.new_int_var(0, 0 if taken < 0 else _MULTIPLE, "")
            model.add(plus + minus <= _MULTIPLE * used[fact])
            multiples.append(plus - minus)
            value += [max(added, 0) * plus, -max(taken, 0) * minus]
        for place in range(inside.shape[1]):
            total = cp_model.LinearExpr.sum([multiples[fact] for fact in np.flatnonzero(inside[:, place])])
            own = 2 * int(group[place])
            model.add(total >= own if most else total <= own)
        sums.append(multiples)
        total = cp_model.LinearExpr.sum(value)
        model.add(total <= 2 * n - 1 if most else total >= 1)
    model.add(cp_model.LinearExpr.sum(used) < below)
    model.minimize(cp_model.LinearExpr.sum(used))
    solver, status = run(model, budget, seconds)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {}
    signs = ((fact, solver.value(sums[0][fact]) or solver.value(sums[1][fact])) for fact in range(len(used)))
    return {fact: 1 if sign > 0 else -1 for fact, sign in signs if sign}
