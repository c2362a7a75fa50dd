"""One protected table in a process of its own, so that its peak memory is its own: prints one line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import kanon_sql
from kanon_sql.errors import KanonWarning

THREADS = 2

_ADULT = """CREATE TABLE source AS SELECT *, age // 10 AS age10, age // 5 AS age5 FROM '{source}'"""

_PARQUET = """CREATE TABLE source AS FROM '{source}'"""

_ZIPS, _COUNTIES, _STATES = 40_000, 3_000, 51


def main(kind: str, source: str, keys: list[str], k: int) -> dict[str, Any]:
    """Run a GROUP BY, then the same with PROTECT, and return what they took.

    Parameters
    ----------
    kind : {'adult', 'parquet', 'square', 'places'}
        What the table is made of.
    source : str
        A file, the side of a square table, or a number of rows.
    keys : list of str
        The keys: a cube of them, or for places a rollup of the first three with a cube of the others.
    k : int
        The least count.
    """
    warnings.simplefilter("ignore", KanonWarning)  # it is measured, not read
    con = kanon_sql.connect(config={"threads": THREADS})
    if kind in ("adult", "parquet"):
        con.execute((_ADULT if kind == "adult" else _PARQUET).format(source=source))
    else:
        rows = _square(int(source)) if kind == "square" else _places(int(source))
        con.register("arrow", rows)
        con.execute("CREATE TABLE source AS FROM arrow")
        con.unregister("arrow")
        del rows
    # A tiny table loads the kernels and the solvers: what a fresh process pays for that is measured elsewhere.
    con.execute("CREATE TEMP TABLE tiny AS SELECT i % 3 AS a, i % 2 AS b FROM range(20) AS t(i)")
    con.execute("SELECT a, b, count(*) AS n FROM tiny GROUP BY CUBE (a, b) PROTECT n >= 5").fetchall()
    named = [f'"{key}"' for key in keys]
    sets = f"CUBE ({', '.join(named)})"
    if kind == "places":
        sets = f"ROLLUP ({', '.join(named[:3])}), CUBE ({', '.join(named[3:])})"
    grouped = f"SELECT {', '.join(named)}, count(*) AS n FROM source GROUP BY {sets}"
    before, started = _memory("VmRSS"), time.perf_counter()
    con.execute(f"CREATE TABLE plain AS {grouped}")
    group_seconds = time.perf_counter() - started
    wall, cpu = time.perf_counter(), time.process_time()
    con.execute(f"CREATE TABLE released AS {grouped} PROTECT n >= {k}")
    took = {
        "group_seconds": group_seconds,
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "loaded_mb": before,
        "peak_mb": _memory("VmHWM"),
    }
    found = con.execute(
        "SELECT rows, primary_rows, secondary_rows, cost, lower_bound, status, seconds "
        "FROM kanon_protected_tables() ORDER BY number DESC LIMIT 1"
    ).fetchall()[0]
    names = ("rows", "primary", "secondary", "cost", "lower_bound", "status", "solver_seconds")
    took |= dict(zip(names, found, strict=True))
    took["gap"] = (took["cost"] - took["lower_bound"]) / took["cost"] if took["cost"] else 0.0
    con.close()
    return took


def _square(side: int) -> pa.Table:
    """Return rows whose counts follow a factor of each coordinate and chance."""
    random = np.random.default_rng(1)
    mean = 2 + random.normal(0, 0.7, (side, 1)) + random.normal(0, 0.7, (1, side))
    counts = random.poisson(np.exp(mean)).ravel()
    cell = np.repeat(np.arange(side * side, dtype=np.int32), counts)
    return pa.table({"a": cell // side, "b": cell % side})


def _places(rows: int) -> pa.Table:
    """Return people in zip codes of very different sizes, which are in counties and states."""
    random = np.random.default_rng(1)
    county_of = np.sort(random.integers(_COUNTIES, size=_ZIPS))
    state_of = np.sort(random.integers(_STATES, size=_COUNTIES))
    size = random.lognormal(0, 1.8, _ZIPS)
    place = random.choice(_ZIPS, rows, p=size / size.sum())
    age = random.choice(10, rows, p=np.array([12, 13, 14, 14, 13, 12, 10, 7, 4, 1]) / 100)
    county = county_of[place]
    return pa.table(
        {"state": state_of[county], "county": county, "zip": place, "age": age, "sex": random.integers(2, size=rows)}
    )


def _memory(field: str) -> float:
    """Return resident memory in MB: now (VmRSS), or the most this program ever had (VmHWM)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1]))))
