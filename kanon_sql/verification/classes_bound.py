"""The proof of a lower bound of ranges and sets: no class of k rows loses less by row than one of its rows pays.

A row loses no less in a class than in a part of it. So if each row pays at most what it loses in the cheapest class of k rows
that holds it, every release loses at least what all rows pay. All classes that could be cheaper are gone through; this shares
no code with a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanon_sql.certificate import Certificate
from kanon_sql.errors import CertificateError
from kanon_sql.model.recodings import Ranges, Sets
from kanon_sql.verification.certificates import require_bound
from kanon_sql.verification.coded_source import CodedSource

_LARGEST = 1 << 62
"""What losses of a row stay below."""

Ints = NDArray[np.int64]


def proven_by_classes(source: CodedSource, claimed: Certificate) -> Fraction:
    """Return what the prices of a certificate prove of all releases whose classes show ranges, sets or equal values.

    Raises
    ------
    CertificateError
        When the prices do not suit the policy or the source, some class loses less than they say, or the bound is higher.
    """
    table, policy, unit = source.table, source.policy, claimed.scale * claimed.unit
    if table is None or unit < 1 or table.hidden_levels or policy.aggregated or policy.people is not None:
        raise CertificateError("prices", "the prices prove no bound for this policy")
    recodings = {qi.column: qi.recoding for qi in policy.quasi_identifiers}
    kinds, nulls = [], []
    for name, *_ in table.columns:
        recoding = recodings[name]
        kinds.append("range" if isinstance(recoding, Ranges) else "set" if isinstance(recoding, Sets) else "plain")
        labels = source.ladders[name].labels[0] if kinds[-1] == "range" else ()
        nulls.append(labels.index(None) if None in labels else -1)
    weights = [table.exact_cost(cost) for cost in table.cost.tolist()]
    counts, prices = table.weight.tolist(), claimed.prices or ()
    if not all_pay_at_most_the_cheapest(table.codes, kinds, nulls, weights, counts, prices, policy.least_class_size, unit):
        raise CertificateError("prices", "the prices do not prove a bound: a row pays more than its class loses per row")
    return require_bound(claimed.lower_bound, Fraction(sum(n * price for n, price in zip(counts, prices, strict=True)), unit))


def all_pay_at_most_the_cheapest(
    codes: NDArray[np.int32],
    kinds: Sequence[str],
    nulls: Sequence[int],
    weights: Sequence[Fraction],
    counts: Sequence[int],
    prices: Sequence[int],
    k: int,
    unit: int,
) -> bool:
    """Return whether no class of k rows loses less by row than one of its rows pays.

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types; codes follow the order of the values.
    kinds, nulls : sequences of str and int
        What a class shows of each column, ``'plain'``, ``'range'`` or ``'set'``, and the code of NULL in a range, -1 for none.
    weights : sequence of Fraction
        What a cell of each column costs.
    counts, prices : sequence of int
        Rows of each row type, and what each of them pays, in parts of ``1 / unit``.
    unit : int
        Parts of a cost of 1.

    Raises
    ------
    CertificateError
        When the prices are of another number of row types, or too large.

    Notes
    -----
    Two rows that lose as much as the price are in no cheaper class. O(m t) for a row type whose class may be cheaper than it
    pays, and O(m n) for each of n row types near it that joins a class.
    """
    if len(prices) != len(counts):
        raise CertificateError("prices", f"{len(prices)} prices for {len(counts)} row types")
    values = [int(column.max()) + 1 for column in codes.T]
    parts = [1 if kind == "plain" else max(1, many - 1) for kind, many in zip(kinds, values, strict=True)]
    step = [int(weight * unit / part) for weight, part in zip(weights, parts, strict=True)]
    most = max(prices, default=0)
    if max(most, sum(each * many for each, many in zip(step, values, strict=True))) >= _LARGEST:
        raise CertificateError("prices", "the prices are too large to be checked")
    losses = _Losses(codes.astype(np.int64), kinds, nulls, np.array(step, np.int64))
    rows, price = np.array(counts, np.int64), np.array(prices, np.int64)
    # Of a column in which two rows lose more than any price, they have the same value.
    apart = [c for c, each in enumerate(step) if each >= most]
    group = np.unique(codes[:, apart], axis=0, return_inverse=True)[1].reshape(-1) if apart else np.zeros(len(codes), np.int64)
    order = np.argsort(group, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        alike = losses.only(members)
        for place, i in enumerate(members.tolist()):
            if price[i] <= 0:
                continue
            if counts[i] >= k:
                return False
            growth = alike.alone(place)
            near = growth.sum(axis=1) < price[i]
            near[place] = False
            around = alike.only(near)
            state = around.begun(alike.codes[place])
            if around.cheaper(state, growth[near], rows[members[near]], k - counts[i], int(price[i])):
                return False
    return True


State = tuple[list[int], list[int], list[bool]]
"""Of each column that is a range: the least and the highest code of the class, and whether it has NULL."""


class _Losses:
    """Row types, and what a class loses by row that they join."""

    def __init__(self, codes: Ints, kinds: Sequence[str], nulls: Sequence[int], step: Ints) -> None:
        self.codes, self.kinds, self.nulls, self.step = codes, kinds, nulls, step
        self.ranges = [c for c, kind in enumerate(kinds) if kind == "range"]

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> _Losses:
        """Return some of the row types."""
        return _Losses(self.codes[chosen], self.kinds, self.nulls, self.step)

    def begun(self, code: Ints) -> State:
        """Return the ranges of one row type; of NULL alone the least code is above the highest."""
        null = [int(code[c]) == self.nulls[c] for c in self.ranges]
        numbers = [int(code[c]) for c in self.ranges]
        low = [1 if none else number for none, number in zip(null, numbers, strict=True)]
        return low, [0 if none else number for none, number in zip(null, numbers, strict=True)], null

    def alone(self, place: int) -> Ints:
        """Return what each row type adds in each column to the class of one of them, int64 [n, m]."""
        growth: Ints = (self.codes != self.codes[place]) * self.step
        low, high, null = self.begun(self.codes[place])
        for r, c in enumerate(self.ranges):
            growth[:, c] = self._widening(c, self.codes[:, c], low[r], high[r], null[r])
        return growth

    def _widening(self, c: int, code: Ints, low: int, high: int, null: bool) -> Ints:
        wider = np.maximum(np.maximum(low - code, code - high), 0) if low <= high else np.ones(len(code), np.int64)
        found: Ints = np.where(code == self.nulls[c], 0 if null else 1, wider) * self.step[c]
        return found

    def cheaper(self, state: State, growth: Ints, rows: Ints, need: int, price: int) -> bool:
        """Return whether a class loses less than a price with so many more rows of these row types.

        Parameters
        ----------
        state : State
            The ranges of the class at hand.
        growth : int64 array [n, m]
            What each row type adds in each column.
        rows : int64 array [n]
            Rows of each row type.
        need : int
            Rows that the class still needs.
        price : int
            What a row may still lose, and 1 more.
        """
        total = growth.sum(axis=1)
        need -= int(rows[total == 0].sum())
        if need <= 0:
            return True
        order = np.argsort(total, kind="stable")
        order = order[(total[order] > 0) & (total[order] < price)]
        if rows[order].sum() < need:
            return False
        joining = self.only(order)
        growth, rows, total = growth[order], rows[order], total[order]
        before = np.concatenate([[0], np.cumsum(rows)])
        for a in range(len(order)):
            last = int(np.searchsorted(before, before[a] + need))  # with the row types before this place there are enough
            if last > len(order) or total[last - 1] >= price:
                return False
            others = joining.only(np.arange(a + 1, len(order)))
            wider, more = others.joined(state, growth[a + 1 :], growth[a], joining.codes[a])
            if others.cheaper(wider, more, rows[a + 1 :], need - int(rows[a]), price - int(total[a])):
                return True
        return False

    def joined(self, state: State, growth: Ints, added: Ints, code: Ints) -> tuple[State, Ints]:
        """Return the ranges of the class and what each row type adds to it, after a row type joined that added so much."""
        low, high, null = list(state[0]), list(state[1]), list(state[2])
        more: Ints = growth * (self.codes != code)
        for c in np.flatnonzero(added).tolist():
            if self.kinds[c] == "plain":
                more[:, c] = 0
        for r, c in enumerate(self.ranges):
            if added[c] and code[c] == self.nulls[c]:
                null[r] = True
            elif added[c]:
                number = int(code[c])
                low[r], high[r] = (min(low[r], number), max(high[r], number)) if low[r] <= high[r] else (number, number)
            more[:, c] = self._widening(c, self.codes[:, c], low[r], high[r], null[r])
        return (low, high, null), more
