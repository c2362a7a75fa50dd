"""What columns that are released unchanged reveal, counted by Spark in every row: the counts that DuckDB makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.spark.connect.names import fresh, quoted, text
from kanon_sql.engines.spark.gather.columns import as_text, by_bytes, has_floats, parts
from kanon_sql.engines.spark.gather.row_types import COUNT, key_fields
from kanon_sql.engines.spark.release.mapping import HIDDEN, PIECES, Mapping, key_name, label_name
from kanon_sql.model.policy import Policy
from kanon_sql.model.unlisted import MOST_SHARED, PEOPLE_PER_VALUE
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField

_AGREED = 95
"""Percent of the other rows that have to agree before an attacker takes their value for that of a suppressed cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """What the columns that are released unchanged reveal."""

    figures: dict[str, Any]  # the counts, as `kanon_sql.certificate.exposure` reads them; before the search, those of `singled`
    fingerprint: Decimal  # of the values in these columns, in any order of the rows


def unchanged_fields(policy: Policy, fields: list[StructField]) -> list[StructField]:
    """Return the columns that are released unchanged, and about which nothing is guaranteed."""
    roles = {same_name(field.name) for field in key_fields(policy, fields)}
    return [field for field in fields if same_name(field.name) not in roles]


def released_fields_of(policy: Policy, fields: list[StructField]) -> list[StructField]:
    """Return these columns, then the sensitive ones, which are released unchanged, too."""
    spelled = {same_name(field.name): field for field in fields}
    return [*unchanged_fields(policy, fields), *(spelled[same_name(name)] for name in policy.sensitive)]


def singled(source: DataFrame, policy: Policy, fields: list[StructField]) -> Exposure | None:
    """Count what the unchanged columns of a source single out; None if there are none. It needs no search.

    Parameters
    ----------
    source : DataFrame
        The source, which is read twice.
    policy : Policy
        Resolved.
    fields : list of StructField
        The columns of the source.

    Notes
    -----
    Values are distinguished by 64 bits of a hash. O(n c) for n rows and c columns.
    """
    from pyspark.sql import functions as sf

    shown, unchanged = released_fields_of(policy, fields), unchanged_fields(policy, fields)
    if not shown:
        return None
    together = [_together(shown), _together(unchanged or shown)]
    cells = source.select(
        sf.array(*together, *(sf.xxhash64(*_looks(field)) for field in shown)).alias("v"),
        _person(policy, fields).alias("person"),
    )
    rows = policy.people is None
    statement = {
        "counted_people": "count(*)" if rows else "count(DISTINCT person)",
        "people": "sum(n)" if rows else "count(person)",
        "most_shared": str(min(policy.hidden_among, MOST_SHARED)),
        "people_per_value": str(PEOPLE_PER_VALUE),
        "columns": str(len(unchanged)),
        "sensitive": str(len(policy.sensitive)),
    }
    figures = _counted("singled", statement, cells=cells)
    seen = figures.pop("fingerprint")
    return Exposure(figures=figures | {"names": [field.name for field in unchanged]}, fingerprint=seen)


def exposure(source: DataFrame, policy: Policy, fields: list[StructField], found: Mapping, before: Exposure) -> Exposure:
    """Return what the unchanged columns of a source single out and give back.

    Parameters
    ----------
    source : DataFrame
        The source, which is read once more.
    policy, fields
        As for `singled`.
    found : Mapping
        What its row types become.
    before : Exposure
        What `singled` counted.

    Notes
    -----
    O(n c q) for n rows, c columns and q quasi-identifiers; the distinct pairs of an unchanged value and a quasi-identifier's
    are shuffled.
    """
    from pyspark.sql import functions as sf

    identifying = key_fields(policy, fields)[: len(policy.quasi_identifiers)]
    cells = source.select(
        sf.array(*(sf.xxhash64(*_looks(field)) for field in released_fields_of(policy, fields))).alias("v"),
        sf.array(*(_value(sf.col(quoted(field.name)), field.dataType) for field in identifying)).alias("x"),
    )
    counts = _counted("exposure", {"agreed": str(_AGREED)}, cells=cells, pieces=_pieces(policy, identifying, found))
    return replace(before, figures=before.figures | counts)


def _counted(statement: str, slots: dict[str, str], **tables: DataFrame) -> dict[str, Any]:
    """Return the one row of a statement about some tables."""
    views = {name: fresh(name) for name in tables}
    session = next(iter(tables.values())).sparkSession
    try:
        for name, table in tables.items():
            table.createOrReplaceTempView(views[name])
        found: dict[str, Any] = session.sql(text(statement, **slots, **views)).collect()[0].asDict(recursive=True)
        return found
    finally:
        for view in views.values():
            session.catalog.dropTempView(view)


def fingerprint(table: DataFrame, policy: Policy, fields: list[StructField]) -> Decimal | None:
    """Return the fingerprint of these columns of a table; one scan."""
    from pyspark.sql import functions as sf

    found: Decimal | None = table.select(
        sf.sum(_together(released_fields_of(policy, fields)).cast("decimal(20, 0)"))
    ).collect()[0][0]
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
    return sf.when(sf.col(quoted(field.name)).isNotNull(), sf.xxhash64(*_looks(field)))


def _looks(field: StructField) -> list[Column]:
    """Return what distinguishes values as a reader sees them: their bytes, and the sign of a zero."""
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
