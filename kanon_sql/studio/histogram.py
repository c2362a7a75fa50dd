"""Rows by intervals of a column of numbers, or by the years of dates."""

from __future__ import annotations

from math import floor, log10
from typing import Any

from kanon_sql.engines.duckdb.names import quoted

_NUMBERS = r"""WITH numbers AS (
        SELECT CASE WHEN system.main.regexp_full_match(CAST({column} AS VARCHAR), '-?(0|[1-9][0-9]{{0,14}})(\.[0-9]+)?')
                    THEN CAST({column} AS DOUBLE)
                    WHEN system.main.regexp_full_match(CAST({column} AS VARCHAR), '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T].*)?')
                    THEN system.main.year(TRY_CAST(CAST({column} AS VARCHAR) AS TIMESTAMP)) END AS number,
               system.main.contains(CAST({column} AS VARCHAR)[2:], '-') AS dated, {person} AS person
        FROM {table} WHERE {column} IS NOT NULL
    )"""
"""Texts such as 00501 are no numbers; a date counts as its year."""

_ENDS = """{numbers} SELECT system.main.min(number), system.main.max(number),
        system.main.count(*) = system.main.count(number) AND system.main.count(DISTINCT number) > $most,
        system.main.bool_or(dated), system.main.bool_and(dated)
    FROM numbers"""

_BINS = """{numbers} SELECT system.main.floor((number - $start) / $step)::BIGINT AS bin, system.main.count(*) AS rows
    FROM numbers GROUP BY bin HAVING system.main.count({counted}) >= $least ORDER BY bin ASC NULLS LAST"""


def counted_by(person: str | None) -> str:
    """Return the argument of SQL's count for rows, or for the people that a column tells apart."""
    return "*" if person is None else f"DISTINCT {quoted(person)}"


def histogram(con: Any, table: str, column: str, *, most: int, least: int, person: str | None = None) -> list[tuple[str, int]]:
    """Return intervals of numbers or years and their rows; empty unless all values are such, and more than fit one bar each.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table.
    table, column : str
        The names.
    most : int
        How many bars there may be.
    least : int
        Intervals of fewer rows or people are left out.
    person : str, optional
        The column that tells people apart; without one, rows count.
    """
    whose = "NULL" if person is None else quoted(person)
    numbers = _NUMBERS.format(column=quoted(column), table=quoted(table), person=whose)
    low, high, many, some_dated, dated = con.execute(_ENDS.format(numbers=numbers), {"most": most}).fetchone()
    if not many or some_dated != dated:
        return []
    step = _step((high - low) / most)
    start = floor(low / step) * step
    query = _BINS.format(numbers=numbers, counted=counted_by(None if person is None else "person"))
    bins = con.execute(query, {"start": start, "step": step, "least": least}).fetchall()
    if dated:
        return [(f"{start + place * step:.0f} to {start + (place + 1) * step - 1:.0f}", rows) for place, rows in bins]
    return [(f"{start + place * step:,.10g} to {start + (place + 1) * step:,.10g}", rows) for place, rows in bins]


def _step(width: float) -> float:
    """Return the first of 1, 2, 5, 10, 20, ... that is above a width."""
    unit = 10.0 ** floor(log10(width))
    return next(unit * each for each in (1, 2, 5, 10, 20) if unit * each > width)
