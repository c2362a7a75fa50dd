"""A standalone cluster of Spark on this machine: release, audit, and release again while a worker dies.

Starts a master and two workers on loopback and releases a table by parts on the executors. Then it releases the table twice
more: once a worker is killed while the executors solve, once while the released rows are joined and written. All three
releases are the same. Needs ``pip install 'kanon-sql[spark]'`` and Java 17.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "KANON_SECRET": "of the example"}

import pyspark
from pyspark.sql import SparkSession

import kanon_sql.spark
from kanon_sql.solvers.budget import Moment

SPARK = Path(pyspark.__file__).parent
QI = ["zip", "age", "job"]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def started(folder: Path, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a part of the cluster; what it says goes to a file."""
    command = [str(SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1", *arguments]
    with (folder / f"{kind}_{len(list(folder.iterdir()))}.log").open("wb") as log:
        return subprocess.Popen(  # noqa: S603 - of PySpark itself
            command, cwd=folder, stdout=log, stderr=log, env={**os.environ, "SPARK_HOME": str(SPARK)}, start_new_session=True
        )


def kill(part: subprocess.Popen[bytes]) -> None:
    """Kill a part of the cluster at once, a worker with its executor."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(part.pid, signal.SIGKILL)
    part.wait()


def session(master: str, folder: Path) -> SparkSession:
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "600m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master(master).appName("kanon-sql")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def people(spark: SparkSession, folder: Path) -> Any:
    """Return a table in files, which every executor reads."""
    made = spark.sql("""
        SELECT i AS id, CAST(98100 + (i * i) % 37 AS STRING) AS zip, CAST(20 + (i * 7919) % 61 AS INT) AS age,
               concat('job ', (i * 31) % 17) AS job, CAST((i * 13) % 5 AS INT) AS visits
        FROM range(6000) AS t(i)
    """)
    made.write.parquet(str(folder / "people"))
    return spark.read.parquet(str(folder / "people"))


def differences(one: Any, other: Any) -> int:
    """Return how many rows only one of two tables has."""
    return int(one.exceptAll(other).count() + other.exceptAll(one).count())


def wait_for_executors(spark: SparkSession, number: int) -> None:
    """Wait until the cluster has so many executors; PySpark itself has no way to count them."""
    tracker = spark.sparkContext._jsc.sc().statusTracker()
    while len(tracker.getExecutorInfos()) <= number:  # the driver is one of them
        time.sleep(0.1)


def kill_in_join(worker: subprocess.Popen[bytes], warehouse: Path) -> None:
    """Kill a worker, and with it its executor, as soon as a task writes released rows, which it reads from the join."""
    while not any(warehouse.glob("kanon_staged_*/_temporary/*/_temporary/*/part-*")):
        time.sleep(0.005)
    kill(worker)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        port = free_port()
        cluster = [started(folder, "master.Master", "--port", str(port), "--webui-port", "0")]
        master = f"spark://127.0.0.1:{port}"
        try:
            time.sleep(3)
            own = ("--cores", "1", "--memory", "700m", "--webui-port", "0", master)
            workers = [started(folder, "worker.Worker", *own) for _ in range(2)]
            cluster += workers
            spark = session(master, folder)
            source = people(spark, folder)

            options: dict[str, Any] = {"k": 5, "quasi_identifiers": QI, "driver_row_types": 2000}
            first = kanon_sql.spark.anonymize(source, into="first", **options)
            print("released:", first.certificate.algorithm, "cost", first.certificate.cost, "of", first.certificate.cells)
            print("audited: k =", kanon_sql.spark.audit(first.table, quasi_identifiers=QI).k)

            def struck(moment: Moment) -> None:
                """Let one of the two workers die when a round is over: its executor is missed in the next."""
                if "executors" in moment.step:
                    kill(workers[0])

            second = kanon_sql.spark.anonymize(source, into="second", progress=struck, **options)
            print("a worker has died in a round:", workers[0].poll() is not None)
            print("rows that differ:", differences(first.table, second.table))

            workers[0] = started(folder, "worker.Worker", *own)
            cluster.append(workers[0])
            wait_for_executors(spark, 2)
            watcher = threading.Thread(target=kill_in_join, args=(workers[1], folder / "warehouse"), daemon=True)
            watcher.start()
            third = kanon_sql.spark.anonymize(source, into="third", **options)
            watcher.join(0)
            print("a worker has died in the join:", workers[1].poll() is not None)
            print("rows that differ:", differences(first.table, third.table))
            spark.stop()
        finally:
            for each in reversed(cluster):
                kill(each)


if __name__ == "__main__":
    main()
