"""Columns whose values look like people with several rows: k counts rows, and a class may hold the rows of one person.

A column looks so if its values repeat, each in few rows, and rows that share a value agree in most quasi-identifiers: a person
keeps a date of birth and a sex from one row to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.report.columns import SOURCE

_FEWEST_VALUES = 20
"""A column of fewer values is a group of people rather than one: a ward, or a diagnosis."""

_MOST_ROWS = 50
"""Rows of an average value; groups have more."""

_AGREE = 0.95
"""Share of the rows that have to agree with the others of their value."""

_TEXT = 'system.main.encode(CAST("kanon#t".{column} AS VARCHAR))'

_OTHER = 'system.main.encode(CAST("kanon#t".{other} AS VARCHAR))'

_REPEATED = f"""SELECT coalesce(system.main.sum(n), 0)::BIGINT, system.main.count(*),
        coalesce(system.main.sum(n) FILTER (n > 1), 0)::BIGINT
    FROM (SELECT system.main.count(*) AS n FROM {{source}} AS "kanon#t" WHERE "kanon#t".{{column}} IS NOT NULL
          GROUP BY {_TEXT})"""  # noqa: S608

_AGREED = f"""SELECT system.main.sum(top) / system.main.sum(n), (
        SELECT system.main.max(n) / system.main.sum(n)
        FROM (SELECT system.main.count(*) AS n FROM {{source}} AS "kanon#t" GROUP BY {_OTHER})
    )
    FROM (
        SELECT system.main.sum(n) AS n, system.main.max(n) AS top
        FROM (SELECT {_TEXT} AS value, system.main.count(*) AS n FROM {{source}} AS "kanon#t"
              WHERE "kanon#t".{{column}} IS NOT NULL GROUP BY {_TEXT}, {_OTHER})
        GROUP BY value
    ) WHERE n > 1"""  # noqa: S608

_FEWEST = f"""SELECT system.main.min(people) FROM (
        SELECT system.main.count(DISTINCT {_TEXT}) AS people FROM released AS "kanon#t" GROUP BY {{classes}})"""  # noqa: S608


def fewest_values(con: Any, column: str, quasi_identifiers: Sequence[str]) -> int | None:
    """Return the fewest values that a column has in a class of the release, if its values look like people with several rows.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the tables `SOURCE` and ``released``.
    column : str
        A column released unchanged; an empty cell is nobody.
    quasi_identifiers : sequence of str
        The quasi-identifiers.

    Notes
    -----
    One GROUP BY, and one more for each quasi-identifier if the values repeat. A guess, as any by values alone.
    """
    names = {"column": quoted(column), "source": quoted(SOURCE)}
    rows, values, repeated = con.execute(_REPEATED.format(**names)).fetchall()[0]
    if 2 * repeated < rows or values < _FEWEST_VALUES or not values < rows <= _MOST_ROWS * values:
        return None
    shares = [con.execute(_AGREED.format(other=quoted(name), **names)).fetchall()[0] for name in quasi_identifiers]
    told = [agreed for agreed, common in shares if common < 1 and 1 - agreed <= min(1 - _AGREE, (1 - common) / 2)]
    various = sum(common < 1 for _, common in shares)
    if not various or len(told) < ceil(various / 2):
        return None
    classes = ", ".join(_TEXT.format(column=quoted(name)) for name in quasi_identifiers)
    fewest = con.execute(_FEWEST.format(classes=classes, **names)).fetchall()[0][0]
    return None if fewest is None else int(fewest)
