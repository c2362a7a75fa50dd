"""The shares that values may have of the rows of a class: alpha and all guarantees of `SharesOfTable` are such limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any, TypeVar

import numpy as np

from kanon_sql.kernels.criteria import SHARES
from kanon_sql.model.requirements import SensitiveRequirement
from kanon_sql.solvers.guarantees.attribute_requirement import (
    AttributeRequirement,
    Bools,
    Criteria,
    Floats,
    fit_for,
    up_to,
)
from kanon_sql.solvers.guarantees.limit import Limit
from kanon_sql.solvers.integer_programs.counters import Counters, at_least, at_most, each_value, some_of
from kanon_sql.solvers.integer_programs.model import Model
from kanon_sql.table.arrays import Int64

S = TypeVar("S", bound=SensitiveRequirement)

Threshold = Callable[[Any, int, int, bool], tuple[Fraction, Fraction]]
"""The least and the greatest share of a value: by the requirement, the rows of the value and of the table, and whether the
requirement names it."""

_FINEST = 1 << 29
"""Denominators up to this: products with up to 2^33 rows fit into 64 bits."""

_BATCH = 1 << 20
"""Numbers of rows times values that are looked at together."""

_MOST_SIZES = 10_000
"""Sizes of a class that are tried for the least rows."""

_MOST = 1 << 22
"""Sizes times values that are tried for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLimit:
    """The least and the greatest share of a value in a class."""

    value: int  # the code of the value
    least: Fraction  # its least share, from 0 to 1
    most: Fraction  # its greatest share, from 0 to 1


