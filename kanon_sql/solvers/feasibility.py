"""What every class has to meet, refused where not even the whole table meets it."""

from __future__ import annotations

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.guarantees import on_attributes
from kanon_sql.solvers.problem_classes import ProblemClass, named
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable


def feasible_requirement(table: CodedTable, policy: Policy) -> ClassRequirement:
    """Return what every class has to meet; refuses what the whole table does not meet.

    Whatever classes meet, their union meets too: so if the whole table does not, no release does.
    """
    for _, each in on_attributes(policy.every_sensitive_requirement, table.sensitive):
        figures = each.figures()
        if figures is not None and not each.met_by_all():
            raise InfeasibleError(
                f"{each.requirement.describe()} cannot hold in any release, because even the whole table breaks it: {figures}; "
                "hint: weaken the guarantee"
            )
    found: ClassRequirement = named(ProblemClass.of(policy).requirement).of(table, policy.requirements)
    return found
