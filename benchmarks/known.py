"""Guarantees by any m known columns: what they lose, how far from the bound, and in what time, beside all columns known."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks import generated
from benchmarks.data import table

RELEASES = (
    ("Adult", (1, 2, 3, 4, None)),
    ("answers", (1, 2, 3, None)),
    ("histories", (1, 2, 3, None)),
    ("traits", (1, 2, None)),
    ("traits, 100,000 rows", (1, 2)),
)
"""The tables, and how many columns are known; None is all of them."""

KS = (5, 10)


def measure(ks: tuple[int, ...], data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per release, after a run on few rows that loads the kernels."""
    with kanon_sql.connect(config={"threads": 2}) as con:
        for name, known in RELEASES:
            source = _source(name, data)
            con.register("arrow", source)
            con.execute("CREATE OR REPLACE TABLE source AS FROM arrow; CREATE OR REPLACE TABLE few AS FROM source LIMIT 100")
            by = ", ".join(f'"{column}"' for column in source.column_names)
            con.execute(f"FROM few ANONYMIZE BY {by} GUARANTEE k >= 2 FOR ANY 2 COLUMNS").fetchall()
            for k in ks:
                for size in known:
                    yield _released(con, name, by, k, size)


def _source(name: str, data: Path) -> pa.Table:
    if name == "Adult":
        return table(name, data)
    return generated.traits(100_000) if name.startswith("traits,") else getattr(generated, name)()


def _released(con: Any, name: str, by: str, k: int, size: int | None) -> dict[str, Any]:
    known = "" if size is None else f" FOR ANY {size} COLUMNS"
    wall, cpu = time.perf_counter(), time.process_time()
    con.execute(f"CREATE OR REPLACE TABLE released AS FROM source ANONYMIZE BY {by} GUARANTEE k >= {k}{known}")
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    certificate = kanon_sql.releases(con)[-1]
    return {
        "table": name,
        "k": k,
        "known": size,
        "loss": float(certificate.cost) / certificate.cells,
        "gap": float(1 - certificate.lower_bound / certificate.cost) if certificate.cost else 0.0,
        "bound_method": certificate.bound_method,
        "smallest_class": certificate.smallest_class if size is None else certificate.smallest_class_known,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per release."""
    drawn = Table(title="Guarantees by any known columns")
    for column in ("table", "k", "known", "loss %", "gap %", "smallest class", "s", "CPU s"):
        drawn.add_column(column, justify="left" if column == "table" else "right")
    for each in records:
        drawn.add_row(
            each["table"],
            str(each["k"]),
            "all" if each["known"] is None else str(each["known"]),
            f"{100 * each['loss']:.2f}",
            f"{100 * each['gap']:.1f}",
            "" if each["smallest_class"] is None else f"{each['smallest_class']:,}",
            f"{each['seconds']:.1f}",
            f"{each['cpu_seconds']:.1f}",
        )
    console.print(drawn)
