"""A table of the population as the solvers see it: in the codes of the source."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.table.arrays import Int32, Int64

UNSEEN = -1
"""Code of what no row of the source has: only a suppressed cell matches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Rows of the population, those with the same codes together."""

    codes: Int32  # [p, m]: for each coded column the code of the source, or `UNSEEN`
    weight: Int64  # [p]: rows of the population

    @property
    def rows(self) -> int:
        """Return the number of rows of the population."""
        return int(self.weight.sum())
