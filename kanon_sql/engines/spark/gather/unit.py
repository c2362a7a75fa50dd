"""Whom the rows of a DataFrame describe: Spark hashes the cells of some rows, the driver decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanon_sql.engines.audited_unit import AuditedUnit, unit_of_repeated
from kanon_sql.engines.sampled import DRAWN, FEWER, FIRST, TEXTS, VARIED, WHOLE, sampled
from kanon_sql.engines.spark.connect.failures import safe_errors
from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.engines.spark.gather.columns import parts
from kanon_sql.engines.unit import GROWING, Looked, repeating, settle
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit import Unit
from kanon_sql.model.validation import same_name
from kanon_sql.recognition import recognized_name
from kanon_sql.recognition.pairs import SampledRows

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

_UNHASHED = frozenset({"MapType", "VariantType"})
"""Types without a hash, in which people are not distinguished."""

_DATES = frozenset({"DateType", "TimestampType", "TimestampNTZType"})

_YEAR = 365.2425
"""Days."""


def settled_frame(shown: DataFrame, source: DataFrame, unit: Unit, surface: Surface) -> tuple[str, ...]:
    """Return warnings about what is counted in a DataFrame.

    Parameters
    ----------
    shown : DataFrame
        What is released, or the keys of a table of counts.
    source : DataFrame
        The same rows with all of their columns.

    Raises
    ------
    RepeatedPeopleError, IdentifierError, UnlistedColumnError
        As `settle`.

    Notes
    -----
    The source is read up to four times: some rows for their texts and for how many values a column has, all rows to count them
    and for the hashes.
    """
    with safe_errors("determining whom a row describes"):
        texts = tuple(tuple(column.to_pylist()) for column in _texts(shown).columns)
        sample = SampledRows.none() if unit.counts_rows_only else _sampled(source)
    looked = Looked(columns=tuple(shown.columns), texts=texts)
    return settle(unit, looked, sample, surface)


def audited_frame(frame: DataFrame, by: Sequence[str], per: str | None, *, per_row: bool) -> AuditedUnit:
    """Return what an audit of a DataFrame counts.

    Parameters
    ----------
    frame : DataFrame
        The table, which is read up to four times.
    by : sequence of str
        The quasi-identifiers.
    per : str, optional
        The column that tells people apart.
    per_row : bool
        Whether each row is a person.
    """
    from pyspark.sql import functions as sf

    if per_row:
        return AuditedUnit()

    def counted(column: str) -> tuple[int, int]:
        value = sf.col(quoted(column))
        with safe_errors("determining whom a row describes"):
            people, rows = frame.agg(sf.count_distinct(value), sf.count(value)).collect()[0]
        return people, rows

    with safe_errors("determining whom a row describes"):
        found = repeating(_sampled(frame), by, per)
    return unit_of_repeated(found, by, per, counted, "dataframe", raw=False)


def _texts(frame: DataFrame) -> pa.Table:
    """Return the texts of some rows; bytes that are no text would not arrive."""
    from pyspark.sql import functions as sf

    return frame.select(*[sf.make_valid_utf8(each.cast("string")) for each in _cells(frame)]).limit(TEXTS).toArrow()


def _cells(frame: DataFrame) -> list[Column]:
    from pyspark.sql import functions as sf

    return [sf.col(quoted(name)) for name in frame.columns]


def _sampled(source: DataFrame) -> SampledRows:
    from pyspark.sql import functions as sf

    names, seen = [], set[str]()
    for place, name in enumerate(source.columns):  # a join has several columns of one name
        names.append(f"{name}_{place}" if same_name(name) in seen else name)
        seen.add(same_name(name))
    source = source.toDF(*names)
    kinds = ((field, {type(each).__name__ for each in parts(field.dataType)}) for field in source.schema.fields)
    fields = [field for field, kind in kinds if _UNHASHED.isdisjoint(kind)]
    source = source.select(*[quoted(field.name) for field in fields])
    rows = source.count()
    if not fields or not rows:
        return SampledRows.none()
    names, cells = source.columns, _cells(source)
    first = source.select(*[sf.xxhash64(each).alias(f"h{place}") for place, each in enumerate(cells)]).limit(FIRST).toArrow()
    varied = [len(column.unique()) > VARIED for column in first.columns]
    shift = max(0, (rows // DRAWN).bit_length() - 1)
    mask, finer = ((1 << shift) - 1, (1 << shift + FEWER) - 1) if rows > WHOLE else (0, 0)
    hashed = [sf.when(each.isNotNull(), sf.xxhash64(each)).alias(f"h{place}") for place, each in enumerate(cells)]
    # equal rows have different hashes: otherwise all of them are drawn, or none
    drawn = (sf.xxhash64(sf.monotonically_increasing_id()).bitwiseAND(mask) == 0).alias("drawn")
    found = source.select(*hashed, *_ages(fields), drawn)
    kept = sf.col("drawn")
    for place, many in enumerate(varied):
        if many:
            kept = kept | (sf.col(f"h{place}").bitwiseAND(finer) == 0)
    table = found.where(kept).toArrow()
    return sampled(names, varied, dict(zip(table.column_names, table.columns, strict=True)), rows, finer + 1)


def _ages(fields: list[StructField]) -> list[Column]:
    """Return columns that grow by one each year, as numbers, and when a row was written."""
    from pyspark.sql import functions as sf

    kinds = [found.kind if (found := recognized_name(field.name)) else "" for field in fields]
    growing = [place for place, kind in enumerate(kinds) if kind in GROWING]
    if not growing:
        return []
    dates = [
        sf.datediff(sf.col(quoted(field.name)).cast("date"), sf.lit("1970-01-01").cast("date")) / _YEAR
        for field, kind in zip(fields, kinds, strict=True)
        if type(field.dataType).__name__ in _DATES and kind != "date of birth"
    ]
    numbers = [sf.col(quoted(fields[place].name)).try_cast("double").alias(f"y{place}") for place in growing]
    return [*numbers, sf.coalesce(*dates).alias("written")] if dates else numbers
