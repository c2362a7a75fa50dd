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
    for name in dict.fromkeys(columns):
        if kinds.get(name.lower()) != "VARCHAR":
            continue
        column = quoted(name)
        scale, numbers = con.execute(_SHAPE.format(column=column, table=quoted(table))).fetchall()[0]
        cast = f"TRY_CAST({column} AS DECIMAL({_DIGITS}, {scale or 0}))"
        lost = f"SELECT system.main.count(*) FROM {quoted(table)} WHERE {column} IS NOT NULL AND {cast} IS NULL"  # noqa: S608
        if numbers is False or (scale or 0) > _DIGITS or con.execute(lost).fetchall()[0][0]:
            raise SourceError(
                f"the column {as_identifier(name)} has texts that are not decimal numbers of at most {_DIGITS} digits; "
                "hint: leave empty cells empty, and write a point before decimal places"
            )
        con.execute(f"ALTER TABLE {quoted(table)} ALTER {column} TYPE DECIMAL({_DIGITS}, {scale or 0}) USING {cast}")
