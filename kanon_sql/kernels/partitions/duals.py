"""Prices of rows and of cuts, and the sum of the prices of cuts that rows are in together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython


@cython.final
@cython.cclass
class Duals:
    """Prices of rows and of cuts.

    Parameters
    ----------
    price : int64 array [t]
        Of a row, all cuts of its row type included.
    cut_price : int64 array [s]
        Of each cut.
    first, cut : int64 array [t + 1], int32 array
        ``cut[first[i] : first[i + 1]]`` are the cuts that row type i is in, ascending.
    """

    def __init__(
        self,
        *,
        price: NDArray[np.int64],
        cut_price: NDArray[np.int64],
        first: NDArray[np.int64],
        cut: NDArray[np.int32],
    ) -> None:
        self.price, self.cut_price = price, cut_price
        self.first, self.cut = first, cut


def cut_prices_of_both(duals, a, b):
    """Return the sum of the prices of the cuts that a and b are both in."""
    i = duals.first[a]
    j = duals.first[b]
    total = 0
    while i < duals.first[a + 1] and j < duals.first[b + 1]:
        if duals.cut[i] == duals.cut[j]:
            total += duals.cut_price[duals.cut[i]]
            i += 1
            j += 1
        elif duals.cut[i] < duals.cut[j]:
            i += 1
        else:
            j += 1
    return total


def cut_prices_of_all(duals, a, b, c):
    """Return the sum of the prices of the cuts that a, b and c are all in."""
    i = duals.first[a]
    j = duals.first[b]
    k = duals.first[c]
    total = 0
    while i < duals.first[a + 1] and j < duals.first[b + 1] and k < duals.first[c + 1]:
        last = max(duals.cut[i], duals.cut[j], duals.cut[k])
        if duals.cut[i] == duals.cut[j] and duals.cut[j] == duals.cut[k]:
            total += duals.cut_price[last]
            i += 1
            j += 1
            k += 1
            continue
        if duals.cut[i] < last:
            i += 1
        if duals.cut[j] < last:
            j += 1
        if duals.cut[k] < last:
            k += 1
    return total