@dataclass(frozen=True, slots=True)
class Shares(AttributeRequirement[S]):
    """The least and the greatest share of each value: least[v] n <= g[v] <= most[v] n for n rows, g[v] of the value v."""

    @staticmethod
    def threshold(requirement: Any, held: int, rows: int, _named: bool) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest share of a value: by its own share of the whole table."""
        shares: tuple[Fraction, Fraction] = requirement.shares(held, rows)
        return shares

    @property
    def named(self) -> int:
        """The code of the value that the requirement names; -1 for none."""
        return -1

    def stated(self) -> tuple[ShareLimit, ...]:
        """Return the values that are limited, with the limits as they are stated."""
        return _stated(self.threshold, self.requirement, tuple(self.about.count.tolist()), self.named)

    def limits(self) -> tuple[ShareLimit, ...]:
        """Return the values that are limited, with limits of which the denominators are at most the rows of the table.

        Notes
        -----
        A class has no more rows than the table, so its shares have no greater denominators. Between a limit and the nearest
        fraction inside it with such a denominator lies no share of a class: both let the same classes through, and the
        fraction may replace a limit that is irrational or has many digits.
        """
        return _nearest(self.threshold, self.requirement, tuple(self.about.count.tolist()), self.named)

    def meets(self, histograms: Int64, rows: Int64) -> Bools:
        """Return where all shares are within their limits."""
        found, most = np.ones(len(rows), np.bool_), int(rows.max(initial=1))
        for each in self.limits():
            held = histograms[:, each.value]
            size = fit_for(most * each.most.denominator)
            found &= held.astype(size) * each.most.denominator <= rows.astype(size) * each.most.numerator
            size = fit_for(most * each.least.denominator)
            found &= held.astype(size) * each.least.denominator >= rows.astype(size) * each.least.numerator
        return found

    def encode(self, criteria: Criteria, places: tuple[int, int]) -> None:
        """Add the limits, as columns: values, then numerators and denominators."""
        limits, start = self.limits(), criteria.data_start
        values = [places[0] + each.value for each in limits]
        columns = [
            values,
            *zip(*((*each.most.as_integer_ratio(), *each.least.as_integer_ratio()) for each in limits), strict=True),
        ]
        criteria.data.append(np.array(columns if limits else [], np.int64).ravel())
        criteria.add(SHARES, places, Fraction(1), len(limits), (1, start, 0, 0))

    def least_rows(self) -> int:
        """Return the least rows whose greatest numbers of the values add up to all of them, and the least numbers to no more.

        Notes
        -----
        A value that may not be missing has a row, which its greatest share has to allow. From there on at most `_MOST_SIZES`
        sizes are tried, fewer where there are many values; if none is possible, the last one is a bound, too. O(sizes v).
        """
        limits, rows = self.limits(), int(self.about.count.sum())
        if not limits:
            return 1
        (least, under), (most, over) = (
            np.array([share.as_integer_ratio() for share in shares], np.int64).T
            for shares in ([each.least for each in limits], [each.most for each in limits])
        )
        first = max((ceil(1 / each.most) for each in limits if each.least > 0), default=1)
        last = min(rows, first + max(1, min(_MOST_SIZES, _MOST // len(self.about.count))) - 1)
        step = max(1, _BATCH // len(limits))
        for start in range(first, last + 1, step):
            class_rows = np.arange(start, min(start + step, last + 1))[:, None]
            fewest, greatest = -(-class_rows * least // under), class_rows * most // over
            possible = (fewest <= greatest).all(axis=1) & (fewest.sum(axis=1) <= class_rows[:, 0])
            if len(limits) == len(self.about.count):
                possible &= greatest.sum(axis=1) >= class_rows[:, 0]
            if possible.any():
                return int(class_rows[np.argmax(possible), 0])
        return last

    def supported(self, support: Floats, rows: float) -> Bools:
        """Return where there are enough rows of each value, and enough in all that may be taken of each."""
        least, most = np.zeros(len(self.about.count)), np.ones(len(self.about.count))
        for each in self.stated():
            least[each.value], most[each.value] = each.least, each.most
        enough = np.ones(len(support), np.bool_)
        for value in np.flatnonzero(least):
            enough &= up_to(least[value] * rows, support[:, value])
        return enough & up_to(rows, np.minimum(support, most * rows).sum(axis=1))

    def limit(self) -> Limit:
        """Return the greatest shares as a limit."""
        limits = [each for each in self.stated() if each.most < 1]
        leaf = np.full(len(self.about.count), -1, np.int32)
        leaf[[each.value for each in limits]] = np.arange(len(limits))
        return Limit.at_most(leaf, [each.most for each in limits])

    def constrain(self, model: Model, counters: Counters, least: int) -> None:
        """Add least[v] n[j] <= g[j, v] <= most[v] n[j]."""
        limits = self.limits()
        for each in limits:
            chosen = counters.value == each.value
            if each.most < 1:
                at_most(model, counters, each.most, chosen)
            if each.least > 0:
                at_least(model, counters, each.least, chosen)
        sets = each_value(self.about)[[each.value for each in limits]]
        some_of(model, counters, ~sets, [least - int(least * each.most) for each in limits])
        some_of(model, counters, sets, [ceil(least * each.least) for each in limits])


@lru_cache(maxsize=32)  # exact tests ask again and again
def _nearest(
    threshold: Threshold, requirement: SensitiveRequirement, count: tuple[int, ...], named: int
) -> tuple[ShareLimit, ...]:
    finest = min(sum(count), _FINEST)
    return tuple(
        ShareLimit(value=each.value, least=nearest_above(each.least, finest), most=nearest_below(each.most, finest))
        for each in _stated(threshold, requirement, count, named)
    )


@lru_cache(maxsize=32)
def _stated(
    threshold: Threshold, requirement: SensitiveRequirement, count: tuple[int, ...], named: int
) -> tuple[ShareLimit, ...]:
    rows = sum(count)
    shares = enumerate(threshold(requirement, held, rows, code == named) for code, held in enumerate(count))
    limits = (ShareLimit(value=code, least=least, most=min(most, Fraction(1))) for code, (least, most) in shares)
    return tuple(each for each in limits if each.least > 0 or each.most < 1)


def nearest_below(number: Fraction, finest: int) -> Fraction:
    """Return the greatest fraction up to a number of at least 0 with a denominator of at most ``finest``.

    Notes
    -----
    Continued fractions, as in `Fraction.limit_denominator`: the last two fractions are the neighbours of the number among all
    with such denominators.
    """
    if number.denominator <= finest:
        return number
    before, last = (0, 1), (1, 0)
    n, d = number.numerator, number.denominator
    while True:
        whole = n // d
        following = (before[0] + whole * last[0], before[1] + whole * last[1])
        if following[1] > finest:
            break
        before, last, n, d = last, following, d, n - whole * d
    steps = (finest - before[1]) // last[1]
    return min(Fraction(before[0] + steps * last[0], before[1] + steps * last[1]), Fraction(*last))


def nearest_above(number: Fraction, finest: int) -> Fraction:
    """Return the least fraction from a number of 0 to 1 on with a denominator of at most ``finest``."""
    return 1 - nearest_below(1 - number, finest)
