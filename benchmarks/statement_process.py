"""One statement on a large table in a process of its own, so that its peak memory is its own: prints one line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import duckdb

_GROUP = "SELECT count(*), max(n) FROM (SELECT {qi}, count(*) AS n FROM {source} GROUP BY ALL)"
_COPY = "CREATE TABLE released AS SELECT * FROM {source}"
_SHUFFLE = f"{_COPY} ORDER BY hash({{qi}})"
_NAMED = "CREATE TABLE released AS SELECT * FROM k_anonymize('{source}', {k}, qi := [{names}], algorithm := 'greedy')"
_EVERY = "CREATE TABLE released AS SELECT * FROM k_anonymize('{source}', {k}, algorithm := 'greedy')"

_DEFAULT = "CREATE TABLE released AS SELECT * FROM k_anonymize('{source}', {k})"
_OTHER = "amount"
_WITH_OTHER = f"SELECT *, CAST(hash(row_number() OVER ()) % 1000 AS INTEGER) AS {_OTHER} FROM '{{parquet}}'"
"""One column more, of whole numbers, which is no quasi-identifier."""

_OURS = "named", "every", "one more", "default"
STATEMENTS = {
    "duckdb": (_GROUP, _COPY),
    "shuffled": (_GROUP, _SHUFFLE),
    "named": (_NAMED,),
    "every": (_EVERY,),
    "one more": (_NAMED,),
    "default": (_DEFAULT,),
}


def main(name: str, parquet: str, folder: str, k: int, threads: int, memory: str = "") -> dict[str, Any]:
    """Run the statements of that name and return what they took.

    Parameters
    ----------
    name : str
        One of `STATEMENTS`.
    parquet : str
        The table.
    folder : str
        Where the database files lie; empty for databases in memory.
    k, threads : int
        Least class size, threads of DuckDB.
    memory : str
        Its memory limit, set once the table is there; empty for the default.
    """
    con = duckdb.connect(str(Path(folder) / f"{name}.duckdb") if folder else ":memory:", config={"threads": threads})
    if folder:
        con.execute(f"ATTACH '{Path(folder) / 'source.duckdb'}' AS stored (READ_ONLY)")
        source = "stored.p"
    else:
        con.execute(f"CREATE TABLE p AS {rows_of(name, parquet)}")
        source = "p"
    names = [row[0] for row in con.execute(f"DESCRIBE {source}").fetchall() if row[0] != _OTHER]
    if name in _OURS:
        import kanon_sql

        kanon_sql.register(con)
        # A tiny release loads the kernels: what a fresh process pays for that is measured elsewhere.
        con.execute("CREATE TEMP TABLE tiny AS SELECT i % 3 AS a, i % 2 AS b FROM range(20) AS t(i)")
        con.execute("SELECT * FROM k_anonymize('tiny', 2, algorithm := 'greedy')").fetchall()
    slots = {
        "source": source,
        "k": k,
        "qi": ", ".join(f'"{each}"' for each in names),
        "names": ", ".join(f"'{each}'" for each in names),
    }
    if memory:
        con.execute(f"SET memory_limit = '{memory}'")
    before = _memory("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    for statement in STATEMENTS[name]:
        con.execute(statement.format(**slots)).fetchall()
    took = {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "loaded_mb": before,
        "peak_mb": _memory("VmHWM"),
    }
    hidden = " + ".join(f'(count(*) - count("{each}"))' for each in names)
    took["suppressed_cells"] = con.execute(f"SELECT {hidden} FROM released").fetchall()[0][0]
    if name in _OURS:
        took["k"] = con.execute("SELECT k FROM k_anonymity('released')").fetchall()[0][0]
        names = ("row_types", "solver_seconds", "algorithm", "lower_bound")
        found = con.execute("SELECT row_types, seconds, algorithm, lower_bound FROM kanon_releases() ORDER BY number DESC")
        took |= dict(zip(names, found.fetchall()[0], strict=True))
    con.close()
    return took


def rows_of(name: str, parquet: str) -> str:
    """Return the SELECT of the table that a work reads."""
    return (_WITH_OTHER if name == "one more" else "FROM '{parquet}'").format(parquet=parquet)


def _memory(field: str) -> float:
    """Return resident memory in MB: now (VmRSS), or the most this program ever had (VmHWM)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    line = next(line for line in status.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1]))))
