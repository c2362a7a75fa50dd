"""Top and bottom coding, and cuts: numbers beyond an end, or between two cuts, share one label.

An end holds at every level, also where the value itself may be shown: ``TOP 90`` never shows a number of 90 or more as anything
but ``90+``, and ``BOTTOM 18`` none of 18 or less as anything but ``<=18``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_tuple, fraction, losses

CODED = "coded"
"""The level that shows a number itself between the ends."""

CUT = "cut"
"""The level that shows the cuts around a number."""


def number_or_none(value: Any, what: str) -> Fraction | None:
    """Return an end of the numbers that may be shown; None where there is none."""
    return None if value is None else fraction(value, what)


def refuse_ends(top: Fraction | None, bottom: Fraction | None) -> None:
    """Refuse ends that leave no number between them.

    Raises
    ------
    PolicyError
        With the hint what to write.
    """
    if top is not None and bottom is not None and top <= bottom:
        raise PolicyError("TOP must be above BOTTOM; hint: write age TOP 90 BOTTOM 18")


def whole_years(*ends: Fraction | None) -> None:
    """Refuse ends of dates that are no years.

    Raises
    ------
    PolicyError
        With the hint what to write.
    """
    if any(end is not None and (end.denominator != 1 or not 1 <= end <= 9999) for end in ends):
        raise PolicyError("TOP and BOTTOM must be years for dates; hint: write born IN INTERVALS (year) BOTTOM 1936")


def refuse_no_flag(only: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(only, bool):
        raise PolicyError(f"'only' must be true or false, got {type(only).__name__}; hint: write INTERVALS ONLY (year)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """Numbers from ``top`` on, and up to ``bottom``, share one label each; all others are shown."""

    top: Fraction | None = None  # the upper end
    bottom: Fraction | None = None  # the lower end; at least one of them is given
    loss: tuple[Fraction, ...] = ()  # loss of the one level, between 0 and 1; empty takes its share of the domain

    def __post_init__(self) -> None:
        object.__setattr__(self, "top", number_or_none(self.top, "TOP"))
        object.__setattr__(self, "bottom", number_or_none(self.bottom, "BOTTOM"))
        if self.top is None and self.bottom is None:
            raise PolicyError("top or bottom coding needs a limit; hint: write age TOP 90, or income TOP 200000 BOTTOM 0")
        refuse_ends(self.top, self.bottom)
        object.__setattr__(self, "loss", losses(self.loss))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Numbers are shown as the interval between two cuts, ``[18, 65)``; below the first and from the last on it has one end."""

    at: tuple[Fraction, ...]  # the cuts, ascending
    top: Fraction | None = None  # as in `Coded`: from the last cut on
    bottom: Fraction | None = None  # as in `Coded`: below the first cut
    only: bool = False  # whether no release shows the number itself
    # as in `Coded`; with an end there is a level before the cuts, and it has its own, unless ``only``
    loss: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        refuse_no_flag(self.only)
        at = tuple(fraction(each, "a cut") for each in as_tuple(self.at, "cuts"))
        if not at:
            raise PolicyError("CUTS needs at least one cut; hint: write age IN CUTS (18, 65)")
        if any(high <= low for low, high in pairwise(at)):
            raise PolicyError("cuts must be in ascending order; hint: write age IN CUTS (0, 18, 65, 90)")
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "top", number_or_none(self.top, "TOP"))
        object.__setattr__(self, "bottom", number_or_none(self.bottom, "BOTTOM"))
        refuse_ends(self.top, self.bottom)
        if (self.top is not None and self.top < at[-1]) or (self.bottom is not None and self.bottom >= at[0]):
            raise PolicyError("cuts must be above BOTTOM and at most TOP; hint: write age IN CUTS (18, 65) TOP 90 BOTTOM 5")
        object.__setattr__(self, "loss", losses(self.loss))
