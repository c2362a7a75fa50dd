"""What the audit in DuckDB asks of a guarantee: in the statement of a release, and in a table that was released."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from kanon_sql.engines.audit_figures import FIRST
from kanon_sql.engines.duckdb.audit.measures import Figures, as_shown, macro_errors, populated, record
from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import PopulationRequirement, Requirement, SensitiveRequirement, ThresholdRequirement

_FINEST = 1 << 31
"""The largest numerator or denominator of a threshold: products with counts of rows stay within 128 bits."""

R = TypeVar("R", bound=Requirement)
S = TypeVar("S", bound=SensitiveRequirement)
P = TypeVar("P", bound=PopulationRequirement)
T = TypeVar("T", bound=ThresholdRequirement)


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A release whose guarantees are counted."""

    con: Any  # a connection with the audit macros and the tables ``source`` and ``released``
    policy: Policy  # what is guaranteed
    names: list[str]  # the quasi-identifiers
    sizes: Mapping[str, Any]  # the row of `k_anonymity` of the release
    figures: Mapping[Requirement, Figures]  # the figures of its sensitive attributes, by requirement


@dataclass(frozen=True, slots=True)
class AuditedGuarantee(ABC, Generic[R]):
    """A requirement, as the audit sees it."""

    requirement: R

    macro: ClassVar[str | None] = None  # the audit macro that measures it, if there is one
    title: ClassVar[str] = ""  # what its figures are about
    # whether classes of several batches that keep it are one class that keeps it, whatever the table of all batches is
    unions_keep: ClassVar[bool] = False

    @property
    def only_measured(self) -> bool:
        """Whether every table keeps it: it is only there to be measured."""
        return False

    @abstractmethod
    def found(self, release: Released) -> tuple[bool, str]:
        """Return whether a release keeps it, and what was found."""

    @abstractmethod
    def broken(self, con: Any, quasi_identifiers: list[str], table: str, suppress: str | None) -> str | None:
        """Return what is wrong if a table breaks it, None if it does not, or the table alone does not show it.

        Parameters
        ----------
        con : connection
            A DuckDB connection that has the audit macros.
        quasi_identifiers : list of str
            The columns that make classes.
        table : str
            The name of the table.
        suppress : str, optional
            What stands for a suppressed cell in it; None is NULL.

        Raises
        ------
        SourceError
            When the metric does not suit the values, or the population cannot be counted.
        """

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
    def question(self, tally: str) -> str:
        """Return a query with a row per class: whether it holds there, how bad it is, and a text that says so.

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

    def arguments(self, _con: Any) -> dict[str, Any]:
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

    def figures(self, con: Any, quasi_identifiers: list[str], table: str = "source") -> dict[str, Any]:
        """Return the figures of a table of a connection, which has the audit macros.

        Raises
        ------
        SourceError
            When the metric does not suit the values.
        """
        values = {"table": table, "qi": quasi_identifiers, "sensitive": self.requirement.sensitive}
        with macro_errors():
            more = self.arguments(con)
            names = "".join(f", {name} := ${name}" for name in more)
            return record(con, f"FROM {self.macro}($table, $qi, $sensitive{names})", values | more)

    def wrong(self, figures: Figures) -> str | None:
        """Return what is wrong if a table with these figures breaks it, None if it does not; one without rows keeps all."""
        if not figures["classes"]:
            return None
        kept, found = self.keeps(figures)
        return None if kept else self.refusal(found)

    def broken(self, con: Any, quasi_identifiers: list[str], table: str, _suppress: str | None) -> str | None:
        """Return what is wrong by the figures of a table."""
        wrong = self.wrong(self.figures(con, quasi_identifiers, table))
        return None if wrong is None else f"{wrong}; hint: {FIRST}"

    def found(self, release: Released) -> tuple[bool, str]:
        """Return the figures in words."""
        figures = release.figures[self.requirement]
        return self.wrong(figures) is None, "; ".join(f"{what}: {value}" for what, value in self.words(figures))


@dataclass(frozen=True, slots=True)
class AuditedPopulation(AuditedGuarantee[P]):
    """A requirement that is counted in a table of the population."""

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

    def figures(self, con: Any, population: str, quasi_identifiers: list[str], table: str = "source") -> dict[str, Any]:
        """Return what a table shows in a population: by texts, where NULL and ``*`` are suppressed cells.

        Raises
        ------
        SourceError
            When the population cannot be counted.
        """
        return populated(con, str(self.macro), population, quasi_identifiers, table)

    def broken(self, con: Any, quasi_identifiers: list[str], table: str, suppress: str | None) -> str | None:
        """Return what is wrong by the figures of a table."""
        wrong = self.wrong(self._shown(con, quasi_identifiers, table, suppress))
        return None if wrong is None else self.refusal(wrong)

    def found(self, release: Released) -> tuple[bool, str]:
        """Return the figures in words."""
        figures = self._shown(release.con, release.names, "released", release.policy.suppress)
        return self.wrong(figures) is None, self.words(figures)

    def _shown(self, con: Any, quasi_identifiers: list[str], table: str, suppress: str | None) -> dict[str, Any]:
        everybody, shown = as_shown(con, suppress, self.requirement.population, quasi_identifiers, table)
        return self.figures(con, everybody, quasi_identifiers, shown)
