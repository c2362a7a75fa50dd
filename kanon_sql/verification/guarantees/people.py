"""k people: a class has k rows at least; whose they are is counted elsewhere."""

from __future__ import annotations

from kanon_sql.model.requirements import People
from kanon_sql.verification.guarantees.claimed_requirement import ClaimedRequirement


class PeopleClaim(ClaimedRequirement[People]):
    """Rows of at least k people."""
