"""`kanon_plan_release(name, table, policy, wide, surface, database)`: the release of a query under a policy."""

from __future__ import annotations

from functools import partial

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.histories.people_behind_tokens import STORED, Recorded
from kanon_sql.engines.duckdb.histories.query import history_query
from kanon_sql.engines.duckdb.policies.stored_policies import planned, planned_histories
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface


def plan(session: Session, name: str, table: str, policy: str, wide: str, surface: Surface, database: str) -> str:
    """Return the SQL of the release; runs when the statement is bound, once the columns of the query are known."""
    stored = StoredPolicy.from_json(name, table, policy)
    if stored.known_rows is not None:
        link = partial(history_query, wide=wide, query=True, surface=surface)
        return planned_histories(session, stored, database, link)
    recorded = Recorded(home=STORED, name=name)
    return planned(session, stored, database, partial(release_query, wide=wide, query=True, recorded=recorded, surface=surface))


FUNCTION = Function(name="kanon_plan_release", returns="VARCHAR", call=plan, refused=refusing_query)
