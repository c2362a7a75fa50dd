"""Which class of problems a policy belongs to, and what solves it: the first row of one table that fits.

Rows name modules of `kanon_sql.solvers`, which are loaded when they are first used: k alone loads nothing of sensitive values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from math import inf
from typing import Any, Self

from kanon_sql.errors import PolicyError, UnknownAlgorithmError
from kanon_sql.model.policy import Policy
from kanon_sql.solvers import by_parts, microaggregation, summaries
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import POPULATION_SOLVERS, PROJECTION_SOLVERS, SENSITIVE_SOLVERS, SOLVERS, Solver, algorithms
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.recoding import Recoding

_ROWS = "requirements.class_requirement:ClassRequirement"

_PEOPLE = "people.people_requirement:PeopleRequirement"

_FEWEST, _PROGRAMMED = 18, 2_000
"""Row types up to which all divisions of the rows are compared, and up to which the whole integer program is tried."""

_SMALL = "the integer program of so small a table"

_MATCHED, _MATCHING_SECONDS = 3_000, 1.5e-7
"""Row types up to which a matching takes some seconds, and seconds for each pair of row types in which a larger one is nearly
optimal: Adult with 9 columns, 19,502 row types, takes twice as long to the end."""

_OWN_CLASSES = frozenset({"mondrian", "full_domain", "attribute"})
"""Solvers that divide the rows in a way of their own, which a release keeps."""


def named(place: str) -> Any:
    """Import what a row of the table names as ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"kanon_sql.solvers.{module}"), name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemClass(ABC):
    """A class of problems, and what solves them."""

    fits: Callable[[Policy], bool]  # whether a policy is such a problem, if no row before says so
    # the class that tests whether classes of rows meet the requirements: people do not add up over rows
    requirement: str = _ROWS
    # whether a policy can be solved by parts, if there are more row types than memory holds
    divisible: Callable[[Policy], bool] = lambda _: False

    @classmethod
    def of(cls, policy: Policy) -> Self:
        """Return the class of a policy; if it is another one than requested, that is an error of the program."""
        found = next(each for each in PROBLEMS if each.fits(policy))
        if not isinstance(found, cls):
            raise AssertionError(f"{cls.__name__} cannot solve the policy")
        return found

    @property
    def people(self) -> bool:
        """Whether people are counted, not rows."""
        return self.requirement == _PEOPLE

    @abstractmethod
    def algorithm(self, policy: Policy) -> tuple[str, str]:
        """Return the name of the algorithm that a policy asks for, and why it is this one.

        Raises
        ------
        PolicyError
            When there is none of that name, or it does not take the policy.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Summaries(ProblemClass):
    """Problems where classes show the range, the set, the mean or the median of their own values."""

    divide: str  # divides the rows into classes; means and medians may be solved without it
    improve: str | None = None  # goes on from classes that are known

    def algorithm(self, policy: Policy) -> tuple[str, str]:
        """Return the algorithm and why it is the one."""
        made, name = summaries.ALGORITHM, policy.algorithm
        if not policy.aggregated:
            if name not in ("auto", made):
                raise PolicyError(
                    f"the algorithm {name!r} cannot create RANGES or SETS; hint: use {made!r}, or omit the algorithm"
                )
            return made, "the only algorithm that creates RANGES and SETS"
        columns = len(policy.quasi_identifiers)
        plain = not policy.sensitive_requirements
        return microaggregation.chosen(name, columns, only=len(policy.aggregated) == columns, plain=plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """A solver that proves the optimum of some tables, which the automatic choice therefore asks, too.

    Its module has ``takes(problem)`` and ``close_gap(problem, best, budget)``. ``best`` is a release to start from, or None.
    """

    solver: str  # its name
    module: str  # where it is
    reason: str  # why it is called
    most_row_types: int  # row types up to which it is called
    # makes the release that it starts from, if it always ends with the optimum; without it, the first solver does
    start: str | None = None
    # seconds for each pair of row types, at most, that must be left of a time limit to ask it in larger tables, too
    seconds_per_pair: float | None = None

    def fits(self, problem: Problem, seconds: float) -> bool:
        """Return whether it is called; ``seconds`` are left, infinity without a time limit."""
        row_types = problem.table.row_types
        needed = inf if self.seconds_per_pair is None else self.seconds_per_pair * row_types**2
        if row_types > self.most_row_types and not needed <= seconds < inf:
            return False
        takes: bool = named(f"{self.module}:takes")(problem)
        return takes

    def begins(self, problem: Problem) -> bool:
        """Return whether it needs no search to start from: it ends with the optimum anyway."""
        return self.start is not None and problem.table.row_types <= self.most_row_types

    def close_gap(self, problem: Problem, best: Recoding | None, budget: Budget) -> Recoding:
        """Return the cheaper of a release and what the solver makes of it, with the higher bound."""
        found: Recoding = named(f"{self.module}:close_gap")(problem, best, budget)
        return found if best is None else best.combined(found, problem.table)


def _exact(package: str, polynomial: str) -> tuple[Exact, ...]:
    """Return the exact solvers of a package of solvers, and why its matchings are quick."""
    return (
        Exact(solver="subset_dp", module=f"{package}.subset_dp", reason="so few rows", most_row_types=_FEWEST),
        Exact(
            solver="matching",
            module=f"{package}.matching",
            reason=polynomial,
            most_row_types=_MATCHED,
            start=f"{package}.refine:priced",
            seconds_per_pair=_MATCHING_SECONDS,
        ),
        Exact(solver="optimal", module=f"{package}.optimal", reason=_SMALL, most_row_types=_PROGRAMMED),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Masks(ProblemClass):
    """Problems where each row shows one of the permitted patterns."""

    solvers: Mapping[str, Solver]  # the first is chosen automatically
    automatic: tuple[str, ...]  # why it is; the last where there are too many patterns to list them
    guarantee: str | None = None  # what is proven of the cost, if it is not what the solver alone proves
    search: str | None = None  # leads the solver; without it, the solver is called
    programs: str | None = None  # integer programs for what a search leaves unassigned
    prices: str | None = None  # raises what a row costs at least where only rows are counted
    # solves for a population, too; None where the solvers do it themselves
    with_population: str | None = "population.k_map:solve_with_population"
    # what the automatic choice asks next if the first solver does not prove the optimum, in this order
    exact: tuple[Exact, ...] = ()
    smaller: str | None = None  # divides classes further at the same cost where only rows are counted

    def algorithm(self, policy: Policy) -> tuple[str, str]:
        """Return the name of the solver and why it is the one where patterns are listed."""
        solver, reason = self.choose(policy, listed=True)
        return solver.name, reason

    def smaller_classes(self, policy: Policy, solver: Solver, rows: ClassRequirement) -> Callable[..., Recoding] | None:
        """Return what divides the classes of a solver further, if anything does.

        With pseudonyms nothing does: tokens link rows, and people in larger classes that show the same stay indistinguishable.
        """
        counted = rows.least == rows.k and not rows.population and not policy.pseudonyms
        if self.smaller is None or solver.name in _OWN_CLASSES or not counted:
            return None
        found: Callable[..., Recoding] = named(self.smaller)
        return found

    def choose(self, policy: Policy, *, listed: bool) -> tuple[Solver, str]:
        """Return the solver that a policy names and why it is the one; ``listed``: there are few enough patterns to list.

        Raises
        ------
        UnknownAlgorithmError
            When there is no solver of that name.
        PolicyError
            When it cannot meet the requirements.
        """
        name = policy.algorithm
        if name == "auto":
            reason = self.automatic[0 if listed else -1]
            return next(iter(self.solvers.values())), f"chosen automatically: {reason}"
        if name not in algorithms():
            raise UnknownAlgorithmError.of(name, algorithms())
        able = {known: each for known, each in self.solvers.items() if each.accepts(policy.requirements)}
        if name not in able:
            raise PolicyError(f"the algorithm {name!r} cannot meet every guarantee; hint: use one of {', '.join(able)}")
        return able[name], "named by the policy"


PROBLEMS: tuple[ProblemClass, ...] = (
    Summaries(
        fits=lambda policy: bool(policy.summarized) and policy.people is not None,
        requirement=_PEOPLE,
        divide="people.summaries:solve",
        improve="people.summaries:improved",
    ),
    Summaries(
        fits=lambda policy: bool(policy.summarized),
        divide="summaries.mondrian:solve",
        improve="summaries.mondrian:improved",
    ),
    Masks(
        fits=lambda policy: bool(policy.known_requirements),
        solvers=PROJECTION_SOLVERS,
        automatic=("the algorithm for sets of known columns",),
    ),
    Masks(  # the rows of a class have no requirement
        fits=lambda policy: policy.k == 1 and not policy.sensitive_requirements and bool(policy.population_requirements),
        solvers=POPULATION_SOLVERS,
        automatic=("the matches of a class depend only on its own labels",),
        programs="k_anonymity.whole_program:solve",
        with_population=None,
    ),
    Masks(
        fits=lambda policy: policy.people is not None,
        requirement=_PEOPLE,
        solvers=SENSITIVE_SOLVERS,
        automatic=("never worse than greedy for sensitive values",),
        guarantee="none over all ways to count people: one row stands for each, or whole classes are counted",
        search="people.search:solve",
        prices="people.row_distance:people_prices",
    ),
    Masks(
        fits=lambda policy: bool(policy.sensitive_requirements),
        solvers=SENSITIVE_SOLVERS,
        automatic=("never worse than greedy for sensitive values",),
        programs="sensitive.optimal:solve",
        exact=_exact("sensitive", "frequency 2-diversity takes polynomial time"),
    ),
    Masks(
        fits=lambda _: True,
        solvers=SOLVERS,
        automatic=("few enough columns for the bound-guided solver", "too many masks to list, so they are sampled"),
        programs="k_anonymity.whole_program:solve",
        smaller="k_anonymity.smaller_classes:with_smaller_classes",
        divisible=by_parts.divisible,
        exact=_exact("k_anonymity", "k = 2 takes polynomial time"),
    ),
)
"""The classes, in the order in which they are tried."""
