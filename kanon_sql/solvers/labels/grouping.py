"""What a solver for one attribute decides: which labels are released as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.table.arrays import Int64


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """A division of ``n`` labels into groups, each of at least k rows."""

    group: Int64  # [n]: the group of each label, numbered densely from 0 in the order in which the labels first show them
    # a proven lower bound, whatever the division, on what the solver keeps small: the rows of the heaviest group, if it does
    # not say otherwise
    lower_bound: int
    bound: str  # name of the argument that proves it
    # what the solver guarantees of the heaviest group, and where that is proven; empty where it keeps something else small
    guarantee: str = ""

    @classmethod
    def of(cls, group: Int64, lower_bound: int, bound: str, guarantee: str = "") -> Grouping:
        """Number the groups in the order in which the labels first show them; O(n log n)."""
        _, first, place = np.unique(group, return_index=True, return_inverse=True)
        number = np.empty(len(first), np.int64)
        number[np.argsort(first)] = np.arange(len(first))
        return cls(group=number[place], lower_bound=lower_bound, bound=bound, guarantee=guarantee)

    def rows(self, weight: Int64) -> Int64:
        """Return the rows of each group, int64 [g], given those of each label."""
        total = np.zeros(int(self.group.max(initial=-1)) + 1, np.int64)
        np.add.at(total, self.group, weight)
        return total

    def described(self, weight: Int64) -> str:
        """Return what is guaranteed and what was reached, given the rows of each label, for people."""
        rows = self.rows(weight)
        most = int(rows.max())
        proven = "no division has less" if most == self.lower_bound else f"every division has {self.lower_bound} or more"
        heaviest = f"the heaviest of {how_many(len(rows), 'group')} has {how_many(most, 'row')}"
        return f"{self.guarantee}; {heaviest}, {proven} ({self.bound})"


def refuse_few(weight: Int64, k: int) -> None:
    """Refuse labels that have fewer than k rows together.

    Raises
    ------
    InfeasibleError
        With both numbers.
    """
    if int(weight.sum()) < k:
        rows = int(weight.sum())
        raise InfeasibleError(f"the labels cover only {how_many(rows, 'row')}, fewer than k = {k}; hint: use a smaller k")
