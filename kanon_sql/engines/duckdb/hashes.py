"""Hashes of values of any type: DuckDB's own has values in common that are not one."""

from __future__ import annotations

COLLIDING = r"VARIANT|HUGEINT|DECIMAL\((19|[23][0-9])|\[|MAP\(|UNION\("
"""Types of which different values have one hash: [], [NULL] and NULL; 0 and -1 in 128 bits."""

UNLIKE = "FLOAT|DOUBLE|INTERVAL|TIME WITH TIME ZONE|VARIANT"
"""Types whose equal values, which have one hash, may look different: 0.0 and -0.0, a month and 30 days."""


def of_type(value: str, types: str) -> str:
    """Return the SQL of whether a value is, or holds, one of some types; known when a statement is planned."""
    return f"system.main.regexp_matches(system.main.typeof({value}), '{types}')"


def value_hash(value: str, types: str = rf"{COLLIDING}|STRUCT\(") -> str:
    """Return the SQL of a hash of a value, by its text too where it is of one of some types.

    Examples
    --------
    >>> import duckdb
    >>> duckdb.sql(f"SELECT count(DISTINCT {value_hash('x')}) FROM (VALUES (0::HUGEINT), (-1)) t(x)").fetchall()
    [(2,)]
    """
    return f"""CASE WHEN {of_type(value, types)}
    THEN system.main.hash({value}, CAST({value} AS VARCHAR)) ELSE system.main.hash({value}) END"""
