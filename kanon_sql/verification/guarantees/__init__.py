"""What a proof of a lower bound knows of each guarantee on values: a file for each, with a class such as `LDiversityClaim`.

Written from the definitions of the requirements; no code is shared with a solver, a kernel or an engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kanon_sql.model.guarantees.shares_of_table import SharesOfTable
from kanon_sql.model.requirements import SensitiveRequirement, standard_name
from kanon_sql.table.coded_table import Sensitive

if TYPE_CHECKING:
    from kanon_sql.verification.guarantees.claimed_requirement import ClaimedRequirement


def claimed(requirement: SensitiveRequirement, about: Sensitive) -> ClaimedRequirement[Any]:
    """Return what is known of a requirement on an attribute."""
    found: ClaimedRequirement[Any] = claimed_class(type(requirement))(requirement, about)
    return found


def claimed_class(requirement: type[SensitiveRequirement]) -> type[ClaimedRequirement[Any]]:
    """Return the class in the file of a guarantee; those that limit shares have one together."""
    name, file = requirement.__name__, standard_name(requirement)
    if issubclass(requirement, SharesOfTable):
        name, file = "SharesOfTable", "shares"
    found: type[ClaimedRequirement[Any]] = getattr(import_module(f"{__name__}.{file}"), f"{name}Claim")
    return found


def claimed_of(requirements: Sequence[SensitiveRequirement], sensitive: Sequence[Sensitive]) -> list[ClaimedRequirement[Any]]:
    """Return what is known of each requirement, without those on an attribute of which nothing is known."""
    known = {about.column: about for about in sensitive}
    return [claimed(each, known[each.sensitive]) for each in requirements if each.sensitive in known]
