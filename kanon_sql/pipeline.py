"""The one pipeline: choose -> solve -> certify. It sees codes and counts, never a connection and never a value."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kanon_sql.certificate import Certificate, Status
from kanon_sql.certificate.certify import certified
from kanon_sql.errors import AuditError
from kanon_sql.model.all_columns_known import by_all_columns
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier
from kanon_sql.solvers import automatic, by_parts
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.feasibility import feasible_requirement
from kanon_sql.solvers.k_anonymity.listed_greedy import are_many
from kanon_sql.solvers.least_prices import least_prices
from kanon_sql.solvers.placing import check_population, placed
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Exact, Masks, ProblemClass, Summaries
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.threads import background
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet, closed, permitted
from kanon_sql.table.recoding import Prices, Recoding

if TYPE_CHECKING:
    from kanon_sql.solvers.summaries.partition import SummaryPartition

_FOR_A_BOUND, _FOR_CLASSES = 0.5, 0.25
"""Seconds that the bound, and smaller classes, may take if the release has taken all the time."""


def run(table: CodedTable, policy: Policy, budget: Budget | None = None) -> tuple[Recoding, Certificate]:
    """Solve a coded table under a resolved policy.

    Parameters
    ----------
    table : CodedTable
        At least one row type.
    policy : Policy
        With the columns of the table.
    budget : Budget, optional
        What is left of the time of the statement; by default all of it. Its progress may raise to stop the work.

    Raises
    ------
    InfeasibleError
        When no release can meet the requirements.
    AuditError
        When the solver used a mask that the policy does not permit.
    """
    return _Release.begin(table, by_all_columns(policy), budget, stated=policy).with_masks()


def run_by_parts(
    table: CodedTable, policy: Policy, most: int, budget: Budget | None = None, threads: int | None = None
) -> tuple[Recoding, Certificate]:
    """Solve a coded table of more row types than memory holds at once.

    Parameters
    ----------
    table, policy, budget
        As for `run`, under a policy that is `divisible`; the codes may lie in a file.
    most : int
        Row types that memory holds at once.
    threads : int, optional
        By default one for each core.

    Raises
    ------
    InfeasibleError, AuditError
        As `run`.

    Notes
    -----
    The certificate has no prices: one for each row type would be as large as the table.
    """
    return _Release.begin(table, policy, budget).by_parts(most, threads)


def empty_certificate(policy: Policy) -> Certificate:
    """Return the certificate of a table without rows: every requirement is met, nothing is lost."""
    return Certificate(
        requirements=tuple(requirement.describe() for requirement in policy.requirements),
        algorithm=ProblemClass.of(policy).algorithm(policy)[0],
        reason="there is nothing to solve",
        status=Status.OPTIMAL,
        cost=Fraction(0),
        lower_bound=Fraction(0),
        bound_method="no rows",
        rows=0,
        row_types=0,
        suppressed_cells=0,
        cells=0,
        seconds=0.0,
        policy=policy.to_json(),
        classes=0,
    )


def summarize(
    table: CodedTable,
    policy: Policy,
    null: Mapping[str, int],
    budget: Budget | None = None,
    numbers: Mapping[str, Sequence[Fraction]] | None = None,
) -> tuple[Recoding, SummaryPartition, Certificate]:
    """Divide the rows of a coded table into classes that lose little by their summaries.

    Parameters
    ----------
    table : CodedTable
        At least one row type; columns that are summarized have codes in the order of their values.
    policy : Policy
        Resolved; some column of it shows ranges, sets, means or medians.
    null : mapping of int
        For each such column the code of NULL, the highest; -1 where there is none.
    numbers : mapping, optional
        For each column of means or medians the number of each code; of NULL any.

    Returns
    -------
    tuple of (Recoding, SummaryPartition, Certificate)
        The pieces, piece by piece the same in both. The recoding shows every summarized column but those of which a class
        has all values, and of the others what its rows agree on.

    Raises
    ------
    PolicyError
        When the policy names an algorithm that makes no summaries.
    InfeasibleError
        When there are fewer than k rows, or not even the whole table meets the requirements.
    AuditError
        When the solver made a class that does not meet the requirements.
    """
    Summaries.of(policy).algorithm(policy)  # refuses what it does not take before anything is counted
    return _Release.begin(table, policy, budget).with_summaries(null, numbers or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Release:
    """A release in the making: its table, what each class must meet, and the time for it."""

    table: CodedTable
    policy: Policy
    stated: Policy
    """The policy as the certificate states it."""
    requirement: ClassRequirement
    budget: Budget
    begun: float

    @classmethod
    def begin(cls, table: CodedTable, policy: Policy, budget: Budget | None, stated: Policy | None = None) -> Self:
        """Begin a release; refuses what no release can meet."""
        begun = time.monotonic()
        table.refuse_fewer(policy.fewest_rows)
        return cls(
            table=table,
            policy=policy,
            stated=stated or policy,
            requirement=feasible_requirement(table, policy),
            budget=replace(budget or Budget.of(policy), unit=table.unit),
            begun=begun,
        )

    def with_masks(self) -> tuple[Recoding, Certificate]:
        """Choose a solver, solve, and certify: each row shows one of the permitted patterns."""
        table, policy, budget, requirement = self.table, self.policy, self.budget, self.requirement
        patterns = permitted(table, policy)
        problems = Masks.of(policy)
        solver, reason = problems.choose(policy, listed=patterns.listed)
        most_suppressed = None if policy.max_suppressed is None else int(policy.max_suppressed * table.rows)
        problem = Problem(table=table, patterns=patterns, requirement=requirement, most_suppressed=most_suppressed)
        # Where patterns are too many to list, this is the only bound there is: it comes before the search takes the time.
        floor = None if patterns.listed else least_prices(problems, patterns, requirement, budget)
        if floor:
            problem = replace(problem, least=int(floor[0].price @ table.weight))

        # What is proven of rows and their values may be less than what people cost at least.
        people_and_values = problems.people and len(policy.sensitive_requirements) > 1
        # Most greedy searches use one core and prove nothing, so without a time limit another core proves the bound meanwhile.
        apart = solver.name == "greedy" and patterns.listed and not are_many(table, patterns) and not problems.people

        def proven(ended: Callable[[], bool]) -> tuple[Prices, str]:
            return least_prices(problems, patterns, requirement, budget.at_least(_FOR_A_BOUND, ended))

        with background(proven, at_once=apart and budget.seconds is None) as wait_for_bound:
            by: Exact | None = None
            if policy.algorithm == "auto":
                recoding, by = automatic.solved(problems, problem, budget, solver)
            else:
                recoding = placed(problems, problem, budget, solver)
            bound, method, prices = recoding.lower_bound, recoding.bound, recoding.prices
            if prices is None or people_and_values:
                least, distance = floor or wait_for_bound(lambda: budget.report("row distance", 0.0))
                proof = int(least.price @ table.weight), distance
                prices = least if prices is None or proof[0] > bound else prices
                bound, method = max((bound, method), proof)
        if by is not None:
            reason = f"chosen automatically: {by.reason}"
        recoding = replace(recoding, shown=closed(table, recoding.shown))
        check_population(table, requirement, recoding)
        self._check_masks(patterns, recoding, f"the solver {solver.name!r}")
        if smaller := problems.smaller_classes(policy, solver, requirement):
            recoding = smaller(table, patterns, requirement.k, recoding, budget.at_least(_FOR_CLASSES, budget.ended))
        certificate = self._certified(
            recoding,
            algorithm=solver.name if by is None else by.solver,
            reason=f"{reason}; {recoding.remark}" if recoding.remark else reason,
            cost=table.exact_cost(recoding.cost(table)),
            bound=table.exact_cost(bound),
            method=method,
        )
        if prices is None or policy.grouped:
            return recoding, certificate
        charges = tuple(map(tuple, prices.charges.tolist()))
        return recoding, replace(
            certificate, prices=tuple(prices.price.tolist()), charges=charges, scale=prices.scale, unit=table.unit
        )

    def by_parts(self, most: int, threads: int | None) -> tuple[Recoding, Certificate]:
        """Solve and certify a part at a time."""
        from kanon_sql.solvers.by_parts import greedy
        from kanon_sql.solvers.by_parts.lower_bound import lower_bound

        table, requirement, budget = self.table, self.requirement, self.budget
        problem = Problem(table=table, patterns=permitted(table, self.policy), requirement=requirement)
        recoding = greedy.solve(problem, budget, most, threads)
        self._check_masks(problem.patterns, recoding, "the greedy by parts")
        bound, method = lower_bound(table, problem.patterns, requirement.least, budget, threads)
        return recoding, self._certified(
            recoding,
            algorithm=by_parts.ALGORITHM,
            reason=by_parts.reason(table.row_types, most),
            cost=table.exact_cost(recoding.cost(table)),
            bound=table.exact_cost(bound),
            method=method,
        )

    def with_summaries(
        self, null: Mapping[str, int], numbers: Mapping[str, Sequence[Fraction]]
    ) -> tuple[Recoding, SummaryPartition, Certificate]:
        """Divide the rows and certify: classes show summaries of their own values."""
        from kanon_sql.solvers.summarizing import summarized

        found = summarized(Summaries.of(self.policy), self.requirement, self.policy, null, numbers, self.budget)
        certificate = self._certified(
            found.recoding,
            algorithm=found.algorithm,
            reason=found.reason,
            cost=found.cost,
            bound=found.lower_bound,
            method=found.partition.bound,
        )
        lost = tuple(f"{as_identifier(name)} {100 * float(share):.4g} %" for name, share in found.information_loss.items())
        certificate = replace(certificate, information_loss=lost)
        prices = found.partition.prices
        if prices is not None and not self._more_rows:  # else no stranger knows the least size
            certificate = replace(certificate, prices=tuple(prices.price.tolist()), scale=prices.scale, unit=self.table.unit)
        return found.recoding, found.partition, certificate

    @property
    def _more_rows(self) -> bool:
        """Whether a class needs more rows than the policy alone tells."""
        return self.requirement.least > self.policy.least_class_size

    def _check_masks(self, patterns: PatternSet, recoding: Recoding, solver: str) -> None:
        if patterns.listed and not np.isin(np.unique(recoding.shown), patterns.shown).all():
            raise AuditError(f"{solver} used a mask that is not permitted; nothing was released")

    def _certified(self, recoding: Recoding, *, bound: Fraction, method: str, **found: Any) -> Certificate:
        """Return the certificate; where groups were chosen first, nothing is proven of all releases."""
        if self._more_rows:
            method = f"{method}, where no class has fewer than {self.requirement.least} rows"
        if self.policy.grouped:  # nobody has looked at other groups
            names = ", ".join(map(as_identifier, self.policy.grouped))
            chosen = "; ".join([f"none: other groups of {names} might lose less", *self.table.groupings])
            bound, method = Fraction(0), f"{chosen}; with these groups {bound}, {method}"
        seconds = time.monotonic() - self.begun
        return certified(self.table, self.stated, recoding, lower_bound=bound, bound_method=method, seconds=seconds, **found)
