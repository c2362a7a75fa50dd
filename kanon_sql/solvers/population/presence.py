"""delta-presence, alone or next to other guarantees.

A class whose share is at most delta matches 1 / delta rows of the population or more: delta-presence implies a k-map, whose
release is a bound. If the rows of a class have no requirement, rows take masks as far as shares permit it. Else releases are
made for that k-map and for stricter ones, until the shares add up to delta or less; also releases in which all rows show the
same columns, whose classes do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.requirements import DeltaPresence, KMap
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.guarantees import in_population
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.population.filling import filled
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import Solve
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import Recoding, hidden_bits

_SMALL = 1 << 16
"""Masks times row types up to which more ways are tried than the search."""


def solve(problem: Problem, budget: Budget, solver: Solve) -> Recoding:
    """Return the cheapest release found in which the shares that a row of the population has add up to delta at most.

    Parameters
    ----------
    problem : Problem
        With delta-presence among the requirements.
    budget : Budget
        Time left; when it ends, the best release found so far is taken.
    solver : Solve
        Of everything else.

    Raises
    ------
    InfeasibleError
        When the table is a larger part of the population than delta: summed over the population, the shares of any release add
        up to the rows of the table. Also when no permitted release was found.

    Notes
    -----
    Where k-maps are tried, their k is doubled until it is the rows of the population. The bound is that of the first of them,
    which every release meets.
    """
    table, requested = problem.table, _presences(problem)
    for each in requested:
        in_population(each, table).require_feasible()
    best, first = _filled(problem, budget, solver) if _of_population_alone(problem) else (None, None)
    small = table.row_types * len(problem.patterns.shown) <= _SMALL
    if best is None or (small and best.cost(table)):
        best, first = _of_k_maps(problem, budget, solver, best, first)
    if best is None:
        what = " and ".join(each.describe() for each in requested)
        raise InfeasibleError(
            f"no release was found that meets {what}; hint: permit masks that show less, or the mask (), which "
            "suppresses everything"
        )
    if first is None:
        return replace(best, lower_bound=0, bound="none: no search for a bound ended")
    return replace(best, lower_bound=first.lower_bound, bound=first.bound, prices=first.prices)


def _of_population_alone(problem: Problem) -> bool:
    """Return whether the rows of a class have no requirement."""
    return problem.requirement.least == 1 and not problem.requirement.requirements


def _filled(problem: Problem, budget: Budget, solver: Solve) -> tuple[Recoding | None, Recoding | None]:
    """Return the release of the search, if it found one, and that of the k-map which delta-presence implies."""
    part = next(_stricter(problem))
    try:
        first = solver(part, budget.half())
    except InfeasibleError:
        return None, None
    if _kept(problem, first):
        return replace(first, remark=_said(part)), first
    requested = _presences(problem)
    mapped = [each for each in problem.requirement.population if isinstance(each, KMap)]
    found = filled(problem, requested, mapped, budget)
    if found is None or not _kept(problem, found):
        return None, first
    return replace(found, remark="each row takes a cheap mask, as far as the shares in the population permit it"), first


def _kept(problem: Problem, recoding: Recoding) -> bool:
    """Return whether a release has permitted masks, and meets the requirement of the population."""
    return _permitted(problem, recoding) and all(
        in_population(each, problem.table).holds(recoding) for each in problem.requirement.population
    )


def _of_k_maps(
    problem: Problem, budget: Budget, solver: Solve, best: Recoding | None, first: Recoding | None
) -> tuple[Recoding | None, Recoding | None]:
    """Return the best of a known release, of those for stricter and stricter k-maps, and of those in which all rows look alike.

    The first release for a k-map comes with it: its bound holds for all.
    """
    table = problem.table
    known = [best, _alike(problem, budget)]
    best = min((each for each in known if each is not None), key=lambda each: each.cost(table), default=None)
    for part in _stricter(problem):
        try:
            found = solver(part, budget.half())
        except InfeasibleError:
            break  # for a stricter one there is nothing either
        first = first or found
        if best is not None and found.cost(table) >= best.cost(table):
            break
        if _kept(problem, found):
            best = replace(found, remark=_joined(found.remark, _said(part)))
            break
        if budget.over():
            break
    return best, first


def _presences(problem: Problem) -> list[DeltaPresence]:
    return [each for each in problem.requirement.population if isinstance(each, DeltaPresence)]


def _stricter(problem: Problem) -> Iterator[Problem]:
    """Return problems of a k-map in the place of delta-presence: the one that it implies, and stricter ones."""
    requested, least = _presences(problem), max(1, problem.requirement.least)
    others = tuple(each for each in problem.requirement.population if isinstance(each, KMap))
    rows = {each.population: problem.table.populations[each.population].rows for each in requested}
    factor = 1
    while True:
        implied = [
            KMap(k=max(1, min(rows[each.population], -(-least * factor // each.delta))), population=each.population)
            for each in requested
        ]
        yield replace(problem, requirement=replace(problem.requirement, population=(*others, *implied)))
        if all(each.k >= rows[each.population] for each in implied):
            return
        factor *= 2


def _permitted(problem: Problem, recoding: Recoding) -> bool:
    return not problem.patterns.listed or bool(np.isin(recoding.shown, problem.patterns.shown).all())


def _alike(problem: Problem, budget: Budget) -> Recoding | None:
    """Return the cheapest release in which all rows show the same, None if no permitted mask meets the requirement.

    Notes
    -----
    What a mask breaks, every finer one breaks. So masks of one and of two columns come first, and then all that show none of
    those which failed, by their cost. Where masks are not listed, or time is short, everything is suppressed.
    """
    shown = problem.patterns.shown
    nothing = np.zeros(1, np.uint64)
    kept = None
    if not problem.patterns.listed or 0 in shown:
        kept = _of_one_mask(problem, np.uint64(0))
        if kept is None:
            return None  # every mask breaks it
    if not problem.patterns.listed:
        return kept
    columns = len(problem.table.columns)
    bits = [np.uint64(1 << column) for column in range(columns)]
    failed = nothing[:0]
    for mask in [*bits, *(one | other for place, one in enumerate(bits) for other in bits[:place])]:
        if not budget.over() and not _above(failed, mask) and _of_one_mask(problem, mask) is None:
            failed = np.append(failed, mask)
    for mask in shown:
        if budget.over():
            break
        if not _above(failed, mask):
            found = _of_one_mask(problem, mask)
            if found is not None:
                return found
            failed = np.append(failed, mask)
    return kept


def _above(failed: NDArray[np.uint64], mask: np.uint64) -> bool:
    """Return whether a mask shows all that one of the failed shows."""
    return bool(((failed & mask) == failed).any())


def _of_one_mask(problem: Problem, mask: np.uint64) -> Recoding | None:
    """Return the release in which all rows show a mask, None where it breaks something."""
    table, requirement = problem.table, problem.requirement
    every, shown = np.arange(table.row_types, dtype=np.int32), np.full(table.row_types, mask)
    recoding = PartialRecoding.of_row_types(table, np.ones(table.row_types, np.bool_), shown).recoding()
    if not all(in_population(each, table).holds(recoding) for each in requirement.population):
        return None
    hidden = hidden_bits(shown[:1], len(table.columns))[0].astype(np.bool_)
    if not requirement.holds(alike(table.codes, table.cardinality, hidden), every, table.weight).all():
        return None
    return replace(recoding, remark="all rows show the same columns")


def _said(part: Problem) -> str:
    return "made for " + " and ".join(each.describe() for each in part.requirement.population)


def _joined(*remarks: str | None) -> str:
    return "; ".join(each for each in remarks if each)
