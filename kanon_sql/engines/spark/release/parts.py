"""What executors do with a part of the row types, and the lower bound of all parts; executors have kanon-sql installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.engines.spark.connect.scratch import Scratch
from kanon_sql.engines.spark.gather.row_types import COUNT
from kanon_sql.engines.spark.release.mapping import key_name
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.by_parts.lower_bound import CHEAPEST, METHOD
from kanon_sql.solvers.instances.listing import NOTHING, least_costs
from kanon_sql.solvers.k_anonymity.greedy import cheapest_first
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.patterns import PatternSet

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SHOWN = "kanon#shown"
"""The pattern of a row type that is placed, NULL where it is left."""

PRICE = "kanon#price"
"""What a row of a row type costs at least, NULL where it fits no instance."""

Work = Callable[[pa.Table], pa.Table]


def coded_part(part: pa.Table, policy: Policy) -> CodedTable:
    """Return row types as codes: the columns of the policy in its order, then the number of rows."""
    *columns, count = (_array(column) for column in part.columns)
    names = [qi.column for qi in policy.quasi_identifiers]
    types = pa.StructArray.from_arrays(columns[: len(names)], names)
    return encode(types, np.asarray(count.cast(pa.int64())), policy)[0]


def _array(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def placing(policy: Policy, patterns: PatternSet, most: int) -> Work:
    """Return the work of a round: cheapest pattern first, in parts of at most ``most`` row types; larger ones are cut."""
    columns = len(policy.quasi_identifiers) + 1

    def place(part: pa.Table) -> pa.Table:
        table = coded_part(part.select(list(range(columns))), policy)
        shown = np.zeros(table.row_types, np.int64)
        left = np.ones(table.row_types, np.bool_)
        for start in range(0, table.row_types, most):
            here = np.arange(start, min(start + most, table.row_types))
            found = cheapest_first(table.of_row_types(here), patterns, policy.k, UNLIMITED)
            back = table.origin[here]
            shown[back], left[back] = found.shown.astype(np.int64), ~found.placed
        return part.select(list(range(columns))).append_column(SHOWN, numbers(shown, missing=left))

    return place


def pricing(policy: Policy, patterns: PatternSet) -> Work:
    """Return the work of a round of the lower bound: the cost of the cheapest instance of each row type of a part."""
    columns = len(policy.quasi_identifiers) + 1

    def price(part: pa.Table) -> pa.Table:
        table = coded_part(part.select(list(range(columns))), policy)
        found = least_costs(table, patterns, policy.k)
        if found is None:
            raise AssertionError("a search without a time limit did not finish")
        prices = np.empty(table.row_types, np.int64)
        prices[table.origin] = found
        return part.select(list(range(columns))).append_column(PRICE, numbers(prices))

    return price


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
