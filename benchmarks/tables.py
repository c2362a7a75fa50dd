"""The experiments of section 3.5 of "Pattern-Guided k-Anonymity": four tables, all masks, k from 2 to 100.

The greedy is what the paper measures; the default, `refine`, comes next to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks.clock import warm
from benchmarks.data import coded, table
from benchmarks.plain_greedy import suppressed_cells
from benchmarks.usefulness import class_numbers, usefulness
from kanon_sql import pipeline
from kanon_sql.model.policy import Policy

ALGORITHMS = ("greedy", "refine")

_RELEASE = "SELECT * FROM k_anonymize('source', $k, algorithm := $algorithm)"
_NUMBERED = """SELECT * FROM k_anonymize('numbered', $k, qi := $qi, keep := ['row number'], algorithm := $algorithm)
    ORDER BY "row number\""""


def measure(names: Iterable[str], ks: Iterable[int], runs: int, data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per table, k and algorithm."""
    for name in names:
        source = table(name, data)
        with kanon_sql.register(duckdb.connect(config={"threads": 2})) as con:
            con.register("arrow", source)
            con.execute("CREATE TABLE source AS SELECT * FROM arrow")
            con.execute('CREATE TABLE numbered AS SELECT row_number() OVER () AS "row number", * FROM arrow')
            for k in ks:
                for algorithm in ALGORITHMS:
                    yield _record(name, con, source, k, algorithm, runs)


def _record(name: str, con: duckdb.DuckDBPyConnection, source: pa.Table, k: int, algorithm: str, runs: int) -> dict[str, Any]:
    policy = Policy.of(k=k, quasi_identifiers=source.column_names, algorithm=algorithm)
    row_types = coded(source, policy)
    solver = warm(lambda: pipeline.run(row_types, policy), runs)
    sql = warm(lambda: con.sql(_RELEASE, params={"k": k, "algorithm": algorithm}).to_arrow_table(), runs)
    numbered = con.sql(_NUMBERED, params={"k": k, "qi": source.column_names, "algorithm": algorithm}).to_arrow_table()
    released = numbered.drop(["row number"])
    number = class_numbers(released)
    sizes = np.bincount(number)
    cells = _hidden(released, source)
    if sizes.min() < k or cells != _hidden(sql.result, source) or cells != solver.result[1].suppressed_cells:
        raise AssertionError(f"{name}, k = {k}, {algorithm}: the release is not what it says; hint: run the tests")
    peer = suppressed_cells(name, k)
    return {
        "table": name,
        "rows": source.num_rows,
        "columns": source.num_columns,
        "row_types": row_types.row_types,
        "k": k,
        "algorithm": algorithm,
        "s": cells,
        "lower_bound": int(solver.result[1].lower_bound),
        "plain_greedy_s": peer,
        "difference_percent": None if peer is None else 100 * (cells - peer) / peer,
        "u": float(usefulness(source, number)),
        "h": len(sizes),
        "h_avg": source.num_rows / len(sizes),
        "h_max": int(sizes.max()),
        "solver_seconds": solver.wall,
        "solver_cpu_seconds": solver.cpu,
        "sql_seconds": sql.wall,
        "sql_cpu_seconds": sql.cpu,
    }


def _hidden(released: pa.Table, source: pa.Table) -> int:
    return sum(released.column(name).null_count - source.column(name).null_count for name in source.column_names)


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one table per data set."""
    for name in dict.fromkeys(record["table"] for record in records):
        own = [record for record in records if record["table"] == name]
        head = own[0]
        costs = ("k", "algorithm", "s", "bound", "plain greedy", "%", "u")
        drawn = Table(title=f"{name}: {head['rows']:,} rows x {head['columns']} columns, {head['row_types']:,} row types")
        for column in (*costs, "#h", "h avg", "h max", "solver s", "CPU s", "SQL s", "CPU s"):
            drawn.add_column(column, justify="right")
        for each in own:
            peer, difference = each["plain_greedy_s"], each["difference_percent"]
            drawn.add_row(
                str(each["k"]),
                each["algorithm"],
                f"{each['s']:,}",
                f"{each['lower_bound']:,}",
                "-" if peer is None else f"{peer:,}",
                "-" if difference is None else f"{difference:+.2f}",
                f"{each['u']:.3f}",
                f"{each['h']:,}",
                f"{each['h_avg']:.1f}",
                f"{each['h_max']:,}",
                *(f"{each[f'{what}_seconds']:.3f}" for what in ("solver", "solver_cpu", "sql", "sql_cpu")),
            )
        console.print(drawn)
