"""The table as the solvers see it: integer codes per row type, never a value.

A *row type* is a distinct combination of quasi-identifier values, and of sensitive values where a requirement is about them;
``t`` row types with ``m`` columns stand for the whole table, however many rows it has. A column that can only be shown or
hidden is one coded column, and so is a group of linked columns; a column with a ladder of levels is one coded column for
each of them, finest first, and a pattern that shows one shows all coarser ones too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.distances import Distance
from kanon_sql.model.how_many import how_many
from kanon_sql.model.recodings import Level
from kanon_sql.table.arrays import Int32, Int64

UNSEEN = -1
"""Code of what no row of the source has: only a suppressed cell matches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Rows of the population, those with the same codes together."""

    codes: Int32  # [p, m]: for each coded column the code of the source, or `UNSEEN`
    weight: Int64  # [p]: rows of the population

    @property
    def rows(self) -> int:
        """Return the number of rows of the population."""
        return int(self.weight.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitive:
    """A sensitive attribute: which value each row type has. No pattern shows or hides it; it is released as it is."""

    column: str  # the column of the source
    codes: Int32  # [t]: dense codes from 0, in the order of the values; NULL is a value, the last one
    count: Int64  # [v]: rows of the whole table per value
    # codes of the values that alpha requirements name; what is missing does not occur
    named: Mapping[str, int] = field(default_factory=dict)
    distances: Mapping[str, Distance] = field(default_factory=dict)  # ground distances of the metrics that the policy uses
    empty: int = -1  # code of NULL, -1 where it does not occur


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedTable:
    """Row types as dense integer codes."""

    # For each of the ``m`` coded columns the columns of the source that it shows or hides: one, or a linked group; of the
    # levels of :mod:`~kanon_sql.table.ladder` none. The levels of a ladder follow each other.
    columns: tuple[tuple[str, ...], ...]
    # [t, m]: codes from 0; NULL has its own code. Rows are in ascending order, those with equal codes by their sensitive
    # values, so the table does not depend on the order of its source.
    codes: Int32
    weight: Int64  # [t]: rows of the source that share the row type
    origin: Int64  # [t]: position of each row type in the array it was read from
    cost: Int64  # [m]: cost of hiding each coded column in one row, in units of ``1 / unit``: of a level the step to the next
    unit: int  # common denominator of the costs, so that all costs are whole numbers
    # bits of the coded columns that no pattern may show: values of which only coarser levels are released
    hidden_levels: int = 0
    # for each column of which masks name levels what they are called, finest first
    levels: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)
    groupings: tuple[str, ...] = ()  # how the labels of columns were put together in groups, and what that guarantees
    # the sensitive attributes that requirements are about; only with them may two row types have equal codes
    sensitive: tuple[Sensitive, ...] = ()
    populations: Mapping[str, Population] = field(default_factory=dict)  # the tables of the population that requirements name

    @property
    def row_types(self) -> int:
        """Return the number of row types."""
        return len(self.weight)

    @property
    def rows(self) -> int:
        """Return the number of rows of the source."""
        return int(self.weight.sum())

    @property
    def width(self) -> Int64:
        """Return how many cells of a row are suppressed where each coded column is hidden, int64 [m]; of a ladder, the last."""
        following = (*self.columns[1:], ())
        return np.array([len(names) * (names != after) for names, after in zip(self.columns, following, strict=True)], np.int64)

    @property
    def ladders(self) -> dict[tuple[str, ...], list[int]]:
        """Return the coded columns by what they show of the source, finest first."""
        found: dict[tuple[str, ...], list[int]] = {}
        for place, names in enumerate(self.columns):
            found.setdefault(names, []).append(place)
        return found

    @property
    def has_ladders(self) -> bool:
        """Whether some column of the source has several levels."""
        return any(len(places) > 1 for names, places in self.ladders.items() if names)

    @property
    def cardinality(self) -> Int64:
        """Return the number of codes of each column, int64 [m]."""
        highest: Int64 = self.codes.max(axis=0).astype(np.int64)
        return highest + 1

    def without_sensitive(self) -> tuple[CodedTable, Int64]:
        """Return the table of the quasi-identifiers alone, and for each of its row types the first that it stands for.

        Returns
        -------
        CodedTable
            Row types that differ in sensitive values only are one.
        int64 array
            Row types in ascending order: those of equal codes stand next to each other.

        Notes
        -----
        O(t m).
        """
        fresh = np.append(True, (self.codes[1:] != self.codes[:-1]).any(axis=1))
        first = np.flatnonzero(fresh)
        alike = replace(
            self,
            codes=np.ascontiguousarray(self.codes[first]),
            weight=np.add.reduceat(self.weight, first),
            origin=self.origin[first],
            sensitive=(),
        )
        return alike, first

    def of_row_types(self, chosen: Int64, weight: Int64 | None = None) -> CodedTable:
        """Return the table of some row types and no sensitive columns, with other numbers of rows if given; O(t m)."""
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[chosen]),
            weight=self.weight[chosen] if weight is None else weight,
            origin=self.origin[chosen],
            sensitive=(),
        )

    def refuse_fewer(self, k: int) -> None:
        """Raise where there are too few rows for any class."""
        if self.rows < k:
            raise InfeasibleError(f"the table has {how_many(self.rows, 'row')}, fewer than k = {k}; hint: choose a smaller k")

    def exact_cost(self, units: int) -> Fraction:
        """Return a cost counted in units as the user counts it."""
        return Fraction(units, self.unit)
