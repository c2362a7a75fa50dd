"""Sums over files whose columns are texts: exact decimal numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import SourceError
from kanon_sql.model.validation import as_identifier

_DIGITS = 18

_SHAPE = r"""SELECT system.main.max(system.main.length(system.main.regexp_extract({column}, '\.(\d*)$', 1))),
    system.main.bool_and(system.main.regexp_full_match({column}, '[+-]?\d{{1,18}}(\.\d{{0,18}})?'))
    FROM {table} WHERE {column} IS NOT NULL"""


_IS_VIEW = "SELECT 1 FROM system.main.duckdb_views() WHERE view_name = $1 AND database_name = system.main.current_database()"


def number_type(con: Any, table: str, name: str) -> str | None:
    """Return the type of the numbers in a column of texts; None if a text is not a decimal number of at most 18 digits."""
    column = quoted(name)
    scale, numbers = con.execute(_SHAPE.format(column=column, table=quoted(table))).fetchall()[0]
    kind = f"DECIMAL({_DIGITS}, {scale or 0})"
    lost = (
        f"SELECT system.main.count(*) FROM {quoted(table)} "  # noqa: S608
        f"WHERE {column} IS NOT NULL AND TRY_CAST({column} AS {kind}) IS NULL"
    )
    return None if numbers is False or (scale or 0) > _DIGITS or con.execute(lost).fetchall()[0][0] else kind


def read_numbers(con: Any, table: str, columns: Iterable[str]) -> None:
    """Give columns of texts the type of their numbers.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table.
    table : str
        Its name.
    columns : iterable of str
        The columns that are summed; other types than VARCHAR stay.

    Raises
    ------
    SourceError
        When a text is not a decimal number of at most 18 digits.
    """
    kinds = {name.lower(): kind for name, kind, *_ in con.execute(f"DESCRIBE {quoted(table)}").fetchall()}
    read = list[str]()
    for name in {each.lower(): each for each in columns}.values():
        if kinds.get(name.lower()) != "VARCHAR":
            continue
        kind = number_type(con, table, name)
        if kind is None:
            raise SourceError(
                f"the column {as_identifier(name)} has values that are not decimal numbers with at most {_DIGITS} digits; "
                "hint: leave empty cells empty, and use a point as the decimal separator"
            )
        read.append(f"TRY_CAST({quoted(name)} AS {kind}) AS {quoted(name)}")
    if read:  # the table of a database stays as it is
        texts, is_view = quoted(f"{table} as texts"), con.execute(_IS_VIEW, [table]).fetchall() != []
        con.execute(f"ALTER {'VIEW' if is_view else 'TABLE'} {quoted(table)} RENAME TO {texts}")
        con.execute(f"CREATE VIEW {quoted(table)} AS SELECT * REPLACE ({', '.join(read)}) FROM {texts}")  # noqa: S608
