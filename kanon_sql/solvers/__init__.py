"""The registry of solvers: name -> module, in order of preference; a solver is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from kanon_sql.coded import CodedTable, Recoding
from kanon_sql.errors import PolicyError, UnknownAlgorithmError
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
    "refine": Solver(
        name="refine",
        module="kanon_sql.solvers.refine",
        guarantee="never worse than greedy, with a proven bound",
        requirements=(KAnonymity,),
    ),
    "optimal": Solver(
        name="optimal",
        module="kanon_sql.solvers.optimal",
        guarantee="optimal, or the best within the time limit with a proven bound",
        requirements=(KAnonymity,),
    ),
    "greedy": Solver(
        name="greedy",
        module="kanon_sql.solvers.greedy",
        guarantee="at most m times the optimum, before the repair of fewer than k rows",
        requirements=(KAnonymity,),
    ),
    "subset_dp": Solver(
        name="subset_dp",
        module="kanon_sql.solvers.subset_dp",
        guarantee="optimal, for at most 18 rows",
        requirements=(KAnonymity,),
    ),
    "row_assignment": Solver(
        name="row_assignment",
        module="kanon_sql.solvers.row_assignment",
        guarantee="optimal, for at most 20 useful pattern instances",
        requirements=(KAnonymity,),
    ),
    "cover": Solver(
        name="cover",
        module="kanon_sql.solvers.cover",
        guarantee="at most 3 k (1 + ln 2 k) times the optimum, for at most 262,144 sets of k to 2 k - 1 rows",
        requirements=(KAnonymity,),
    ),
    "balls": Solver(
        name="balls",
        module="kanon_sql.solvers.balls",
        guarantee="at most 6 k (1 + ln 2 k) times the optimum, for at most 60,000 row types",
        requirements=(KAnonymity,),
    ),
    "merge_small": Solver(
        name="merge_small",
        module="kanon_sql.solvers.merge_small",
        guarantee="at most m times the optimum, the last rows included",
        requirements=(KAnonymity,),
    ),
    "mondrian": Solver(
        name="mondrian",
        module="kanon_sql.solvers.mondrian",
        guarantee="none: the baseline of median cuts",
        requirements=(KAnonymity,),
    ),
}


def choose(algorithm: str, requirements: tuple[Requirement, ...], patterns: PatternSet) -> tuple[Solver, str]:
    """Return the solver of that name and why it is the one; ``'auto'`` takes the best for the patterns.

    Raises
    ------
    UnknownAlgorithmError
        When there is no solver of that name.
    PolicyError
        When it cannot meet the requirements.
    """
    if algorithm == "auto":
        if not patterns.listed:
            return SOLVERS["greedy"], "auto: there are too many masks to list, so they are sampled"
        return SOLVERS["refine"], "auto: the masks can be listed, so prices tell which classes to open"
    if algorithm not in SOLVERS:
        raise UnknownAlgorithmError.of(algorithm, ["auto", *SOLVERS])
    if not SOLVERS[algorithm].accepts(requirements):
        able = [name for name, solver in SOLVERS.items() if solver.accepts(requirements)]
        raise PolicyError(f"the algorithm {algorithm!r} cannot meet every requirement; hint: {', '.join(able)} can")
    return SOLVERS[algorithm], "named by the policy"
