"""A released table in DuckDB as a table of the library that the source is from."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.python_tables.conversions import converted
from kanon_sql.engines.duckdb.python_tables.duckdb_relations import is_relation, place_rows

if TYPE_CHECKING:
    import pyarrow as pa


def released_as(con: duckdb.DuckDBPyConnection, table: Any) -> Any:
    """Return the table ``released`` as the kind of the source."""
    if is_relation(table):
        home = duckdb.connect()
        place_rows(con.table("released"), home, "released")
        con.close()
        released = home.table("released")
        weakref.finalize(released, _let_go, home)  # DuckDB 1.4 closes a connection that only relations refer to
        return released
    arrow = _narrow(con)
    con.close()
    match type(table).__module__.split(".")[0]:
        case "pandas":
            return converted(lambda: _pandas(arrow), "the table cannot be shown as pandas; hint: pass an Arrow table")
        case "polars":
            import polars

            return polars.from_arrow(arrow)
    return arrow


def _narrow(con: duckdb.DuckDBPyConnection) -> pa.Table:
    """Return the rows with sums of whole numbers in 64 bits: Arrow has no wider integers, and the gate takes none."""
    relation = con.table("released")
    kinds = zip(relation.columns, relation.types, strict=True)
    cells = [f"CAST({quoted(name)} AS BIGINT) AS {quoted(name)}" if kind == "HUGEINT" else quoted(name) for name, kind in kinds]
    return relation.project(", ".join(cells)).to_arrow_table()


def _pandas(arrow: pa.Table) -> Any:
    """Return a pandas table whose counts stay whole numbers next to NULL."""
    import pandas
    import pyarrow as pa

    return arrow.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)


def _let_go(_: duckdb.DuckDBPyConnection) -> None:
    """Refer to a connection until this is called."""
