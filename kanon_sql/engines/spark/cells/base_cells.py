"""The base cells of a protected table, counted by Spark."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.engines.spark.gather.columns import by_bytes
from kanon_sql.errors import SourceError, raise_alone

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_KEYS = ("BooleanType", "ByteType", "ShortType", "IntegerType", "LongType", "DecimalType", "StringType", "DateType")
"""Types of keys: equal values of them look alike, and come back from DuckDB as they went."""

_WHOLE = ("ByteType", "ShortType", "IntegerType", "LongType")

_EXACT = ("kanon#sum", "kanon#least", "kanon#lowest", "kanon#highest", "kanon#largest")
"""Columns of numbers of a sum."""

_PEOPLE, _PERSON = "kanon#people", "kanon#person"


def base_cells(rows: DataFrame, keys: Sequence[str], sums: Sequence[str], largest: int) -> pa.Table:
    """Count the base cells of a source, by one GROUP BY, and one more for each sum whose contributions count.

    Parameters
    ----------
    rows : DataFrame
        Columns ``kanon#key0`` and so on, ``kanon#value0`` and so on, and ``kanon#person`` where people are counted.
    keys, sums : sequence of str
        What errors call them.
    largest : int
        How many of the largest contributions to each sum count.

    Raises
    ------
    SourceError
        When a key or a sum has a type that is not exact, a sum is too long, or a person has rows with different keys.
    """
    from pyspark.sql import functions as sf

    rows = rows.select(
        *[_key(rows, f"kanon#key{place}", text) for place, text in enumerate(keys)],
        *[_value(rows, f"kanon#value{place}", text) for place, text in enumerate(sums)],
        *[by_bytes(_column(name), rows.schema[name].dataType).alias(name) for name in rows.columns if name == _PERSON],
    )
    names, places = [f"kanon#key{place}" for place in range(len(keys))], range(len(sums))
    rows = rows.select("*", *[_column(f"kanon#value{place}").alias(f"kanon#low{place}") for place in places])
    people = None
    if _PERSON in rows.columns:
        rows = rows.where(_column(_PERSON).isNotNull())
        people = rows.agg(sf.count_distinct(_column(_PERSON))).collect()[0][0]
        added = [each for place in places for each in _added(place)]
        rows = rows.groupBy(*map(_column, [*names, _PERSON])).agg(sf.count(sf.lit(1)).alias("kanon#rows"), *added)
    figures = [figure for place in places for figure in _figures(place)]
    cells = rows.groupBy(*map(_column, names)).agg(sf.count(sf.lit(1)).alias(_PEOPLE), *figures)
    for place in places if largest else ():
        cells = _with_largest(cells, rows, names, place, largest)
    table = cells.toArrow()
    if people is not None and sum(table[_PEOPLE].to_pylist()) != people:
        raise SourceError(
            "a person has rows with different keys, so counts of people do not add up; nothing was released; hint: keep one "
            "row for each person, or use keys that do not change"
        )
    return _checked(table, len(sums))


def _column(name: str) -> Column:
    from pyspark.sql import functions as sf

    return sf.col(quoted(name))


def _key(rows: DataFrame, name: str, text: str) -> Column:
    kind = rows.schema[name].dataType
    if type(kind).__name__ not in _KEYS:
        raise SourceError(
            f"the key {text} has the type {kind.typeName()}, which is not exact; nothing was released; hint: cast it to STRING "
            "or DATE"
        )
    return by_bytes(_column(name), kind).alias(name)


def _value(rows: DataFrame, name: str, text: str) -> Column:
    """Return what is summed as decimals, whose sums never wrap around."""
    kind = rows.schema[name].dataType
    if type(kind).__name__ == "DecimalType":
        return _column(name)
    if type(kind).__name__ not in _WHOLE:
        raise SourceError(
            f"the sum of {text} needs whole or decimal numbers to be protected exactly; nothing was released; hint: cast its "
            "values to DECIMAL(18, 2)"
        )
    return _column(name).cast("decimal(20, 0)").alias(name)


def _added(place: int) -> list[Column]:
    """Return what the rows of a person add up to."""
    from pyspark.sql import functions as sf

    value, low = _column(f"kanon#value{place}"), _column(f"kanon#low{place}")
    return [sf.sum(value).alias(f"kanon#value{place}"), sf.min(low).alias(f"kanon#low{place}")]


def _figures(place: int) -> list[Column]:
    """Return a sum, its least value, the ends of its contributions, and how many Spark could not add up: these are NULL."""
    from pyspark.sql import functions as sf

    value, low = _column(f"kanon#value{place}"), _column(f"kanon#low{place}")
    return [
        sf.sum(value).alias(f"kanon#sum{place}"),
        sf.min(low).alias(f"kanon#least{place}"),
        sf.count(sf.when(value != 0, 1)).alias(f"kanon#some{place}"),
        sf.min(value).alias(f"kanon#lowest{place}"),
        sf.max(value).alias(f"kanon#highest{place}"),
        sf.sum(value.cast("double") * value.cast("double")).alias(f"kanon#squares{place}"),
        (sf.count(low) - sf.count(value) + sf.when(sf.sum(value).isNull() & (sf.count(low) > 0), 1).otherwise(0)).alias(
            f"kanon#lost{place}"
        ),
    ]


def _with_largest(cells: DataFrame, rows: DataFrame, names: list[str], place: int, largest: int) -> DataFrame:
    """Return base cells with the largest contributions to a sum, found by a window that keeps no more of them."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sf

    value, found = _column(f"kanon#value{place}"), f"kanon#largest{place}"
    window = Window.partitionBy(*map(_column, names)).orderBy(value.desc())
    ranked = rows.where(value.isNotNull()).select(*map(_column, names), value, sf.row_number().over(window).alias("kanon#rank"))
    top = ranked.where(_column("kanon#rank") <= largest).groupBy(*map(_column, names))
    tops = top.agg(sf.sort_array(sf.collect_list(value), asc=False).alias(found))
    tops = tops.select(*[_column(name).alias(f"{name} of top") for name in names], _column(found))
    same = [_column(name).eqNullSafe(_column(f"{name} of top")) for name in names]
    joined = cells.join(tops, reduce(lambda one, other: one & other, same), "left")
    return joined.drop(*[f"{name} of top" for name in names])


def _checked(table: pa.Table, sums: int) -> pa.Table:
    """Return base cells with whole numbers as such; a sum that is too long is an error, and not NULL."""
    import pyarrow as pa
    import pyarrow.compute as pc

    too_long = SourceError(
        "a sum has more than 18 digits; nothing was released; hint: round its values, or sum them in thousands"
    )
    for place in range(sums):
        if pc.max(table[f"kanon#lost{place}"]).as_py():
            raise too_long
        table = table.drop_columns([f"kanon#lost{place}"])
    for place, name in enumerate(table.column_names):
        kind = _whole(table.schema.field(name).type) if name.startswith(_EXACT) else None
        if kind is not None:
            try:
                table = table.set_column(place, name, table[name].cast(kind))
            except pa.ArrowInvalid:
                raise_alone(too_long)
    return table


def _whole(kind: Any) -> Any:
    """Return the type of whole numbers for decimals without places, also in lists; None for any other type."""
    import pyarrow as pa

    if pa.types.is_list(kind):
        inner = _whole(kind.value_type)
        return None if inner is None else pa.list_(inner)
    return pa.int64() if pa.types.is_decimal(kind) and kind.scale == 0 else None
