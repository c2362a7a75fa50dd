"""k-map: how many rows of a population match what each class shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KMap
from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import Population
from kanon_sql.table.recoding import Recoding, dividing

_TABLE = 1 << 16
"""Keys up to which groups are looked up in a table."""


@dataclass(frozen=True, slots=True)
class RequiredKMap(MatchedRequirement[KMap]):
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
        found: NDArray[np.bool_] = matches(self.population, codes, shown, self.table.ladders.values()) >= self.requirement.k
        return found


def matches(population: Population, codes: Int32, shown: Words, ladders: Iterable[Sequence[int]] = ()) -> Int64:
    """Return how many rows of a population match each piece, int64 [q].

    Parameters
    ----------
    population : Population
        p distinct rows.
    codes : int32 array [q, m]
        Codes of the source of the row of each piece.
    shown : uint64 array [q]
        The columns that each piece shows.
    ladders : iterable of sequence of int
        Columns of which each follows from every one before it.

    Notes
    -----
    O((p + q) m log q) for each mask in use at most; rows of the population drop out at the first column in which no piece has
    what they have.
    """
    found = np.zeros(len(shown), np.int64)
    own, theirs = (np.ascontiguousarray(each.T).astype(np.int64) for each in (codes, population.codes))
    columns = np.argsort(-codes.max(axis=0, initial=0), kind="stable")  # many values first: few rows remain
    masks, number = np.unique(shown, return_inverse=True)
    order = np.argsort(number, kind="stable")
    start = np.cumsum(np.bincount(number, minlength=len(masks)))[:-1]
    divides = dividing(masks, ladders, codes.shape[1])
    for pieces, seen in zip(np.split(order, start), divides, strict=False):  # of no masks, there is one empty part
        group, row = np.zeros(len(pieces), np.int64), np.arange(len(population.weight))
        inside = np.zeros(len(row), np.int64)
        for column in columns[seen[columns]]:
            group, place = _divided(group, own[column, pieces], inside, theirs[column, row])
            stays = np.flatnonzero(place >= 0)
            row, inside = row[stays], place[stays]
        rows = np.zeros(int(group.max(initial=0)) + 1, np.int64)
        np.add.at(rows, inside, population.weight[row])
        found[pieces] = rows[group]
    return found


def _divided(group: Int64, code: Int64, inside: Int64, other: Int64) -> tuple[Int64, Int64]:
    """Divide groups of pieces by a code, and return with them the groups of other rows, -1 where no piece has their code."""
    radix = int(code.max()) + 1
    keys, number = np.unique(group * radix + code, return_inverse=True)
    there = (other >= 0) & (other < radix)
    key = np.where(there, inside * radix + other, 0)
    if int(keys[-1]) < _TABLE:
        known = np.full((int(group.max()) + 1) * radix, -1, np.int64)
        known[keys] = np.arange(len(keys))
        return number, np.where(there, known[key], -1)
    place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    return number, np.where(there & (keys[place] == key), place, -1)
