"""The release by suppression alone, next to one with levels, ranges or sets: more freedom never costs more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import gcd

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.row_distance import proves
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Words
from kanon_sql.table.patterns import ordered
from kanon_sql.table.recoding import Recoding

Solve = Callable[[Problem, Budget], Recoding]
"""A solver of the same guarantee."""


def never_costlier(problem: Problem, found: Recoding, budget: Budget, solver: Solve) -> Recoding:
    """Return a release with levels, or the one by suppression alone if that costs less.

    Parameters
    ----------
    problem : Problem
        Some of its columns have levels.
    found : Recoding
        A release with levels.
    solver : callable
        The requirement of the release by suppression.
    """
    part = by_suppression(problem)
    if part is None or budget.over() or found.optimal(problem.table):
        return found
    cost, unit = found.cost(problem.table), problem.table.unit // part.table.unit
    other = unless_costlier(part, Fraction(cost, unit), budget.of_fewer_masks(unit), solver)
    if other is None or unit * other.cost(part.table) >= cost:
        return found
    shown = _with_levels(problem, other.shown)
    pieces = PartialRecoding(
        row_type=other.row_type, shown=shown, count=other.count, placed=np.ones(len(shown), np.bool_)
    ).recoding()
    return replace(pieces, lower_bound=found.lower_bound, bound=found.bound, prices=found.prices)


def unless_costlier(part: Problem, cost: Fraction, budget: Budget, solver: Solve) -> Recoding | None:
    """Return a release by suppression, unless each of them is proven to cost at least as much as a release that is known.

    Parameters
    ----------
    part : Problem
        Columns show their values or nothing.
    cost : Fraction
        What the known release costs, in units of the table of ``part``.
    solver : callable
        The requirement of the release.

    Returns
    -------
    Recoding or None
        None if the rows nearest to each row prove it, or no release is found.
    """
    least = part.requirement.least
    if least > 1:
        alike, _ = part.table.without_sensitive()
        if proves(alike, part.patterns, least, cost, budget.half()):
            return None
    if budget.over():
        return None
    try:
        return solver(part, budget)
    except InfeasibleError:
        return None


def by_suppression(problem: Problem) -> Problem | None:
    """Return the problem in which columns show their values or nothing; None if there are no levels, or no such masks.

    Row types are the same: a value determines all of its levels.
    """
    table, patterns = problem.table, problem.patterns
    if not table.has_ladders or not patterns.listed:
        return None
    ladders = list(table.ladders.values())
    whole = np.ones(len(patterns.shown), np.bool_)
    narrow = np.zeros(len(patterns.shown), np.uint64)
    for column, places in enumerate(ladders):
        bits = np.uint64(sum(1 << place for place in places))
        shown = patterns.shown & bits
        whole &= (shown == 0) | (shown == bits)
        narrow |= (shown == bits).astype(np.uint64) << np.uint64(column)
    if not whole.any() or whole.all():
        return None
    finest = [places[0] for places in ladders]
    cost = np.array([int(table.cost[places].sum()) for places in ladders])
    unit = gcd(table.unit, *cost.tolist())  # the same units as without levels, so that the same release is found
    part = replace(
        table,
        columns=tuple(table.columns[place] for place in finest),
        codes=np.ascontiguousarray(table.codes[:, finest]),
        cost=cost // unit,
        unit=table.unit // unit,
        hidden_levels=0,
        levels={},
        populations={
            name: replace(each, codes=np.ascontiguousarray(each.codes[:, finest])) for name, each in table.populations.items()
        },
    )
    requirement = replace(problem.requirement, table=part)
    return replace(problem, table=part, patterns=ordered(part, narrow[whole]), requirement=requirement, least=0)


def _with_levels(problem: Problem, shown: Words) -> Words:
    """Return the masks of the problem by suppression as those that show all levels of a column or none."""
    found = np.zeros(len(shown), np.uint64)
    for column, places in enumerate(problem.table.ladders.values()):
        bits = np.uint64(sum(1 << place for place in places))
        found |= np.where(shown >> np.uint64(column) & np.uint64(1) == 1, bits, np.uint64(0))
    return found
