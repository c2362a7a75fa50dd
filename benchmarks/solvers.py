"""All solvers on the known tables, all masks, beside the best lower bound that any of them proved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks.data import table
from kanon_sql.errors import PolicyError
from kanon_sql.solvers.registry import SOLVERS

KS = (2, 5, 10, 25)

TIME_LIMIT = 60

_WARM_ROWS = 12


def runs() -> list[tuple[str, str, float | None]]:
    """Return what is compared: its label, the name of the solver, and its time limit."""
    found: list[tuple[str, str, float | None]] = []
    for name in SOLVERS:
        limited = (f"{name}, {TIME_LIMIT} s", name, float(TIME_LIMIT))
        if name != "optimal":
            found.append((name, name, None))
        if name in ("refine", "optimal"):
            found.append(limited)
    return found


def measure(names: Iterable[str], ks: Iterable[int], data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per table, k and solver."""
    for name in names:
        source = table(name, data)
        for _, algorithm, _ in runs():  # loads the kernels
            _solved(source.slice(0, _WARM_ROWS), 2, algorithm, 1.0)
        for k in ks:
            solved = {label: _solved(source, k, algorithm, limit) for label, algorithm, limit in runs()}
            bound = max(each.get("lower_bound", 0) for each in solved.values())
            for label, each in solved.items():
                ratio = each["cost"] / bound if bound and "cost" in each else None
                about = {"table": name, "rows": source.num_rows, "columns": source.num_columns, "k": k, "solver": label}
                yield {**about, **each, "best_bound": bound, "ratio": ratio}


def _solved(source: pa.Table, k: int, algorithm: str, limit: float | None) -> dict[str, Any]:
    """Return the figures of an audited release, or why the solver refused."""
    try:
        certificate = kanon_sql.anonymize(source, k=k, algorithm=algorithm, time_limit=limit).certificate
    except PolicyError as error:
        return {"refused": str(error)}
    return {
        "cost": int(certificate.cost),
        "lower_bound": int(certificate.lower_bound),
        "status": certificate.status.value,
        "reason": certificate.reason,
        "seconds": certificate.seconds,
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one table per data set: for each k the cost, its ratio to the best bound, and the seconds."""
    for name in dict.fromkeys(record["table"] for record in records):
        own = [record for record in records if record["table"] == name]
        ks = list(dict.fromkeys(record["k"] for record in own))
        title = f"{name}: {own[0]['rows']:,} rows x {own[0]['columns']} columns, all masks; '-': refused"
        drawn = Table(title=title)
        drawn.add_column("k", justify="right")
        drawn.add_column("solver")
        for column in ("cost", "own bound", "cost / best bound", "seconds"):
            drawn.add_column(column, justify="right")
        for k in ks:
            for each in (record for record in own if record["k"] == k):
                if "refused" in each:
                    drawn.add_row(str(k), each["solver"], "-", "-", "-", "-")
                    continue
                drawn.add_row(
                    str(k),
                    each["solver"],
                    f"{each['cost']:,}",
                    f"{each['lower_bound']:,}",
                    "-" if each["ratio"] is None else f"{each['ratio']:.4f}",
                    f"{each['seconds']:.3f}",
                )
            drawn.add_section()
        console.print(drawn)
