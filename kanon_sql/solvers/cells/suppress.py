"""Complementary suppression of a table: which algorithm, and what it returns."""

from __future__ import annotations

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.destroy_repair import improve
from kanon_sql.solvers.cells.greedy import protect
from kanon_sql.solvers.cells.lower_bound import lower_bound
from kanon_sql.solvers.cells.state import started
from kanon_sql.solvers.cells.witness_check import checked
from kanon_sql.table.cell_table import Bools, CellTable, Suppression

GREEDY, OPTIMAL = "greedy", "optimal"

ALGORITHMS = (GREEDY, OPTIMAL)
"""What ``USING`` names; ``'auto'`` is greedy, then exact where the table is small."""


def suppress(table: CellTable, budget: Budget, algorithm: str = "auto") -> Suppression:
    """Suppress rows until no primary row is disclosed, at a low cost.

    Parameters
    ----------
    table : CellTable
        The published system.
    budget : Budget
        Time left. Without a limit the result does not depend on the clock.
    algorithm : str
        One of `ALGORITHMS`, or ``'auto'``.

    Raises
    ------
    InfeasibleError
        When a primary row has no witness, even if every row is suppressed that may be.
    PolicyError
        When there is no such algorithm.
    """
    if algorithm not in ("auto", *ALGORITHMS):
        listed = ", ".join(map(repr, ALGORITHMS))
        raise PolicyError(f"no algorithm {algorithm!r} protects a table of counts; hint: {listed}, or leave it out")
    state = started(table)
    protect(state, budget)
    bound = lower_bound(table, budget)
    if algorithm != GREEDY:
        improve(state, bound.cost, budget)
    return checked(
        table,
        Suppression(
            suppressed=state.suppressed,
            witnesses=state.witnesses(),
            lower_bound=bound.cost,
            method="line cuts",
            cuts=bound.cuts,
            scale=bound.scale,
        ),
    )


def cost_of(table: CellTable, suppressed: Bools) -> int:
    """Return the cost of the secondary rows."""
    return int(table.cost[suppressed & ~table.primary & ~table.suppressed].sum())
