"""Tables between two steps of a release: what executors found is read from files, and never computed again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kanon_sql.engines.spark.connect.failures import safe_errors
from kanon_sql.engines.spark.connect.names import fresh, joined, name_parts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """Where the tables between two steps lie; they hold row types as the source has them, or whose each released row is."""

    spark: SparkSession  # the session
    schema: tuple[str, ...]  # the parts of the name of their schema
    _names: list[str] = field(default_factory=list)

    def written(self, frame: DataFrame) -> str:
        """Write a frame, and return the quoted name of its table."""
        name = joined([*self.schema, fresh("scratch")])
        self._names.append(name)
        frame.write.format("parquet").saveAsTable(name)
        return name

    def kept(self, frame: DataFrame) -> DataFrame:
        """Write a frame, and return one that reads what was written."""
        return self.spark.table(self.written(frame))

    def drop(self) -> None:
        """Drop all that was written."""
        for name in self._names:
            self.spark.sql(f"DROP TABLE IF EXISTS {name}")


@contextmanager
def scratch(spark: SparkSession, schema: str | None) -> Iterator[Scratch]:
    """Give a place for tables, by default in the current schema; they are dropped in the end, also if a release fails."""
    home = name_parts(schema) if schema else [spark.catalog.currentDatabase()]
    found = Scratch(spark=spark, schema=tuple(home))
    try:
        yield found
    finally:
        with safe_errors("dropping intermediate tables"):
            found.drop()
