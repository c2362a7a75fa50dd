"""Whom a row of a DataFrame describes: hashes of the cells of some rows, for the answer that a release needs first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.spark.columns import by_bytes
from kanon_sql.engines.spark.names import quoted
from kanon_sql.engines.unit import GROWING, Looked, settle
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit import Unit
from kanon_sql.recognition import recognized_name
from kanon_sql.recognition.pairs import SampledRows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

_WHOLE, _DRAWN = 1 << 15, 1 << 13
"""Rows up to which all are looked at, and rows that are drawn from a larger table, about."""

_FIRST, _VARIED = 4096, 64
"""A column has many values if it has more than so many in the first rows. Others occur in enough of the drawn rows."""

_TEXTS = 200
"""Rows whose texts are looked at."""

_YEAR = 31556952
"""Seconds."""


def settled(source: DataFrame, wide: DataFrame, unit: Unit, surface: Surface) -> tuple[str, ...]:
    """Return warnings about what is counted, or refuse a release; arguments as for `settle`.

    Parameters
    ----------
    source : DataFrame
        The rows to release.
    wide : DataFrame
        The same rows with the columns that are left out; two of its columns may have one name.
    unit, surface
        As for `settle`.
    """
    sample = SampledRows.none() if unit.counts_rows_only else _sampled(wide)
    names = tuple(source.columns)
    columns = [_text(source[quoted(field.name)], field.dataType) for field in source.schema.fields]
    rows = source.select(columns).limit(_TEXTS).collect()
    texts = tuple(zip(*rows, strict=True)) if rows else ((),) * len(names)
    return settle(unit, Looked(columns=names, texts=texts), sample, surface)


def _sampled(wide: DataFrame) -> SampledRows:
    """Return hashes of all rows, or of drawn ones, and of those with some values of each column of many values."""
    from pyspark.sql import functions as sf

    names = list(wide.columns)
    cells = wide.toDF(*(f"c{place}" for place in range(len(names))))
    fields = cells.schema.fields
    first = cells.limit(_FIRST).agg(*(sf.approx_count_distinct(_hash(each.name, each.dataType)) for each in fields))
    varied = tuple(count > _VARIED for count in first.collect()[0])
    rows = cells.count()
    shift = max(0, math.floor(math.log2(rows / _DRAWN))) if rows > _WHOLE else 0
    kinds = [found.kind if (found := recognized_name(name)) else "" for name in names]
    growing = [place for place, kind in enumerate(kinds) if kind in GROWING]
    hashes = [_hash(each.name, each.dataType).alias(f"h{place}") for place, each in enumerate(fields)]
    years = [_years(f"c{place}").alias(f"y{place}") for place in growing]
    written = [
        sf.unix_seconds(sf.col(each.name).cast("timestamp")) / _YEAR
        for each, kind in zip(fields, kinds, strict=True)
        if kind != "date of birth" and type(each.dataType).__name__ in ("DateType", "TimestampType", "TimestampNTZType")
    ]
    written = [sf.coalesce(*written).alias("written")] if growing and written else []
    number = sf.xxhash64(sf.monotonically_increasing_id())
    drawn = (number.bitwiseAND(sf.lit((1 << shift) - 1)) == 0).alias("drawn")
    found = cells.select(*hashes, *years, *written, drawn)
    if shift:
        finer = sf.lit((2 << shift) - 1)
        hits = [sf.col(f"h{place}").bitwiseAND(finer) == 0 for place, many in enumerate(varied) if many]
        wanted = sf.col("drawn")
        for each in hits:
            wanted = wanted | sf.coalesce(each, sf.lit(False))
        found = found.where(wanted)
    table = found.toArrow().combine_chunks()
    columns = [table.column(f"h{place}") for place in range(len(names))]
    numbers = [each.fill_null(0).to_numpy().astype(np.int64).view(np.uint64) for each in columns]
    return SampledRows(
        names=tuple(names),
        hashes=np.stack(numbers, axis=1),
        filled=np.stack([each.is_valid().to_numpy() for each in columns], axis=1),
        drawn=table.column("drawn").to_numpy(),
        varied=varied,
        years={place: table.column(f"y{place}").to_numpy().astype(np.float64) for place in growing},
        written=table.column("written").to_numpy().astype(np.float64) if written else None,
        rows=rows,
        parts=2 << shift if shift else 1,
    )


def _hash(name: str, kind: DataType) -> Column:
    """Return the hash of a cell; NULL stays NULL. A map has no hash, and no people."""
    from pyspark.sql import functions as sf

    cell = sf.col(name)
    if "map<" in kind.simpleString() or "variant" in kind.simpleString():
        return sf.lit(None).cast("bigint")
    return sf.when(cell.isNotNull(), sf.xxhash64(by_bytes(cell, kind)))


def _years(name: str) -> Column:
    from pyspark.sql import functions as sf

    return sf.expr(f"TRY_CAST(CAST({name} AS STRING) AS DOUBLE)")


def _text(cell: Column, kind: DataType) -> Column:
    from pyspark.sql import functions as sf

    return sf.lit(None).cast("string") if type(kind).__name__ == "BinaryType" else cell.cast("string")
