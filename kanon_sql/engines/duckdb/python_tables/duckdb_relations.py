"""DuckDB relations: from one database into another, with every type kept.

A relation belongs to a connection that is not ours, and only Arrow leads from there to another. Values of types that Arrow does
not have travel as texts, which lead back exactly.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.python_tables.conversions import TWICE, converted
from kanon_sql.errors import SourceError
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb.sqltypes import DuckDBPyType

UNREADABLE_RELATION = "the relation cannot be read; hint: keep its connection open, and run it to see why"

_NO_WAY_BACK = "a value of the relation cannot be restored from its text; hint: cast its intervals to VARCHAR"

_CARRIED = "kanon#carried"

_NESTED = frozenset({"list", "array", "map", "struct", "union"})

_NUMBERS = (
    "tinyint",
    "smallint",
    "integer",
    "bigint",
    "utinyint",
    "usmallint",
    "uinteger",
    "ubigint",
    "float",
    "double",
    "decimal",
)
_MOMENTS = (
    "timestamp",
    "timestamp_s",
    "timestamp_ms",
    "timestamp_ns",
    "timestamp with time zone",
    "timestamptz_ns",
    "date",
    "time",
    "time_ns",
)

_ARRIVES = frozenset({*_NUMBERS, *_MOMENTS, "bignum", "boolean", "varchar", "blob", "null", "geometry"})
"""Types whose values are the same on both sides of Arrow."""

_AS_TEXT = frozenset({"hugeint", "uhugeint", "uuid", "bit", "interval", "time with time zone", "enum"})
"""Types whose values travel as texts: Arrow rounds, shortens or renames them."""


def is_relation(table: Any) -> bool:
    """Return whether a table is a DuckDB relation."""
    return isinstance(table, duckdb.DuckDBPyRelation)


def arrow_of(relation: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return a relation as an Arrow table; values of types that Arrow does not have are texts.

    Raises
    ------
    SourceError
        When a column has a type that would be altered on the way, or the relation cannot be read.
    """
    columns = converted(lambda: list(zip(relation.columns, relation.types, strict=True)), UNREADABLE_RELATION)
    if len({same_name(name) for name, _ in columns}) < len(columns):
        raise SourceError(TWICE)
    cells = ", ".join(f"CAST({quoted(name)} AS {_carrier(name, kind)}) AS {quoted(name)}" for name, kind in columns)
    return converted(lambda: relation.project(cells).to_arrow_table(), UNREADABLE_RELATION)


def place_rows(
    relation: duckdb.DuckDBPyRelation, con: duckdb.DuckDBPyConnection, name: str, plain: Container[str] = frozenset()
) -> None:
    """Store the rows of a relation, of whatever connection, in a table of another.

    Parameters
    ----------
    relation : DuckDBPyRelation
        The rows.
    con : DuckDBPyConnection
        Where they go.
    name : str
        What the table is called there.
    plain : container of str
        Columns whose types may not list values: an ENUM becomes VARCHAR.

    Raises
    ------
    SourceError
        When a column has a type that would be altered on the way, or the relation cannot be read.
    """
    arrow = arrow_of(relation)
    kinds = zip(arrow.column_names, relation.types, strict=True)
    cells = ", ".join(f"CAST({quoted(name)} AS {_type(kind, as_text=name in plain)}) AS {quoted(name)}" for name, kind in kinds)
    con.register(_CARRIED, arrow)
    query = f"CREATE TABLE {quoted(name)} AS SELECT {cells} FROM {quoted(_CARRIED)}"  # noqa: S608
    converted(lambda: con.execute(query), _NO_WAY_BACK)
    con.unregister(_CARRIED)


def _carrier(name: str, kind: DuckDBPyType) -> str:
    """Return the type as which values of a column travel."""
    if not _known(kind):
        raise SourceError(
            f'the column "{name}" of type {kind.id.upper()} would be changed by the conversion from DuckDB; hint: cast it to '
            "a different type, or release the table with kanon_sql.connect()"
        )
    return _type(kind, as_text=True, everything=True)


def _known(kind: DuckDBPyType) -> bool:
    if kind.id in _NESTED:
        return all(_known(inner) for _, inner in _fields(kind))
    return kind.id in _ARRIVES | _AS_TEXT and (
        kind.id != "geometry" or str(kind) == "GEOMETRY"
    )  # else it names a map projection


def _type(kind: DuckDBPyType, *, as_text: bool, everything: bool = False) -> str:
    """Return a type as SQL; with ``as_text`` an ENUM is VARCHAR, with ``everything`` whatever travels as text."""
    if kind.id in _NESTED:
        fields = [(name, _type(inner, as_text=as_text, everything=everything)) for name, inner in _fields(kind)]
        match kind.id:
            case "list":
                return f"{fields[0][1]}[]"
            case "array":
                return f"{fields[0][1]}[{_child(kind, 'size')}]"
            case "map":
                return f"MAP({fields[0][1]}, {fields[1][1]})"
            case name:
                inner = ", ".join(f"{quoted(field)} {shape}" for field, shape in fields)
                return f"{name.upper()}({inner})"
    if kind.id == "enum":
        return "VARCHAR" if as_text else f"ENUM({', '.join(map(literal, _child(kind, 'values')))})"
    return "VARCHAR" if everything and kind.id in _AS_TEXT else str(kind)


def _child(kind: DuckDBPyType, name: str) -> Any:
    return dict(kind.children)[name]


def _fields(kind: DuckDBPyType) -> list[tuple[str, Any]]:
    """Return the types inside a nested type; DuckDB lists the size of an array and the tag of a union among them."""
    match kind.id:
        case "array":
            return kind.children[:1]
        case "union":
            return kind.children[1:]
        case _:
            return kind.children
