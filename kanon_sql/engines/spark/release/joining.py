"""The released rows of a DataFrame: each row of the source with what its row type became."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.engines.spark.gather.columns import as_text, by_bytes, collation
from kanon_sql.engines.spark.gather.row_types import COUNT, key_fields
from kanon_sql.engines.spark.release.mapping import HIDDEN, PIECES, TYPE, Mapping, key_name, label_name
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

_LENGTH = "__CHAR_VARCHAR_TYPE_STRING"
"""Where Spark keeps the type of a CHAR or VARCHAR column."""


def released_fields(policy: Policy, fields: list[StructField]) -> list[StructField]:
    """Return the columns of a release, of the types that it has."""
    gone = set(map(same_name, policy.dropped))
    return [field for field in _fields_with_people(policy, fields) if same_name(field.name) not in gone]


def _fields_with_people(policy: Policy, fields: list[StructField]) -> list[StructField]:
    from pyspark.sql.types import StringType, StructField

    texts = set(map(same_name, policy.generalized))
    if policy.suppress is not None:
        texts |= {same_name(qi.column) for qi in policy.quasi_identifiers}
    return [StructField(each.name, StringType()) if same_name(each.name) in texts else each for each in fields]


def released_rows(source: DataFrame, policy: Policy, fields: list[StructField], found: Mapping, key: bytes) -> DataFrame:
    """Return the released rows, with the column that tells people apart; see `without_people`.

    Parameters
    ----------
    source : DataFrame
        The source, which is read once more, and twice where row types are split.
    policy : Policy
        Resolved.
    fields : list of StructField
        The columns of the source.
    found : Mapping
        What its row types became.
    key : bytes
        Decides which rows of a split row type go where.

    Notes
    -----
    Rows of the source without a row type are left out, and the audit misses them.
    """
    from pyspark.sql import functions as sf

    keys = key_fields(policy, fields)
    rows = _select(_joined(source, found.whole, keys), policy, fields, sf.col(quoted(HIDDEN)), _label)
    if found.split is not None:
        drawn = _drawn(_joined(source, found.split, keys), fields, key)
        piece = sf.col("`kanon#piece`")
        split = _select(drawn, policy, fields, piece["hidden"], lambda place: piece[label_name(place)])
        rows = rows.unionByName(split)
    return rows


def without_people(rows: DataFrame, policy: Policy, fields: list[StructField]) -> DataFrame:
    """Return released rows as they are published: without the column that tells people apart.

    Notes
    -----
    They are shuffled by a hash of what they show, so neither their order nor their files say what is suppressed.
    """
    from pyspark.sql import functions as sf

    released = released_fields(policy, fields)
    shown = [as_text(sf.col(quoted(each.name)), each.dataType).alias(each.name) for each in released]
    content = sf.xxhash64(*shown)
    return rows.select([quoted(each.name) for each in released]).repartition(content).sortWithinPartitions(content, *shown)


def expected_classes(policy: Policy, fields: list[StructField], found: Mapping) -> DataFrame:
    """Return what each piece shows, and its rows ``kanon#n``."""
    from pyspark.sql import functions as sf

    count = sf.col(quoted(COUNT))
    rows = found.whole.select(*_shown(policy, fields, sf.col(quoted(HIDDEN)), _label), count)
    if found.split is None:
        return rows
    pieces = found.split.withColumn("kanon#piece", sf.explode(sf.col(quoted(PIECES))))
    piece = sf.col("`kanon#piece`")
    shown = _shown(policy, fields, piece["hidden"], lambda place: piece[label_name(place)])
    return rows.unionByName(pieces.select(*shown, (piece["upto"] - piece["after"]).alias(COUNT)))


def _label(place: int) -> Column:
    from pyspark.sql import functions as sf

    return sf.col(quoted(label_name(place)))


def _joined(source: DataFrame, types: DataFrame, keys: list[StructField]) -> DataFrame:
    from pyspark.sql import functions as sf

    same = [
        by_bytes(sf.col(quoted(key.name)), key.dataType).eqNullSafe(sf.col(quoted(key_name(place))))
        for place, key in enumerate(keys)
    ]
    return source.join(types, reduce(lambda one, other: one & other, same), "inner")


