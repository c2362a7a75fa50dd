"""The row types of a DataFrame: grouped by Spark, solved on the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.spark.connect.names import joined, name_parts, quoted
from kanon_sql.engines.spark.gather.columns import as_text, by_bytes
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.table.arrays import Int32
from kanon_sql.table.encode import codes_in_order
from kanon_sql.table.sensitive_values import labelled

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField

COUNT = "kanon#n"


def key_fields(policy: Policy, fields: list[StructField]) -> list[StructField]:
    """Return the columns that tell row types apart: the quasi-identifiers, then the sensitive attributes."""
    spelled = {same_name(field.name): field for field in fields}
    return [spelled[same_name(name)] for name in (*(qi.column for qi in policy.quasi_identifiers), *policy.measured)]


def key_columns(keys: list[StructField]) -> list[Column]:
    """Return the columns of a source that define its row types."""
    from pyspark.sql import functions as sf

    return [by_bytes(sf.col(quoted(key.name)), key.dataType).alias(key.name) for key in keys]


def grouped(source: DataFrame, keys: list[StructField]) -> DataFrame:
    """Return the row types and how many rows each has."""
    from pyspark.sql import functions as sf

    return source.groupBy(*key_columns(keys)).agg(sf.count(sf.lit(1)).alias(COUNT))


def row_types(source: DataFrame, policy: Policy, fields: list[StructField]) -> pa.StructArray:
    """Bring the row types of a source to the driver.

    Parameters
    ----------
    policy : Policy
        Resolved.
    fields : list of StructField
        The columns of the source.

    Returns
    -------
    StructArray [t]
        As for `kanon_sql.engines.histogram.coded`.

    Raises
    ------
    SourceError
        When a column that is read as texts is binary.
    """
    import pyarrow as pa
    from pyspark.sql import functions as sf

    keys = key_fields(policy, fields)
    known = {same_name(key.name): key for key in keys}
    texts = [known[same_name(name)] for name in labelled(policy)]
    for field in texts:
        if type(field.dataType).__name__ == "BinaryType":
            raise SourceError(
                f"the column {as_identifier(field.name)} is binary, not text; hint: cast it to STRING, or use hex(..)"
            )
    columns = [sf.col(quoted(key.name)) for key in keys]
    labels = [as_text(sf.col(quoted(each.name)), each.dataType).alias(f"kanon#label{n}") for n, each in enumerate(texts, 1)]
    table = grouped(source, keys).select(*columns, *labels, sf.col(quoted(COUNT))).toArrow()
    parts = [_whole(column) for column in table.columns]
    names = table.column_names
    person = None if policy.people is None else same_name(policy.people.per)
    for place, name in enumerate(policy.measured, 1):
        codes = codes_in_order(parts[len(policy.quasi_identifiers) + place - 1])
        parts.append(_as_bytes(codes) if same_name(name) == person else pa.array(codes))
        names.append(f"kanon#equal{place}")
    return pa.StructArray.from_arrays(parts, names)


def _as_bytes(codes: Int32) -> pa.Array:
    """Return codes of people as bytes in the same order, which a keyed hash takes."""
    import pyarrow as pa

    big_endian = pa.py_buffer(codes.astype(">u4").tobytes())
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(4), len(codes), [None, big_endian])


def named_tables(spark: SparkSession, policy: Policy) -> tuple[pa.ChunkedArray, ...]:
    """Return the tables that a policy names, each a list of its rows as texts.

    Raises
    ------
    PolicyError
        When a name of two parts is no table: Spark would read csv.`pay.csv` as a file.
    """
    import pyarrow as pa
    from pyspark.sql import functions as sf

    found = []
    for name in policy.tables:
        parts = name_parts(name)
        if len(parts) == 2 and not spark.catalog.tableExists(joined(parts)):
            raise PolicyError(
                f"{name} is not a table in the session; hint: create a view from spark.read.csv(...) and pass its name"
            )
        table = spark.table(joined(parts))
        rows = table.select([sf.col(quoted(each)).cast("string").alias(each) for each in table.columns]).toArrow()
        values = pa.StructArray.from_arrays([_whole(column) for column in rows.columns], rows.column_names)
        mask = None if len(values) else pa.array([True])
        offsets = pa.array([0, len(values)], pa.int32())
        found.append(pa.chunked_array([pa.ListArray.from_arrays(offsets, values, mask=mask)]))
    return tuple(found)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        if whole.num_chunks > 1:
            raise SourceError(
                "the strings in a column use 2 GiB or more in total; hint: release by parts, or generalize the column"
            )
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)
    return whole
