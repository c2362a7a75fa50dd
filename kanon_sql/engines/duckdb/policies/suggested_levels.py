"""How the cells of a suggested quasi-identifier may be generalized, by what the column holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor, log10
from typing import Any

from kanon_sql.engines.duckdb.audit.counted_people import Counted
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.suggested_policy import Role
from kanon_sql.recognition import recognized_name

_MANY = 20
"""Distinct values from which on coarsening a column pays."""

_COSTLY = 0.2
"""Share of people who are too few by their year of birth, from which on decades are suggested."""

_COARSE = 4
"""Columns of few values that a year of birth is combined with."""

_POSTAL_CODE = "postal code"

_RANGE = """SELECT system.main.min(v) AS low, system.main.max(v) AS high,
        system.main.bool_and(v IS NOT NULL AND system.main.isfinite(v)) AS numbers,
        system.main.bool_and(system.main.regexp_full_match(t, '[0-9][0-9A-Za-z -]*')
                             AND system.main.length(t) BETWEEN 3 AND 10) AS digits,
        system.main.bool_and(system.main.regexp_full_match(
            t, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\\.[0-9]{{1,6}})?Z?)?')
            AND TRY_CAST(t AS TIMESTAMP) IS NOT NULL) AS dates
    FROM (SELECT TRY_CAST(CAST({column} AS VARCHAR) AS DOUBLE) AS v, CAST({column} AS VARCHAR) AS t FROM {table})
    WHERE t IS NOT NULL"""

_YEAR = "system.main.year(TRY_CAST(CAST({column} AS VARCHAR) AS TIMESTAMP))"


def holds(con: Any, table: str, column: str) -> tuple[float | None, float | None, bool, bool, bool]:
    """Return the least and the greatest number of a column, and whether it holds numbers, codes of digits, and dates."""
    low, high, *kinds = con.execute(_RANGE.format(table=table, column=quoted(column))).fetchall()[0]
    numbers, digits, dates = (bool(each) for each in kinds)
    return low, high, numbers, digits, dates


def levelled(counted: Counted, roles: Sequence[Role], distinct: dict[str, int], k: int) -> list[Role]:
    """Return quasi-identifiers with their levels, ``HIERARCHY`` if somebody has to say which.

    Parameters
    ----------
    counted : Counted
        The table.
    roles : sequence of Role
        The quasi-identifiers.
    distinct : dict of int
        The values of each column.
    k : int
        Least number of people of a class.
    """
    coarse = sorted((each.column for each in roles if distinct[each.column] <= _MANY), key=lambda name: distinct[name])
    return [_levelled(counted, each, distinct[each.column], coarse[:_COARSE], k) for each in roles]


def _levelled(counted: Counted, role: Role, distinct: int, coarse: list[str], k: int) -> Role:
    if role.recoding is not None:
        return role
    low, high, numbers, digits, dates = holds(counted.con, counted.table, role.column)
    if dates and distinct > 1:
        return _dated(counted, role, coarse, k)
    if role.reason == _POSTAL_CODE:
        return replace(role, recoding="DIGITS" if digits else None)
    if distinct <= _MANY:
        return role
    if not numbers or low is None or high is None:
        return replace(role, recoding="HIERARCHY")
    width = _round((high - low) / 20)
    return replace(role, recoding=f"INTERVALS ({_spelled(width)}, {_spelled(5 * width)})" if width >= 1e-6 else None)


def _dated(counted: Counted, role: Role, coarse: list[str], k: int) -> Role:
    """Return months and years; for a date of birth years and decades, if years would single out too many people."""
    found = recognized_name(role.column)
    if found is not None and found.kind == "date of birth":
        by = [_YEAR.format(column=quoted(role.column)), *map(quoted, coarse)]
        share = counted.share_below(by, k)
        if share > _COSTLY:
            reason = f"{role.reason}; by year, {share:.0%} of the {counted.what} would be in groups of fewer than {k}"
            return replace(role, reason=reason, recoding="INTERVALS (year, decade)")
    return replace(role, recoding="INTERVALS (month, year)")


def _round(width: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten that is at most a width."""
    if width <= 0:
        return 0.0
    power = 10.0 ** floor(log10(width))
    return max(step * power for step in (1, 2, 5) if step * power <= width * (1 + 1e-9))


def _spelled(width: float) -> str:
    return f"{width:.6f}".rstrip("0").rstrip(".")
