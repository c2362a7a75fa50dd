"""k-anonymity: the statement of a release counts the rows of its classes anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.guarantees.audited_guarantee import AuditedGuarantee, Released
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KAnonymity, People


@dataclass(frozen=True, slots=True)
class KAnonymityAudit(AuditedGuarantee[KAnonymity]):
    """At least k rows in a class."""

    def found(self, release: Released) -> tuple[bool, str]:
        """Return the size of the smallest class."""
        return smallest(self.requirement, release)

    def broken(self, _con: Any, _quasi_identifiers: list[str], _table: str, _suppress: str | None) -> None:
        """Leave rows to those who count all classes."""


def smallest(requirement: KAnonymity | People, release: Released) -> tuple[bool, str]:
    """Return whether the smallest class of a release has at least k rows, and how many it has."""
    k, classes = release.sizes["k"], release.sizes["classes"]
    found = (
        "there are no rows"
        if k is None
        else f"the smallest of {how_many(classes, 'class', 'classes')} has {how_many(k, 'row')}"
    )
    return k is None or k >= requirement.k, found
