"""Unlisted columns: those without a role in a policy, and how much of them may identify people before a release is refused."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import fraction

UNLISTED_LIMIT = Fraction(1, 5)
"""Share of the rows that one unlisted column may single out: names and amounts single out nearly all, a diagnosis few."""

_HALF = Fraction(1, 2)

_SMALL = 50
"""A table of fewer rows is judged as one of so many: a few rare values of a dozen rows do not make a column of names."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much unlisted columns may reveal.

    Parameters
    ----------
    alone : Fraction
        The share of the rows that one of them may single out; the ``unlisted_limit`` of a policy.
    """

    alone: Fraction

    @property
    def most(self) -> Fraction:
        """Return the share of the rows that all together may single out, and of suppressed cells that one may give back."""
        return max(self.alone, _HALF)

    def singled_out(self, single: int, rows: int) -> bool:
        """Return whether one column singles out too many of the rows: most of them, or more than the limit but for a few."""
        return single > self.most * rows or single > self.alone * max(rows, _SMALL)


def read_limit(value: object) -> Fraction:
    """Return the limit that a policy sets.

    Raises
    ------
    PolicyError
        When it is not a share.
    """
    limit = fraction(value, "unlisted_limit")
    if not 0 <= limit <= 1:
        raise PolicyError("unlisted_limit must be a share of the rows from 0 to 1; hint: 0.2, the default")
    return limit
