"""Releases under stored policies and of tables, planned while a statement is bound, once the columns of the query are known.

- `kanon_plan_release(name, table, policy, wide, surface, database)`: the release of a query under a policy.
- `kanon_plan_table(name, known, policy, wide, surface)`: the release of a table, over the columns just heard.
- `kanon_plan_explanation(name, table, policy, wide, surface, database)`: explains the release of a query.
- `kanon_policy_checked(name, table, policy, columns)`: whether a policy fits the columns of its table; an error if not.
"""

from __future__ import annotations

from functools import partial

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.sources import planned_table
from kanon_sql.engines.duckdb.histories.people_behind_tokens import STORED, Recorded
from kanon_sql.engines.duckdb.histories.query import history_query
from kanon_sql.engines.duckdb.policies.stored_policies import planned, planned_histories
from kanon_sql.engines.duckdb.release.explanation import explanation_query
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_names import stored_of
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface


def release(session: Session, name: str, table: str, policy: str, wide: str, surface: Surface, database: str) -> str:
    """Return the SQL of the release."""
    stored = StoredPolicy.from_json(name, table, policy)
    if stored.known_rows is not None:
        link = partial(history_query, wide=wide, query=True, surface=surface)
        return planned_histories(session, stored, database, link)
    recorded = Recorded(home=STORED, name=name)
    return planned(session, stored, database, partial(release_query, wide=wide, query=True, recorded=recorded, surface=surface))


def release_of_table(session: Session, name: str, known: str, policy: str, wide: str, surface: Surface) -> str:
    """Return the SQL of the release."""
    columns = session.binding.columns(name)
    return planned_table(columns, name, known, Policy.from_json(policy), wide or None, surface)


def explanation(session: Session, name: str, table: str, policy: str, wide: str, surface: Surface, database: str) -> str:
    """Return the SQL of the explanation."""
    return planned(
        session, StoredPolicy.from_json(name, table, policy), database, partial(explanation_query, wide=wide, surface=surface)
    )


def policy_checked(_session: Session, name: str, table: str, policy: str, columns: list[str]) -> bool:
    """Check that the policy gives each column of the table a role, and names no other."""
    stored_of(name, table, policy).check_columns(columns)
    return True


FUNCTIONS = (
    Function(name="kanon_plan_release", returns="VARCHAR", call=release, refused=refusing_query),
    Function(name="kanon_plan_table", returns="VARCHAR", call=release_of_table, refused=refusing_query),
    Function(name="kanon_plan_explanation", returns="VARCHAR", call=explanation, refused=refusing_query),
    Function(name="kanon_policy_checked", returns="BOOLEAN", call=policy_checked, side_effects=True),
)
