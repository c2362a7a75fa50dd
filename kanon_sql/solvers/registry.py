"""The registry of solvers: name -> module, in order of preference; a solver is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from types import UnionType

from kanon_sql.model.requirements import KAnonymity, KnownColumns, PopulationRequirement, Requirement, SensitiveRequirement
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.recoding import Recoding

Solve = Callable[[Problem, Budget], Recoding]
"""``solve(problem, budget)``: a recoding of the table whose classes all meet the requirement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """A registered solver."""

    name: str  # name in policies
    module: str  # where its function ``solve`` lives
    guarantee: str  # what is proven of the cost
    requirements: type[Requirement] | UnionType  # the requirements that it can meet

    def accepts(self, requirements: tuple[Requirement, ...]) -> bool:
        """Return whether the solver can meet all of the requirements."""
        return all(isinstance(requirement, self.requirements) for requirement in requirements)

    def load(self) -> Solve:
        """Import the solver's function."""
        solve: Solve = import_module(self.module).solve
        return solve


def _registry(package: str, requirements: type[Requirement] | UnionType, guarantees: dict[str, str]) -> dict[str, Solver]:
    """Return the solvers of a package: each is the module of its name."""
    return {
        name: Solver(name=name, module=f"{package}.{name}", guarantee=guarantee, requirements=requirements)
        for name, guarantee in guarantees.items()
    }


SOLVERS: dict[str, Solver] = _registry(
    "kanon_sql.solvers.k_anonymity",
    KAnonymity,
    {
        "refine": "never worse than greedy, with a proven bound",
        "optimal": "optimal, or the best within the time limit with a proven bound",
        "greedy": "at most m times the optimum, before the repair of fewer than k rows",
        "matching": "optimal for k = 2, for at most 40,000 row types",
        "subset_dp": "optimal, for at most 18 rows",
        "row_assignment": "optimal, for at most 20 useful pattern instances",
        "cover": "at most 3 k (1 + ln 2 k) times the optimum, for at most 262,144 sets of k to 2 k - 1 rows",
        "log_cover": "at most 2 (1 + ln k) times the optimum, for at most 2^27 pairs of row type and mask",
        "balls": "at most 6 k (1 + ln 2 k) times the optimum, for at most 60,000 row types",
        "forest": "at most (3 k - 3) b times the optimum; b = 1 up to 14 columns and 16,384 row types",
        "merge_small": "at most m times the optimum, the last rows included",
        "mondrian": "none: the baseline of median cuts",
        "full_domain": "optimal among recodings that show one level of each column in all rows",
        "attribute": "optimal among releases that drop whole columns",
    },
)
"""Solvers of k-anonymity alone."""

SENSITIVE_SOLVERS: dict[str, Solver] = _registry(
    "kanon_sql.solvers.sensitive",
    KAnonymity | SensitiveRequirement,
    {
        "refine": "never worse than greedy, with a proven bound",
        "optimal": "optimal, or the best within the time limit with a proven bound",
        "greedy": "none: the cheapest pattern first, with as many rows as meet the guarantee",
        "subset_dp": "optimal, for at most 18 rows",
        "matching": "optimal for frequency 2-diversity, for at most 40,000 row types",
    },
)
"""Solvers of requirements on sensitive attributes, next to k."""


for _known in (SOLVERS, SENSITIVE_SOLVERS):  # their classes show less where they match too few rows
    _known.update(
        {
            each: replace(_known[each], requirements=_known[each].requirements | PopulationRequirement)
            for each in ("refine", "greedy")
        }
    )

POPULATION_SOLVERS: dict[str, Solver] = {
    "cheapest_masks": Solver(
        name="cheapest_masks",
        module="kanon_sql.solvers.population.k_map",
        guarantee="optimal for k-map alone",
        requirements=KAnonymity | PopulationRequirement,
    )
}
"""Solvers of requirements that are counted in a table of the population, where the rows of a class have no requirement."""


PROJECTION_SOLVERS: dict[str, Solver] = {
    "projections": Solver(
        name="projections",
        module="kanon_sql.solvers.projections.solve",
        guarantee="optimal for small tables if the search ends; else the best of a search, with a proven bound",
        requirements=KAnonymity | KnownColumns | SensitiveRequirement,
    )
}
"""Solvers of requirements on the classes by sets of known columns."""


def algorithms() -> list[str]:
    """Return the names of solvers for policies; `kanon_sql.solvers.problem_classes` says which of them takes a policy."""
    return list(dict.fromkeys(["auto", *SOLVERS, *SENSITIVE_SOLVERS, *POPULATION_SOLVERS, *PROJECTION_SOLVERS]))
