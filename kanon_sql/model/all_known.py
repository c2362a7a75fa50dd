"""Guarantees for known columns that are about all columns: those are k-anonymity."""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, KnownColumns, Requirement


def by_all_columns(policy: Policy) -> Policy:
    """Return a resolved policy with k-anonymity for each guarantee whose known columns are all quasi-identifiers."""
    if not policy.known_requirements:
        return policy
    unit_columns = units([qi.column for qi in policy.quasi_identifiers], policy.linked)
    return replace(policy, requirements=tuple(_by_all(each, unit_columns) for each in policy.requirements))


def _by_all(requirement: Requirement, unit_columns: list[list[str]]) -> Requirement:
    if not isinstance(requirement, KnownColumns) or requirement.count(unit_columns) != 1:
        return requirement
    whole = len(requirement.sets_of(unit_columns)[0]) == len(unit_columns)
    return KAnonymity(k=requirement.k) if whole else requirement
