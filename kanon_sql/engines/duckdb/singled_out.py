"""Rows with a value, or with a combination of values, that no other row has: every row is counted, none is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.engines.duckdb.names import quoted

_ALONE = """SELECT system.main.count(*) FILTER (n = 1)
    FROM (SELECT system.main.count(*) AS n FROM {table} AS "kanon#t" GROUP BY {values})"""

_TEXT = 'system.main.encode(CAST("kanon#t".{column} AS VARCHAR))'
"""Values are told apart as a reader sees them: by the bytes of their text, whatever the collation of the column."""


def singled_out(con: Any, table: str, columns: Sequence[str]) -> int:
    """Return how many rows have values in some columns together that no other row has; NULL is a value like any other.

    Parameters
    ----------
    con : connection
        A DuckDB connection.
    table : str
        A table of it.
    columns : sequence of str
        At least one of its columns.

    Notes
    -----
    One GROUP BY.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE t AS FROM (VALUES ('a', 1), ('a', 2), (NULL, 2)) AS t(x, y)")
    >>> singled_out(con, "t", ["x"]), singled_out(con, "t", ["y"]), singled_out(con, "t", ["x", "y"])
    (1, 1, 3)
    """
    values = ", ".join(_TEXT.format(column=quoted(name)) for name in columns)
    return int(con.execute(_ALONE.format(table=quoted(table), values=values)).fetchall()[0][0])
