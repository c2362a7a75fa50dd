"""k-anonymity of more row types than memory holds at once: they are divided into parts, which are solved one by one.

A class with k rows in its part only grows when rows of equal look from other parts join it, so any division into parts is
sound. It costs little where parts agree in columns that are shown nearly always: each instance that shows them lies whole in
one part.
"""

from __future__ import annotations

from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity

ALGORITHM = "greedy by parts"

GUARANTEE = "none: each part is solved alone, so cells that rows of two parts could show together are suppressed"

ALGORITHMS = ("auto", "greedy")
"""Algorithms of a policy that leave the choice of the parts open."""


def divisible(policy: Policy) -> bool:
    """Return whether releases under a policy can be solved by parts: k-anonymity alone, where suppressed cells cost."""
    plain = all(isinstance(requirement, KAnonymity) for requirement in policy.requirements)
    return plain and not policy.generalized and policy.mask_costs is None and policy.algorithm in ALGORITHMS


def reason(row_types: int, most: int) -> str:
    """Return why a table is solved by parts."""
    return f"chosen automatically: {row_types:,} row types are more than the memory limit allows at once, about {most:,}"
