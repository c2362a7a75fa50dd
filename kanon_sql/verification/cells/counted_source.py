"""The base cells of a table, counted in its source again."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.cells.number_texts import read_numbers
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import CertificateError, raise_alone
from kanon_sql.model.named_rows import shows_of, shows_sql
from kanon_sql.model.tabulation import Tabulation, condition_key, is_condition, level_of
from kanon_sql.model.validation import same_name
from kanon_sql.verification.cells.base_cell import BaseCell
from kanon_sql.verification.cells.expressions import expression_sql, is_one_table
from kanon_sql.verification.cells.level_labels import level_sql

_PLAIN = """SELECT {texts}, system.main.count(*){sums}
    FROM (SELECT {rows} FROM source{where}) GROUP BY {keys} ORDER BY {order} ASC NULLS LAST"""

_PEOPLE = """SELECT {texts}, system.main.count(*){sums}
    FROM (
        SELECT {keys}, person{added} FROM (SELECT {rows} FROM source{where}) WHERE person IS NOT NULL GROUP BY {keys}, person
    )
    GROUP BY {keys} ORDER BY {order} ASC NULLS LAST"""


def source_columns(con: Any, tabulation: Tabulation, per: str | None) -> dict[str, str]:
    """Return what a table of counts names in the table ``source``, as SQL, by the texts that name it.

    Raises
    ------
    CertificateError
        When the table does not count the rows of one table, or an expression cannot be evaluated.
    """
    known = {same_name(name): name for name in columns(con, "source")}

    def column(text: str) -> str:
        return quoted(known[same_name(text)]) if same_name(text) in known else expression_sql(text, known)

    def key(text: str, place: int) -> str:
        named = shows_of(text)
        if named is not None:
            return shows_sql(key(named[0], place), named[1])
        if is_condition(text):
            return f"coalesce(CAST({column(text.removeprefix(condition_key('')))} AS BOOLEAN), false)"
        level = level_of(text)
        return column(text) if level is None else level_sql(con, column(level[0]), level[1], place)

    if not is_one_table(tabulation.source):
        raise CertificateError("tabulation", "its rows do not come from one table, so they cannot be counted again")
    others = (*tabulation.sums, *(() if per is None else (per,)))
    return {text: column(text) for text in others} | {text: key(text, place) for place, text in enumerate(tabulation.keys)}


def count(
    con: Any, tabulation: Tabulation, per: str | None, most: int, named: Mapping[str, str], condition: str = ""
) -> tuple[list[BaseCell], list[int]]:
    """Return the base cells of the table ``source`` in the order of their keys, and the decimal places of each sum.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table.
    tabulation : Tabulation
        Its keys and sums.
    most : int
        How many of the largest contributions to a base cell count.
    named : mapping
        What it names as SQL by the texts that name it, see `source_columns`.
    condition : str
        The condition that everybody meets; empty if there is none.

    Raises
    ------
    CertificateError
        When a sum is not one of whole or decimal numbers of at least 0, or a person is in several base cells.
    """
    known = {same_name(name): name for name in columns(con, "source")}
    read_numbers(con, "source", [text for text in tabulation.sums if same_name(text) in known])
    where = f" WHERE {expression_sql(condition, known)}" if condition else ""
    keys = [f'"key {place}"' for place in range(len(tabulation.keys))]
    sums = [f'"sum {place}"' for place in range(len(tabulation.sums))]
    rows = [(named[text], name) for text, name in zip((*tabulation.keys, *tabulation.sums), (*keys, *sums), strict=True)]
    if per is not None:
        rows.append((named[per], "person"))
    slots = {
        "rows": ", ".join(f"{text} AS {name}" for text, name in rows),
        "where": where,
        "keys": ", ".join(keys),
        "texts": ", ".join(f"CAST({key} AS VARCHAR)" for key in keys),
        "order": " ASC NULLS LAST, ".join(keys),
        "sums": "".join(
            f", system.main.sum({each}), system.main.min({each}), system.main.max({each}, {max(1, most)})" for each in sums
        ),
        "added": "".join(f", system.main.sum({each}) AS {each}" for each in sums),
    }
    query = (_PLAIN if per is None else _PEOPLE).format(**slots)
    try:
        relation = con.execute(query).fetchall()
    except duckdb.Error:
        raise_alone(
            CertificateError(
                "tabulation",
                "it does not match the source; hint: use a Parquet file, because expressions need the source types, which a "
                "CSV file lacks",
            )
        )
    width = len(keys)
    places = [_places(row[width + 1 + 3 * each] for row in relation) for each in range(len(sums))]
    found = []
    for row in relation:
        people, values, largest = row[width], [], []
        for each, scale in enumerate(places):
            total, least, top = row[width + 1 + 3 * each : width + 4 + 3 * each]
            if least is not None and least < 0:
                raise CertificateError("tabulation", "a sum includes negative numbers")
            values.append(_units(total or 0, scale))
            largest.append(tuple(_units(value, scale) for value in top or ()))
        found.append(BaseCell(keys=row[:width], values=(people, *values), largest=tuple(largest)))
    if per is not None:
        distinct = con.execute(
            f"SELECT system.main.count(DISTINCT {named[per]}) FROM source{where}"  # noqa: S608
        ).fetchall()[0][0]
        if distinct != sum(cell.values[0] for cell in found):
            raise CertificateError("protection", "a person has rows with different keys")
    return found, places


def _places(totals: Any) -> int:
    """Return the decimal places of the sums of a column."""
    scale = 0
    for total in totals:
        if isinstance(total, Decimal):
            scale = max(scale, -int(total.as_tuple().exponent))
        elif total is not None and not isinstance(total, int):
            raise CertificateError("tabulation", "a sum needs whole or decimal numbers")
    return scale


def _units(value: Any, scale: int) -> int:
    return int(value) if not scale else int(Decimal(value).scaleb(scale))
