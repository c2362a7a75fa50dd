"""A lower bound on the cost of every suppression: the linear program of line and plane cuts, then whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.cuts import Cuts, Relaxation, relaxed
from kanon_sql.solvers.cells.line_cuts import line_cuts
from kanon_sql.solvers.cells.plane_cuts import PlaneCuts
from kanon_sql.solvers.integer_programs.model import Floats
from kanon_sql.table.cell_table import CellTable, LineCut

_UNIT = 1 << 20
"""A price is a whole number of such parts of 1."""

_ROUNDS, _STALLED, _RISE = 40, 4, 2e-3
"""Rounds of plane cuts, at most, and rounds without such a relative rise that end them."""

_MANY, _SLACK = 5_000, 1e-6
"""Where there are so many cuts, those with relatively more slack than this leave the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What every suppression costs at least.

    Attributes
    ----------
    cost : int
        The bound.
    method : str
        The argument that proves it.
    lines : tuple of LineCut
        The prices of line cuts that prove it in units of ``1 / scale``; empty where other cuts prove more.
    scale : int
        See `LineCut.price`.
    cuts : Cuts
        All cuts that are known.
    share : float64 array [r]
        To what share each row is suppressed in the cheapest relaxed suppression.
    """

    cost: int
    method: str
    lines: tuple[LineCut, ...]
    scale: int
    cuts: Cuts
    share: Floats


def lower_bound(table: CellTable, budget: Budget) -> Bound:
    """Return the best bound of the cuts of lines and planes."""
    lines = line_cuts(table)
    cuts, found = lines.cuts, None
    budget.report("lower bound", 0.0)
    if len(cuts.left):
        found = relaxed(cuts, table.cost, budget)
    if found is None:
        return Bound(cost=0, method="line cuts", lines=(), scale=1, cuts=cuts, share=np.zeros(table.rows))
    bound, scale, prices = _proven(table, cuts, found)
    priced = tuple(lines.line_cut(number, price) for number, price in enumerate(prices) if price > 0)
    better, cuts, share = _with_planes(table, cuts, found, budget)
    if better <= bound:
        return Bound(cost=bound, method="line cuts", lines=priced, scale=scale, cuts=cuts, share=share)
    return Bound(cost=better, method="minimum cuts of planes", lines=(), scale=1, cuts=cuts, share=share)


def _with_planes(table: CellTable, cuts: Cuts, found: Relaxation, budget: Budget) -> tuple[int, Cuts, Floats]:
    """Add plane cuts as long as they raise the bound; return it, all cuts and the shares.

    Of many cuts, those with slack leave the program until shares violate them again.
    """
    planes = PlaneCuts(table)
    best, stalled, bound = found.cost, 0, 0
    for done in range(_ROUNDS):
        budget.report("lower bound", done / _ROUNDS)
        more = planes.separate(found.share, budget)
        if not len(more.left):
            break
        weight, count = cuts.weight(found.share), len(cuts.left)
        tight = np.ones(count, np.bool_) if count < _MANY else weight < cuts.left * (1 + _SLACK)
        used = np.concatenate((np.flatnonzero(tight), np.arange(count, count + len(more.left))))
        cuts = cuts.with_more(more)
        after = relaxed(cuts.some(used), table.cost, budget)
        if after is None:
            break
        found = after
        stalled = 0 if found.cost > best * (1 + _RISE) else stalled + 1
        if found.cost > best:
            best, bound = found.cost, max(bound, _proven(table, cuts.some(used), found)[0])
        if stalled == _STALLED:
            break
    return bound, cuts, found.share


def _proven(table: CellTable, cuts: Cuts, found: Relaxation) -> tuple[int, int, list[int]]:
    """Return the bound that the prices prove, their units, and the prices as whole numbers."""
    scale = _UNIT * int(cuts.left.max())
    prices = [int(price * scale) // left for price, left in zip(found.price.tolist(), cuts.left.tolist(), strict=True)]
    return cuts.proven(prices, scale, table.cost), scale, prices
