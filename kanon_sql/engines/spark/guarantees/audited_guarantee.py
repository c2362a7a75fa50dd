"""What the audit on Spark asks of a guarantee. Counts are compared as whole numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from kanon_sql.engines.spark.names import quoted
from kanon_sql.engines.spark.texts import text
from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import PopulationRequirement, Requirement, SensitiveRequirement, ThresholdRequirement

_FINEST = 1 << 31
"""The largest numerator or denominator of a threshold: products with counts of rows stay within 38 digits."""

Ask = Callable[[str], dict[str, Any]]
"""Runs a statement, and returns its row."""

R = TypeVar("R", bound=Requirement)
S = TypeVar("S", bound=SensitiveRequirement)
P = TypeVar("P", bound=PopulationRequirement)
T = TypeVar("T", bound=ThresholdRequirement)


@dataclass(frozen=True, slots=True)
class AuditedGuarantee(Generic[R]):
    """A requirement, as the audit sees it."""

    requirement: R

    @property
    def only_measured(self) -> bool:
        """Whether every table keeps it: it is only there to be measured."""
        return False

    def instead(self) -> str | None:
        """Return what to ask for if Spark does not audit it, None if it does."""
        return None

    def refuse_unsupported(self) -> None:
        """Refuse what Spark does not audit.

        Raises
        ------
        PolicyError
            With what it audits.
        """
        hint = self.instead()
        if hint is not None:
            raise PolicyError(f"Spark does not audit {self.requirement.describe()}; hint: {hint}; or release it with DuckDB")


@dataclass(frozen=True, slots=True)
class Uncounted(AuditedGuarantee[P]):
    """A requirement that is counted in a table of the population: Spark counts none."""

    def instead(self) -> str:
        """Return how to count rows of the release."""
        return "ask for k >= 5, which counts the rows of the release"


@dataclass(frozen=True, slots=True)
class AuditedColumn(AuditedGuarantee[S], ABC):
    """A requirement on the values of a column."""

    @abstractmethod
    def question(self) -> str:
        """Return a query with a row per class of ``tally``: whether it holds, how bad it is, a text that says so.

        Raises
        ------
        PolicyError
            When a threshold has too many digits.
        """

    def check(self, looks: str, written: str) -> str:
        """Return the statement that tells how many classes break it, and what is known of the worst.

        Parameters
        ----------
        looks : str
            What defines classes.
        written : str
            The quoted name of the table or view.
        """
        return text("check", question=self.question(), **self.slots(looks, written))

    def slots(self, looks: str, written: str) -> dict[str, str]:
        """Return what a text about the column of a table needs to know."""
        return {"looks": looks, "sensitive": quoted(self.requirement.sensitive), "written": written}

    def ratio(self, **threshold: Fraction) -> dict[str, str]:
        """Return a threshold as the literals of two whole numbers: its own name, and ``unit``."""
        ((name, value),) = threshold.items()
        if max(value.numerator, value.denominator) >= _FINEST:
            raise PolicyError(
                f"{self.requirement.describe()}: {name} has too many digits to be compared exactly; hint: round it"
            )
        return {name: f"{value.numerator}BD", "unit": f"{value.denominator}BD"}


@dataclass(frozen=True, slots=True)
class AuditedFigures(AuditedColumn[T], ABC):
    """A requirement with a threshold for figures that are measured."""

    @abstractmethod
    def figures(self, ask: Ask, looks: str, written: str) -> dict[str, Any]:
        """Return the figures of a table with rows as those of `Audit`; see `check`."""
