"""A lower bound on the cost of every suppression: the linear program of line and plane cuts, then whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.cuts import Cuts, Relaxation, relaxed
from kanon_sql.solvers.cells.derived_cuts import DerivedCuts
from kanon_sql.solvers.cells.line_cuts import line_cuts
from kanon_sql.solvers.cells.plane_cuts import PlaneCuts
from kanon_sql.solvers.integer_programs.model import Floats
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import CellTable, PricedCut

_UNIT = 1 << 20
"""A price is a whole number of such parts of 1."""

_ROUNDS, _STALLED, _RISE = 40, 4, 2e-3
"""Rounds of plane cuts, at most, and rounds without such a relative rise that end them."""

_MANY, _SLACK, _GREAT_RISE = 5_000, 1e-6, 5e-3
"""Where there are so many cuts, those with relatively more slack leave the program, and one round that rises less ends it."""

_VIOLATED = 1e-3
"""By what part of its right-hand side a cut is violated that enters the program again, at least."""

_LITTLE = 1e-3
"""A relative rise of the bound that ends the search for such cuts."""

_MOST_ENTRIES = 500_000
"""Entries of line cuts where planes are looked at, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What every suppression costs at least."""

    cost: int  # the bound
    method: str  # the argument that proves it
    priced: tuple[PricedCut, ...]  # the cuts that prove it, with their prices
    scale: int  # see `PricedCut.price`
    cuts: Cuts  # all cuts that are known
    share: Floats  # [r]: to what share each row is suppressed in the cheapest relaxed suppression


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proof:
    """A bound, and the cuts in use with their prices in units of ``1 / scale``."""

    cost: int
    used: Int64
    prices: list[int]
    scale: int


def lower_bound(table: CellTable, budget: Budget) -> Bound:
    """Return the best bound of the cuts of lines and planes."""
    known = line_cuts(table)
    budget.report("lower bound", 0.0)
    found = _solved(known.cuts, _first(known), table, budget) if len(known) else None
    if found is None:
        return Bound(cost=0, method="line cuts", priced=(), scale=1, cuts=known.cuts, share=np.zeros(table.rows))
    lines = _proven(table, known.cuts, *found)
    known, planes, share = _with_planes(table, known, *found, budget)
    best, method = (lines, "line cuts") if planes.cost <= lines.cost else (planes, "minimum cuts of planes")
    priced = known.some(best.used).priced(best.prices)
    return Bound(cost=best.cost, method=method, priced=priced, scale=best.scale, cuts=known.cuts, share=share)


def _first(lines: DerivedCuts) -> Int64:
    """Return the line cuts to begin with: all, or of many the shortest of each primary row."""
    count = len(lines)
    if count < _MANY:
        return np.arange(count)
    length = np.bincount(lines.cuts.cut, minlength=count)
    order = np.lexsort((length, lines.row))
    return np.sort(order[np.unique(lines.row[order], return_index=True)[1]])


def _solved(cuts: Cuts, used: Int64, table: CellTable, budget: Budget) -> tuple[Int64, Relaxation] | None:
    """Return the cuts in use and the optimum of their program, which other cuts hardly raise; None if there is no time.

    Of many cuts, those with slack leave the program until shares violate them again.
    """
    found, cost = None, -1.0
    for _ in range(_ROUNDS):
        after = relaxed(cuts.some(used), table.cost, budget)
        if after is None:
            break
        found = used, after
        weight = cuts.weight(after.share)
        missing = np.flatnonzero(weight < cuts.left * (1 - _VIOLATED))
        if not len(missing) or after.cost <= cost * (1 + _LITTLE):
            break
        cost = after.cost
        tight = used if len(used) < _MANY else used[weight[used] < cuts.left[used] * (1 + _SLACK)]
        used = np.union1d(tight, missing)
    return found


def _with_planes(
    table: CellTable, known: DerivedCuts, used: Int64, found: Relaxation, budget: Budget
) -> tuple[DerivedCuts, _Proof, Floats]:
    """Add plane cuts as long as they raise the bound; return all cuts, what they prove, and the shares."""
    proof = _Proof(cost=0, used=used[:0], prices=[], scale=1)
    if len(known.cuts.cut) > _MOST_ENTRIES:
        return known, proof, found.share
    planes = PlaneCuts(table)
    best, stalled = found.cost, 0
    for done in range(_ROUNDS):
        budget.report("lower bound", done / _ROUNDS)
        more = planes.separate(found.share, budget)
        if not len(more):
            break
        count = len(known)
        known = known.with_more(more)
        after = _solved(known.cuts, np.concatenate((used, np.arange(count, len(known)))), table, budget)
        if after is None:
            break
        used, found = after
        stalled = 0 if found.cost > best * (1 + (_RISE if count < _MANY else _GREAT_RISE)) else stalled + 1
        if found.cost > best:
            best = found.cost
            proof = max(proof, _proven(table, known.cuts, used, found), key=lambda each: each.cost)
        if stalled == (_STALLED if count < _MANY else 1):
            break
    return known, proof, found.share


def _proven(table: CellTable, cuts: Cuts, used: Int64, found: Relaxation) -> _Proof:
    """Return the bound that the prices of the cuts in use prove, in whole numbers."""
    chosen = cuts.some(used)
    scale = _UNIT * int(chosen.left.max())
    prices = [int(price * scale) // left for price, left in zip(found.price.tolist(), chosen.left.tolist(), strict=True)]
    return _Proof(cost=chosen.proven(prices, scale, table.cost), used=used, prices=prices, scale=scale)
