"""The cheapest rows to suppress so that no core is shown whole, by OR-Tools' CP-SAT."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.line_cuts import Cuts
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_LARGEST = 1 << 40
"""Line cuts with coefficients above this are left out."""


class HittingSet:
    """An integer program of all suppressions, that grows by cores.

    Parameters
    ----------
    table : CellTable
        The published system.
    cuts : Cuts
        Its line cuts.
    effort : float
        Deterministic seconds of all programs together.
    """

    def __init__(self, table: CellTable, cuts: Cuts, effort: float) -> None:
        from ortools.sat.python import cp_model

        self._model: Any = cp_model.CpModel()
        rows = np.flatnonzero(~table.primary & ~table.suppressed & ~table.shown)
        self._chosen = {int(row): self._model.new_bool_var("") for row in rows}
        self._rows = table.rows
        self._cost: Any = sum(int(table.cost[row]) * chosen for row, chosen in self._chosen.items())
        self._model.minimize(self._cost)
        self._left = effort
        self.lower_bound = 0
        order = np.argsort(cuts.cut, kind="stable")
        first = np.searchsorted(cuts.cut[order], np.arange(len(cuts.left) + 1))
        for number, left in enumerate(cuts.left.tolist()):
            entries = order[first[number] : first[number + 1]]
            if left <= _LARGEST:
                terms = zip(cuts.variable[entries].tolist(), cuts.coefficient[entries].tolist(), strict=True)
                self._model.add(sum(coefficient * self._chosen[row] for row, coefficient in terms) >= left)

    def hit(self, core: Int64) -> None:
        """Require that a row of a core is suppressed."""
        self._model.add_bool_or([self._chosen[row] for row in core.tolist()])

    def cheapest(self, hint: Bools, budget: Budget) -> Bools | None:
        """Return the cheapest rows; None when the time is up. The lower bound grows either way.

        Notes
        -----
        Exponential in the worst case. One thread, so that the answer does not depend on their number.
        """
        from ortools.sat.python import cp_model

        if not self._chosen:
            return np.zeros(self._rows, np.bool_)
        self._model.clear_hints()
        for row, chosen in self._chosen.items():
            self._model.add_hint(chosen, bool(hint[row]))
        solver: Any = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 2
        if self._left < inf:
            solver.parameters.max_deterministic_time = max(self._left, 0.0)
        if budget.seconds is not None:
            solver.parameters.max_time_in_seconds = max(budget.left(), 0.01)
        status = solver.solve(self._model)
        self._left -= solver.response_proto.deterministic_time
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self.lower_bound = max(self.lower_bound, int(np.ceil(solver.best_objective_bound - 1e-6)))
        if status != cp_model.OPTIMAL:
            return None
        found = np.zeros(self._rows, np.bool_)
        found[[row for row, chosen in self._chosen.items() if solver.value(chosen)]] = True
        return found
