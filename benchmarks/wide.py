"""Many columns: more masks than can be listed, with a time limit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks import data

TIME_LIMIT = 60
COLUMNS = 60
ROWS = 10_000

_RELEASE = "CREATE OR REPLACE TABLE released AS SELECT * FROM k_anonymize('source', $k, time_limit := $limit)"


def measure(ks: tuple[int, ...] = (2, 5, 25)) -> Iterator[dict[str, Any]]:
    """Yield one record per k."""
    with kanon_sql.register(duckdb.connect(config={"threads": 2})) as con:
        con.register("arrow", data.wide(COLUMNS, ROWS))
        con.execute("CREATE TABLE source AS SELECT * FROM arrow")
        con.execute("CREATE TABLE tiny AS SELECT * FROM source LIMIT 100")
        con.execute("SELECT * FROM k_anonymize('tiny', 2)").fetchall()
        for k in ks:
            wall, cpu = time.perf_counter(), time.process_time()
            con.execute(_RELEASE, {"k": k, "limit": TIME_LIMIT})
            seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
            smallest, classes = con.execute("SELECT k, classes FROM k_anonymity('released')").fetchall()[0]
            share = con.execute("SELECT suppressed_share FROM utility('released', 'source')").fetchall()[0][0]
            yield {
                "rows": ROWS,
                "columns": COLUMNS,
                "k": k,
                "time_limit": TIME_LIMIT,
                "seconds": seconds,
                "cpu_seconds": cpu_seconds,
                "suppressed_share": share,
                "classes": classes,
                "smallest_class": smallest,
                "strictly_k_anonymous": smallest >= k,
            }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per k."""
    drawn = Table(title=f"{ROWS:,} rows x {COLUMNS} columns, all 2^{COLUMNS} masks, time limit {TIME_LIMIT} s")
    for column in ("k", "s", "CPU s", "suppressed %", "classes", "smallest class", "strictly k-anonymous"):
        drawn.add_column(column, justify="right")
    for each in records:
        drawn.add_row(
            str(each["k"]),
            f"{each['seconds']:.2f}",
            f"{each['cpu_seconds']:.2f}",
            f"{100 * each['suppressed_share']:.1f}",
            f"{each['classes']:,}",
            f"{each['smallest_class']:,}",
            "yes" if each["strictly_k_anonymous"] else "NO",
        )
    console.print(drawn)
