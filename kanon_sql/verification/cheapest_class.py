"""Proof that no class costs a row less than its price, where all masks are permitted: by the columns in which rows differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGEST = 1 << 62
"""What sums of costs and of rows stay below."""


def none_is_cheaper(table: list[list[Any]], counts: Sequence[int], prices: Sequence[int], cost: list[int], k: int) -> bool:
    """Return whether every class with k rows costs each of its rows the price of the row, or more.

    A class hides every column in which two of its rows differ. So k rows whose columns cost less would all be so near to each
    other. O(m t) for a row, and O(n^2) for n rows that are near; sets of these are tried where that does not decide.
    """
    if max(sum(cost), sum(counts)) >= _LARGEST:
        return False
    numbers: list[dict[Any, int]] = [{} for _ in table]
    codes = np.array(
        [[seen.setdefault(value, len(seen)) for value in column] for seen, column in zip(numbers, table, strict=True)]
    )
    rows, each = np.array(counts, np.int64), np.array(cost, np.int64)
    for i, price in enumerate(prices):
        if price <= 0:
            continue
        away = np.zeros(len(rows), np.int64)
        for column, more in zip(codes, cost, strict=True):
            away += (column != column[i]) * more
        near = away < price
        if rows[near].sum() < k:
            continue
        near[i] = False
        if rows[i] >= k or _Around(codes[:, near] != codes[:, i : i + 1], rows[near], each, price).hold(k - int(rows[i])):
            return False
    return True


class _Around:
    """The rows that are near a row: the columns in which they differ from it, and which two of them fit one class."""

    def __init__(self, differing: NDArray[np.bool_], rows: NDArray[np.int64], cost: NDArray[np.int64], price: int) -> None:
        self.differing, self.rows, self.cost, self.price = differing.T, rows, cost, price
        costs = self.differing * cost
        alone = costs.sum(axis=1)
        self.fit = alone[:, None] + alone - costs @ self.differing.T.astype(np.int64) < price

    def hold(self, need: int) -> bool:
        """Return whether so many rows fit one class with the row that costs less than the price."""
        kept = np.arange(len(self.rows))
        while len(kept):
            enough = self.fit[np.ix_(kept, kept)] @ self.rows[kept] >= need
            if enough.all():
                return self._grow(kept, np.zeros(len(self.cost), np.bool_), need)
            kept = kept[enough]
        return False

    def _grow(self, fitting: NDArray[np.intp], hidden: NDArray[np.bool_], need: int) -> bool:
        left = int(self.rows[fitting].sum())
        for place, j in enumerate(fitting.tolist()):
            if left < need:
                return False
            more = int(self.rows[j])
            if more >= need:
                return True
            left -= more
            wider = hidden | self.differing[j]
            others = fitting[place + 1 :]
            others = others[self.fit[j, others]]
            others = others[(self.differing[others] | wider) @ self.cost < self.price]
            if self._grow(others, wider, need - more):
                return True
        return False
