"""A release in which classes show the range, the set, the mean or the median of their own values: its classes and its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kanon_sql.model.policy import Policy
from kanon_sql.solvers import microaggregation
from kanon_sql.solvers.automatic import solved
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.suppression import unless_costlier
from kanon_sql.solvers.microaggregation import partition as aggregates
from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problems import Masks, Summaries, named
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.columns import kind_of, shown_bits, shown_columns
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarized:
    """A release, and what it loses, as users count it.

    Parameters
    ----------
    recoding : Recoding
        Its pieces.
    partition : SummaryPartition
        The same pieces by class.
    algorithm, reason : str
        What made it, and why.
    cost, lower_bound : Fraction
        What it loses, and what every release loses at least.
    information_loss : mapping of Fraction
        For each column of means or medians, the share of its sum of squares, or of its deviations, that is lost.
    """

    recoding: Recoding
    partition: SummaryPartition
    algorithm: str
    reason: str
    cost: Fraction
    lower_bound: Fraction
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
    budget : Budget
        Time left.
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
        given = budget if measured else budget.half()  # the other half is for the release by suppression
        found: SummaryPartition = named(problems.divide)(table, cut, hidden, requirement, given)
        return found

    algorithm, reason = problems.algorithm(policy)
    if measured:
        partition, made = aggregates.solve(algorithm, table, measured, requirement, budget, divided)
        algorithm, reason = made, microaggregation.reason(made, algorithm)
    else:
        found = divided()
        partition = _never_above_suppression(problems, requirement, policy, table, kinds, hidden, found, budget)
        reason = reason if partition is found else f"{reason}; starts from the release by suppression"
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


def _never_above_suppression(
    problems: Summaries,
    requirement: ClassRequirement,
    policy: Policy,
    table: CodedTable,
    kinds: Sequence[str],
    null: Int32,
    found: SummaryPartition,
    budget: Budget,
) -> SummaryPartition:
    """Return a partition, or what becomes of the classes of the release by suppression if those lose less.

    Parameters
    ----------
    problems, requirement, policy
        As for `summarized`.
    table, kinds, null
        What classes show, as in `SummaryPartition.cost`.
    found : SummaryPartition
        The partition.
    budget : Budget
        Time left.
    """
    whole, lost = requirement.table, found.cost(table, kinds, null)
    if not lost or budget.over():
        return found
    plain = [qi if kind_of(qi.recoding) == "plain" else replace(qi, recoding=None) for qi in policy.quasi_identifiers]
    asked = replace(policy, quasi_identifiers=tuple(plain), algorithm="auto")
    patterns, masks = permitted(whole, asked), Masks.of(asked)
    solver, _ = masks.choose(asked, listed=patterns.listed)
    part = Problem(table=whole, patterns=patterns, requirement=requirement)
    always = whole.rows * int(whole.cost.sum() - table.cost.sum())
    released = unless_costlier(part, lost + always, budget.half(), lambda each, given: solved(masks, each, given, solver)[0])
    if released is None:
        return found
    pieces = PartialRecoding.of(released)
    classes = SummaryPartition(
        row_type=released.row_type,
        number=pieces.classes(whole),
        count=released.count,
        lower_bound=found.lower_bound,
        bound=found.bound,
        prices=found.prices,
    )
    if classes.cost(table, kinds, null) >= lost:
        return found
    if problems.improve is None:
        return classes
    best: SummaryPartition = named(problems.improve)(table, kinds, null, requirement, classes, budget)
    return best
