"""Guarantees for known columns that are about all columns: those are guarantees as without known columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, KnownColumns, People, Requirement, of_known


def by_all_columns(policy: Policy) -> Policy:
    """Return a resolved policy where a guarantee whose known columns are all quasi-identifiers is one without known columns."""
    if not policy.known_requirements:
        return policy
    unit_columns = units([qi.column for qi in policy.quasi_identifiers], policy.linked)
    return replace(policy, requirements=greatest_people(_by_all(each, unit_columns) for each in policy.requirements))


def greatest_people(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return requirements that count people at most once: of several only the one with the most people."""
    requested = list(requirements)
    people = max((each.k for each in requested if isinstance(each, People)), default=0)
    found = [each for each in requested if not isinstance(each, People) or each.k == people]
    return tuple(dict.fromkeys(found))


def _by_all(requirement: Requirement, unit_columns: list[list[str]]) -> Requirement:
    if not isinstance(requirement, KnownColumns) or requirement.count(unit_columns) != 1:
        return requirement
    whole = len(requirement.sets_of(unit_columns)[0]) == len(unit_columns)
    return of_known(requirement) or KAnonymity(k=requirement.least) if whole else requirement
