"""k people: rows that stand for one person each add up, so a class has k of them; without such rows, persons are values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kanon_sql.kernels.criteria import COUNT, DISTINCT
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import REPRESENTATIVE, People
from kanon_sql.solvers.guarantees.attribute_requirement import AttributeRequirement, Bools, Criteria, Floats
from kanon_sql.solvers.integer_programs.counters import Counters, distinct_values, some_of
from kanon_sql.solvers.integer_programs.model import Model
from kanon_sql.table.arrays import Int64


@dataclass(frozen=True, slots=True)
class RequiredPeople(AttributeRequirement[People]):
    """Rows of k people in every class.

    One value of the attribute tells which rows stand for somebody. Without it, each value is a person; the last, which is
    nobody, may be empty.
    """

    @property
    def _code(self) -> int | None:
        return self.about.named.get(REPRESENTATIVE)

    def _counted(self, held: Int64 | Floats) -> Any:
        """Return how many people there are, or rows that stand for one, from what is held of each value [c, v]."""
        return (held[:, : self._people] > 0).sum(axis=1) if self._code is None else held[:, self._code]

    def meets(self, histograms: Int64, _rows: Int64) -> Bools:
        """Return where there are k people."""
        enough: Bools = self._counted(histograms) >= self.requirement.k
        return enough

    def encode(self, criteria: Criteria, places: tuple[int, int]) -> None:
        """Add the count of representative rows, or the number of persons."""
        least = Fraction(min(self.requirement.k, criteria.rows + 1))
        if self._code is None:
            criteria.add(DISTINCT, (places[0], places[0] + self._people), least)
        else:
            criteria.add(COUNT, places, least, places[0] + self._code)

    def supported(self, support: Floats, _rows: float) -> Bools:
        """Return where there are k people."""
        enough: Bools = self._counted(support) >= self.requirement.k
        return enough

    def constrain(self, model: Model, counters: Counters, _least: int) -> None:
        """Add g[j, v] >= k if the class is open, where v counts the representative rows; or that it has k persons."""
        if self._code is None:
            distinct_values(model, counters, counters.value < self._people, self.requirement.k)
            return
        chosen = np.arange(len(self.about.count)) == self._code
        some_of(model, counters, chosen[None], [self.requirement.k])

    @property
    def _people(self) -> int:
        return len(self.about.count) - int(self.about.empty >= 0)

    def met_by_all(self) -> bool:
        """Return whether the whole table has rows of k people: it tells people apart, no row stands for them yet."""
        return self._people >= self.requirement.k

    def figures(self) -> str:
        """Return how many people there are."""
        return f"it has rows of {how_many(self._people, 'person', 'people')}"

    @property
    def relaxes(self) -> bool:
        """Return false: what is proven for one choice of the rows that stand for people holds for no other."""
        return False
