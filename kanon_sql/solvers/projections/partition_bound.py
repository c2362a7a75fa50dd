"""What all rows cost at least, as each non-empty class by known columns has k rows: a Lagrangian relaxation.

A row of row type t that is in a class pays a charge for it, at least 0. Each row of the class gets back the charges of all rows
that fit the class, divided by k. A class of a release has no rows, or k and more: so its rows get back at least what they pay.
Each row for itself then hides what is cheapest with charges and what it gets back. The sum over all rows is at most the cost of
any release, whatever the charges are. Steps of subgradients find good ones.

Columns with levels, and very many sets, have the bound of :mod:`~kanon_sql.solvers.projections.lower_bound` alone.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from kanon_sql.kernels.projections import moved, relaxed
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.projections.fitting_classes import FittingClasses
from kanon_sql.solvers.projections.lower_bound import METHOD, least_rows_by_set, met_at_least, rare_sets
from kanon_sql.solvers.projections.set_requirements import Sets
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.ladder import COST
from kanon_sql.table.recoding import Prices

BY_CLASSES = "classes by known columns"

_SCALE = 1 << 10
"""Units of charges in a unit of the cost; fewer if sums could overflow."""

_WIDEST, _MOST_NUMBERS, _MOST_RARE = 4, 200_000_000, 3_000_000
"""Columns of a set up to which its classes count, sets times row types, and the rare sets of all row types."""

_NODES, _MOST_FITS, _MOST_CHARGES = 300, 2_000_000, 40_000
"""Steps of the search for a row, pairs of a class and a row type that fits it, and charges in a certificate."""

_STEPS, _WORK = 1_000, 700_000_000
"""Steps of the charges, and the terms of rows that are looked at in all of them: 10 s for 75,000 x 16 and any 2 columns."""

_FIRST, _LAST = 0.7, 0.01
"""The first step and the last, as a share of what a cell costs on average."""

_SHARE = 0.5
"""The share of a time limit that the steps may take, next to the search."""


def proven_prices(table: CodedTable, sets: Sets, budget: Budget) -> tuple[Prices, str]:
    """Return what a row of each row type costs at least, with the charges for classes if there are any, and the method.

    Parameters
    ----------
    sets : dict of tuple to SetRequirement
        The sets of known columns.
    budget : Budget
        The time for it. If it is up, the best prices so far are returned.
    """
    rare = rare_sets(table, sets, budget)
    least = met_at_least(table, rare, budget)
    least_rows = _counted(table, sets)
    scale = _scale(table)
    if not least_rows or scale == 0 or sum(map(len, rare)) > _MOST_RARE or budget.over():
        return least, METHOD
    found = _ascent(FittingClasses(table, least_rows, rare, scale, nodes=_NODES, most=_MOST_FITS), scale, budget)
    if int(found.price @ table.weight) <= scale * int(least.price @ table.weight):
        return least, METHOD
    return found, BY_CLASSES


def _counted(table: CodedTable, sets: Sets) -> dict[tuple[int, ...], int]:
    """Return the sets whose classes count, and the rows that each asks for; none if the table has levels."""
    if table.has_ladders or table.hidden_levels or COST in table.ladders:
        return {}
    least = least_rows_by_set(table, sets)
    found = {chosen: least.get(chosen, requirement.rows) for chosen, requirement in sets.items() if len(chosen) <= _WIDEST}
    return {chosen: rows for chosen, rows in found.items() if rows > 1} if len(found) * table.row_types <= _MOST_NUMBERS else {}


def _scale(table: CodedTable) -> int:
    """Return the units of charges in a unit of the cost, a power of two; 0 if sums could overflow in any."""
    most = int(table.cost.sum()) * table.rows << 16
    if most == 0:
        return 0
    return min(_SCALE, (1 << ((1 << 62) // most).bit_length()) >> 1)


def _ascent(classes: FittingClasses, scale: int, budget: Budget) -> Prices:
    """Return the best prices that are found, with the charges that prove them.

    Notes
    -----
    Steps become shorter with the share of the steps, or of the work, that is done. Classes are added at step 0, 1, 4, 9 ...
    """
    table, part = classes.table, budget.part(_SHARE)
    work, most_work = 0, budget.steps(_WORK)
    length, most = scale * float(table.cost.mean()), scale * int(table.cost.sum())
    best, charges = relaxed(classes.relaxation), classes.charges()
    for step in range(_STEPS):
        share = max(step / _STEPS, work / most_work)
        if share >= 1 or part.over():
            break
        if isqrt(step) ** 2 == step and classes.grow(part.over):
            relaxed(classes.relaxation)
        moved(classes.relaxation, max(1, int(length * _FIRST * (_LAST / _FIRST) ** share)), most)
        found = relaxed(classes.relaxation)
        work += classes.relaxation.work
        if found > best:
            best, charges = found, classes.charges()
        budget.report(BY_CLASSES, share, lower_bound=-(-best // scale))
    classes.charge(charges.largest(_MOST_CHARGES))
    relaxed(classes.relaxation)
    return Prices(price=np.array(classes.relaxation.price), scale=scale, charges=classes.listed())
