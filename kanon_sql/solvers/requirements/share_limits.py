"""The shares that values may have of the rows of a class: alpha, beta-likeness and delta-disclosure privacy are such limits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

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


def share_limits(requirement: ShareRequirement, about: Sensitive) -> tuple[ShareLimit, ...]:
    """Return the values that a requirement limits, with limits of which the denominators are at most the rows of the table.

    Notes
    -----
    A class has no more rows than the table, so its shares have no greater denominators. Between a limit and the nearest
    fraction inside it with such a denominator lies no share of a class: both let the same classes through, and the
    fraction may replace a limit that is irrational or has many digits.
    """
    return _nearest(requirement, *_told(requirement, about))


def stated_limits(requirement: ShareRequirement, about: Sensitive) -> tuple[ShareLimit, ...]:
    """Return the values that a requirement limits, with the limits as it states them."""
    return _stated(requirement, *_told(requirement, about))


def _told(requirement: ShareRequirement, about: Sensitive) -> tuple[tuple[int, ...], int]:
    """Return the rows of each value, and the code of the value that is named; -1 for none."""
    named = about.named.get(requirement.value, -1) if isinstance(requirement, AlphaAnonymity) else -1
    return tuple(about.count.tolist()), named


@lru_cache(maxsize=32)  # exact tests ask again and again
def _nearest(requirement: ShareRequirement, count: tuple[int, ...], named: int) -> tuple[ShareLimit, ...]:
    finest = min(sum(count), _FINEST)
    return tuple(
        ShareLimit(value=each.value, least=nearest_above(each.least, finest), most=nearest_below(each.most, finest))
        for each in _stated(requirement, count, named)
    )


@lru_cache(maxsize=32)
def _stated(requirement: ShareRequirement, count: tuple[int, ...], named: int) -> tuple[ShareLimit, ...]:
    if isinstance(requirement, AlphaAnonymity):
        shares = {} if named < 0 else {named: (Fraction(0), requirement.alpha)}
    else:
        rows = sum(count)
        shares = {code: requirement.shares(held, rows) for code, held in enumerate(count)}
    limits = (ShareLimit(value=code, least=least, most=min(most, Fraction(1))) for code, (least, most) in shares.items())
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
