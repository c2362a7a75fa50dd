"""Columns of text that hold numbers or dates: a CSV file names no types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.table.labels.forms import DECIMAL_COMMA

_TYPES = ("BIGINT", "DOUBLE", "DATE")

_EXACT = """system.main.count({column}) > 0
    AND system.main.bool_and(TRY_CAST({column} AS {type})::VARCHAR IS NOT DISTINCT FROM {column})"""


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


_ALL = "(system.main.count({text}) > 0 AND system.main.bool_and({text} IS NULL OR {test}))"

_WITH_COMMA = """(system.main.bool_or(system.main.contains({text}, ','))
    AND NOT coalesce(system.main.bool_or(system.main.regexp_matches({text}, '^0[0-9]')), false))"""
"""Some value has a comma, and none begins with a zero as postal codes do."""

_NUMBER = "CAST(system.main.replace(system.main.regexp_replace({text}, '[^0-9,+-]', '', 'g'), ',', '.') AS DOUBLE)"


def read_forms(con: Any, table: str, dates: Sequence[str], *, decimal_comma: bool) -> None:
    """Give text columns the type of dates in some forms, or of numbers with a decimal comma, where all values are such.

    Raises
    ------
    duckdb.Error
        When a form of dates is none.
    """
    date = f"system.main.try_strptime({{text}}, [{', '.join(map(literal, [*dates, '%Y-%m-%d']))}])"
    comma = f"system.main.regexp_full_match({{text}}, {literal(DECIMAL_COMMA.pattern).replace('{', '{{').replace('}', '}}')})"
    kind = "TIMESTAMP" if any("%H" in form for form in dates) else "DATE"
    casts = []
    for name, each, *_ in con.execute(f"DESCRIBE {quoted(table)}").fetchall():
        if each != "VARCHAR":
            continue
        text = quoted(name)
        are_dates = _ALL.format(text=text, test=f"{date.format(text=text)} IS NOT NULL") if dates else "false"
        numbers = f"{_ALL.format(text=text, test=comma.format(text=text))} AND {_WITH_COMMA.format(text=text)}"
        tests = f"{are_dates}, {numbers if decimal_comma else 'false'}"
        is_date, is_number = con.execute(f"SELECT {tests} FROM {quoted(table)}").fetchone()  # noqa: S608
        if is_date or is_number:
            value = f"{date.format(text=text)}::{kind}" if is_date else _NUMBER.format(text=text)
            casts.append(f"{value} AS {quoted(name)}")
    if casts:
        con.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT * REPLACE ({', '.join(casts)}) FROM {quoted(table)}")  # noqa: S608
