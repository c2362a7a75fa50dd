"""What solvers know of each guarantee: a file for each, with methods of the same names, loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KMap,
    LDiversity,
    People,
    PopulationRequirement,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.table.coded_table import CodedTable, Sensitive

if TYPE_CHECKING:
    from kanon_sql.solvers.guarantees.attribute_requirement import AttributeRequirement
    from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement

CLASSES: dict[type[SensitiveRequirement | PopulationRequirement], tuple[str, str]] = {
    People: ("people", "Representatives"),
    LDiversity: ("l_diversity", "Diversity"),
    TCloseness: ("t_closeness", "Closeness"),
    AlphaAnonymity: ("alpha_anonymity", "ShareOfOneValue"),
    BetaLikeness: ("shares", "Shares"),
    DeltaDisclosure: ("shares", "Shares"),
    KMap: ("k_map", "Matches"),
    DeltaPresence: ("delta_presence", "Presence"),
}
"""For each requirement the module of this folder and its class; k alone needs none."""


def on_attributes(
    requirements: Iterable[SensitiveRequirement], sensitive: Sequence[Sensitive]
) -> tuple[tuple[int, AttributeRequirement[Any]], ...]:
    """Return for each requirement the place of the attribute that it is about, and what solvers know of it there."""
    place = {about.column: number for number, about in enumerate(sensitive)}
    found = [(place[each.sensitive], each) for each in requirements]
    return tuple((number, _class(each)(each, sensitive[number])) for number, each in found)


def in_population(requirement: PopulationRequirement, table: CodedTable) -> MatchedRequirement[Any]:
    """Return what solvers know of a requirement that is counted in a population of a table."""
    found: MatchedRequirement[Any] = _class(requirement)(requirement, table)
    return found


def _class(requirement: SensitiveRequirement | PopulationRequirement) -> Any:
    module, name = CLASSES[type(requirement)]
    return getattr(import_module(f"{__name__}.{module}"), name)
