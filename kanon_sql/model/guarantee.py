"""What every class of a release meets: a conjunction of requirements."""

from __future__ import annotations

from dataclasses import dataclass, field

from kanon_sql.model.requirements import (
    KAnonymity,
    KnownColumns,
    People,
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    TCloseness,
    by_all_or_known,
    closeness_ones,
    known_ones,
    least_rows,
    population_ones,
    sensitive_ones,
)
from kanon_sql.model.validation import same_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A conjunction of requirements."""

    # What each equivalence class must meet; all of them. Several may be about one sensitive attribute.
    requirements: tuple[Requirement, ...] = field(default_factory=lambda: (KAnonymity(k=2),))

    @property
    def k(self) -> int:
        """Return the least number of rows that k-anonymity asks of a class."""
        return least_rows(self.requirements)

    @property
    def fewest_rows(self) -> int:
        """Return the least number of rows that a table needs."""
        return max(self.k, *(each.least for each in self.known_requirements), 1)

    @property
    def hidden_among(self) -> int:
        """Return the least number of rows, or people, that k asks of a class by all columns or by known ones; 1 without k."""
        return max((each.k for each in by_all_or_known(self.requirements) if isinstance(each, KAnonymity | People)), default=1)

    @property
    def per_row(self) -> bool:
        """Return whether the guarantee says that a row is what counts, even if the rows are groups of people."""
        return any(each.per_row for each in self.requirements if isinstance(each, KAnonymity))

    @property
    def sensitive_requirements(self) -> tuple[SensitiveRequirement, ...]:
        """Return the requirements on the values of a column in the classes by all columns, in their order."""
        return sensitive_ones(self.requirements)

    @property
    def every_sensitive_requirement(self) -> tuple[SensitiveRequirement, ...]:
        """Return these and those on the classes by sets of known columns, in their order."""
        return sensitive_ones(by_all_or_known(self.requirements))

    @property
    def known_requirements(self) -> tuple[KnownColumns, ...]:
        """Return the requirements on what an attacker knows, in their order."""
        return known_ones(self.requirements)

    @property
    def population_requirements(self) -> tuple[PopulationRequirement, ...]:
        """Return the requirements that are counted in a table of the population, in their order."""
        return population_ones(self.requirements)

    @property
    def populations(self) -> tuple[str, ...]:
        """Return the names of the tables of the population, each once, in their order."""
        return tuple(dict.fromkeys(each.population for each in self.population_requirements))

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet all requirements, in rows."""
        return max(requirement.least_class_size for requirement in self.requirements)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Return the sensitive attributes, each once, in the order in which the requirements first mention them."""
        found: dict[str, str] = {}
        for requirement in self.every_sensitive_requirement:
            if not isinstance(requirement, People):
                found.setdefault(same_name(requirement.sensitive), requirement.sensitive)
        return tuple(found.values())

    @property
    def closeness(self) -> tuple[TCloseness, ...]:
        """Return the requirements that compare classes with the whole table, in their order."""
        return closeness_ones(self.requirements)

    @property
    def measured(self) -> tuple[str, ...]:
        """Return the columns that classes are measured by: what tells people apart, then the sensitive attributes.

        In the order of row types, the first counts least: the drawn order of people does not change that of values.
        """
        return self.sensitive if self.people is None else (self.people.per, *self.sensitive)

    @property
    def people(self) -> People | None:
        """Return the requirement that counts people, if there is one, of classes by all columns or by known ones."""
        return next((each for each in by_all_or_known(self.requirements) if isinstance(each, People)), None)

    @property
    def people_of_classes(self) -> People | None:
        """Return the requirement that counts people in the classes by all columns, if there is one."""
        return next((each for each in self.requirements if isinstance(each, People)), None)
