"""The integer program under several solvers of OR-Tools' MathOpt, on random tables and on pieces of Adult-2."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from benchmarks.data import coded, table
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.instances.ilp import Program, solve_program
from kanon_sql.solvers.instances.listing import useful
from kanon_sql.solvers.instances.neighbourhood import Neighbourhood
from kanon_sql.solvers.instances.search_space import RowSearchSpace
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Prices

BACKENDS = ("GSCIP", "HIGHS", "CP_SAT")

TIME_LIMIT = 20

ROWS = (60, 100, 150)

KS = (3, 5)

_COLUMNS, _VALUES = 5, 4

_SEED = 5


def program_of(source: pa.Table, k: int) -> Program:
    """Return the integer program that finds a cheapest k-anonymous release of a table, all masks permitted."""
    policy = Policy.of(k=k, quasi_identifiers=source.column_names)
    types = coded(source, policy)
    patterns = permitted(types, policy)
    instances = useful(types, patterns, k, slack=None)
    if instances is None:
        raise AssertionError("the table has too many instances to list; hint: fewer rows or columns")
    space = RowSearchSpace.of(types, patterns, k, instances, Prices(price=np.zeros(types.row_types, np.int64), scale=1))
    return Neighbourhood.of(space, space.empty(), np.arange(types.row_types), types.weight).program


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per program and back end."""
    for name, source in _sources(data):
        for k in KS:
            program = program_of(source, k)
            for backend in BACKENDS:
                about = {"table": name, "rows": source.num_rows, "columns": source.num_columns, "k": k}
                size = {"pairs": len(program.group), "instances": len(program.cost)}
                yield {**about, **size, "backend": backend, **_solved(program, backend)}


def _sources(data: Path) -> Iterator[tuple[str, pa.Table]]:
    random = np.random.default_rng(_SEED)
    for rows in ROWS:
        yield "random", pa.table({f"c{place}": random.integers(0, _VALUES, rows) for place in range(_COLUMNS)})
    if not (data / "adult_full.csv.gz").exists():
        return
    adult = table("Adult-2", data)
    # Neighbours in this order look alike, as the rows of a neighbourhood do.
    ordered = adult.sort_by([(name, "ascending") for name in reversed(adult.column_names)])
    for rows in ROWS:
        yield "Adult-2, a piece", ordered.slice(int(random.integers(ordered.num_rows - rows)), rows)


def _solved(program: Program, backend: str) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        outcome = solve_program(program, seconds=TIME_LIMIT, backend=backend)
    except (RuntimeError, ValueError) as error:  # what MathOpt raises for a back end that cannot take the program
        return {"skipped": str(error)}
    return {
        "cost": None if outcome.assignment is None else outcome.assignment.cost,
        "lower_bound": outcome.bound,
        "proven": outcome.proven,
        "nodes": outcome.nodes,
        "seconds": time.perf_counter() - started,
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per program and back end."""
    drawn = Table(title=f"The integer program by back end, limit {TIME_LIMIT} s")
    drawn.add_column("table")
    for column in ("rows", "k", "pairs", "instances"):
        drawn.add_column(column, justify="right")
    drawn.add_column("back end")
    for column in ("cost", "bound", "seconds", "nodes"):
        drawn.add_column(column, justify="right")
    for each in records:
        if "skipped" in each:
            figures = [f"skipped: {each['skipped']}", "-", "-", "-"]
        else:
            cost = "-" if each["cost"] is None else f"{each['cost']:,}"
            figures = [cost, f"{each['lower_bound']:,}", f"{each['seconds']:.2f}", f"{each['nodes']:,}"]
        sizes = [f"{each[what]:,}" for what in ("rows", "k", "pairs", "instances")]
        drawn.add_row(each["table"], *sizes, each["backend"], *figures, end_section=each["backend"] == BACKENDS[-1])
    console.print(drawn)
