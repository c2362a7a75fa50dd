"""The row distance by parts on executors: `kanon_sql.solvers.by_parts.lower_bound`, a part for each group of values."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.engines.spark.connect.scratch import Scratch
from kanon_sql.engines.spark.gather.row_types import COUNT
from kanon_sql.engines.spark.release.mapping import key_name
from kanon_sql.engines.spark.release.part_kernels import PRICE, pricing
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.solvers.by_parts.lower_bound import CHEAPEST, METHOD
from kanon_sql.solvers.instances.listing import NOTHING
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def lower_bound(
    types: DataFrame, sample: CodedTable, policy: Policy, patterns: PatternSet, parts: int, scratch: Scratch, *, hurry: bool
) -> tuple[int, str]:
    """Return a cost below which there is no release, in units of the table, and how it is proven.

    Parameters
    ----------
    types : DataFrame
        All row types.
    sample : CodedTable
        Some of them: its columns and costs are those of the table.
    policy, patterns
        The guarantee, and the permitted patterns.
    parts : int
        Parts of a round.
    scratch : Scratch
        Takes the row types without their first columns.
    hurry : bool
        Whether time is over.

    Notes
    -----
    The columns have an order. A round has the patterns with the same first shown column: the columns before it are dropped, and
    row types that are then alike joined. Each instance lies whole in the part of its value of that column.
    """
    from pyspark.sql import functions as sf

    rows = types.agg(sf.sum(rows_of()), sf.sum(sf.when(rows_of() < policy.k, rows_of()))).collect()[0]
    cheap = _cheapest(patterns, sample, int(rows[0]), int(rows[1] or 0))
    if not patterns.listed or hurry:
        return cheap, CHEAPEST
    order = [int(each) for each in np.argsort(-sample.cardinality, kind="stable")]
    price = _prices(types, sample, policy, patterns, order, parts, scratch)
    blank = patterns.cost[patterns.shown == 0]
    least_price = sf.col(quoted(PRICE))
    if len(blank) and int(rows[0]) >= policy.k:
        least_price = sf.least(least_price, sf.lit(int(blank.min())))
    row_price = sf.when(least_price == sf.lit(NOTHING), sf.lit(0)).otherwise(least_price)
    total = price.agg(sf.sum((row_price * rows_of()).cast("decimal(38,0)"))).collect()[0][0]
    return int(total), METHOD


def rows_of() -> Column:
    """Return the number of rows of a row type."""
    from pyspark.sql import functions as sf

    return sf.col(quoted(COUNT))


def _cheapest(patterns: PatternSet, table: CodedTable, rows: int, rare: int) -> int:
    """Return what rows cost at least because no k rows look like them whole."""
    costs = patterns.cost if patterns.listed else np.append(0, table.cost)
    if costs[0]:
        return int(costs[0]) * rows
    return rare * int(costs[costs > 0].min(initial=int(table.cost.sum())))


def _prices(
    types: DataFrame,
    sample: CodedTable,
    policy: Policy,
    patterns: PatternSet,
    order: list[int],
    parts: int,
    scratch: Scratch,
) -> DataFrame:
    """Return all row types with their prices."""
    from pyspark.sql import functions as sf

    shown = np.zeros_like(patterns.shown)
    for place, column in enumerate(order):
        shown |= ((patterns.shown >> np.uint64(column)) & np.uint64(1)) << np.uint64(place)
    place_of = {qi.column: place for place, qi in enumerate(policy.quasi_identifiers)}
    levels: list[tuple[DataFrame, list[str], int]] = []
    current = types
    for first in range(len(order)):
        names = [name for unit in order[first:] for name in sample.columns[unit]]
        keys = [quoted(key_name(place_of[name])) for name in names]
        if first:
            current = scratch.kept(current.groupBy(*keys).agg(sf.sum(rows_of()).alias(COUNT)))
        levels.append((current, names, first))
    best: DataFrame | None = None
    known: list[str] = []
    for frame, names, first in reversed(levels):
        here = (shown & np.uint64((2 << first) - 1)) == np.uint64(1 << first)
        keys = [quoted(key_name(place_of[name])) for name in names]
        fitting = PatternSet(shown=shown[here] >> np.uint64(first), cost=patterns.cost[here])
        part = _narrowed(policy, names)
        ordered = frame.select(*keys, rows_of())
        if len(fitting.shown):
            unit = [quoted(key_name(place_of[name])) for name in sample.columns[order[first]]]
            bucket = sf.pmod(sf.xxhash64(*unit), sf.lit(parts)).alias("kanon#bucket")
            schema = ordered.withColumn(PRICE, sf.lit(0).cast("long")).schema
            priced = ordered.select("*", bucket).groupBy(quoted("kanon#bucket")).applyInArrow(pricing(part, fitting), schema)
        else:
            priced = ordered.withColumn(PRICE, sf.lit(NOTHING).cast("long"))
        if best is None:
            best, known = priced, keys
            continue
        above = best.select(
            *[sf.col(key).alias(f"kanon#b{place}") for place, key in enumerate(known)],
            sf.col(quoted(PRICE)).alias("kanon#above"),
        )
        same = reduce(
            lambda one, other: one & other,
            [sf.col(key).eqNullSafe(sf.col(quoted(f"kanon#b{place}"))) for place, key in enumerate(known)],
        )
        least = sf.least(sf.col(quoted(PRICE)), sf.coalesce(sf.col(quoted("kanon#above")), sf.lit(NOTHING)))
        best = priced.join(above, same, "left").select(*keys, rows_of(), least.alias(PRICE))
        known = keys
    if best is None:
        raise AssertionError("there are no columns")
    return best


def _narrowed(policy: Policy, names: list[str]) -> Policy:
    """Return a policy about some of the columns, in another order, under which they are coded alike."""
    chosen = {qi.column: qi for qi in policy.quasi_identifiers}
    linked = tuple(group for group in policy.linked if set(group) <= set(names))
    return Policy(
        quasi_identifiers=tuple(chosen[name] for name in names), requirements=(KAnonymity(k=policy.k),), linked=linked
    )
