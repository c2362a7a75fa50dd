"""The registry of solvers: name -> module, in order of preference; a solver is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from kanon_sql.coded import CodedTable, Recoding
from kanon_sql.errors import UnknownAlgorithmError
from kanon_sql.patterns import PatternSet
from kanon_sql.requirements import KAnonymity, Requirement
from kanon_sql.solvers.budget import Budget

Solve = Callable[[CodedTable, PatternSet, int, Budget], Recoding]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """A registered solver.

    Parameters
    ----------
    name : str
        Name in policies.
    module : str
        Where its function ``solve`` lives.
    guarantee : str
        What it promises about the cost.
    requirements : tuple of type
        The requirements that it can meet.
    """

    name: str
    module: str
    guarantee: str
    requirements: tuple[type[Requirement], ...]

    def accepts(self, requirements: tuple[Requirement, ...]) -> bool:
        """Return whether the solver can meet all of the requirements."""
        return all(isinstance(requirement, self.requirements) for requirement in requirements)

    def load(self) -> Solve:
        """Import the solver's function."""
        solve: Solve = import_module(self.module).solve
        return solve


SOLVERS: dict[str, Solver] = {
    "greedy": Solver(
        name="greedy",
        module="kanon_sql.solvers.greedy",
        guarantee="at most m times the optimum, before the repair of fewer than k rows",
        requirements=(KAnonymity,),
    ),
}


def choose(algorithm: str, requirements: tuple[Requirement, ...]) -> Solver:
    """Return the solver of that name; ``'auto'`` takes the first that can meet the requirements."""
    if algorithm == "auto":
        return next(solver for solver in SOLVERS.values() if solver.accepts(requirements))
    if algorithm not in SOLVERS:
        raise UnknownAlgorithmError.of(algorithm, ["auto", *SOLVERS])
    return SOLVERS[algorithm]
