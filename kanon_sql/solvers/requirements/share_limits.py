"""The shares that values may have of the rows of a class: alpha, beta-likeness and delta-disclosure privacy are such limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.model.requirements import AlphaAnonymity, BetaLikeness, DeltaDisclosure
from kanon_sql.table.coded_table import Sensitive

ShareRequirement = AlphaAnonymity | BetaLikeness | DeltaDisclosure

_FINEST = 1 << 29
"""Denominators up to this: products with up to 2^33 rows fit into 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLimit:
    """The least and the greatest share of a value in a class.

    Parameters
    ----------
    value : int
        The code of the value.
    least, most : Fraction
        From 0 to 1.
    """

    value: int
    least: Fraction
    most: Fraction


def share_limits(requirement: ShareRequirement, about: Sensitive) -> list[ShareLimit]:
    """Return the values that a requirement limits, with limits of which the denominators are at most the rows of the table.

    Notes
    -----
    A class has no more rows than the table, so its shares have no greater denominators. Between a limit and the nearest
    fraction inside it with such a denominator lies no share of a class: both let the same classes through, and the
    fraction may replace a limit that is irrational or has many digits.
    """
    finest = min(int(about.count.sum()), _FINEST)
    return [
        ShareLimit(value=each.value, least=nearest_above(each.least, finest), most=nearest_below(each.most, finest))
        for each in stated_limits(requirement, about)
    ]


def stated_limits(requirement: ShareRequirement, about: Sensitive) -> list[ShareLimit]:
    """Return the values that a requirement limits, with the limits as it states them."""
    found = _LIMITS[type(requirement)](requirement, about)
    return [each for each in found if each.least > 0 or each.most < 1]


def _of_one_value(requirement: AlphaAnonymity, about: Sensitive) -> Sequence[ShareLimit]:
    code = about.named.get(requirement.value)
    return () if code is None else [ShareLimit(value=code, least=Fraction(0), most=requirement.alpha)]


def _of_each_value(requirement: BetaLikeness | DeltaDisclosure, about: Sensitive) -> Sequence[ShareLimit]:
    rows = int(about.count.sum())
    shares = [requirement.shares(held, rows) for held in about.count.tolist()]
    return [ShareLimit(value=code, least=least, most=min(most, Fraction(1))) for code, (least, most) in enumerate(shares)]


_LIMITS: dict[type[ShareRequirement], Callable[[Any, Sensitive], Sequence[ShareLimit]]] = {
    AlphaAnonymity: _of_one_value,
    BetaLikeness: _of_each_value,
    DeltaDisclosure: _of_each_value,
}


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
