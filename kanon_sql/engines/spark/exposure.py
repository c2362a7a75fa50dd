"""What columns that are released unchanged reveal, counted by Spark in every row: the counts of DuckDB's ``exposure.sql``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.spark.columns import as_text, by_bytes, has_floats, parts
from kanon_sql.engines.spark.mapping import HIDDEN, PIECES, Mapping, key_name, label_name
from kanon_sql.engines.spark.names import fresh, quoted
from kanon_sql.engines.spark.row_types import COUNT, key_fields
from kanon_sql.engines.spark.texts import text
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField

_AGREED = 95
"""Percent of the other rows that have to agree before an attacker takes their value for that of a suppressed cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """What the columns without a role in the guarantee reveal.

    Parameters
    ----------
    told : dict
        The counts, as `kanon_sql.certificate.exposure` reads them.
    fingerprint : Decimal
        Of the values in these columns, in any order of the rows.
    """

    told: dict[str, Any]
    fingerprint: Decimal


def unchanged_fields(policy: Policy, fields: list[StructField]) -> list[StructField]:
    """Return the columns that are released unchanged, and about which nothing is guaranteed."""
    roles = {same_name(field.name) for field in key_fields(policy, fields)}
    return [field for field in fields if same_name(field.name) not in roles]


def exposure(source: DataFrame, policy: Policy, fields: list[StructField], found: Mapping) -> Exposure | None:
    """Count what the unchanged columns of a source reveal; None if every column has a role in the guarantee.

    Parameters
    ----------
    source : DataFrame
        The source, which is read three times.
    policy : Policy
        Resolved.
    fields : list of StructField
        The columns of the source.
    found : Mapping
        What its row types become.

    Notes
    -----
    Values are told apart by 64 bits of a hash. O(n c q) for n rows, c unchanged columns and q quasi-identifiers; the distinct
    pairs of an unchanged value and a quasi-identifier's are shuffled.
    """
    from pyspark.sql import functions as sf

    unchanged = unchanged_fields(policy, fields)
    if not unchanged:
        return None
    identifying = key_fields(policy, fields)[: len(policy.quasi_identifiers)]
    cells = source.select(
        sf.array(_together(unchanged), *(sf.xxhash64(*_looks(field)) for field in unchanged)).alias("v"),
        sf.array(*(_value(sf.col(quoted(field.name)), field.dataType) for field in identifying)).alias("x"),
        _person(policy, fields).alias("person"),
    )
    lone = "count(*) = 1" if policy.people is None else "COALESCE(min(person) = max(person), true)"
    views = {"cells": fresh("cells"), "pieces": fresh("pieces")}
    try:
        cells.createOrReplaceTempView(views["cells"])
        _pieces(policy, identifying, found).createOrReplaceTempView(views["pieces"])
        statement = text("exposure", agreed=str(_AGREED), columns=str(len(unchanged)), lone=lone, **views)
        counts = source.sparkSession.sql(statement).collect()[0].asDict(recursive=True)
    finally:
        for view in views.values():
            source.sparkSession.catalog.dropTempView(view)
    names = [field.name for field in unchanged]
    # every row is counted: the table is one part, and each column, and all of them together, are counted in the whole of it
    told = {**counts, "names": names, "parts": 1, "whole": [True] * (len(names) + 1)}
    return Exposure(told=told, fingerprint=told.pop("fingerprint"))


def fingerprint(table: DataFrame, policy: Policy, fields: list[StructField]) -> Decimal | None:
    """Return the fingerprint of the unchanged columns of a table; one scan."""
    from pyspark.sql import functions as sf

    found: Decimal | None = table.select(sf.sum(_together(unchanged_fields(policy, fields)).cast("decimal(20, 0)"))).collect()[
        0
    ][0]
    return found


def _together(unchanged: list[StructField]) -> Column:
    from pyspark.sql import functions as sf

    return sf.xxhash64(*(part for field in unchanged for part in _looks(field)))


def _person(policy: Policy, fields: list[StructField]) -> Column:
    """Return the hash of the column that tells people apart; NULL if the guarantee counts rows."""
    from pyspark.sql import functions as sf

    if policy.people is None:
        return sf.lit(None)
    field = next(field for field in fields if same_name(field.name) == same_name(policy.people.per))
    return sf.xxhash64(*_looks(field))


def _looks(field: StructField) -> list[Column]:
    """Return what values are told apart by as a reader sees them: their bytes, and the sign of a zero."""
    from pyspark.sql import functions as sf

    value, kind = sf.col(quoted(field.name)), field.dataType
    # a hash passes NULL over, and takes the values inside of a nested one for a list
    seen = [by_bytes(value, kind), value.isNull()]
    return [*seen, as_text(value, kind)] if has_floats(kind) or _nested(kind) else seen


def _value(value: Column, kind: DataType) -> Column:
    """Return the hash of a quasi-identifier's cell; of 0.0 and -0.0, which are one row type, the same."""
    from pyspark.sql import functions as sf

    seen = [by_bytes(value, kind), value.isNull()]
    return sf.xxhash64(*seen, as_text(value, kind)) if _nested(kind) and not has_floats(kind) else sf.xxhash64(*seen)


def _nested(kind: DataType) -> bool:
    return any(part is not kind for part in parts(kind))


def _pieces(policy: Policy, identifying: list[StructField], found: Mapping) -> DataFrame:
    """Return for each piece its rows, and its cells: the hash of the value, and whether it is hidden."""
    from pyspark.sql import functions as sf

    labels = {same_name(name): place for place, name in enumerate(policy.generalized)}

    def cells(hidden: Column, label: Callable[[int], Column]) -> Column:
        found = []
        for place, field in enumerate(identifying):
            value = sf.col(quoted(key_name(place)))
            gone = hidden.bitwiseAND(sf.lit(1 << place)) != sf.lit(0)
            if (number := labels.get(same_name(field.name))) is not None:
                gone = gone | ~label(number).eqNullSafe(as_text(value, field.dataType))
            found.append(sf.struct(_value(value, field.dataType).alias("x"), gone.alias("hidden")))
        return sf.array(*found).alias("c")

    whole = found.whole.select(
        cells(sf.col(quoted(HIDDEN)), lambda place: sf.col(quoted(label_name(place)))), sf.col(quoted(COUNT)).alias("n")
    )
    if found.split is None:
        return whole
    piece = sf.col("`kanon#piece`")
    split = found.split.withColumn("kanon#piece", sf.explode(sf.col(quoted(PIECES))))
    rows = (piece["upto"] - piece["after"]).alias("n")
    return whole.unionByName(split.select(cells(piece["hidden"], lambda place: piece[label_name(place)]), rows))
