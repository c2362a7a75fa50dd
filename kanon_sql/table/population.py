"""A table of the population as the solvers see it: in the codes of the source."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.table.arrays import Int32, Int64

UNSEEN = -1
"""Code of what no row of the source has: only a suppressed cell matches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Rows of the population, those with the same codes together.

    Parameters
    ----------
    codes : int32 array [p, m]
        For each coded column the code of the source, or `UNSEEN`.
    weight : int64 array [p]
        Rows of the population.
    """

    codes: Int32
    weight: Int64

    @property
    def rows(self) -> int:
        """Return the number of rows of the population."""
        return int(self.weight.sum())
