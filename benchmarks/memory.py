"""A release of mostly different rows: with memory for all of them at once, and with so little that parts are solved."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from benchmarks.data import cache
from benchmarks.scale import THREADS, K, run_alone

LIMITS = ("6GB", "1GB")

_LATENT = """COPY (
    SELECT floor(100 * a * a * a * (0.85 + 0.15 * n1))::INTEGER AS zip,
           floor(80 * pow(0.7 * b + 0.3 * n2, 2))::INTEGER AS age,
           floor(16 * (0.5 * a + 0.5 * n3 * n3))::INTEGER AS education,
           floor(12 * pow(0.5 * b + 0.5 * n4, 2))::INTEGER AS job,
           floor(2 * n5)::INTEGER AS sex,
           floor(7 * pow(0.4 * b + 0.6 * n6, 2))::INTEGER AS marital,
           floor(40 * pow(n7, 9))::INTEGER AS country,
           floor(24 * (0.55 * a + 0.3 * b + 0.15 * n8))::INTEGER AS income
    FROM (
        SELECT {shares}
        FROM range({rows}) AS t(i)
    )
) TO '{path}' (FORMAT parquet)"""
"""Eight columns that follow two hidden factors, a and b, each with noise of its own."""


def latent(rows: int) -> Path:
    """Return a Parquet file of rows that follow two hidden factors, made when it is first asked for."""
    path = cache() / f"latent_{rows}.parquet"
    if not path.exists():
        names = ("a", "b", *(f"n{number}" for number in range(1, 9)))
        shares = ", ".join(f"(hash(i, {place}) % 1000003) / 1000003.0 AS {name}" for place, name in enumerate(names, 1))
        unfinished = path.with_suffix(".unfinished")
        with duckdb.connect() as con:
            con.execute(_LATENT.format(shares=shares, rows=rows, path=unfinished))
        unfinished.rename(path)
    return path


def measure(rows: int) -> Iterator[dict[str, Any]]:
    """Yield one record per memory limit, for a table in a database file."""
    parquet = latent(rows)
    for limit in LIMITS:
        with tempfile.TemporaryDirectory() as folder:
            yield {"rows": rows, "work": limit, **run_alone("named", parquet, Path(folder), memory=limit)}


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one table."""
    title = f"{records[0]['rows']:,} rows x 8 columns, {records[0]['row_types']:,} row types, k = {K}, {THREADS} threads, file"
    drawn = Table(title=title)
    for column in ("memory_limit", "solver", "s", "solver s", "peak MB", "suppressed", "lower bound"):
        drawn.add_column(column, justify="left" if column == "solver" else "right")
    for each in records:
        drawn.add_row(
            each["work"],
            each["algorithm"],
            f"{each['seconds']:.1f}",
            f"{each['solver_seconds']:.1f}",
            f"{each['peak_mb']:,.0f}",
            f"{each['suppressed_cells']:,}",
            f"{each['lower_bound']:,.0f}",
        )
    console.print(drawn)
