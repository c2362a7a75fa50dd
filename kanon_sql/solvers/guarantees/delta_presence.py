"""delta-presence: what the classes of a release tell of who is in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import DeltaPresence
from kanon_sql.solvers.guarantees.k_map import matches
from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import Population
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import Recoding, hidden_bits

_LOW = 40
"""Bits of the lower word of a sum; the upper word has at most 44 bits of each share."""


@dataclass(frozen=True, slots=True)
class RequiredDeltaPresence(MatchedRequirement[DeltaPresence]):
    """The shares that a row of the population has in the classes that it matches add up to delta or less."""

    def figures(self) -> str | None:
        """Return the sizes of both tables, where the table is a larger part of the population than delta.

        Notes
        -----
        Summed over the population, the shares of any release add up to the rows of the table.
        """
        rows, everybody = self.table.rows, self.population.rows
        return (
            f"the table has {how_many(rows, 'row')}, and the population has {everybody}"
            if rows > self.requirement.delta * everybody
            else None
        )

    def holds(self, recoding: Recoding) -> bool:
        """Return whether the greatest sum of shares is at most delta."""
        codes, unit = self.table.codes[recoding.row_type], self.requirement.unit
        found = greatest_sum(self.population, codes, recoding.shown, recoding.count, unit)
        return found is not None and found <= self.requirement.most

    def broken(self, number: Int64, shown: np.uint64) -> NDArray[np.bool_]:
        """Return which row types are in a class with a share of more than delta: classes of one mask do not overlap."""
        found = matches(self.population, self.table.codes, np.full(len(number), shown), self.table.ladders.values())
        rows = np.bincount(number, weights=self.table.weight).astype(np.int64)[number]
        broken: NDArray[np.bool_] = rows * self.requirement.delta.denominator > found * self.requirement.delta.numerator
        return broken


def greatest_sum(population: Population, codes: Int32, shown: Words, count: Int64, unit: int) -> int | None:
    """Return the greatest sum of shares that a row of the population has; None where a class has more rows than match it.

    Parameters
    ----------
    population : Population
        p distinct rows.
    codes : int32 array [q, m]
        Codes of the source of the row of each piece.
    shown : uint64 array [q]
        The columns that each piece shows.
    count : int64 array [q]
        Rows of each piece.
    unit : int
        Parts of a share of 1; each share is rounded up to whole parts.

    Notes
    -----
    O((p + q) (m + log (p + q))) for each mask in use. Whole numbers of two words, so nothing is rounded but the shares.
    """
    high, low = np.zeros(len(population.weight), np.int64), np.zeros(len(population.weight), np.int64)
    masks, number = np.unique(shown, return_inverse=True)
    for place, hidden in enumerate(hidden_bits(masks, codes.shape[1]).astype(np.bool_)):
        pieces = np.flatnonzero(number == place)
        both = np.vstack([codes[pieces], population.codes]) + 1  # what is unseen has a code too, which no piece shows
        instance = alike(both, both.max(axis=0).astype(np.int64) + 1, hidden)
        rows, everybody = np.zeros((2, int(instance.max()) + 1), np.int64)
        np.add.at(rows, instance[: len(pieces)], count[pieces])
        np.add.at(everybody, instance[len(pieces) :], population.weight)
        if (rows > everybody).any():
            return None
        own = np.flatnonzero(rows)
        parts = [-(-n * unit // of) for n, of in zip(rows[own].tolist(), everybody[own].tolist(), strict=True)]
        share = np.zeros((2, len(rows)), np.int64)
        share[0, own] = [each >> _LOW for each in parts]
        share[1, own] = [each & ((1 << _LOW) - 1) for each in parts]
        high += share[0, instance[len(pieces) :]]
        low += share[1, instance[len(pieces) :]]
    if not len(high):
        return 0
    high += low >> _LOW
    low &= (1 << _LOW) - 1
    top = int(high.max())
    return (top << _LOW) + int(low[high == top].max())
