"""`anonymize(tbl, policy)`: the general form; the policy is JSON text."""

from __future__ import annotations

from kanon_sql.engines.functions import Function
from kanon_sql.engines.release import release_query, table_name
from kanon_sql.engines.session import Session
from kanon_sql.errors import PolicyError
from kanon_sql.policy import Policy


def plan(_session: Session, tbl: str, policy: str) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    if not isinstance(policy, str):
        raise PolicyError(
            'the policy must be JSON text; hint: \'{"every_column": true, "requirements": [{"type": "k", "k": 5}]}\''
        )
    return release_query(table_name(tbl), Policy.from_json(policy))


FUNCTION = Function(name="kanon_plan_anonymize", returns="VARCHAR", call=plan)

MACRO = f"anonymize(tbl, policy) AS TABLE FROM query({FUNCTION.name}(tbl, policy))"
