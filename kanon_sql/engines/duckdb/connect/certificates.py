"""The certificates of a DuckDB instance: those of its releases, and those of its protected tables."""

from __future__ import annotations

import duckdb

from kanon_sql.certificate import Certificate
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.connect.registration import session_of
from kanon_sql.engines.duckdb.connect.session import Session


def releases(con: duckdb.DuckDBPyConnection | Connection) -> list[Certificate]:
    """Return the certificates of all audited releases of the connection's DuckDB instance, oldest first.

    Parameters
    ----------
    con : Connection or DuckDBPyConnection
        A connection of `connect`, or one that was registered.

    Raises
    ------
    SourceError
        When the connection cannot be registered.

    Examples
    --------
    >>> import kanon_sql
    >>> with kanon_sql.connect() as con:
    ...     _ = con.execute("CREATE TABLE people AS SELECT zip FROM (VALUES (98101), (98101), (98102)) AS t(zip)")
    ...     _ = con.execute("CREATE TABLE released AS FROM k_anonymize('people', 3)")
    ...     [(each.requirements, each.suppressed_cells) for each in releases(con)]
    [(('k >= 3',), 3)]
    """
    return _session(con).releases


def protected_tables(con: duckdb.DuckDBPyConnection | Connection) -> list[TableCertificate]:
    """Return the certificates of all protected tables of the connection's DuckDB instance, oldest first.

    Parameters
    ----------
    con : Connection or DuckDBPyConnection
        A connection of `connect`, or one that was registered.

    Raises
    ------
    SourceError
        When the connection cannot be registered.

    Examples
    --------
    >>> import kanon_sql
    >>> with kanon_sql.connect() as con:
    ...     _ = con.execute("CREATE TABLE people AS SELECT i % 3 AS region, i % 2 AS sex FROM range(20) AS t(i)")
    ...     _ = con.execute("SELECT region, sex, count(*) AS n FROM people GROUP BY CUBE (region, sex) PROTECT n >= 5")
    ...     [(each.requirements, each.primary, each.secondary) for each in protected_tables(con)]
    [(('n >= 5',), 6, 0)]
    """
    return list(_session(con).protected_tables.certificates)


def _session(con: duckdb.DuckDBPyConnection | Connection) -> Session:
    return con.session if isinstance(con, Connection) else session_of(con)
