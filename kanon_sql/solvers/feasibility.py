"""What a policy asks of every class of a table, refused where not even the whole table meets it."""

from __future__ import annotations

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import People, SensitiveRequirement
from kanon_sql.solvers.guarantees import on_attributes
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable


def feasible_requirement(table: CodedTable, policy: Policy) -> ClassRequirement:
    """Return what every class has to meet; refuses what the whole table does not meet.

    Whatever classes meet, their union meets too: so if the whole table does not, no release does.
    """
    everyone = np.arange(table.row_types, dtype=np.int32)
    together = np.zeros(table.row_types, np.int64)
    for _, each in on_attributes(policy.sensitive_requirements, table.sensitive):
        asked, figures = each.requirement, each.figures()
        if figures is not None and not _kind_of(asked).of(table, (asked,)).holds(together, everyone, table.weight)[0]:
            raise InfeasibleError(
                f"{asked.describe()} holds in no release, because not even in the whole table: {figures}; "
                "hint: weaken the guarantee, or make the values coarser"
            )
    return _kind_of(policy.people).of(table, policy.requirements)


def _kind_of(requirement: SensitiveRequirement | None) -> type[ClassRequirement]:
    """Return the class that tests a requirement: people do not add up over rows."""
    if not isinstance(requirement, People):
        return ClassRequirement
    from kanon_sql.solvers.people.people_requirement import PeopleRequirement

    return PeopleRequirement
