"""Policies that a source is released under, one after the other, to see what each costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.sources import release_of_table
from kanon_sql.engines.duckdb.policies.stored_policies import under_policy
from kanon_sql.model.policy import Policy
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A policy, and the query that releases the table ``source`` under it."""

    policy: Policy
    name: str  # what tells it apart from others with its guarantee
    query: str  # the release

    @property
    def label(self) -> str:
        """Return the guarantee and the name."""
        closeness = [f"t = {float(each.t):.6g}" for each in self.policy.closeness]
        return ", ".join([f"k = {self.policy.k:,}", *closeness, *([self.name] if self.name else [])])

    @classmethod
    def of(
        cls, session: Session, policy: Policy, name: str = "", drop: Sequence[str] | None = None, surface: Surface = "python"
    ) -> Candidate:
        """Return a policy whose columns are those of the source without the dropped ones; see `release_of_table`."""
        return cls(policy=policy, name=name, query=release_of_table(session, "source", policy, drop, surface))

    @classmethod
    def stored(cls, stored: StoredPolicy, columns: list[str]) -> Candidate:
        """Return a policy from a file, for a source with these columns."""
        stored.check_columns(columns)
        policy = stored.policy_for(stored.released(columns))
        query = under_policy("FROM source", stored, "kanon_plan_release", surface="json")
        return cls(policy=policy, name=stored.name, query=query)
