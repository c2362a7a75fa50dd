"""Rows whose value, or combination of values, too few rows or people have: every row is counted, none is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.engines.duckdb.names import quoted

_ROWS = """SELECT coalesce(system.main.sum(n) FILTER (people < {fewest}), 0)
    FROM (SELECT system.main.count(*) AS n, {people} AS people FROM {table} AS "kanon#t" GROUP BY {values})"""

_TEXT = 'system.main.encode(CAST("kanon#t".{column} AS VARCHAR))'
"""Values are distinguished as a reader sees them: by the bytes of their text, whatever the collation of the column."""


_PEOPLE = 'SELECT system.main.count(DISTINCT {person}) FROM {table} AS "kanon#t"'


def people_in(con: Any, table: str, person: str) -> int:
    """Return how many people a column tells apart; rows without one count as nobody."""
    query = _PEOPLE.format(table=quoted(table), person=_TEXT.format(column=quoted(person)))
    return int(con.execute(query).fetchall()[0][0])


def singled_out(con: Any, table: str, columns: Sequence[str], fewest: int = 2, person: str | None = None) -> int:
    """Return how many rows have values in some columns together that fewer rows have; NULL is a value like any other.

    Parameters
    ----------
    table : str
        A table of it.
    columns : sequence of str
        At least one of its columns.
    fewest : int
        The rows that have to share a value; with 2, those count whose value no other row has.
    person : str, optional
        A column that tells people apart, who are counted instead of rows. Rows without a person may be those of any, so they
        count as nobody.

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
    >>> singled_out(con, "t", ["x"], 3), singled_out(con, "t", ["y"], 2, person="x")
    (3, 3)
    """
    values = ", ".join(_TEXT.format(column=quoted(name)) for name in columns)
    people = "system.main.count(*)"
    if person is not None:
        people = f"system.main.count(DISTINCT {_TEXT.format(column=quoted(person))})"
    query = _ROWS.format(table=quoted(table), values=values, fewest=fewest, people=people)
    return int(con.execute(query).fetchall()[0][0])
