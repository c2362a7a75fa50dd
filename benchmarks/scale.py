"""Releases of millions of rows against what DuckDB itself takes to group and to copy the same table.

A release does not keep the order of its source, so it is also compared with a copy in an order that follows the rows alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from benchmarks.data import large_adult
from benchmarks.statement_process import rows_of

K = 5
THREADS = 2

WORK = {
    "duckdb": "DuckDB: GROUP BY + CREATE TABLE AS",
    "shuffled": "the same, ORDER BY hash(all 9 columns)",
    "default": "k_anonymize",
    "every": "k_anonymize, greedy",
    "named": "k_anonymize, greedy, qi := all 9 columns",
    "one more": "the same, and one other column",
}

_FIGURES = ("seconds", "cpu_seconds", "peak_mb")


def measure(sizes: Iterable[int], runs: int, storage: str, data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per size and work; the works take turns, so that what else the machine does meets all of them.

    Parameters
    ----------
    sizes : iterable of int
        Rows.
    runs : int
        Runs of each work; from 10 million rows on it is one.
    storage : str
        ``'memory'``: the table and the release lie in a database in memory; ``'file'``: in two database files.
    data : Path
        The data sets.
    """
    for rows in sizes:
        parquet = large_adult(rows, data)
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in WORK}
        for _ in range(1 if rows >= 10_000_000 else runs):
            for name in WORK:
                with tempfile.TemporaryDirectory() as folder:
                    found[name].append(run_alone(name, parquet, Path(folder) if storage == "file" else None))
        own = {figure: median(run[figure] for run in found["duckdb"]) for figure in _FIGURES}
        for name, taken in found.items():
            figures = {figure: median(run[figure] for run in taken) for figure in taken[0]}
            yield {
                "rows": rows,
                "storage": storage,
                "work": name,
                "statement": WORK[name],
                "runs": len(taken),
                **figures,
                **{f"{figure}_ratio": figures[figure] / own[figure] for figure in _FIGURES},
            }


def run_alone(name: str, parquet: Path, folder: Path | None, memory: str = "") -> dict[str, Any]:
    """Return what a work takes in a process of its own; ``memory`` is DuckDB's limit where it is not the default."""
    if folder is not None:
        with duckdb.connect(str(folder / "source.duckdb")) as con:
            con.execute(f"CREATE TABLE p AS {rows_of(name, str(parquet))}")
    arguments = {
        "name": name,
        "parquet": str(parquet),
        "folder": "" if folder is None else str(folder),
        "k": K,
        "threads": THREADS,
        "memory": memory,
    }
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.statement_process", json.dumps(arguments)],
        cwd=Path(__file__).resolve().parent.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one table per size and storage."""
    for rows, storage in dict.fromkeys((record["rows"], record["storage"]) for record in records):
        own = [record for record in records if (record["rows"], record["storage"]) == (rows, storage)]
        title = f"{rows:,} rows x 9 columns, k = {K}, {THREADS} threads, {storage}, median of {own[0]['runs']}"
        drawn = Table(title=title)
        drawn.add_column("work")
        for column in ("s", "ratio", "CPU s", "ratio", "peak MB", "ratio", "solver s", "suppressed"):
            drawn.add_column(column, justify="right")
        for each in own:
            ratios = [each[f"{figure}_ratio"] for figure in _FIGURES]
            drawn.add_row(
                each["statement"],
                f"{each['seconds']:.2f}",
                f"{ratios[0]:.2f}",
                f"{each['cpu_seconds']:.2f}",
                f"{ratios[1]:.2f}",
                f"{each['peak_mb']:,.0f}",
                f"{ratios[2]:.2f}",
                f"{each['solver_seconds']:.2f}" if "solver_seconds" in each else "-",
                f"{each['suppressed_cells']:,}",
            )
        console.print(drawn)
