"""Complementary suppression of a table: which algorithm, and what it returns."""

from __future__ import annotations

from math import inf

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.destroy_repair import improve
from kanon_sql.solvers.cells.greedy import protect
from kanon_sql.solvers.cells.lower_bound import lower_bound
from kanon_sql.solvers.cells.optimal import EFFORT, FEW_QUESTIONS, QUESTIONS, Optimal
from kanon_sql.solvers.cells.state import State, started
from kanon_sql.solvers.cells.witness_check import checked
from kanon_sql.table.cell_table import Bools, CellTable, Suppression

GREEDY, OPTIMAL = "greedy", "optimal"

ALGORITHMS = (GREEDY, OPTIMAL)
"""What ``USING`` names; ``'auto'`` is greedy, then destroy and repair, then exact if the table is small."""

_SMALL = 600
"""Rows of a table that is solved exactly if that takes little, at most."""


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
    proven = bound.cost if algorithm == GREEDY else max(bound.cost, _improved(state, bound.cost, budget, algorithm))
    return checked(
        table,
        Suppression(
            suppressed=state.suppressed,
            witnesses=state.witnesses(),
            lower_bound=proven,
            method="line cuts" if proven == bound.cost else "cores of the attacker, by integer programs",
            cuts=bound.cuts if proven == bound.cost else (),
            scale=bound.scale,
        ),
    )


def _improved(state: State, lower_bound: int, budget: Budget, algorithm: str) -> int:
    """Improve a table, with exact steps where it is small or they are asked for; return the lower bound that they prove."""
    exact = None
    if algorithm == OPTIMAL or state.table.rows <= _SMALL:
        exact = Optimal(state, inf if algorithm == OPTIMAL else EFFORT)
        # Tiny tables are solved before a search would have begun.
        lower_bound = max(lower_bound, exact.run(lower_bound, budget, FEW_QUESTIONS))
    improve(state, lower_bound, budget)
    if exact is not None:
        lower_bound = max(lower_bound, exact.run(lower_bound, budget, inf if algorithm == OPTIMAL else QUESTIONS))
    return lower_bound


def cost_of(table: CellTable, suppressed: Bools) -> int:
    """Return the cost of the secondary rows."""
    return int(table.cost[suppressed & ~table.primary & ~table.suppressed].sum())
