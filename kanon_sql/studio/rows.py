"""Rows on their way: as bytes between two processes, and as short texts for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.printable import printable

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CHARACTERS = 120
"""Characters of a cell that a page shows."""


def sent(table: pa.Table) -> bytes:
    """Return a table in Arrow's stream format."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def received(data: bytes) -> pa.Table:
    """Return the table that `sent` wrote."""
    import pyarrow as pa

    with pa.ipc.open_stream(data) as stream:
        return stream.read_all()


def brief(value: object) -> str:
    """Return a cell as one short line."""
    text = printable(str(value)[: MOST_CHARACTERS + 1])
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def first_rows(table: pa.Table, most: int) -> tuple[list[str], list[list[str | None]]]:
    """Return the names of a table and its first rows as texts; None is an empty or suppressed cell."""
    with duckdb.connect() as con:
        con.register("rows", table.slice(0, most))
        shown = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in table.column_names)
        found = con.execute(f"SELECT {shown} FROM rows").fetchall()  # noqa: S608
    return table.column_names, [[None if value is None else brief(value) for value in row] for row in found]
