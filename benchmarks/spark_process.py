"""One release in a process of its own, whose memory is then its own: prints one line of JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.spark import K


class Children:
    """The peak memory of the processes that this one starts: the JVM, and the Python workers together."""

    def __init__(self) -> None:
        self.jvm = self.workers = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            sizes = {"java": 0, "python": 0}
            for each in psutil.Process().children(recursive=True):
                try:
                    kind = "java" if each.name() == "java" else "python"
                    sizes[kind] += each.memory_info().rss
                except psutil.Error:
                    continue
            self.jvm, self.workers = max(self.jvm, sizes["java"] / 1e6), max(self.workers, sizes["python"] / 1e6)
            time.sleep(0.2)


def on_duckdb(parquet: str) -> dict[str, Any]:
    """Release by DuckDB from file to file."""
    import duckdb

    import kanon_sql

    with kanon_sql.register(duckdb.connect(config={"threads": 2})) as con, tempfile.TemporaryDirectory() as folder:
        con.execute(f"CREATE VIEW p AS FROM '{parquet}'")
        names = [row[0] for row in con.execute("DESCRIBE p").fetchall()]
        started = time.perf_counter()
        source = "SELECT * FROM k_anonymize('p', $k, qi := $qi, algorithm := 'greedy')"
        con.execute(f"COPY ({source}) TO '{folder}/released.parquet'", {"k": K, "qi": names})
        return {"seconds": time.perf_counter() - started, **_told(kanon_sql.releases(con)[-1]), "shuffle_mb": 0}


def on_spark(parquet: str, at_once: int | None) -> dict[str, Any]:
    """Release by Spark from file to file, on two cores."""
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    from pyspark.sql import SparkSession

    import kanon_sql.spark

    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "spark.driver.memory": "3g",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "8",
            "spark.sql.warehouse.dir": folder,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
        }
        builder = SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        source = spark.read.parquet(parquet)
        source.limit(1).collect()
        started = time.perf_counter()
        more = {} if at_once is None else {"driver_row_types": at_once}
        release = kanon_sql.spark.anonymize(
            source, k=K, quasi_identifiers=source.columns, algorithm="greedy", into="released", **more
        )
        seconds = time.perf_counter() - started
        executors = spark.sparkContext._jsc.sc().statusStore().executorList(True)
        shuffled = sum(executors.apply(place).totalShuffleWrite() for place in range(executors.size()))
        classes = _counted(Path(folder) / "released", source.columns)
        found = {"seconds": seconds, **_told(release.certificate), "shuffle_mb": shuffled / 1e6, "checked_k": classes}
        spark.stop()
        return found


def _counted(folder: Path, names: list[str]) -> int:
    """Return the size of the smallest class of the written files, as DuckDB counts it."""
    import duckdb

    columns = ", ".join(f'"{name}"' for name in names)
    files = f"read_parquet('{folder}/*.parquet')"
    ((smallest,),) = duckdb.execute(f"SELECT min(n) FROM (SELECT count(*) AS n FROM {files} GROUP BY {columns})").fetchall()
    if smallest < K:
        raise AssertionError(f"a class has {smallest} rows")
    return int(smallest)


def _told(certificate: Any) -> dict[str, Any]:
    return {
        "row_types": certificate.row_types,
        "cost": int(certificate.cost),
        "bound": int(certificate.lower_bound),
        "solver_seconds": certificate.seconds,
    }


if __name__ == "__main__":
    work, parquet, at_once = sys.argv[1:]
    children = Children()
    found = on_duckdb(parquet) if work == "duckdb" else on_spark(parquet, int(at_once) if work == "parts" else None)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps({**found, "python_mb": peak, "jvm_mb": children.jvm, "workers_mb": children.workers}))
