"""The columns that repeat people, with the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.names import literal

COUNTED = 8_191
"""Rows up to which the macro counts all; it draws rows from larger tables."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A column whose values are people with several rows."""

    column: str
    people: int  # its values
    rows: int  # rows that have one
    shared: tuple[str, ...]  # the columns on which rows with the same value agree


def repeated(con: Any, table: str) -> tuple[Repeated, ...]:
    """Return the columns that repeat people, as the macro `repeated_people` finds them.

    Parameters
    ----------
    con : connection
        A connection with the table and the macro.
    table : str
        The table, as SQL spells it.
    """
    found = con.execute(f'SELECT "column", people, rows, shared FROM repeated_people({literal(table)})').fetchall()  # noqa: S608
    return tuple(Repeated(column, people, rows, tuple(shared)) for column, people, rows, shared in found)
