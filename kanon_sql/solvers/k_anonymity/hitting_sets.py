"""The cheapest columns to drop so that no core is shown whole: a hitting set, by OR-Tools' CP-SAT."""

from __future__ import annotations

from typing import Any

_EFFORT = 2.0
"""Deterministic seconds of all programs together: what takes longer is left to the search."""


class HittingSets:
    """An integer program that grows a core at a time.

    Parameters
    ----------
    cost : list of int
        Cost of dropping each column.
    """

    def __init__(self, cost: list[int]) -> None:
        from kanon_sql.solvers.or_tools import cp_model

        self._model: Any = cp_model.CpModel()
        self._dropped = [self._model.new_bool_var(str(column)) for column in range(len(cost))]
        self._cost: Any = sum(each * drop for each, drop in zip(cost, self._dropped, strict=True))
        self._model.minimize(self._cost)
        self._left = _EFFORT
        self.proven = False

    def hit(self, core: int) -> None:
        """Require that a column of a core, given as bits, is dropped."""
        self._model.add_bool_or([drop for column, drop in enumerate(self._dropped) if core >> column & 1])

    def cheapest(self, below: int, seconds: float) -> int | None:
        """Return the columns to drop, as bits, for less than ``below``; None if there are none (then `proven`), or no time.

        Notes
        -----
        Exponential in the worst case. One thread, so that the answer does not depend on their number.
        """
        from kanon_sql.solvers.or_tools import cp_model

        self._model.add(self._cost < below)
        solver: Any = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_deterministic_time = max(self._left, 0.0)
        if seconds < float("inf"):
            solver.parameters.max_time_in_seconds = max(seconds, 0.01)
        status = solver.solve(self._model)
        self._left -= solver.response_proto.deterministic_time
        self.proven = status == cp_model.INFEASIBLE
        if self._left <= 0 or status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return sum(1 << column for column, drop in enumerate(self._dropped) if solver.value(drop))
