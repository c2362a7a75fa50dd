"""A release in which classes show the range, the set, the mean or the median of their own values: its classes and its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kanon_sql.model.policy import Policy
from kanon_sql.solvers import microaggregation
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.microaggregation import partition as aggregates
from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.solvers.problems import Summaries, named
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.columns import kind_of, shown_bits, shown_columns
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.coded_table import CodedTable
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryProblem:
    """What every class must meet, and what classes show of the columns that they may show.

    Parameters
    ----------
    table : CodedTable
        With these columns alone.
    places : list of int
        Where they are in the whole table.
    kinds : list of str
        What a class shows of each, as in `SummaryPartition.cost`.
    null : int32 array
        Code of NULL in each, -1 where there is none.
    numbers : mapping of Measurements
        The columns of means and medians, by their place in ``table``.
    requirement : ClassRequirement
        What every class must meet.
    always : Fraction
        What hiding the other columns costs, in units of the table.
    """

    table: CodedTable
    places: list[int]
    kinds: list[str]
    null: np.ndarray
    numbers: Mapping[int, Measurements]
    requirement: ClassRequirement
    always: Fraction

    @classmethod
    def of(
        cls, requirement: ClassRequirement, policy: Policy, null: Mapping[str, int], numbers: Mapping[str, Sequence[Fraction]]
    ) -> SummaryProblem:
        """Return the problem of a policy; ``null`` and ``numbers`` as in `kanon_sql.pipeline.summarize`."""
        table = requirement.table
        recodings = {qi.column: qi.recoding for qi in policy.quasi_identifiers}
        places = [c for c in range(len(table.columns)) if not table.hidden_levels >> c & 1]
        seen = shown_columns(table, places)
        names = [columns[0] for columns in seen.columns]
        kinds = [kind_of(recodings[name]) for name in names]
        hidden = np.array([null.get(name, -1) for name in names], np.int32)
        measured = {
            c: Measurements.of(numbers[name], seen.codes[:, c], seen.weight, null=int(hidden[c]), median=kind == "median")
            for c, (name, kind) in enumerate(zip(names, kinds, strict=True))
            if kind in ("mean", "median")
        }
        return cls(
            table=seen,
            places=places,
            kinds=kinds,
            null=hidden,
            numbers=measured,
            requirement=requirement,
            always=Fraction(table.rows * int(table.cost.sum() - seen.cost.sum())),
        )

    def solve(self, problems: Summaries, algorithm: str, reason: str, budget: Budget) -> Summarized:
        """Return a release by an algorithm, or by another where that one could not take the column."""
        table, asked = self.table, self.requirement
        kinds = ["range" if c in self.numbers else kind for c, kind in enumerate(self.kinds)]

        def divided() -> SummaryPartition:
            found: SummaryPartition = named(problems.divide)(table, kinds, self.null, asked, budget)
            return found

        if self.numbers:
            partition, made = aggregates.solve(algorithm, table, self.numbers, asked, budget, divided)
            algorithm, reason = made, microaggregation.reason(made, algorithm)
        else:
            partition = divided()
        shown = shown_bits(table, self.places, self.kinds, partition)
        lost = partition.cost(table, self.kinds, self.null) + aggregates.cost(partition, table, self.numbers)
        return Summarized(
            recoding=Recoding(row_type=partition.row_type, shown=shown, count=partition.count),
            partition=partition,
            algorithm=algorithm,
            reason=reason,
            cost=(lost + self.always) / table.unit,
            lower_bound=(partition.lower_bound + self.always) / table.unit,
            information_loss={
                table.columns[c][0]: each.share(*aggregates.pieces(partition, table, c)) for c, each in self.numbers.items()
            },
        )
