"""Suggestions for wide tables: who knows any few of many quasi-identifiers is stopped, with figures of what such people see."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from kanon_sql.engines.duckdb.audit_macros import audit_macros
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.model.guarantees.known_columns import KnownColumns
from kanon_sql.model.requirements import KAnonymity, Requirement

_NARROW = 12
"""Quasi-identifiers up to which all of them may be known: with more, k-anonymity suppresses most of a table."""

_KNOWN = 3
"""Columns that the attacker is taken to know."""

_MOST_SETS = 5_000
"""Sets of columns up to which `k_known` counts them."""

_WORK = 50_000_000
"""Rows times sets up to which the figures are counted, in some ten seconds."""

_RARE, _TOLD = 0.01, 5
"""Share of the rows with rare values from which on a column is told, and the most columns that are."""

_FIGURES = "SELECT rows_below, rows_below_next FROM k_known($table, $qi, 2, k := $k)"

_ROWS = "SELECT system.main.count(*) FROM {table}"

_VALUES = """SELECT coalesce(system.main.sum(n), 0) FROM (SELECT system.main.count(*) AS n FROM {table} GROUP BY {column})
    WHERE n < {k}"""


def is_wide(columns: Sequence[str]) -> bool:
    """Return whether there are more quasi-identifiers than an attacker is likely to know."""
    return len(columns) > _NARROW


def by_known(columns: Sequence[str], requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """Return the guarantees against an attacker who knows any three of the quasi-identifiers, or two where they are many."""
    size = _KNOWN if comb(len(columns), _KNOWN) <= _MOST_SETS else 2
    return tuple(
        KnownColumns.against(each.k if isinstance(each, KAnonymity) else each, size)  # type: ignore[arg-type]
        for each in requirements
    )


def wide_notes(con: Any, table: str, columns: Sequence[str], k: int) -> tuple[str, ...]:
    """Return what known columns tell of a table, and which columns to generalize first.

    Notes
    -----
    A GROUP BY for each column, and if that is not too much work, for each set of two and three columns.
    """
    source = table_name(table)
    rows = con.execute(_ROWS.format(table=source)).fetchall()[0][0]
    notes = [f"{len(columns)} quasi-identifiers: who knows all of them is not stopped. See how_to/wide_tables.md."]
    pairs, triples = comb(len(columns), 2), comb(len(columns), 3)
    if rows and triples <= _MOST_SETS and rows * (pairs + triples) <= _WORK:
        audit_macros(con, ("k_known",))
        asked = {"table": table, "qi": list(columns), "k": k}
        two, three = (each / rows for each in con.execute(_FIGURES, asked).fetchall()[0])
        notes.append(
            f"By the worst set of 2 columns, {two:.1%} of the rows are in classes of fewer than {k} rows; by that of 3, "
            f"{three:.1%}."
        )
    rare = []
    for column in columns:
        query = _VALUES.format(table=source, column=quoted(column), k=k)
        rare.append((con.execute(query).fetchall()[0][0] / max(rows, 1), column))
    for share, column in sorted(rare, reverse=True, key=lambda each: each[0])[:_TOLD]:
        if share >= _RARE:
            notes.append(f"{column}: {share:.1%} of the rows have a value that fewer than {k} rows have. Generalize it first.")
    return tuple(notes)
