"""What a policy asks of every class of a table, refused where not even the whole table meets it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity, LDiversity, People, SensitiveRequirement
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable, Sensitive


def feasible_requirement(table: CodedTable, policy: Policy) -> ClassRequirement:
    """Return what every class has to meet; refuses what the whole table does not meet.

    Whatever classes meet, their union meets too: so if the whole table does not, no release does.
    """
    everyone = np.arange(table.row_types, dtype=np.int32)
    together = np.zeros(table.row_types, np.int64)
    for requirement in policy.sensitive_requirements:
        figures = FIGURES.get(type(requirement))
        if (
            figures is not None
            and not _kind_of(requirement).of(table, (requirement,)).holds(together, everyone, table.weight)[0]
        ):
            (about,) = (each for each in table.sensitive if each.column == requirement.sensitive)
            raise InfeasibleError(
                f"{requirement.describe()} holds in no release, because not even in the whole table: "
                f"{figures(about, requirement)}; hint: weaken the guarantee, or make the values coarser"
            )
    return _kind_of(policy.people).of(table, policy.requirements)


def _kind_of(requirement: SensitiveRequirement | None) -> type[ClassRequirement]:
    """Return the class that tests a requirement: people do not add up over rows."""
    if not isinstance(requirement, People):
        return ClassRequirement
    from kanon_sql.solvers.people.people_requirement import PeopleRequirement

    return PeopleRequirement


def _of_people(about: Sensitive, _: People) -> str:
    return f"it has rows of {how_many(len(about.count) - int(about.empty >= 0), 'person', 'people')}"


def _of_one_value(about: Sensitive, requirement: AlphaAnonymity) -> str:
    return f"{about.count[about.named[requirement.value]]} of {how_many(int(about.count.sum()), 'row')}"


def _of_values(about: Sensitive, requirement: LDiversity) -> str:
    count = sorted(about.count.tolist(), reverse=True)
    rows = sum(count)
    if requirement.variant == "frequency":
        return f"one value has {count[0]} of {how_many(rows, 'row')}"
    if requirement.variant == "distinct":
        return f"it has {how_many(len(count), 'different value')}"
    if requirement.variant == "entropy":
        shares = about.count / rows
        return f"its entropy is that of {np.exp(-(shares @ np.log(shares))):.6f} values"
    tail = sum(count[int(requirement.l) - 1 :])
    return f"its most frequent value has {how_many(count[0], 'row')}, those from place {requirement.l} on {tail}"


FIGURES: dict[type[SensitiveRequirement], Callable[[Sensitive, Any], str]] = {
    LDiversity: _of_values,
    AlphaAnonymity: _of_one_value,
    People: _of_people,
}
"""For each requirement what it counts in the whole table, without a value of it; t-closeness never fails there."""
