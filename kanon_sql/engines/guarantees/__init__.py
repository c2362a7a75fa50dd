"""What the audits of every engine know of each guarantee: a file for each, with a class such as `LDiversityAudit` and its SQL.

Nothing here is shared with a solver, and nothing runs a statement: the engines do that.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from kanon_sql.model.requirements import (
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    ThresholdRequirement,
    standard_name,
)

if TYPE_CHECKING:
    from kanon_sql.engines.guarantees.audited_guarantee import (
        AuditedColumn,
        AuditedFigures,
        AuditedGuarantee,
        AuditedPopulation,
    )


@overload
def audited(requirement: ThresholdRequirement) -> AuditedFigures[Any]: ...
@overload
def audited(requirement: SensitiveRequirement) -> AuditedColumn[Any]: ...
@overload
def audited(requirement: PopulationRequirement) -> AuditedPopulation[Any]: ...
@overload
def audited(requirement: Requirement) -> AuditedGuarantee[Any]: ...


def audited(requirement: Requirement) -> AuditedGuarantee[Any]:
    """Return what the audit knows of a requirement."""
    found: AuditedGuarantee[Any] = audited_class(type(requirement))(requirement)
    return found


def audited_class(requirement: type[Requirement]) -> type[AuditedGuarantee[Any]]:
    """Return the class in the file of a guarantee, which bears its name; the file is loaded when it is first needed."""
    module = import_module(f"{__name__}.{standard_name(requirement)}")
    found: type[AuditedGuarantee[Any]] = getattr(module, f"{requirement.__name__}Audit")
    return found
