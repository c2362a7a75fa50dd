"""Tables in Python of every kind: how they are read, and those that a policy names next to the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.engines.duckdb.policies.allowed_files import check_tables
from kanon_sql.engines.duckdb.python_tables.arrow_columns import for_duckdb
from kanon_sql.engines.duckdb.python_tables.conversions import TWICE, converted
from kanon_sql.engines.duckdb.python_tables.duckdb_relations import UNREADABLE_RELATION, arrow_of, is_relation, place_rows
from kanon_sql.engines.duckdb.python_tables.frames import Frame
from kanon_sql.errors import SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.validation import by_name, same_name

if TYPE_CHECKING:
    import pyarrow as pa


def frame_of(table: Any) -> Frame:
    """Return what a release needs of a table of Arrow, pandas or polars.

    Raises
    ------
    SourceError
        When it is no table, has no columns, or two of one name.
    """
    frame = _frame(table)
    if not frame.names:
        raise SourceError("the table has no columns")
    if len(set(map(same_name, frame.names))) < len(frame.names):
        raise SourceError(TWICE)
    if any(same_name(name).startswith(OWN) for name in frame.names):
        raise SourceError(f'a column name cannot begin with "{OWN}"; hint: rename the column')
    return frame


def _frame(table: Any) -> Frame:
    match type(table).__module__.split(".")[0]:  # a library that is not loaded holds no table
        case "pandas" if getattr(table, "ndim", 0) == 2:
            from kanon_sql.engines.duckdb.python_tables.pandas_frames import PandasFrame

            return PandasFrame(table)
        case "polars" if hasattr(table, "collect_schema"):
            from kanon_sql.engines.duckdb.python_tables.polars_frames import PolarsFrame

            return PolarsFrame(table)
        case "pyarrow" if hasattr(table, "num_columns") and hasattr(table, "column"):
            from kanon_sql.engines.duckdb.python_tables.arrow_tables import ArrowTable

            return ArrowTable(table)
    raise SourceError(
        f"a {type(table).__name__} is not a table; hint: pass an Arrow table, a pandas or polars DataFrame, or "
        "a DuckDB relation"
    )


def names_of(source: Frame | duckdb.DuckDBPyRelation) -> list[str]:
    """Return the columns of a frame or a relation."""
    return source.names if isinstance(source, Frame) else converted(lambda: source.columns, UNREADABLE_RELATION)


def to_arrow(table: Any) -> pa.Table:
    """Return a table of any kind as Arrow, with all its columns.

    Raises
    ------
    SourceError
        When a column has no exact way to Arrow.
    """
    import pyarrow as pa

    if is_relation(table):
        return arrow_of(table)
    frame = frame_of(table)
    return pa.table([frame.column(place) for place in range(len(frame.names))], names=frame.names)


def readable(source: pa.Table) -> pa.Table:
    """Return a table in types that DuckDB reads: durations as numbers, for example."""
    import pyarrow as pa

    return pa.table([for_duckdb(column) for column in source.columns], names=source.column_names)


def register_table(con: duckdb.DuckDBPyConnection, name: str, table: Any) -> None:
    """Give a connection a table of any kind, with all its columns.

    Raises
    ------
    SourceError
        When a column has no exact way to DuckDB.
    """
    if is_relation(table):
        place_rows(table, con, name)
    else:
        con.register(name, readable(to_arrow(table)))


def register_tables(con: duckdb.DuckDBPyConnection, policy: Policy, tables: Mapping[str, Any] | None) -> None:
    """Give a connection the tables that the policy names: just those."""
    given = by_name(tables, "tables", "{'tree': table}")
    check_tables(policy, given, "tables={{{!r}: ...}}")
    for name, table in given.items():
        register_table(con, name, table)
