"""Releases on Spark beside those of DuckDB: seconds, memory and shuffle of each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.data import correlated, large_adult

K = 5

AT_ONCE = 4
"""By parts, the driver takes this share of the row types at once: so it pays for what it would have to on a larger table."""

WORK = {
    "duckdb": "DuckDB, greedy",
    "spark": "Spark, greedy on the driver",
    "parts": "Spark, by parts on executors",
}


def measure(sizes: Iterable[int], data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per table, size and work.

    Parameters
    ----------
    sizes : iterable of int
        Rows.
    data : Path
        The data sets.
    """
    for rows in sizes:
        for table, parquet in (("adult", large_adult(rows, data)), ("correlated", correlated(rows))):
            row_types = 0
            for work in WORK:
                found = _run(work, parquet, max(1, row_types // AT_ONCE))
                row_types = found["row_types"]
                yield {"table": table, "rows": rows, "work": work, **found}


def _run(work: str, parquet: Path, at_once: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.spark_process", work, str(parquet), str(at_once)],
        cwd=Path(__file__).resolve().parent.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one table per table and size."""
    for key in dict.fromkeys((record["table"], record["rows"]) for record in records):
        own = [record for record in records if (record["table"], record["rows"]) == key]
        drawn = Table(title=f"{key[0]}, {key[1]:,} rows, {own[0]['row_types']:,} row types, k = {K}")
        drawn.add_column("work")
        for column in ("s", "Python MB", "JVM MB", "workers MB", "shuffle MB", "cost", "lower bound"):
            drawn.add_column(column, justify="right")
        for each in own:
            memory = [f"{each[name]:,.0f}" for name in ("python_mb", "jvm_mb", "workers_mb", "shuffle_mb")]
            drawn.add_row(WORK[each["work"]], f"{each['seconds']:.1f}", *memory, f"{each['cost']:,}", f"{each['bound']:,}")
        console.print(drawn)
