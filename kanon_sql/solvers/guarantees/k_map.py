"""k-map: how many rows of a population match what each class shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KMap
from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.keys import alike
from kanon_sql.table.population import Population
from kanon_sql.table.recoding import Recoding, hidden_bits


@dataclass(frozen=True, slots=True)
class Required(MatchedRequirement[KMap]):
    """k rows of a population match what each class shows."""

    def figures(self) -> str | None:
        """Return how large the population is, where that is less than k."""
        rows = self.population.rows
        return f"the population has {how_many(rows, 'row')}" if rows < self.requirement.k else None

    def holds(self, recoding: Recoding) -> bool:
        """Return whether k rows match each piece."""
        return bool(self.enough(self.table.codes[recoding.row_type], recoding.shown).all())

    def broken(self, number: Int64, shown: np.uint64) -> NDArray[np.bool_]:
        """Return which row types are in a class that fewer than k rows match."""
        return ~self.enough(self.table.codes, np.full(len(number), shown))

    def enough(self, codes: Int32, shown: Words) -> NDArray[np.bool_]:
        """Return which pieces k rows match, as for `matches`."""
        found: NDArray[np.bool_] = matches(self.population, codes, shown) >= self.requirement.k
        return found


def matches(population: Population, codes: Int32, shown: Words) -> Int64:
    """Return how many rows of a population match each piece, int64 [q].

    Parameters
    ----------
    population : Population
        p distinct rows.
    codes : int32 array [q, m]
        Codes of the source of the row of each piece.
    shown : uint64 array [q]
        The columns that each piece shows.

    Notes
    -----
    O((p + q) (m + log (p + q))) for each mask in use.
    """
    found = np.zeros(len(shown), np.int64)
    masks, number = np.unique(shown, return_inverse=True)
    for place, hidden in enumerate(hidden_bits(masks, codes.shape[1]).astype(np.bool_)):
        pieces = np.flatnonzero(number == place)
        both = np.vstack([codes[pieces], population.codes]) + 1  # what is unseen has a code too, which no piece shows
        instance = alike(both, both.max(axis=0).astype(np.int64) + 1, hidden)
        rows = np.zeros(int(instance.max()) + 1, np.int64)
        np.add.at(rows, instance[len(pieces) :], population.weight)
        found[pieces] = rows[instance[: len(pieces)]]
    return found
