"""The fingerprint of a table: equal for the same columns and the same rows, in whatever order."""

from __future__ import annotations

from typing import Any

_FINGERPRINT = """SELECT system.main.sha256(system.main.concat_ws(' ', {columns}, system.main.count(*),
    {sums}))
FROM (
    SELECT system.main.sha256(system.main.create_sort_key(system.main.row(*COLUMNS(*)), 'ASC NULLS LAST')) AS "kanon#digest"
    FROM {table}
)"""
"""Sums of the four parts of the digests of the rows: they do not depend on the order, and need no memory."""

_PART = "system.main.sum(CAST(CAST('0x' || \"kanon#digest\"[{first}:{last}] AS UBIGINT) AS HUGEINT))"

_COLUMNS = """SELECT system.main.string_agg(system.main.concat_ws(' ', column_name, column_type), ', ')
FROM (DESCRIBE FROM {table})"""


def fingerprint(con: Any, table: str) -> str:
    """Return the SHA-256 of the names and types of the columns of a table, and of its rows.

    Parameters
    ----------
    table : str
        What stands in a FROM clause.

    Notes
    -----
    One scan. Equal rows count as often as they occur. It detects accidents and changes; it is not a signature.
    """
    sums = ", ".join(_PART.format(first=first, last=first + 15) for first in (1, 17, 33, 49))
    columns = f"({_COLUMNS.format(table=table)})"
    return str(con.execute(_FINGERPRINT.format(columns=columns, sums=sums, table=table)).fetchall()[0][0])
