"""Policies that a source is released under, one after the other, to see what each costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.policies import under_policy
from kanon_sql.model.policy import Policy
from kanon_sql.model.stored_policy import StoredPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A policy, and the query that releases the table ``source`` under it.

    Attributes
    ----------
    policy : Policy
        The policy.
    name : str
        What tells it apart from others with its guarantee.
    query : str
        The release.
    values : list
        The parameters of the query.
    """

    policy: Policy
    name: str
    query: str
    values: list[Any]

    @property
    def label(self) -> str:
        """Return the guarantee and the name."""
        closeness = [f"t = {float(each.t):.6g}" for each in self.policy.closeness]
        return ", ".join([f"k = {self.policy.k:,}", *closeness, *([self.name] if self.name else [])])

    @classmethod
    def of(cls, policy: Policy, name: str = "") -> Candidate:
        """Return a policy whose columns are those of the source."""
        query = "SELECT * FROM anonymize('source', ?)"
        return cls(policy=policy, name=name, query=query, values=[policy.to_json()])

    @classmethod
    def stored(cls, stored: StoredPolicy, columns: list[str]) -> Candidate:
        """Return a policy from a file, for a source with these columns."""
        stored.check_columns(columns)
        policy = stored.policy_for(stored.released(columns))
        return cls(policy=policy, name=stored.name, query=under_policy("FROM source", stored, "kanon_plan_release"), values=[])
