"""The last gate: what was written is opened again, and each table must have the rows that passed the audit."""

from __future__ import annotations

from pathlib import Path

import duckdb

from kanon_sql.engines.duckdb.database.fingerprint import fingerprint
from kanon_sql.engines.duckdb.database.plan import CERTIFICATES
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import AuditError

_STATED = f"SELECT release, fingerprint FROM {CERTIFICATES}"  # noqa: S608


def require_same_rows(database: Path) -> None:
    """Compare the tables of a released database with the fingerprints that it states.

    Raises
    ------
    AuditError
        When a table has other rows.
    """
    with duckdb.connect(str(database), read_only=True) as con:
        for release, stated in con.execute(_STATED).fetchall():
            if fingerprint(con, f"main.{quoted(release)}") != stated:
                raise AuditError(f'the written table "{release}" has other rows than the audited one; nothing was released')
