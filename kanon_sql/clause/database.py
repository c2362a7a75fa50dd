"""What the clause asks of a database that stores policies."""

from __future__ import annotations

from typing import Protocol

from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_names import Stored
from kanon_sql.model.stored_protection import StoredProtection


class Database(Protocol):
    """What a database answers to statements about policies: each answer is SQL text that it runs."""

    def create(self, policy: Stored, *, replace: bool) -> str:
        """Return the statement that stores a policy."""

    def drop(self, name: str, *, if_exists: bool) -> str:
        """Return the statement that forgets a policy."""

    def show(self) -> str:
        """Return the query that lists the policies."""

    def policy(self, name: str) -> Policy:
        """Return what a stored policy guarantees."""

    def protection(self, name: str) -> StoredProtection:
        """Return a stored policy for tables of counts."""

    def release(self, body: str, name: str, wide: str | None) -> str:
        """Return a query that yields the released rows of the query ``body`` under a stored policy; uses ``body`` once.

        ``wide`` is a query of the same rows with the columns that ``body`` leaves out, if any.
        """

    def explain(self, body: str, policy: Policy | str, wide: str | None) -> str:
        """Return a query that explains a release without making it; the policy may be the name of a stored one."""
