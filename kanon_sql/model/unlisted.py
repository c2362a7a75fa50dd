"""Columns released unchanged: which of their values single people out, and how much of that is refused without a role."""

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

MOST_SHARED = 10
"""A value that so many people share singles nobody out, however large k is: at k = 100, ages of 1,473 people all would."""

PEOPLE_PER_VALUE = 40
"""A value may have one person fewer for each so many people: in a table of 100 people, two of one age are not unusual."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much columns released unchanged may reveal.

    Notes
    -----
    A value singles out the people who have it if they are fewer than k, at most `MOST_SHARED`, and at most one in
    `PEOPLE_PER_VALUE` people of the table, but at least 2. Of Adult (32,561 people), CMC (1,473), Nursery and 42,789 zip codes
    this refuses fnlwgt, city, latitude and longitude, which a rule for single rows also refuses, and nothing more up to k = 10.
    Without the second limit it would refuse the ages of CMC at k = 50, without the third education and hours of 100 people
    drawn from Adult at k = 5.

    Several columns together make small groups in every table: the 11 of Adult next to age, sex and race do for 62 % of the
    people at k = 5. So they are refused by what one person alone has, and warned of by the same rule as one column.
    """

    # the share of the rows that an unlisted column may single out; the ``unlisted_limit`` of a policy
    alone: Fraction = UNLISTED_LIMIT
    k: int = 2  # the people that the guarantee hides a person among

    def shared(self, people: int) -> int:
        """Return how many people have to share a value in a table of so many, so that it singles none of them out."""
        return max(2, min(self.k, MOST_SHARED, people // PEOPLE_PER_VALUE))

    @staticmethod
    def in_words(shared: int, form: str = " ({})", *, people: bool = False) -> str:
        """Return which values single out, in a form that follows the share of rows; nothing if one row alone has them."""
        words = f"values shared by fewer than {shared} {'people' if people else 'rows'}"
        return form.format(words) if shared > 2 else ""

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
        raise PolicyError("unlisted_limit must be a share of the rows between 0 and 1; hint: use 0.2, the default")
    return limit
