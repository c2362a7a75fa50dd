"""The simplex method of GLOP for linear programs that grow: it goes on from where it stood, with looks at the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.solvers.budget import Budget

if TYPE_CHECKING:
    from kanon_sql.solvers.or_tools import mathopt

_SLICE = 5_000
"""Steps of the method between two checks of the clock."""


class Simplex:
    """A solver of a model that is changed between two calls.

    Parameters
    ----------
    model : mathopt.Model
        A linear program.
    filters : mathopt.ModelSolveParameters
        Which values of a solution are read.

    Attributes
    ----------
    steps : int
        All steps so far.
    """

    def __init__(self, model: mathopt.Model, filters: mathopt.ModelSolveParameters) -> None:
        from kanon_sql.solvers.or_tools import mathopt, parameters_pb2

        def limited(*, dual: bool) -> mathopt.SolveParameters:
            # Its preprocessing would make every solution the first.
            glop = parameters_pb2.GlopParameters(use_preprocessing=False, use_dual_simplex=dual)
            return mathopt.SolveParameters(iteration_limit=_SLICE, glop=glop)

        self.steps = 0
        self._filters = filters
        self._solver = mathopt.IncrementalSolver(model, mathopt.SolverType.GLOP)
        self._primal, self._dual = limited(dual=False), limited(dual=True)

    def solve(self, budget: Budget, *, dual: bool) -> mathopt.SolveResult | None:
        """Return an optimum; None when the time is up before one is found, or the numbers defeat the method.

        Parameters
        ----------
        dual : bool
            Whether the prices of the last optimum are feasible still, as after new constraints; else the shares are.
        """
        from kanon_sql.solvers.or_tools import mathopt

        reason = mathopt.TerminationReason.FEASIBLE
        while reason in (mathopt.TerminationReason.FEASIBLE, mathopt.TerminationReason.NO_SOLUTION_FOUND):
            if budget.over():
                return None
            result = self._solver.solve(params=self._dual if dual else self._primal, model_params=self._filters)
            reason = result.termination.reason
            self.steps += result.solve_stats.simplex_iterations
        return result if reason == mathopt.TerminationReason.OPTIMAL else None
