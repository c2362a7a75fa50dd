"""The pieces of row types on their way back to Spark: two tables, of row types released in one piece and of those split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.engines.pieces import PiecesByNumber
from kanon_sql.engines.spark.gather.row_types import COUNT, key_fields
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name
from kanon_sql.table.arrays import Int64

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructField

_BLOCK = 1 << 17
"""Row types whose pieces are spelled out together."""

HIDDEN, TYPE, PIECES = "kanon#hidden", "kanon#type", "kanon#pieces"

_BROADCAST = 64 << 20
"""Bytes up to which a mapping goes to every executor whole, so that the rows need not be shuffled to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """What rows of each row type become."""

    # row types released in one piece: the values that tell them apart (``kanon#q0``, ...), ``kanon#hidden`` (a bit for each
    # quasi-identifier that is suppressed), ``kanon#n``, their rows, and ``kanon#label0``, ... of generalized columns
    whole: DataFrame
    # the others, with a number ``kanon#type``, and ``kanon#pieces``: a list of ``after``, ``upto``, ``hidden``, labels
    split: DataFrame | None


def key_name(place: int) -> str:
    """Return the name of a column that tells row types apart."""
    return f"kanon#q{place}"


def label_name(place: int) -> str:
    """Return the name of the labels of a generalized column."""
    return f"kanon#label{place}"


def mapping(
    spark: SparkSession, policy: Policy, fields: list[StructField], types: pa.StructArray, pieces: PiecesByNumber
) -> Mapping:
    """Hand the pieces of row types to Spark.

    Parameters
    ----------
    spark : SparkSession
        Where they go.
    policy : Policy
        Resolved.
    fields : list of StructField
        The columns of the source.
    types : StructArray [t]
        The row types.

    Notes
    -----
    O(t m); the driver holds them once more as Arrow.
    """
    import pyarrow as pa

    keys = key_fields(policy, fields)
    found = [_pieces(policy, pieces, start, min(start + _BLOCK, len(types))) for start in range(0, len(types), _BLOCK)]
    every = pa.concat_tables(found).combine_chunks()
    row_type = np.from_dlpack(every.column(TYPE).combine_chunks())
    single = np.bincount(row_type, minlength=len(types))[row_type] == 1
    names = [key_name(place) for place, _ in enumerate(keys)]
    values = pa.table(types.flatten()[: len(keys)], names)
    labels = [label_name(place) for place, _ in enumerate(policy.generalized)]

    def with_columns(rows: np.ndarray, row_types: Int64, columns: list[str]) -> pa.Table:
        taken = every.take(numbers(rows))
        table = values.take(numbers(row_types))
        for column in columns:
            table = table.append_column(column, taken.column(column))
        return table

    rows = np.flatnonzero(single)
    whole = with_columns(rows, row_type[rows].astype(np.int64), [HIDDEN, "upto", *labels]).rename_columns(
        [*names, HIDDEN, COUNT, *labels]
    )
    rows = np.flatnonzero(~single)
    if not len(rows):
        return Mapping(whole=_frame(spark, whole, keys), split=None)
    first = np.flatnonzero(np.append(True, np.diff(row_type[rows]) > 0))
    parts = (
        every.take(numbers(rows))
        .select(["after", "upto", HIDDEN, *labels])
        .rename_columns(["after", "upto", "hidden", *labels])
    )
    lists = pa.ListArray.from_arrays(
        numbers(np.append(first, len(rows)).astype(np.int32)),
        pa.StructArray.from_arrays([column.combine_chunks() for column in parts.columns], parts.column_names),
    )
    split = with_columns(rows[first], row_type[rows[first]].astype(np.int64), [TYPE]).append_column(PIECES, lists)
    return Mapping(whole=_frame(spark, whole, keys), split=_frame(spark, split, keys))


def _pieces(policy: Policy, pieces: PiecesByNumber, start: int, stop: int) -> pa.Table:
    """Return the pieces of some row types as a table, in their order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = pieces.of(np.arange(start, stop))
    sizes = np.asarray(pc.list_value_length(lists))
    every = lists.flatten()
    columns = dict(zip([field.name for field in every.type], every.flatten(), strict=True))
    labels = {label_name(place): pc.list_element(columns["labels"], place) for place, _ in enumerate(policy.generalized)}
    return pa.table(
        {
            TYPE: numbers(np.repeat(np.arange(start, stop), sizes)),
            "after": columns["after"],
            "upto": columns["upto"],
            HIDDEN: numbers(_bits(columns["hidden"], policy)),
            **labels,
        }
    )


def _bits(hidden: pa.ListArray, policy: Policy) -> Int64:
    """Return a bit for each quasi-identifier that a piece hides."""
    import pyarrow as pa
    import pyarrow.compute as pc

    places = {same_name(qi.column): place for place, qi in enumerate(policy.quasi_identifiers)}
    known = pc.unique(hidden.flatten())
    bit = np.array([1 << places[same_name(name)] for name in known.to_pylist()], np.int64)
    found = np.zeros(len(hidden), np.int64)
    piece = np.repeat(np.arange(len(hidden)), np.asarray(pc.list_value_length(hidden)))
    if len(piece):
        place = np.asarray(pc.index_in(hidden.flatten(), value_set=pa.array(known)))
        np.add.at(found, piece, bit[place])
    return found


def _frame(spark: SparkSession, table: pa.Table, keys: list[StructField]) -> DataFrame:
    """Return a table as a DataFrame whose values have the types of the source, without its collations."""
    from pyspark.sql import functions as sf
    from pyspark.sql.types import StringType

    frame = spark.createDataFrame(table)
    typed = [
        sf.col(f"`{key_name(place)}`")
        .cast(StringType() if isinstance(key.dataType, StringType) else key.dataType)
        .alias(key_name(place))
        for place, key in enumerate(keys)
    ]
    rest = [sf.col(f"`{name}`") for name in table.column_names[len(keys) :]]
    typed_frame = frame.select(*typed, *rest)
    return sf.broadcast(typed_frame) if table.nbytes <= _BROADCAST else typed_frame
