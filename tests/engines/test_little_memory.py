"""A release under a small memory limit ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

RELEASE = """
import sys, kanon_sql
names = [f"c{n}" for n in range(8)]
with kanon_sql.connect(config={"threads": 2, "memory_limit": "200MB"}) as con:
    values = ", ".join(f"(hash(8 * i + {n}) // 7) & 1023 AS c{n}" for n in range(8))
    con.execute(f"CREATE TABLE t AS SELECT i AS id, {values} FROM range(5000) AS r(i)")
    labels = ", ".join(f"{name} IN {sys.argv[1]}" for name in names)
    con.execute(f"CREATE TABLE released AS FROM t ANONYMIZE BY {labels} GUARANTEE k >= 5 USING {sys.argv[2]}")
    classes = f"SELECT count(*) AS n FROM released GROUP BY {', '.join(names)}"
    print(con.execute(f"SELECT least(min(n), 5), sum(n) FROM ({classes})").fetchall())
"""


@pytest.mark.process
@pytest.mark.parametrize(("labels", "solver"), [("INTERVALS (100, 500)", "greedy"), ("MEANS", "auto"), ("SETS", "mondrian")])
def test_many_generalized_columns_leave_joins_their_memory(labels: str, solver: str) -> None:
    # DuckDB waits for ever, deaf to interrupts, where a statement has so many joins that some have to go to the disk.
    done = subprocess.run(
        [sys.executable, "-c", RELEASE, labels, solver], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout.endswith("[(5, 5000)]\n"), done.stderr[-500:]
