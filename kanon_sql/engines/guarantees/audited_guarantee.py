"""What an audit asks of a guarantee, and how an engine writes the question."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, ClassVar, Generic, TypeVar

from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import PopulationRequirement, Requirement, SensitiveRequirement, ThresholdRequirement

Figures = Mapping[str, Any]
"""What was measured of a table, by name."""

_FINEST = 1 << 31
"""The largest numerator or denominator of a threshold: products with counts of rows stay within 128 bits, or 38 digits."""

R = TypeVar("R", bound=Requirement)
S = TypeVar("S", bound=SensitiveRequirement)
P = TypeVar("P", bound=PopulationRequirement)
T = TypeVar("T", bound=ThresholdRequirement)


@cache
def template(name: str) -> Template:
    """Return a SQL text next to this file, with its slots; it is written in the SQL of DuckDB."""
    return Template(files("kanon_sql.engines.guarantees").joinpath(f"{name}.sql").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Sql(ABC):
    """How an engine writes a question about the classes of a tally."""

    tally: str  # its name; for each ``class`` and ``value`` it has the rows ``n``, and a ``label`` that is NULL for NULL

    all_rows: ClassVar[str]  # the number of rows of the tally

    def text(self, name: str, **slots: str) -> str:
        """Return the text of that name, about the tally; each slot ``${name}`` takes what is given for it."""
        found = template(name)
        if "shares" in found.get_identifiers():
            slots["shares"] = self.text("shares", all_rows=self.all_rows)
        return found.substitute(slots, tally=self.tally)

    @abstractmethod
    def has(self, value: str) -> str:
        """Return whether a row of the tally has the value that is spelled so."""

    @abstractmethod
    def exactly(self, call: str) -> str:
        """Return what decides where floats leave a doubt, if this function does in whole numbers."""

    @abstractmethod
    def table(self, name: str) -> str:
        """Return a table that the policy names, as it stands behind FROM."""

    @abstractmethod
    def links(self, name: str) -> str:
        """Return the common table expressions that read a hierarchy."""


@dataclass(frozen=True, slots=True)
class AuditedGuarantee(ABC, Generic[R]):
    """A requirement, as the audit sees it."""

    requirement: R

    macro: ClassVar[str | None] = None  # the audit macro of DuckDB that measures it, if there is one
    release: ClassVar[str | None] = None  # a call of the table function that releases under it, if there is one
    title: ClassVar[str] = ""  # what its figures are about
    # whether classes of several batches that keep it are one class that keeps it, whatever the table of all batches is
    unions_keep: ClassVar[bool] = False

    @property
    def only_measured(self) -> bool:
        """Whether every table keeps it: it is only there to be measured."""
        return False

    def instead(self) -> str | None:
        """Return what to request of an engine that is not DuckDB, if it does not audit this; None if it does."""
        return None

    def refuse_growth(self) -> None:
        """Refuse a release that grows, if batches that keep it do not keep it together.

        Raises
        ------
        PolicyError
            With what would hold.
        """

    def refusal(self, found: str) -> str:
        """Return what an error says about a table that breaks it."""
        return f"{self.requirement.describe()} does not hold: {found}"


@dataclass(frozen=True, slots=True)
class AuditedColumn(AuditedGuarantee[S]):
    """A requirement on the values of a column."""

    @abstractmethod
    def question(self, sql: Sql) -> str:
        """Return a query with rows for each class: whether it holds there, how bad it is, and a text that says so.

        Raises
        ------
        PolicyError
            When a threshold has too many digits.
        """

    def ratio(self, **threshold: Fraction) -> dict[str, str]:
        """Return a threshold as the literals of two whole numbers: its own name, and ``unit``."""
        ((name, value),) = threshold.items()
        if max(value.numerator, value.denominator) >= _FINEST:
            raise PolicyError(
                f"{self.requirement.describe()}: {name} has too many digits to be compared exactly; hint: round it"
            )
        return {name: str(value.numerator), "unit": str(value.denominator)}


@dataclass(frozen=True, slots=True)
class AuditedFigures(AuditedColumn[T]):
    """A requirement with a threshold for figures that its macro measures."""

    # what an engine without the macro reads of the worst row of its question, under the names that the macro has
    worst: ClassVar[str] = ""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the macro after the table and its columns."""
        return {}

    @abstractmethod
    def keeps(self, figures: Figures) -> tuple[bool, str]:
        """Return whether a table with these figures keeps it, and what was found; not for a table without rows.

        Notes
        -----
        The entropy is reported to 9 decimal places, and compared as reported; everything else is exact.
        """

    @abstractmethod
    def words(self, figures: Figures) -> list[tuple[str, str]]:
        """Return the figures in words: what was measured, and its value."""

    @abstractmethod
    def audit(self, figures: Figures) -> dict[str, Any]:
        """Return the figures as those of `Audit`."""

    def wrong(self, figures: Figures) -> str | None:
        """Return what is wrong if a table with these figures breaks it, None if it does not; one without rows keeps all."""
        if not figures["classes"]:
            return None
        kept, found = self.keeps(figures)
        return None if kept else self.refusal(found)


@dataclass(frozen=True, slots=True)
class AuditedPopulation(AuditedGuarantee[P]):
    """A requirement that is counted in a table of the population, by DuckDB alone."""

    def instead(self) -> str:
        """Return how to count rows of the release."""
        return "use k >= 5, which counts the rows of the release"

    @abstractmethod
    def texts(self) -> tuple[str, str, dict[str, str]]:
        """Return the text that counts, the one that asks of each class whether it holds, and their slots."""

    @abstractmethod
    def wrong(self, figures: Figures) -> str | None:
        """Return what is wrong if a table with these figures breaks it, None if it does not."""

    @abstractmethod
    def words(self, figures: Figures) -> str:
        """Return the figures in words."""

    @abstractmethod
    def listed_figures(self, figures: Figures) -> dict[str, Any]:
        """Return the figures that a report lists, by name."""

    @abstractmethod
    def audit(self, figures: Figures) -> dict[str, Any]:
        """Return the figures as those of `Audit`."""

    @abstractmethod
    def bound(self) -> str:
        """Return the option of an audit that asks for it, behind what is wrong."""
