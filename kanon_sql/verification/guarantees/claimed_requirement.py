"""What every class that meets a requirement keeps: a linear limit, a least size, and rows that it cannot do without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import SensitiveRequirement
from kanon_sql.table.coded_table import Sensitive
from kanon_sql.verification.guarantees.limits import Limit, Whole

MOST_SETS = 64
"""Sets of values of a limit; where they are more, it proves nothing."""

MOST_SIZES = 10_000
"""Sizes of a class that are tried; that none of them is possible is proof enough."""

S = TypeVar("S", bound=SensitiveRequirement)


@dataclass(frozen=True, slots=True)
class ClaimedRequirement(Generic[S]):
    """A requirement and the attribute that it is about."""

    requirement: S  # the requirement on the values of every class
    about: Sensitive  # the attribute

    def limit(self) -> Limit | None:
        """Return the limit that the requirement sets, or one that follows from it; None where none is known."""
        found = self.any_limit()
        return found if found is not None and 0 < len(found.below) <= MOST_SETS else None

    def any_limit(self) -> Limit | None:
        """Return the limit, however many sets it has."""
        return None

    def least_rows(self) -> int:
        """Return a number of rows below which no class meets the requirement."""
        return self.requirement.least_class_size

    def possible(self, held: Whole, _least: int) -> NDArray[np.bool_]:
        """Return which supports may hold a class, from their rows of each value, int64 [j, v].

        Some part of a support with ``least`` rows or more would meet the requirement, and the same part made smaller in
        proportion, if rows may be divided. So ``least`` rows are all that has to be looked at.
        """
        return np.ones(len(held), np.bool_)
