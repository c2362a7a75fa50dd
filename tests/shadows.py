"""Hostile macros: one in the place of every function that DuckDB has."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

ARITIES = (("",), ("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d"))


def builtins(con: Any, *kinds: str) -> list[str]:
    """Return the names of DuckDB's own functions and operators, of some kinds only if they are given."""
    rows = con.execute(
        "SELECT DISTINCT function_name, function_type FROM system.main.duckdb_functions() WHERE internal"
    ).fetchall()
    return sorted({name for name, kind in rows if not name.startswith("kanon_") and (not kinds or kind in kinds)})


def scalar(name: str, body: str, kind: str = "") -> str:
    """Return the statement that makes a macro which answers to zero to four arguments."""
    heads = ", ".join(f"({', '.join(filter(None, arity))}) AS {body}" for arity in ARITIES)
    return f'CREATE OR REPLACE {kind} MACRO "{name}"{heads}'


def table(name: str, body: str) -> str:
    """Return the statement that makes a table macro which answers to zero to four arguments."""
    return f'CREATE OR REPLACE MACRO "{name}"(a := NULL, b := NULL, c := NULL, d := NULL) AS TABLE SELECT {body} AS hostile'


def shadow_all(con: Any, body: str, leave: Collection[str] = ()) -> None:
    """Put a macro in the place of every function of DuckDB but some; statements go in one text, which is faster."""
    scalars = [scalar(name, body) for name in builtins(con) if name not in leave]
    tables = [table(name, body) for name in builtins(con, "table", "table_macro")]
    con.execute("; ".join([*scalars, *tables]))
