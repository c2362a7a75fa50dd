"""Spark: the clause, DataFrames, the table functions, and counts by PROTECT, in a session of this process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.careless.in_python import keyed, released
from benchmarks.careless.judge import Release
from benchmarks.careless.refusals import SECRET, refusals
from benchmarks.careless.request import Request
from benchmarks.careless.table import Table
from benchmarks.careless.walk import RefusedError

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "false",
}


def installed() -> bool:
    """Whether PySpark and Java are there."""
    return find_spec("pyspark") is not None and (shutil.which("java") is not None or "JAVA_HOME" in os.environ)


def session(folder: Path) -> Any:
    """Return the session of this process, whose tables are in a folder if it is new."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").appName("careless")
    places = {
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
    }
    for name, value in (SETTINGS | places).items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("OFF")
    return found


def quoted(name: str) -> str:
    """Return a name as Spark spells it."""
    return f"`{name.replace('`', '``')}`"


def listed(names: list[str] | tuple[str, ...]) -> str:
    """Return columns as Spark lists them."""
    return ", ".join(map(quoted, names))


def array(names: list[str] | tuple[str, ...]) -> str:
    """Return names as an array of texts."""
    return f"array({', '.join(map(repr, names))})"


@contextmanager
def sparks_refusals() -> Iterator[None]:
    """Turn what the product raises into `RefusedError`; a failure of Spark is a fault."""
    try:
        with refusals():
            yield
    except RefusedError as refused:
        if refused.text.startswith("Spark failed"):
            raise RuntimeError(refused.text) from refused
        raise


class Spark:
    """The clause over a view ``people``.

    Parameters
    ----------
    folder : Path
        Where the tables of a new session are.
    """

    def __init__(self, folder: Path) -> None:
        self.spark = session(folder)
        self._asked = 0

    def prepare(self, _table: Table, random: np.random.Generator, request: Request) -> Request:
        """Ask for all columns, half of the time without naming a sensitive one."""
        return request if random.random() < 0.5 else replace(request, sensitive=None)

    def frame(self, rows: pa.Table) -> Any:
        """Return rows as a DataFrame, which is also the view ``people``."""
        found = self.spark.createDataFrame(rows)
        found.createOrReplaceTempView("people")
        return found

    def place(self) -> str:
        """Return the name of a table that is not there yet."""
        self._asked += 1
        return f"released_{os.getpid()}_{self._asked}"

    def release(self, table: Table, request: Request) -> Release:
        """Release a table, or raise `RefusedError`; there is no order of the source."""
        frame = self.frame(table.arrow)
        place = self.place()
        with sparks_refusals():
            rows = self.rows(frame, table, request, place)
        self.spark.sql(f"DROP TABLE IF EXISTS {place}")
        return released(request, rows, [each.name for each in table.columns], None)

    def rows(self, _frame: Any, table: Table, request: Request, place: str) -> pa.Table:
        """Return the rows of a release that becomes a table."""
        import kanon_sql.spark

        columns = request.columns(table)
        selected = "*" if len(columns) == len(table.columns) else listed(columns)
        per = "" if request.per is None else f" PER {quoted(request.per)}"
        diverse = "" if request.sensitive is None else f" AND l({quoted(request.sensitive)}) >= 2"
        guarantee = f"k >= {request.k}{per}{diverse} USING greedy"
        text = f"SELECT {selected} FROM people ANONYMIZE BY {listed(request.by)} GUARANTEE {guarantee}"
        return kanon_sql.spark.sql(text, into=place, secret=SECRET, session=self.spark).toArrow()


class Frames(Spark):
    """``kanon_sql.spark.anonymize`` of a DataFrame."""

    def rows(self, frame: Any, table: Table, request: Request, place: str) -> pa.Table:
        """Return the rows of a release that becomes a table."""
        import kanon_sql.spark

        columns = replace(request, dropped=()).columns(table)
        options: dict[str, Any] = {"quasi_identifiers": list(request.by), "algorithm": "greedy"}
        if request.sensitive is not None:
            options |= {"sensitive": request.sensitive, "l": 2}
        if request.per is not None:
            options["per"] = request.per
        if request.dropped:
            options["drop"] = [each for each in request.dropped if each != request.per]
        selected = frame.select(list(map(quoted, columns)))
        return kanon_sql.spark.anonymize(selected, request.k, into=place, secret=SECRET, **options).table.toArrow()


class SparkFunctions(Spark):
    """``k_anonymize(TABLE(people), ...)`` in a query of Spark."""

    def __init__(self, folder: Path) -> None:
        import kanon_sql.spark

        super().__init__(folder)
        kanon_sql.spark.register(self.spark, secret=SECRET)

    def prepare(self, _table: Table, _random: np.random.Generator, request: Request) -> Request:
        """Ask for k alone: the function has no other guarantee."""
        return replace(request, sensitive=None)

    def rows(self, _frame: Any, table: Table, request: Request, _place: str) -> pa.Table:
        """Return the rows of a query."""
        columns = [each for each in table.columns if each.name in replace(request, dropped=()).columns(table)]
        shown = [f"{_plain(each.name, each.cells)} AS {quoted(each.name)}" for each in columns]
        words = "" if request.per is None else f", per => {request.per!r}"
        if request.dropped:
            words += f", drop => {array([each for each in request.dropped if each != request.per])}"
        source = f"TABLE(SELECT {', '.join(shown)} FROM people)"
        return self.asked(f"SELECT * FROM k_anonymize({source}, {request.k}, {array(request.by)}{words})")

    def asked(self, text: str) -> pa.Table:
        """Return the rows of a query, or raise `RefusedError` with the last line of what Python raised in it."""
        from pyspark.errors import PySparkException

        try:
            return self.spark.sql(text).toArrow()
        except PySparkException as error:
            lines = [each for each in str(error).splitlines() if each.startswith("kanon_sql.")]
            if not lines or "InternalError" in lines[-1]:
                raise
            kind, _, told = lines[-1].partition(": ")
            raise RefusedError(told, kind.rpartition(".")[2]) from error


class SparkProtect(Spark):
    """Counts and a sum behind GROUP BY and PROTECT."""

    def prepare(self, _table: Table, _random: np.random.Generator, request: Request) -> Request:
        """Ask for counts by two or three keys."""
        return replace(request, by=request.by[:3], sensitive=None)

    def release(self, table: Table, request: Request) -> Release:
        """Publish counts, or raise `RefusedError`."""
        import kanon_sql.spark

        self.frame(keyed(table, request.by))
        measured = next((each for each in table.columns if each.name == request.measure), None)
        exact = measured is not None and pa.types.is_integer(measured.cells.type)
        total = f", sum({quoted(measured.name)}) AS kanon_total" if measured is not None and exact else ""
        counted, per = "count(*)", ""
        if request.per is not None:
            counted, per = f"count(DISTINCT {quoted(request.per)})", f" PER {quoted(request.per)}"
        keys = listed(request.by)
        counts = f"SELECT {keys}, {counted} AS kanon_n{total} FROM people GROUP BY CUBE ({keys})"
        with sparks_refusals():
            rows = kanon_sql.spark.sql(f"{counts} PROTECT kanon_n >= {request.k}{per}", session=self.spark).toArrow()
        return Release(rows, request.by, seen=tuple(each.name for each in table.columns), counts="kanon_n")


def _plain(name: str, cells: pa.Array) -> str:
    """Return a column as the table functions take it: moments as texts."""
    return f"CAST({quoted(name)} AS STRING)" if pa.types.is_timestamp(cells.type) else quoted(name)
