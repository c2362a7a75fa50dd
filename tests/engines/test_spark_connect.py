"""A release over Spark Connect, where nothing of the driver is at hand but what its protocol carries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from spark_session import skip_without_spark

SCRIPT = """
from pyspark.sql import SparkSession

import kanon_sql.spark

builder = SparkSession.builder.remote("local[2]")
for name, value in {"spark.sql.shuffle.partitions": "2", "spark.sql.warehouse.dir": "warehouse"}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
source = spark.sql("SELECT i % 5 AS a, CAST(i % 7 AS DOUBLE) AS b, i % 3 AS s FROM range(97) t(i)")
release = kanon_sql.spark.anonymize(
    source, k=4, quasi_identifiers=["a", "b"], sensitive="s", l=2, into="released", algorithm="greedy"
)
found = kanon_sql.spark.sql("SELECT a, b FROM released ANONYMIZE BY a, b GUARANTEE k >= 9", into="again")
counts = kanon_sql.spark.protect(source.select("a", "s"), ["a", "s"], measures={"t": "a"}, k=7, p={"t": 5})
query = "SELECT a, s, count(*) AS n FROM released GROUP BY CUBE (a, s) PROTECT n >= 7"
print("COUNTS", counts.table.count(), kanon_sql.spark.sql(query).count(), len(kanon_sql.spark.protected_tables(spark)))
print("ROWS", release.table.count(), found.count(), type(spark).__module__, len(kanon_sql.spark.releases(spark)))
"""


@pytest.mark.everything
def test_a_release_over_connect(tmp_path: Path) -> None:
    skip_without_spark()
    pytest.importorskip("grpc", reason="Connect needs pyspark[connect]")
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert "COUNTS 24" in done.stdout, done.stderr[-3000:]
    assert "ROWS 97 97 pyspark.sql.connect.session 2" in done.stdout, done.stderr[-3000:]
