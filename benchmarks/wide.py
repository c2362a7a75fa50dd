"""Many columns, masks or levels: what the greedy and the default lose, how far from the bound, and in what time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks import generated

RELEASES = (
    ("answers", (2, 5, 10, 100), ("greedy", "auto", "auto, 15 s")),
    ("histories", (5,), ("greedy", "auto")),
    ("traits", (2, 5, 25), ("greedy", "auto")),
    ("levels", (5, 10, 100), ("greedy", "auto")),
)
"""The tables, the values of k, and the algorithms with their time limits."""


def measure() -> Iterator[dict[str, Any]]:
    """Yield one record per release; classes are counted in the released table."""
    with kanon_sql.connect(config={"threads": 2}) as con:
        for name, ks, algorithms in RELEASES:
            source: pa.Table = getattr(generated, name)()
            con.register("arrow", source)
            con.execute("CREATE OR REPLACE TABLE source AS SELECT * FROM arrow")
            items = [
                f"{column} IN INTERVALS ({', '.join(map(str, generated.LADDERS[place][1]))})"
                if name == "levels"
                else f'"{column}"'
                for place, column in enumerate(source.column_names)
            ]
            con.execute("CREATE OR REPLACE TABLE few AS FROM source LIMIT 100")
            con.execute("FROM k_anonymize('few', 2)").fetchall()
            for k in ks:
                for algorithm in algorithms:
                    yield _released(con, name, items, k, algorithm)


def _released(con: Any, name: str, items: list[str], k: int, algorithm: str) -> dict[str, Any]:
    solver, _, limit = algorithm.partition(", ")
    using = solver if not limit else f"{solver} (time_limit = {limit.removesuffix(' s')})"
    wall, cpu = time.perf_counter(), time.process_time()
    con.execute(
        f"CREATE OR REPLACE TABLE released AS FROM source ANONYMIZE BY {', '.join(items)} GUARANTEE k >= {k} USING {using}"
    )
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    certificate = kanon_sql.releases(con)[-1]
    rows, columns = con.execute("SELECT count(*) FROM released").fetchall()[0][0], len(items)
    smallest = con.execute("SELECT min(n) FROM (SELECT COLUMNS(*), count(*) AS n FROM released GROUP BY ALL)").fetchall()[0][0]
    return {
        "table": name,
        "rows": rows,
        "columns": columns,
        "k": k,
        "algorithm": algorithm,
        "loss": float(certificate.cost) / rows / columns,
        "gap": float(1 - certificate.lower_bound / certificate.cost) if certificate.cost else 0.0,
        "bound_method": certificate.bound_method,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "smallest_class": smallest,
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per release."""
    drawn = Table(title="Many columns, masks or levels")
    for column in ("table", "rows", "columns", "k", "algorithm", "loss %", "gap %", "s", "CPU s", "smallest class"):
        drawn.add_column(column, justify="left" if column in ("table", "algorithm") else "right")
    for each in records:
        drawn.add_row(
            each["table"],
            f"{each['rows']:,}",
            str(each["columns"]),
            str(each["k"]),
            each["algorithm"],
            f"{100 * each['loss']:.2f}",
            f"{100 * each['gap']:.1f}",
            f"{each['seconds']:.1f}",
            f"{each['cpu_seconds']:.1f}",
            f"{each['smallest_class']:,}",
        )
    console.print(drawn)
