"""What solvers ask of a requirement that is counted in a population."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import AuditError, InfeasibleError
from kanon_sql.model.requirements import PopulationRequirement
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable, Population
from kanon_sql.table.recoding import Recoding

P = TypeVar("P", bound=PopulationRequirement)


@dataclass(frozen=True, slots=True)
class MatchedRequirement(ABC, Generic[P]):
    """A requirement and the table whose rows are released."""

    requirement: P  # the requirement of what classes show
    table: CodedTable  # with the population

    @property
    def population(self) -> Population:
        """The distinct rows of the population."""
        return self.table.populations[self.requirement.population]

    @abstractmethod
    def figures(self) -> str | None:
        """Return why no release meets it, whatever its masks; None where one may."""

    @abstractmethod
    def holds(self, recoding: Recoding) -> bool:
        """Return whether a release meets it, exactly."""

    @abstractmethod
    def broken(self, number: Int64, shown: np.uint64) -> NDArray[np.bool_]:
        """Return which row types are in a class that breaks it.

        Parameters
        ----------
        number : int64 array [t]
            The class of each row type.
        shown : uint64
            The columns that all classes show.
        """

    def require_feasible(self) -> None:
        """Refuse what holds in no release, whatever its masks.

        Raises
        ------
        InfeasibleError
            With the figures.
        """
        figures = self.figures()
        if figures is not None:
            raise InfeasibleError(
                f"{self.requirement.describe()} cannot hold in any release: {figures}; hint: use a larger population, or "
                "weaken the guarantee"
            )

    def check(self, recoding: Recoding) -> None:
        """Count once more, by another way than the solver did.

        Raises
        ------
        AuditError
            When a release breaks it.
        """
        if not self.holds(recoding):
            raise AuditError(f"the solver created classes that break {self.requirement.describe()}; nothing was released")
