"""Releases of more row types than the driver takes: executors place them in rounds, the driver what is left.

It is `kanon_sql.solvers.by_parts` with groups of Spark for parts: any division into parts is sound, and one by columns that are
nearly always shown costs little.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kanon_sql.certificate import Certificate
from kanon_sql.certificate.certify import certified
from kanon_sql.engines.pieces import PlainPieces
from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.engines.spark.connect.scratch import Scratch
from kanon_sql.engines.spark.gather.row_types import grouped, key_fields
from kanon_sql.engines.spark.release.mapping import HIDDEN, Mapping, key_name, mapping
from kanon_sql.engines.spark.release.parts import SHOWN, coded_part, lower_bound, placing, rows_of
from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.solvers import by_parts
from kanon_sql.solvers.budget import Budget, Progress
from kanon_sql.solvers.by_parts.greedy import PARTS, SETS, cheaper
from kanon_sql.solvers.by_parts.keys import KeyColumns
from kanon_sql.solvers.feasibility import feasible_requirement
from kanon_sql.solvers.instances.sampled import sampled_patterns
from kanon_sql.solvers.k_anonymity import greedy
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet, permitted
from kanon_sql.table.recoding import Recoding, row_cost

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

_SAMPLE = 1 << 16
"""Row types of the sample that tells which columns are shown nearly always."""

_TIMES = 12
"""How often classes are taken back, each time twice as many, before the rows count as impossible to place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A source that is solved by parts."""

    source: DataFrame
    policy: Policy  # resolved, and `divisible`
    fields: list[StructField]  # the columns of the source
    most: int  # row types that the driver takes at once
    scratch: Scratch  # takes what lies between two rounds
    progress: Progress  # hears between two rounds

    def solve(self) -> tuple[Mapping, Certificate]:
        """Return what the row types become, and the certificate.

        Raises
        ------
        InfeasibleError
            When rows fit no permitted pattern with k - 1 others.

        Notes
        -----
        A GROUP BY of the source; for each round a shuffle of the row types that are left; for the lower bound a GROUP BY and a
        join for each column. The driver holds ``most`` row types, and a sample.
        """
        from pyspark.sql import functions as sf

        started = time.monotonic()
        policy, keys = self.policy, key_fields(self.policy, self.fields)
        budget = Budget.of(policy, self.progress)
        names = [sf.col(quoted(key.name)).alias(key_name(place)) for place, key in enumerate(keys)]
        types = self.scratch.kept(grouped(self.source, keys).select(*names, rows_of()))
        row_types, rows = (int(each) for each in types.agg(sf.count(sf.lit(1)), sf.sum(rows_of())).collect()[0])
        sample = coded_part(types.orderBy(sf.xxhash64(*self._keys()).asc_nulls_last()).limit(_SAMPLE).toArrow(), policy)
        replace(sample, weight=np.array([rows])).refuse_fewer(policy.k)
        patterns = permitted(sample, policy)
        tried = patterns if patterns.listed else sampled_patterns(sample)
        placed, left = self._rounds(types, row_types, sample, tried, budget)
        placed, rest, recoding = self._rest(placed, left, sample, patterns, budget)
        bound, method = lower_bound(
            types, sample, policy, patterns, self._buckets(row_types), self.scratch, hurry=budget.over()
        )
        found = self._mapping(placed, sample, rest, recoding)
        shown, count = self._by_pattern(placed, recoding)
        summary = replace(sample, weight=count, origin=count, codes=np.zeros((len(count), len(sample.columns)), np.int32))
        everything = Recoding(row_type=np.arange(len(count), dtype=np.int32), shown=shown, count=count)
        certificate = certified(
            summary,
            policy,
            everything,
            algorithm=by_parts.ALGORITHM,
            reason=f"chosen automatically: {row_types:,} row types are more than the driver can process at once, {self.most:,}",
            cost=sample.exact_cost(int(row_cost(shown, sample.cost) @ count)),
            lower_bound=sample.exact_cost(bound),
            bound_method=method,
            seconds=time.monotonic() - started,
        )
        return found, replace(certificate, row_types=row_types)

    def _keys(self) -> list[Column]:
        from pyspark.sql import functions as sf

        return [sf.col(quoted(key_name(place))) for place, _ in enumerate(self.policy.quasi_identifiers)]

    def _buckets(self, row_types: int) -> int:
        """Return into how many parts row types are divided."""
        return max(1, -(-row_types // max(1, self.most // PARTS)))

    def _rounds(
        self, types: DataFrame, row_types: int, sample: CodedTable, patterns: PatternSet, budget: Budget
    ) -> tuple[list[DataFrame], DataFrame]:
        """Place row types in rounds with other keys; return those placed with what they show, and those left."""
        from pyspark.sql import functions as sf

        placed: list[DataFrame] = []
        if not patterns.cost[0]:
            placed.append(types.where(rows_of() >= self.policy.k).withColumn(SHOWN, sf.lit(int(patterns.shown[0]))))
            types = types.where(rows_of() < self.policy.k)
        left = types.count()
        if left <= self.most:
            return placed, types
        known, size = KeyColumns.of(sample, patterns, budget), max(1, self.most // PARTS)
        place_of = {qi.column: place for place, qi in enumerate(self.policy.quasi_identifiers)}
        for cheap in cheaper(sample, patterns):
            avoided: set[int] = set()
            for _ in range(SETS):
                columns = known.choose(left, size, avoided)
                avoided.update(columns)
                keys = [sf.col(quoted(key_name(place_of[name]))) for each in columns for name in sample.columns[each]]
                bucket = sf.pmod(sf.xxhash64(*(keys or self._keys())), sf.lit(self._buckets(left))).alias("kanon#bucket")
                schema = types.withColumn(SHOWN, sf.lit(None).cast("long")).schema
                work = placing(self.policy, cheap, size)
                done = types.select("*", bucket).groupBy(quoted("kanon#bucket")).applyInArrow(work, schema)
                done = self.scratch.kept(done)
                placed.append(done.where(sf.col(quoted(SHOWN)).isNotNull()))
                types = done.where(sf.col(quoted(SHOWN)).isNull()).drop(SHOWN)
                left = types.count()
                budget.report(f"{by_parts.ALGORITHM}, on executors", 1 - left / row_types)
                if left <= self.most:
                    return placed, types
                if budget.over():
                    break
            if budget.over():
                break
        return placed, types

    def _rest(
        self, placed: list[DataFrame], left: DataFrame, sample: CodedTable, patterns: PatternSet, budget: Budget
    ) -> tuple[list[DataFrame], pa.Table, Recoding | None]:
        """Solve on the driver what is left; where it fits no class, the classes nearest to it are taken back first."""
        rest = left.select(*self._keys(), rows_of()).toArrow()
        if not len(rest):
            return placed, rest, None
        lonely = rest
        for times in range(_TIMES):
            table = coded_part(rest, self.policy)
            try:
                if table.rows >= self.policy.k:
                    requirement = feasible_requirement(table, self.policy)
                    problem = Problem(table=table, patterns=_of_table(table, self.policy, patterns), requirement=requirement)
                    return placed, rest, greedy.solve(problem, budget)
            except InfeasibleError:
                if times == _TIMES - 1 or not placed:
                    raise
            for target in np.linspace(0, len(lonely) - 1, min(len(lonely), 1 << times)).astype(np.int64).tolist():
                placed, back = self._taken_back(placed, lonely.slice(target, 1), sample)
                rest = pa.concat_tables([rest, back])
        raise InfeasibleError(
            f"{how_many(table.rows, 'row does', 'rows do')} not fit into any class; hint: permit masks that show less"
        )

    def _taken_back(self, placed: list[DataFrame], target: pa.Table, sample: CodedTable) -> tuple[list[DataFrame], pa.Table]:
        """Take back the class whose rows would lose least if they looked like a row type that is left."""
        from pyspark.sql import functions as sf

        spark = self.source.sparkSession
        place_of = {qi.column: place for place, qi in enumerate(self.policy.quasi_identifiers)}
        shown = sf.col(quoted(SHOWN))
        width = len(place_of)

        def visible(unit: int) -> Column:
            return shown.bitwiseAND(sf.lit(1 << unit)) != sf.lit(0)

        def alike(unit: int, mark: str) -> Column:
            return _all(
                sf.col(quoted(key_name(place_of[name]))).eqNullSafe(sf.col(quoted(f"{mark}{place_of[name]}")))
                for name in sample.columns[unit]
            )

        every = reduce(lambda one, other: one.unionByName(other), placed)
        wanted = spark.createDataFrame(target.select(list(range(width))).rename_columns([f"kanon#w{n}" for n in range(width)]))
        cost = sf.lit(0)
        for unit, price in enumerate(sample.cost.tolist()):
            cost = cost + sf.when(visible(unit) & alike(unit, "kanon#w"), sf.lit(0)).otherwise(sf.lit(price))
        nearest = every.crossJoin(sf.broadcast(wanted)).withColumn("kanon#cost", cost)
        order = [sf.col(quoted("kanon#cost")).asc_nulls_last(), sf.xxhash64(*self._keys()).asc_nulls_last()]
        chosen = nearest.orderBy(*order).limit(1).select(*self._keys(), shown).toArrow()
        chosen = chosen.rename_columns([*(f"kanon#c{n}" for n in range(width)), "kanon#cs"])
        one = sf.broadcast(spark.createDataFrame(chosen))
        same = _all(~visible(unit) | alike(unit, "kanon#c") for unit in range(len(sample.columns)))
        same = same & (shown == sf.col(quoted("kanon#cs")))
        back = every.join(one, same, "left_semi").select(*self._keys(), rows_of()).toArrow()
        return [frame.join(one, same, "left_anti") for frame in placed], back

    def _mapping(self, placed: list[DataFrame], sample: CodedTable, rest: pa.Table, recoding: Recoding | None) -> Mapping:
        """Return what all row types become."""
        from pyspark.sql import functions as sf

        place_of = {qi.column: place for place, qi in enumerate(self.policy.quasi_identifiers)}
        hidden = sf.lit(0).cast("long")
        for unit, names in enumerate(sample.columns):
            bits = sum(1 << place_of[name] for name in names)
            suppressed = sf.col(quoted(SHOWN)).bitwiseAND(sf.lit(1 << unit)) == sf.lit(0)
            hidden = hidden + sf.when(suppressed, sf.lit(bits)).otherwise(sf.lit(0))
        columns = [*self._keys(), hidden.alias(HIDDEN), rows_of()]
        parts = [frame.select(*columns) for frame in placed]
        split = None
        if recoding is not None:
            table = coded_part(rest, self.policy)
            values = [column.combine_chunks() for column in rest.columns[:-1]]
            types = pa.StructArray.from_arrays(values, [qi.column for qi in self.policy.quasi_identifiers])
            found = mapping(self.source.sparkSession, self.policy, self.fields, types, PlainPieces.of_recoding(table, recoding))
            parts.append(found.whole.select(*self._keys(), sf.col(quoted(HIDDEN)), rows_of()))
            split = found.split
        return Mapping(whole=reduce(lambda one, other: one.unionByName(other), parts), split=split)

    def _by_pattern(self, placed: list[DataFrame], recoding: Recoding | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the patterns in use, and how many rows show each."""
        from pyspark.sql import functions as sf

        found: dict[int, int] = {}
        if placed:
            every = reduce(lambda one, other: one.unionByName(other), [frame.select(_shown(), rows_of()) for frame in placed])
            for shown, count in every.groupBy(_shown()).agg(sf.sum(rows_of())).collect():
                found[shown] = found.get(shown, 0) + count
        if recoding is not None:
            for shown, count in zip(recoding.shown.tolist(), recoding.count.tolist(), strict=True):
                found[shown] = found.get(shown, 0) + count
        order = sorted(found)
        return np.array(order, np.uint64), np.array([found[each] for each in order], np.int64)


def _shown() -> Column:
    """Return the pattern of a row type."""
    from pyspark.sql import functions as sf

    return sf.col(quoted(SHOWN))


def _all(conditions: Iterable[Column]) -> Column:
    """Return that all conditions hold."""
    return reduce(lambda one, other: one & other, conditions)


def _of_table(table: CodedTable, policy: Policy, patterns: PatternSet) -> PatternSet:
    """Return the permitted patterns in the order in which a table tries them."""
    return permitted(table, policy) if patterns.listed else patterns
