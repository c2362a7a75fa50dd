"""The columns of a DataFrame: which types go to the driver and back exactly, and how values are compared by their bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.validation import as_identifier, same_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField

_EXACT = (
    "BooleanType",
    "ByteType",
    "ShortType",
    "IntegerType",
    "LongType",
    "FloatType",
    "DoubleType",
    "DecimalType",
    "StringType",
    "BinaryType",
    "DateType",
    "TimestampType",
    "TimestampNTZType",
    "DayTimeIntervalType",
)
"""Types whose values go to the driver, back, and into files without a change."""

_BINARY = "UTF8_BINARY"
"""The collation that compares bytes."""


def fields_of(source: DataFrame) -> list[StructField]:
    """Return the columns of a source.

    Raises
    ------
    SourceError
        When it is no DataFrame, has no columns or two of one name, or a type that cannot be carried.
    """
    if not hasattr(source, "schema") or not hasattr(source, "isStreaming"):
        raise SourceError(f"a {type(source).__name__} is not a Spark DataFrame; hint: pass spark.table('patients')")
    if source.isStreaming:
        raise SourceError("a stream has no end, so its classes cannot be counted; hint: release each batch with foreachBatch")
    fields = list(source.schema.fields)
    if not fields:
        raise SourceError("the table has no columns")
    if len({same_name(field.name) for field in fields}) < len(fields):
        raise SourceError("two columns have the same name, apart from case; hint: rename one of them")
    for field in fields:
        if same_name(field.name).startswith(OWN):
            raise SourceError(f'a column name cannot begin with "{OWN}"; hint: rename the column')
        wrong = next((each for each in parts(field.dataType) if type(each).__name__ not in _EXACT), None)
        if wrong is not None:
            raise SourceError(
                f"the column {as_identifier(field.name)} has the type {wrong.typeName()}, which cannot be transferred exactly; "
                "hint: cast it to STRING, or drop it"
            )
    return fields


def parts(kind: DataType) -> Iterable[DataType]:
    """Yield the types of the values that a type consists of: itself, or those inside of arrays and structs."""
    match type(kind).__name__:
        case "ArrayType":
            yield from parts(kind.elementType)
        case "StructType":
            for field in kind.fields:
                yield from parts(field.dataType)
        case _:
            yield kind


def collation(kind: DataType) -> str:
    """Return the collation of a type of texts, that of bytes for any other."""
    return str(getattr(kind, "collation", _BINARY))


def check_collations(fields: Sequence[StructField], policy: Policy) -> None:
    """Refuse collations where equal values decide about a guarantee, and inside of arrays and structs.

    Raises
    ------
    PolicyError
        When a sensitive attribute has one, or a value inside of a nested column of the policy.
    """
    named = {same_name(qi.column) for qi in policy.quasi_identifiers}
    measured = {same_name(name) for name in policy.measured}
    for field in fields:
        inside = [each for each in parts(field.dataType) if each is not field.dataType]
        relevant = [field.dataType, *inside] if same_name(field.name) in measured else inside
        if same_name(field.name) in named | measured and any(collation(each) != _BINARY for each in relevant):
            name = as_identifier(field.name)
            raise PolicyError(f"the column {name} has a collation; hint: use {name} COLLATE {_BINARY}, or lower({name})")


def has_floats(kind: DataType) -> bool:
    """Return whether equal values of a type may look different: 0.0 and -0.0."""
    return any(type(each).__name__ in ("FloatType", "DoubleType") for each in parts(kind))


def by_bytes(column: Column, kind: DataType) -> Column:
    """Return a column that no collation compares."""
    from pyspark.sql import functions as sf

    return column if collation(kind) == _BINARY else sf.collate(column, _BINARY)


def as_text(column: Column, kind: DataType) -> Column:
    """Return what a cell is as a text, the same for the same cell; of binary values the digits."""
    from pyspark.sql import functions as sf

    return sf.hex(column) if type(kind).__name__ == "BinaryType" else by_bytes(column, kind).cast("string")


def looks(fields: Iterable[StructField]) -> str:
    """Return SQL expressions that are equal where cells are so byte by byte: values, and texts where floats are inside."""
    found = []
    for field in fields:
        name = quoted(field.name)
        found.append(name if collation(field.dataType) == _BINARY else f"{name} COLLATE {_BINARY}")
        if has_floats(field.dataType):
            found.append(f"CAST({name} AS STRING)")
    return ", ".join(f"{each} AS c{place}" for place, each in enumerate(found))
