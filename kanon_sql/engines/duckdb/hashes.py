"""Hashes of values of any type: DuckDB's own is one for values that differ, and for texts that a collation calls equal."""

from __future__ import annotations

_COLLIDING = r"VARIANT|HUGEINT|DECIMAL\((19|[23][0-9])|\[|MAP\(|UNION\("
"""Types of which different values have one hash: [], [NULL] and NULL; 0 and -1 in 128 bits."""

UNLIKE = "FLOAT|DOUBLE|INTERVAL|TIME WITH TIME ZONE|VARIANT"
"""Types whose equal values, which have one hash, may look different: 0.0 and -0.0, a month and 30 days."""

_HELD = rf"{_COLLIDING}|STRUCT\("


def of_type(value: str, types: str) -> str:
    """Return the SQL of whether a value is, or holds, one of some types; known when a statement is planned."""
    return f"system.main.regexp_matches(system.main.typeof({value}), '{types}')"


def value_hash(value: str, *, by_look: bool = False) -> str:
    """Return the SQL of a hash of a value: of a text by its bytes, by its text too where other values may have the same hash.

    Parameters
    ----------
    value : str
        The SQL of the value.
    by_look : bool
        Whether equal values that look different shall have two hashes.

    Examples
    --------
    >>> import duckdb
    >>> duckdb.sql(f"SELECT count(DISTINCT {value_hash('x')}) FROM (VALUES (0::HUGEINT), (-1)) t(x)").fetchall()
    [(2,)]
    """
    text = f"system.main.encode(CAST({value} AS VARCHAR))"
    return f"""CASE WHEN {of_type(value, "^VARCHAR$")} THEN system.main.hash({text})
    WHEN {of_type(value, f"{_HELD}|{UNLIKE}" if by_look else _HELD)} THEN system.main.hash({value}, {text})
    ELSE system.main.hash({value}) END"""


def order_by_content(columns: str) -> str:
    """Return the SQL of an order that follows from what some columns hold and look like, and tells nothing else."""
    row = f"system.main.row(*{columns})"
    texts = f"CASE WHEN {of_type(row, UNLIKE)} THEN CAST({row} AS VARCHAR) END"
    return f"system.main.hash(system.main.create_sort_key({row}, 'ASC NULLS LAST'), {texts})"


_FLOATS_INSIDE = r"[(\[].*(FLOAT|DOUBLE)|(FLOAT|DOUBLE).*\["

BYTES = f"""system.main.create_sort_key(
    system.main.row({{0}}, CASE WHEN {of_type("{0}", _FLOATS_INSIDE)} THEN CAST({{0}} AS VARCHAR) END), 'ASC NULLS LAST')"""
"""Sensitive values are distinguished by their bytes, and those with floats inside by their texts too: neither a collation nor a
zero of the other sign may put one in the place of another."""


def same_bytes(one: str, other: str) -> str:
    """Return whether two cells are equal, texts by their bytes: joins may take what a collation calls equal for one."""
    texts = " IS NOT DISTINCT FROM ".join(f"system.main.encode(CAST({each} AS VARCHAR))" for each in (one, other))
    # of floats inside, zeros of both signs stay equal
    keys = " = ".join(f"system.main.create_sort_key(system.main.row({each}), 'ASC NULLS LAST')" for each in (one, other))
    return f"""{one} IS NOT DISTINCT FROM {other} AND CASE WHEN {of_type(one, "^VARCHAR$")} THEN {texts}
        WHEN {of_type(one, "VARCHAR")} THEN {keys} ELSE true END"""
