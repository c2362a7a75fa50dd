"""What a fresh process pays: the imports, and the first release."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

_IMPORTS = """
import json, time
def now():
    return time.perf_counter(), time.process_time()
times = [now()]
import duckdb
times.append(now())
import kanon_sql
times.append(now())
kanon_sql.register(duckdb.connect())
times.append(now())
print(json.dumps([[b - a for a, b in zip(*pair)] for pair in zip(times, times[1:])]))
"""

_RELEASE = """
import duckdb, kanon_sql
con = kanon_sql.register(duckdb.connect())
domains = [3, 5, 4, 4, 3, 2, 3, 3]
columns = ", ".join(f"c{place}" for place in range(len(domains)))
sources = ", ".join(f"range({size}) AS t{place}(c{place})" for place, size in enumerate(domains))
con.execute(f"CREATE TABLE nursery AS SELECT {columns} FROM {sources}")
con.sql("SELECT * FROM k_anonymize('nursery', 5)").to_arrow_table()
con.close()
"""

_NOTHING = "import duckdb; duckdb.connect().close()"


def measure(runs: int) -> Iterator[dict[str, Any]]:
    """Yield one record per kind of start; every run is a process of its own."""
    imports = [json.loads(_python(_IMPORTS)[2]) for _ in range(runs)]
    names = ("import duckdb", "import kanon_sql after it", "register on a connection after it")
    for name, times in zip(names, zip(*imports, strict=True), strict=True):
        yield _record(name, times)
    for name, code in (
        ("whole process: DuckDB alone, connect and close", _NOTHING),
        ("whole process: first release of Nursery", _RELEASE),
    ):
        yield _record(name, [_python(code)[:2] for _ in range(runs)])


def _record(name: str, times: Sequence[Sequence[float]]) -> dict[str, Any]:
    walls, cpus = zip(*times, strict=True)
    return {"work": name, "runs": len(times), "seconds": median(walls), "cpu_seconds": median(cpus)}


def _python(code: str) -> tuple[float, float, str]:
    """Run a script and return its seconds, its CPU seconds, and what it printed."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).resolve().parent.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per kind of start."""
    drawn = Table(title=f"fresh process, median of {records[0]['runs']}")
    drawn.add_column("work")
    drawn.add_column("s", justify="right")
    drawn.add_column("CPU s", justify="right")
    for each in records:
        drawn.add_row(each["work"], f"{each['seconds']:.3f}", f"{each['cpu_seconds']:.3f}")
    console.print(drawn)
