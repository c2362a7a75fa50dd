"""Protected tables of counts: what is suppressed, what is proven, and what it takes beside the same GROUP BY alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.data import large_adult

K = 5

_ADULT = (
    "age10, sex, race",
    "workclass, marital-status, sex",
    "occupation, sex, race",
    "education, sex, race",
    "education, occupation, sex",
    "education, occupation, sex, race",
    "education, occupation, sex, race, age10",
    "education, occupation, sex, race, age5, native-country",
)
"""Keys of cubes of Adult; age10 and age5 are ages in steps of so many years."""

_SIDES = (10, 20, 50, 100, 200, 300, 1000)
"""Coordinates of square tables of random counts."""

_PEOPLE = 600_000
"""Rows of the table of places."""

_MANY = 10_000_000
"""Rows like those of Adult of the largest source."""


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per table, each in a process of its own."""
    adult = str(data / "adult_full.csv.gz")
    for keys in _ADULT:
        yield run_alone(f"Adult: {keys}", "adult", adult, keys.split(", "))
    for side in _SIDES:
        yield run_alone(f"{side} x {side}", "square", str(side), ["a", "b"])
    yield run_alone("zip < county < state x age x sex", "places", str(_PEOPLE), ["state", "county", "zip", "age", "sex"])
    keys = ["education", "occupation", "sex", "race"]
    yield run_alone("10 million rows: education, occupation, sex, race", "parquet", str(large_adult(_MANY, data)), keys)


def run_alone(table: str, kind: str, source: str, keys: list[str]) -> dict[str, Any]:
    """Return what protecting a table takes in a process of its own; see `cells_process`."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.cells_process", json.dumps({"kind": kind, "source": source, "keys": keys, "k": K})],
        cwd=Path(__file__).resolve().parent.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {"table": table, **json.loads(done.stdout)}


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per table."""
    drawn = Table(title=f"GROUP BY ... PROTECT n >= {K}: whole statements, each in a process of its own")
    drawn.add_column("table")
    for column in (
        "rows",
        "primary",
        "secondary",
        "bound",
        "gap %",
        "GROUP BY s",
        "s",
        "CPU s",
        "solver s",
        "peak MB",
        "before",
    ):
        drawn.add_column(column, justify="right")
    for each in records:
        drawn.add_row(
            each["table"],
            f"{each['rows']:,}",
            f"{each['primary']:,}",
            f"{each['secondary']:,}",
            f"{each['lower_bound']:,}",
            f"{100 * each['gap']:.1f}",
            f"{each['group_seconds']:.2f}",
            f"{each['seconds']:.1f}",
            f"{each['cpu_seconds']:.1f}",
            f"{each['solver_seconds']:.1f}",
            f"{each['peak_mb']:,.0f}",
            f"{each['loaded_mb']:,.0f}",
        )
    console.print(drawn)
