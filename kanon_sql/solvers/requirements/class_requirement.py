"""What every class of a release must meet: a number of rows, and requirements on sensitive values; encoded for kernels."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import (
    KnownColumns,
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    known_ones,
    least_rows,
    population_ones,
    sensitive_ones,
)
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive

_AT_ONCE = 0.1
"""Seconds after which the clock is read again."""

if TYPE_CHECKING:
    from kanon_sql.kernels.criteria import EncodedRequirement
    from kanon_sql.solvers.budget import Budget
    from kanon_sql.solvers.guarantees.attribute_requirement import AttributeRequirement


@dataclass(frozen=True, kw_only=True)  # no slots: what k alone does not need is computed when it is first used
class ClassRequirement:
    """The conjunction of all requirements of a policy on the classes of a table.

    Notes
    -----
    Classes that meet it meet it when they are merged, too. For k alone nothing of the machinery of sensitive values is loaded.
    """

    table: CodedTable  # the table whose rows are divided into classes: t row types
    k: int  # least number of rows of a class that the policy asks for
    least: int  # no class that meets the requirement has fewer rows; at least ``k``
    requirements: tuple[SensitiveRequirement, ...] = ()  # the requirements next to k; empty for k alone
    population: tuple[PopulationRequirement, ...] = ()  # the requirements of what a class shows, whatever its rows
    known: tuple[KnownColumns, ...] = ()  # the requirements of the classes by sets of known columns

    @classmethod
    def of(cls, table: CodedTable, requirements: Sequence[Requirement]) -> Self:
        """Return the requirements of a policy about a table.

        Notes
        -----
        What `AttributeRequirement.least_rows` takes for each requirement on sensitive values.
        """
        k, about_values = least_rows(requirements), sensitive_ones(requirements)
        least = max((each.least_class_size for each in requirements), default=1)
        if about_values:
            from kanon_sql.solvers.guarantees import on_attributes

            least = max(least, *(each.least_rows() for _, each in on_attributes(about_values, table.sensitive)))
        population, known = population_ones(requirements), known_ones(requirements)
        return cls(table=table, k=k, least=least, requirements=about_values, population=population, known=known)

    @property
    def sensitive(self) -> tuple[Sensitive, ...]:
        """Return the sensitive attributes."""
        return self.table.sensitive

    @cached_property
    def on_attributes(self) -> tuple[tuple[int, AttributeRequirement[Any]], ...]:
        """The requirements on sensitive values, each with the place of its attribute."""
        from kanon_sql.solvers.guarantees import on_attributes

        return on_attributes(self.requirements, self.sensitive)

    @cached_property
    def encoded(self) -> EncodedRequirement:
        """The same for kernels."""
        return encoded(self.table, self.requirements, self.least)

    @cached_property
    def group(self) -> Int32:
        """The sensitive-value group of each row type, int32 [t]: row types with the same sensitive values are one group."""
        return self._groups[0]

    @property
    def group_counter(self) -> Int32:
        """Return the counters that a row of each sensitive-value group raises, int32 [g, s]."""
        return self._groups[1]

    @cached_property
    def _groups(self) -> tuple[Int32, Int32]:
        group, sample = np.zeros(self.table.row_types, np.int64), np.zeros(1, np.int64)
        for each in self.sensitive:
            _, sample, group = np.unique(group * len(each.count) + each.codes, return_index=True, return_inverse=True)
        return group.astype(np.int32), self.counter[sample]

    @property
    def counter(self) -> Int32:
        """Return the counters that a row of each row type raises, int32 [t, s]."""
        return np.asarray(self.encoded.counter)

    @property
    def counters(self) -> int:
        """Return the number of counters of a histogram: one for each value of each sensitive attribute."""
        return sum(len(each.count) for each in self.sensitive)

    @property
    def lows(self) -> list[int]:
        """Return where the counters of each sensitive attribute begin."""
        return [low for low, _ in self._places()]

    def _places(self) -> list[tuple[int, int]]:
        """Return where the counters of each sensitive attribute begin and end in a histogram."""
        ends = np.cumsum([len(each.count) for each in self.sensitive]).tolist()
        return list(zip([0, *ends], ends, strict=False))

    def histograms(self, number: Int64, row_type: Int32, count: Int64) -> Int64:
        """Return the rows of each class by sensitive value, int64 [c, V]; ``number`` is the class of each piece, from 0."""
        found = np.zeros((int(number.max(initial=-1)) + 1, self.counters), np.int64)
        for counter in self.counter[row_type].T:
            np.add.at(found, (number, counter), count)
        return found

    def met(self, histograms: Int64) -> NDArray[np.bool_]:
        """Return which classes meet the requirement, exactly, bool [c].

        Parameters
        ----------
        histograms : int64 array [c, V]
            Rows of each class by sensitive value, the attributes side by side, of which there is at least one.

        Notes
        -----
        O(c V) where the counts fit into 64 bits, a transport for each class and matrix.
        """
        places = self._places()
        low, high = places[0]
        rows = histograms[:, low:high].sum(axis=1)
        found: NDArray[np.bool_] = rows >= self.k
        for place, each in self.on_attributes:
            low, high = places[place]
            found &= each.meets(np.ascontiguousarray(histograms[:, low:high]), rows)
        return found

    @cached_property
    def seconds(self) -> float:
        """The seconds that it takes to see whether a class meets it, if a transport decides; else 0, as that takes none."""
        if not any(each.transports for _, each in self.on_attributes):
            return 0.0
        half = np.arange(max(1, self.table.row_types // 2), dtype=np.int32)
        histogram = self.histograms(np.zeros(len(half), np.int64), half, self.table.weight[half])
        begun = time.monotonic()
        self.met(histogram)
        return time.monotonic() - begun

    def in_time(self, budget: Budget, classes: int) -> bool:
        """Return whether there is time to judge so many classes."""
        return not budget.limited or self.seconds * classes <= budget.clock()

    def judged_at_once(self, budget: Budget, most: int) -> int:
        """Return how many classes, and at most so many, are judged before the clock is read again."""
        if not budget.limited or not self.seconds:
            return most
        return max(1, min(most, int(_AT_ONCE / self.seconds)))

    def holds(self, number: Int64, row_type: Int32, count: Int64) -> NDArray[np.bool_]:
        """Return which classes meet the requirement, exactly, bool [c].

        Parameters
        ----------
        number : int64 array [q]
            The class of each piece, from 0.
        row_type, count : int32, int64 arrays [q]
            As in `Recoding`.
        """
        if self.requirements:
            return self.met(self.histograms(number, row_type, count))
        rows = np.zeros(int(number.max(initial=-1)) + 1, np.int64)
        np.add.at(rows, number, count)
        return rows >= self.k


def encoded(table: CodedTable, requirements: Sequence[SensitiveRequirement], least: int) -> EncodedRequirement:
    """Return requirements on a table, encoded; ``least`` rows in a class. O(t + e v)."""
    from kanon_sql.kernels.criteria import EncodedRequirement
    from kanon_sql.solvers.guarantees import on_attributes
    from kanon_sql.solvers.guarantees.attribute_requirement import Criteria

    ends = np.cumsum([0, *(len(each.count) for each in table.sensitive)]).tolist()
    total = np.concatenate([np.empty(0, np.int64), *(each.count for each in table.sensitive)]).astype(np.int64)
    criteria = Criteria(rows=table.rows, shares=[total])
    for place, each in on_attributes(requirements, table.sensitive):
        each.encode(criteria, (ends[place], ends[place + 1]))
    counter = np.empty((table.row_types, len(table.sensitive)), np.int32)
    for place, about in enumerate(table.sensitive):
        counter[:, place] = about.codes + ends[place]
    return EncodedRequirement(
        rows=table.rows,
        least=min(least, table.rows + 1),
        total=total,
        of_first=ends[1] if table.sensitive else 0,
        criteria=np.array(criteria.parts, np.int64).reshape(-1, 10),
        share=np.concatenate(criteria.shares) / table.rows,
        data=np.concatenate([np.empty(0, np.int64), *criteria.data]),
        counter=counter,
    )
