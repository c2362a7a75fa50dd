"""dbt-duckdb: the table functions, the audit, and the clause for the models of a dbt project."""

from __future__ import annotations

import sys
from importlib.resources import files
from typing import Any

from dbt.adapters.duckdb.plugins import BasePlugin

from kanon_sql.engines.checked import checked_release
from kanon_sql.engines.duckdb import macros, session_of
from kanon_sql.engines.functions import Function
from kanon_sql.engines.session import Session


def rewritten(_session: Session, sql: str) -> str:
    """Return the SQL text with released rows in the place of each ANONYMIZE clause; without a clause, ``sql`` itself."""
    from kanon_sql.clause import rewrite  # sqlglot is only paid for where a model is anonymized

    return rewrite(sql, lambda body, policy: checked_release(body, policy, query=True))


REWRITE = Function(name="kanon_rewrite", returns="VARCHAR", call=rewritten)


class Plugin(BasePlugin):  # type: ignore[misc] # dbt is not there to be checked
    """What ``plugins: [{module: kanon_sql.dbt_plugin}]`` in profiles.yml loads; it has no configuration."""

    def configure_connection(self, conn: Any) -> None:
        """Register the functions, which all cursors of the database share."""
        session = session_of(conn)
        session.serve(conn)  # so that anonymize(tbl, 'name') can look for stored policies
        conn.create_function(REWRITE.name, session.keep(REWRITE.bound(session)), None, REWRITE.returns)

    def configure_cursor(self, cursor: Any) -> None:
        """Create the macros: temporary ones, so that none is left in the database file, and those belong to one cursor."""
        for text in macros():
            cursor.execute(f"CREATE OR REPLACE TEMP MACRO {text}")


if __name__ == "__main__":
    sys.stdout.write(f"{files('kanon_sql').joinpath('dbt')}\n")
