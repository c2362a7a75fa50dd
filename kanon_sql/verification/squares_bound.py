"""The proof of a lower bound where all classes show means: no class of k rows pays more than its sum of squares.

A class of k rows loses the square distances of all its pairs, divided by k. If none of them pays more than it loses, no larger
class does: on average over its subsets of k rows, one of s rows pays at most s (k - 1) / (k (s - 1)) of its loss. So every
release loses at least what all rows pay.

This holds of any prices, however they were found. That no class pays more rests on the search in this file. The search shares
nothing with the solver that chose the prices. Distances are floats, rounded down: it may refuse true prices, never accept false
ones. The result is a lower bound: it does not show that some release reaches it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanon_sql.certificate import Certificate
from kanon_sql.errors import CertificateError
from kanon_sql.model.recodings import Means
from kanon_sql.table.measurements import numbers_of
from kanon_sql.verification.certificates import require_bound
from kanon_sql.verification.coded_source import CodedSource

_LARGEST = 1 << 61
"""What sums of distances and of prices stay below."""

_ROUNDING = 2.0**-44
"""Of a square distance: more than rounding may have added to it; what is proven then holds without it."""

_MOST = 4_000
"""Rows up to which all distances are compared."""


def proven_by_squares(source: CodedSource, claimed: Certificate) -> Fraction:
    """Return what the prices of a certificate prove of all releases whose quasi-identifiers are all shown as means.

    Raises
    ------
    CertificateError
        When the prices do not suit the policy or the source, some class pays more than it loses, or the lower bound is higher.
    """
    table, policy = source.table, source.policy
    prices, unit = claimed.prices or (), claimed.scale * claimed.unit
    if (
        table is None
        or unit < 1
        or not all(isinstance(policy.aggregated.get(qi.column), Means) for qi in policy.quasi_identifiers)
    ):
        raise CertificateError("prices", "the prices prove no bound for this policy")
    columns = []
    for qi in policy.quasi_identifiers:
        labels, (place,) = source.ladders[qi.column].labels[0], table.ladders[qi.column,]
        if None in labels:
            raise CertificateError("prices", "the prices prove no bound for columns with empty cells")
        numbers = numbers_of(labels)
        columns.append([numbers[code] for code in table.codes[:, place].tolist()])
    counts, weights = table.weight.tolist(), [qi.weight for qi in policy.quasi_identifiers]
    if not all_pay_at_most_their_loss(columns, weights, counts, prices, policy.least_class_size, unit):
        raise CertificateError("prices", "the prices do not prove a bound: a class pays more than it loses")
    return require_bound(claimed.lower_bound, Fraction(sum(n * price for n, price in zip(counts, prices, strict=True)), unit))


def all_pay_at_most_their_loss(
    columns: Sequence[Sequence[Fraction]],
    weights: Sequence[Fraction],
    counts: Sequence[int],
    prices: Sequence[int],
    k: int,
    unit: int,
) -> bool:
    """Return whether every class of k rows is proven to pay at most what it loses.

    Parameters
    ----------
    columns : sequence of sequence of Fraction
        For each column the number of each row type.
    weights : sequence of Fraction
        What a cell of each column costs.
    counts, prices : sequence of int
        Rows of each row type, and what each of them pays, in parts of ``1 / unit``.
    unit : int
        Parts of a cost of 1.

    Raises
    ------
    CertificateError
        When the table has too many rows for it, or the prices are too large.

    Notes
    -----
    A search from each row for a class that pays too much, of which this row has the largest share. It leaves out only rows and
    classes that cannot gain. O(n^2) for n rows, and O(n log n) for each class it begins; these are at most O(n^(k - 1)).
    """
    if len(prices) != len(counts):
        raise CertificateError("prices", f"{len(prices)} prices for {len(counts)} row types")
    if k == 1:  # a row alone loses nothing
        return max(prices, default=0) <= 0
    copies = [min(count, k) for count in counts]
    if sum(copies) > _MOST:
        raise CertificateError("prices", f"too many prices to check: more than {_MOST:,} rows")
    place = np.repeat(np.arange(len(counts)), copies)
    square = np.zeros((len(place), len(place)))
    for numbers, weight in zip(columns, weights, strict=True):
        scaled = _scaled(numbers, counts, weight)[place]
        square += (scaled[:, None] - scaled) ** 2
    if max(float(square.max()) * unit, float(max(map(abs, prices)))) * 8 * k**3 > _LARGEST:
        raise CertificateError("prices", "the prices are too large to be checked")
    distance = np.maximum(0, np.floor(square * (unit * (1 - _ROUNDING))).astype(np.int64) - 1)
    price = np.array(prices, np.int64)[place]
    return not any(_Around(distance, price, k, i).some_gain() for i in range(len(place)))


def _scaled(numbers: Sequence[Fraction], counts: Sequence[int], weight: Fraction) -> NDArray[np.float64]:
    """Return numbers whose square distance is what two cells lose, twice: a column that is one class loses 1 a cell."""
    rows = sum(counts)
    mean = sum((number * count for number, count in zip(numbers, counts, strict=True)), Fraction(0)) / rows
    away = [number - mean for number in numbers]
    total = sum((each * each * count for each, count in zip(away, counts, strict=True)), Fraction(0))
    if not total:
        return np.zeros(len(numbers))
    largest = max(map(abs, away))
    return np.array([float(each / largest) for each in away]) * math.sqrt(largest * largest * rows * weight / total)


class _Around:
    """The classes of k rows around a row, by their gain: k times what they pay, less the distances of all pairs.

    The distances and prices of all pairs of a class add up to its gain, if each row's price is shared among its pairs. So of
    some row the pairs have 2 / k of it, or more. Half of the gain and half of what that row tells are never less.
    """

    def __init__(self, distance: NDArray[np.int64], price: NDArray[np.int64], k: int, row: int) -> None:
        self.distance, self.k = distance, k
        gain = k * price - distance[row]
        share = k * (price + price[row]) - (k - 1) * distance[row]
        upper = 2 * (k - 1) * gain + k * share
        self.total, self.bound = k * int(price[row]), 2 * (k - 1) * k * int(price[row])
        others = np.flatnonzero(np.arange(len(price)) != row)
        most = int(upper[others].max(initial=0))
        others = others[self.bound + upper[others] + (k - 2) * max(0, most) > 0]
        self.others = others[np.argsort(-upper[others], kind="stable")]
        self.gain, self.upper = gain[self.others], upper[self.others]

    def some_gain(self) -> bool:
        """Return whether a class around the row gains, and the row has the largest share of it."""
        return self._grow(self.others, self.gain, self.upper, self.total, self.bound, self.k - 1)

    def _grow(
        self,
        others: NDArray[np.intp],
        gain: NDArray[np.int64],
        upper: NDArray[np.int64],
        total: int,
        bound: int,
        need: int,
    ) -> bool:
        if need == 1:
            return bool((total + gain[bound + upper > 0] > 0).any())
        for a in range(len(others) - need + 1):
            if bound + int(upper[a : a + need].sum()) <= 0:
                return False
            joined = bound + int(upper[a])
            away = self.distance[others[a], others[a + 1 :]]
            rest = int(upper[a + 1 : a + need - 1].sum())
            more = upper[a + 1 :] - 2 * (self.k - 1) * away
            kept = np.flatnonzero(joined + more + rest > 0)
            if len(kept) < need - 1:
                continue
            kept = kept[np.argsort(-more[kept], kind="stable")]
            following = others[a + 1 :][kept], (gain[a + 1 :] - away)[kept], more[kept]
            if self._grow(*following, total + int(gain[a]), joined, need - 1):
                return True
        return False
