"""The query of a model with PROTECT, as a project of dbt has them: its SQL, and the figures of its tables."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.cells.table_writer import TableWriter
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.policies.stored_policies import Policies
from kanon_sql.errors import PolicyError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation

if TYPE_CHECKING:
    from kanon_sql.clause.cells.table_query import TableQuery


def protected_query(session: Session, sql: str, database: str) -> str:
    """Return the SQL text with protected tables in the place of each PROTECT clause; ``database`` has the stored policies.

    Raises
    ------
    ClauseError
        When a clause cannot be read.
    PolicyError
        When there is no clause, or an ANONYMIZE clause.
    """
    from kanon_sql.clause import rewrite  # sqlglot is only loaded where a model is protected

    def rows(*_release: Any) -> str:
        raise PolicyError("a protected model cannot contain ANONYMIZE; hint: set materialized='anonymized'")

    protect = TableWriter(session.protected_tables)
    found = rewrite(sql, rows, Policies.committed(session, database), protect)
    if found == sql:
        raise PolicyError(
            "a protected model needs a PROTECT clause after GROUP BY; hint: write select region, count(*) as n "
            "from people group by cube (region) protect n >= 5"
        )
    return found


def table_figures(session: Session, sql: str, database: str, before: int) -> str:
    """Return the figures of the tables of a protected model as JSON, oldest first.

    Parameters
    ----------
    sql : str
        The query of the model.
    database : str
        The database with the stored policies.
    before : int
        The number of the last protected table before it ran.
    """
    requested = [(replace(tabulation, reads=()), protection) for tabulation, protection in _tables_in(session, sql, database)]
    found = []
    for certificate in session.protected_tables.certificates[before:]:
        tabulation = Tabulation.from_dict(json.loads(certificate.tabulation))
        if (replace(tabulation, reads=()), Protection.from_dict(json.loads(certificate.protection))) in requested:
            data = certificate.to_dict()
            found.append({name: each for name, each in data.items() if name not in ("tabulation", "protection", "number")})
    return json.dumps(found)


def _tables_in(session: Session, sql: str, database: str) -> list[tuple[Tabulation, Protection]]:
    """Return the protected tables of a text, each with its requirement."""
    from kanon_sql.clause import rewrite

    found: list[tuple[Tabulation, Protection]] = []

    def take(query: TableQuery, protection: Protection, _explained: bool) -> str:
        found.append((query.tabulation, protection))
        return "SELECT 1"

    rewrite(sql, lambda body, *_: body, Policies.committed(session, database), take)
    return found
