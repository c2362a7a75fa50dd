"""Columns of text that hold numbers or dates: a CSV file names no types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kanon_sql.engines.duckdb.names import quoted

_TYPES = ("BIGINT", "DOUBLE", "DATE")

_EXACT = """system.main.count({column}) > 0
    AND system.main.bool_and({column} IS NULL OR TRY_CAST({column} AS {type})::VARCHAR = {column})"""


def give_types(con: Any, table: str, columns: Iterable[str] | None = None) -> None:
    """Give text columns of a table the first type that writes every value as it stands: 00501 stays a text. None takes all."""
    described = con.execute(f"DESCRIBE {quoted(table)}").fetchall()
    requested = None if columns is None else set(columns)
    texts = [name for name, kind, *_ in described if kind == "VARCHAR" and (requested is None or name in requested)]
    if not texts:
        return
    exact_casts = ", ".join(_EXACT.format(column=quoted(name), type=kind) for name in texts for kind in _TYPES)
    found = iter(con.execute(f"SELECT {exact_casts} FROM {quoted(table)}").fetchone())  # noqa: S608
    exact = {name: [kind for kind in _TYPES if next(found)] for name in texts}
    casts = [f"{quoted(name)}::{kinds[0]} AS {quoted(name)}" for name, kinds in exact.items() if kinds]
    if casts:
        con.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT * REPLACE ({', '.join(casts)}) FROM {quoted(table)}")  # noqa: S608
