"""A release in which classes show the range, the set, the mean or the median of their own values: its classes and its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kanon_sql.model.policy import Policy
from kanon_sql.solvers import microaggregation
from kanon_sql.solvers.automatic import close_gap, fitting
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.suppression import unless_costlier
from kanon_sql.solvers.microaggregation import partition as aggregates
from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.solvers.placing import placed
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Masks, Summaries, named
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.partition import SummaryPartition, kind_of, shown_bits, shown_columns
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding

_SEARCHED = 0.75
"""Share of the time that ranges and sets take; the rest is for the release by suppression."""

_MOST_PROVEN = 25_000
"""Row types up to which a certificate has the prices of its bound: `kanon verify` compares each with all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarized:
    """A release, and what it loses, as users count it."""

    recoding: Recoding  # its pieces
    partition: SummaryPartition  # the same pieces by class
    algorithm: str  # what made it
    reason: str  # why
    cost: Fraction  # what it loses
    lower_bound: Fraction  # what every release loses at least
    # for each column of means or medians, the share of its sum of squares, or of its deviations, that is lost
    information_loss: Mapping[str, Fraction]


def summarized(
    problems: Summaries,
    requirement: ClassRequirement,
    policy: Policy,
    null: Mapping[str, int],
    numbers: Mapping[str, Sequence[Fraction]],
    budget: Budget,
) -> Summarized:
    """Return a release by the algorithm of a policy, or by another where that one could not take the column.

    Parameters
    ----------
    problems : Summaries
        The class of the policy.
    requirement : ClassRequirement
        What every class must meet, with its table.
    policy, null, numbers
        As in `kanon_sql.pipeline.summarize`.
    """
    whole = requirement.table
    places = [c for c in range(len(whole.columns)) if not whole.hidden_levels >> c & 1]
    table = shown_columns(whole, places)
    always = Fraction(whole.rows * int(whole.cost.sum() - table.cost.sum()))  # what hiding the others costs
    recodings = {qi.column: qi.recoding for qi in policy.quasi_identifiers}
    names = [columns[0] for columns in table.columns]
    kinds = [kind_of(recodings[name]) for name in names]
    hidden = np.array([null.get(name, -1) for name in names], np.int32)
    measured = {
        c: Measurements.of(numbers[name], table.codes[:, c], table.weight, null=int(hidden[c]), median=kind == "median")
        for c, (name, kind) in enumerate(zip(names, kinds, strict=True))
        if kind in ("mean", "median")
    }
    cut = ["range" if c in measured else kind for c, kind in enumerate(kinds)]

    def divided() -> SummaryPartition:
        given = budget if measured else budget.part(_SEARCHED)
        found: SummaryPartition = named(problems.divide)(table, cut, hidden, requirement, given)
        return found

    algorithm, reason = problems.algorithm(policy)
    if measured:
        partition, made = aggregates.solve(algorithm, table, measured, requirement, budget, divided)
        algorithm, reason = made, microaggregation.reason(made, algorithm)
    else:
        found = divided()
        known = _Known(problems=problems, table=table, kinds=kinds, null=hidden, requirement=requirement, partition=found)
        partition = _never_above_suppression(known, policy, budget).partition
        reason = reason if partition is found else f"{reason}; starts from the release by suppression"
    if table.row_types > _MOST_PROVEN or always:
        partition = replace(partition, prices=None)
    lost = partition.cost(table, kinds, hidden) + aggregates.cost(partition, table, measured)
    return Summarized(
        recoding=Recoding(
            row_type=partition.row_type, shown=shown_bits(table, places, kinds, partition), count=partition.count
        ),
        partition=partition,
        algorithm=algorithm,
        reason=reason,
        cost=(lost + always) / table.unit,
        lower_bound=(partition.lower_bound + always) / table.unit,
        information_loss={names[c]: each.share(*aggregates.pieces(partition, table, c)) for c, each in measured.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A partition that is known, and what it is measured by."""

    problems: Summaries  # as for `summarized`
    # table, kinds, null: what classes show, as in `SummaryPartition.cost`
    table: CodedTable
    kinds: Sequence[str]
    null: Int32
    requirement: ClassRequirement  # as for `summarized`
    partition: SummaryPartition

    def cost(self) -> Fraction:
        """Return what the partition loses, and the cells that are always hidden, in units of the table."""
        whole = self.requirement.table
        always = whole.rows * int(whole.cost.sum() - self.table.cost.sum())
        return self.partition.cost(self.table, self.kinds, self.null) + always

    def or_from(self, released: Recoding, budget: Budget) -> _Known:
        """Return the same, or what the search makes of the classes of a release by suppression if those lose less."""
        whole, known = self.requirement.table, self.partition
        number = PartialRecoding.of(released).classes(whole)
        classes = replace(known, row_type=released.row_type, number=number, count=released.count)
        other = replace(self, partition=classes)
        if other.cost() >= self.cost():
            return self
        if self.problems.improve is None:
            return other
        improve = named(self.problems.improve)
        return replace(self, partition=improve(self.table, self.kinds, self.null, self.requirement, classes, budget))


def _never_above_suppression(known: _Known, policy: Policy, budget: Budget) -> _Known:
    """Return a partition that is known, or one from the classes of the release by suppression if those lose less.

    Exact solvers run for that release only if it may still cost less than the partition.
    """
    whole = known.requirement.table
    if not known.cost() or budget.over():
        return known
    plain = [qi if kind_of(qi.recoding) == "plain" else replace(qi, recoding=None) for qi in policy.quasi_identifiers]
    requested = replace(policy, quasi_identifiers=tuple(plain), algorithm="auto")
    patterns, masks = permitted(whole, requested), Masks.of(requested)
    solver, _ = masks.choose(requested, listed=patterns.listed)
    part = Problem(table=whole, patterns=patterns, requirement=known.requirement)
    apart, exact = budget.half().of_a_part(), fitting(masks, part, budget)
    start = replace(part, for_a_start=not exact)
    first = unless_costlier(start, known.cost(), apart, lambda each, given: placed(masks, each, given, solver))
    if first is None:
        return known
    known = known.or_from(first, budget)
    if not exact or known.cost() <= first.lower_bound or budget.over():
        return known
    closer, by = close_gap(part, first, exact, budget.of_a_part())
    return known if closer is None or by is None else known.or_from(closer, budget)