def _shown(policy: Policy, fields: list[StructField], hidden: Column, label: Callable[[int], Column]) -> list[Column]:
    """Return the quasi-identifiers as they are released."""
    from pyspark.sql import functions as sf

    labels = {same_name(name): place for place, name in enumerate(policy.generalized)}
    spelled = {same_name(field.name): field for field in fields}
    found = []
    for place, qi in enumerate(policy.quasi_identifiers):
        field = spelled[same_name(qi.column)]
        value = sf.col(quoted(key_name(place)))
        if same_name(qi.column) in labels:
            value = label(labels[same_name(qi.column)])
        elif policy.suppress is not None:
            value = value.cast("string")
        elif collation(field.dataType) != "UTF8_BINARY":
            value = sf.collate(value, collation(field.dataType))
        # a row without a piece shows nothing
        visible = sf.when(hidden.bitwiseAND(sf.lit(1 << place)) == sf.lit(0), value)
        if policy.suppress is not None:
            suppressed = hidden.bitwiseAND(sf.lit(1 << place)) != sf.lit(0)
            visible = sf.when(suppressed, sf.lit(policy.suppress)).otherwise(visible)
        found.append(visible.alias(field.name))
    return found


def _select(
    rows: DataFrame, policy: Policy, fields: list[StructField], hidden: Column, label: Callable[[int], Column]
) -> DataFrame:
    from pyspark.sql import functions as sf

    names = [same_name(qi.column) for qi in policy.quasi_identifiers]
    shown = dict(zip(names, _shown(policy, fields, hidden, label), strict=True))
    return rows.select(
        [
            shown.get(same_name(field.name), sf.col(quoted(field.name))).alias(field.name, metadata=_metadata(field))
            for field in _fields_with_people(policy, fields)
        ]
    )


def _metadata(field: StructField) -> dict[str, str]:
    """Return what stays of the metadata of a column, which may list values: the length of its texts."""
    return {name: value for name, value in field.metadata.items() if name == _LENGTH}


def _drawn(rows: DataFrame, fields: list[StructField], key: bytes) -> DataFrame:
    """Return rows of split row types, each with its piece ``kanon#piece``.

    Which rows go where follows a keyed hash of what they hold and of the number of their copy. The key comes as a value of a
    column: it is part of no plan.
    """
    import pyarrow as pa
    from pyspark.sql import Window
    from pyspark.sql import functions as sf

    keyed = rows.sparkSession.createDataFrame(pa.table({"kanon#key": pa.array([key], pa.binary())}))
    rows = rows.crossJoin(sf.broadcast(keyed))
    texts = [as_text(sf.col(quoted(field.name)), field.dataType) for field in fields]
    parts = [sf.coalesce(sf.concat(sf.length(text).cast("string"), sf.lit(":"), text), sf.lit("-")) for text in texts]
    number, secret = sf.col(quoted(TYPE)), sf.col("`kanon#key`")
    rows = rows.withColumn("kanon#content", sf.sha2(sf.concat(*parts).cast("binary"), 256))
    content = sf.col("`kanon#content`")
    copies = Window.partitionBy(number, content).orderBy(content.asc_nulls_last())
    rows = rows.withColumn("kanon#copy", sf.row_number().over(copies))
    message = sf.concat(secret, content.cast("binary"), sf.col("`kanon#copy`").cast("string").cast("binary"))
    inner = sf.unhex(sf.sha2(message, 256))
    draw = sf.sha2(sf.concat(secret, inner), 256)  # both hashes begin with the key: what they hold cannot be continued
    place = sf.row_number().over(Window.partitionBy(number).orderBy(draw.asc_nulls_last()))
    rows = rows.withColumn("kanon#place", place.cast("long"))
    here = sf.col("`kanon#place`")
    piece = sf.filter(sf.col(quoted(PIECES)), lambda each: (each["after"] < here) & (here <= each["upto"]))
    return rows.withColumn("kanon#piece", sf.get(piece, sf.lit(0)))
