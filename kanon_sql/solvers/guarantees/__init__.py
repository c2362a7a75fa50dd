"""What solvers know of each guarantee: a file for each, with a class such as `RequiredLDiversity`, loaded when first needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kanon_sql.model.guarantees.shares_of_table import SharesOfTable
from kanon_sql.model.requirements import PopulationRequirement, SensitiveRequirement, standard_name
from kanon_sql.table.coded_table import CodedTable, Sensitive

if TYPE_CHECKING:
    from kanon_sql.solvers.guarantees.attribute_requirement import AttributeRequirement
    from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement


def on_attributes(
    requirements: Iterable[SensitiveRequirement], sensitive: Sequence[Sensitive]
) -> tuple[tuple[int, AttributeRequirement[Any]], ...]:
    """Return for each requirement the place of the attribute that it is about, and what solvers know of it there."""
    place = {about.column: number for number, about in enumerate(sensitive)}
    found = [(place[each.sensitive], each) for each in requirements]
    return tuple((number, required_class(type(each))(each, sensitive[number])) for number, each in found)


def in_population(requirement: PopulationRequirement, table: CodedTable) -> MatchedRequirement[Any]:
    """Return what solvers know of a requirement that is counted in a population of a table."""
    found: MatchedRequirement[Any] = required_class(type(requirement))(requirement, table)
    return found


def required_class(requirement: type[SensitiveRequirement | PopulationRequirement]) -> Any:
    """Return the class in the file of a guarantee; those that limit shares have one together."""
    if issubclass(requirement, SharesOfTable):
        return import_module(f"{__name__}.shares").Shares
    return getattr(import_module(f"{__name__}.{standard_name(requirement)}"), f"Required{requirement.__name__}")
