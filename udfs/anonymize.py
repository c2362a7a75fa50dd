"""`anonymize(tbl, policy)`: the general form; the policy is JSON text, or the name of a stored one."""

from __future__ import annotations

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.sources import release_of_table
from kanon_sql.engines.duckdb.names import table_name
from kanon_sql.engines.duckdb.policies.stored_policies import Policies, under_policy
from kanon_sql.errors import PolicyError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_names import any_of_name, of_name


def plan(session: Session, tbl: str, policy: str, database: str) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data but stored policies."""
    if not isinstance(policy, str):
        raise PolicyError(
            "the policy must be JSON text, or the name of a stored policy; hint: write "
            '\'{"every_column": true, "requirements": [{"type": "k", "k": 5}]}\''
        )
    if policy.lstrip().startswith("{"):
        return release_of_table(session, tbl, Policy.from_json(policy), surface="argument")
    known = Policies.committed(session, database).all
    try:
        any_of_name(policy, known)
    except PolicyError as error:
        raise_alone(PolicyError(f"{error}; the text is not JSON either, which begins with {{"))
    return under_policy(f"FROM {table_name(tbl)}", of_name(policy, known), "kanon_plan_release")


FUNCTIONS = (Function(name="kanon_plan_anonymize", returns="VARCHAR", call=plan, refused=refusing_query),)

MACROS = (
    "anonymize(tbl, policy) "
    "AS TABLE FROM system.main.query(system.main.kanon_plan_anonymize(tbl, policy, system.main.current_database()))",
)
