"""The cheapest rows to suppress so that all cuts are satisfied, by OR-Tools' CP-SAT."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.cuts import Cuts
from kanon_sql.table.cell_table import Bools, CellTable

_LARGEST = 1 << 40
"""Cuts with different coefficients, and a right-hand side above this, are left out."""


class HittingSet:
    """An integer program of all suppressions, that grows by cuts.

    Parameters
    ----------
    table : CellTable
        The published system.
    cuts : Cuts
        Those that are known.
    effort : float
        Deterministic seconds of all programs together.

    Attributes
    ----------
    left : float
        What is left of them.
    lower_bound : int
        What every suppression costs at least.
    """

    def __init__(self, table: CellTable, cuts: Cuts, effort: float) -> None:
        from kanon_sql.solvers.or_tools import cp_model

        self._model: Any = cp_model.CpModel()
        rows = np.flatnonzero(~table.primary & ~table.suppressed & ~table.shown)
        self._chosen = {int(row): self._model.new_bool_var("") for row in rows}
        self._rows = table.rows
        self._cost: Any = sum(int(table.cost[row]) * chosen for row, chosen in self._chosen.items())
        self._model.minimize(self._cost)
        self.left = effort
        self.lower_bound = 0
        self.add(cuts)

    def add(self, cuts: Cuts) -> None:
        """Require more cuts."""
        order = np.argsort(cuts.cut, kind="stable")
        first = np.searchsorted(cuts.cut[order], np.arange(len(cuts.left) + 1))
        for number, left in enumerate(cuts.left.tolist()):
            entries = order[first[number] : first[number + 1]]
            rows = [self._chosen[row] for row in cuts.variable[entries].tolist()]
            weights = cuts.coefficient[entries].tolist()
            if all(weight == left for weight in weights):
                self._model.add_bool_or(rows)
            elif left <= _LARGEST:
                self._model.add(sum(weight * row for weight, row in zip(weights, rows, strict=True)) >= left)

    def cheapest(self, hint: Bools, budget: Budget) -> Bools | None:
        """Return the cheapest rows; None when the time is up. The lower bound grows either way.

        Notes
        -----
        Exponential in the worst case. One thread, so that the answer does not depend on their number.
        """
        from kanon_sql.solvers.or_tools import cp_model

        if not self._chosen:
            return np.zeros(self._rows, np.bool_)
        if self.left <= 0:
            return None
        self._model.clear_hints()
        for row, chosen in self._chosen.items():
            self._model.add_hint(chosen, bool(hint[row]))
        solver: Any = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 2
        solver.parameters.cp_model_probing_level = 0  # many small programs: probing takes a quarter of their time
        if self.left < inf:
            solver.parameters.max_deterministic_time = self.left
        if budget.seconds is not None:
            solver.parameters.max_time_in_seconds = max(budget.left(), 0.01)
        status = solver.solve(self._model)
        self.left -= solver.response_proto.deterministic_time
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self.lower_bound = max(self.lower_bound, int(np.ceil(solver.best_objective_bound - 1e-6)))
        if status != cp_model.OPTIMAL:
            return None
        found = np.zeros(self._rows, np.bool_)
        found[[row for row, chosen in self._chosen.items() if solver.value(chosen)]] = True
        return found
