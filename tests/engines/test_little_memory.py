"""A release takes little memory, and ends where the memory limit is small."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.model.policy import Policy

RELEASE = """
import sys, kanon_sql
names = [f"c{n}" for n in range(8)]
with kanon_sql.connect(config={"threads": 2, "memory_limit": "200MB"}) as con:
    values = ", ".join(f"(hash(8 * i + {n}) // 7) & 1023 AS c{n}" for n in range(8))
    con.execute(f"CREATE TABLE t AS SELECT i AS id, {values} FROM range(5000) AS r(i)")
    labels = ", ".join(f"{name} IN {sys.argv[1]}" for name in names)
    con.execute(f"CREATE TABLE released AS FROM t ANONYMIZE BY {labels} KEEP id GUARANTEE k >= 5 USING {sys.argv[2]}")
    classes = f"SELECT count(*) AS n FROM released GROUP BY {', '.join(names)}"
    print(con.execute(f"SELECT least(min(n), 5), sum(n) FROM ({classes})").fetchall())
"""


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("labels", "solver"), [("INTERVALS (100, 500)", "greedy"), ("MEANS", "auto"), ("SETS", "mondrian")])
def test_many_generalized_columns_leave_joins_their_memory(labels: str, solver: str) -> None:
    # DuckDB waits forever, and cannot be interrupted, where a statement has so many joins that some have to go to the disk.
    done = subprocess.run(
        [sys.executable, "-c", RELEASE, labels, solver], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout.endswith("[(5, 5000)]\n"), done.stderr[-500:]


def steps(plan: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield each operator of a plan."""
    for each in plan:
        yield each
        yield from steps(each["children"])


@pytest.mark.parametrize("keep", [None, ("id",)])
def test_the_rows_of_the_source_are_not_taken_into_memory(con: duckdb.DuckDBPyConnection, keep: tuple[str, ...] | None) -> None:
    con.execute("CREATE TABLE many AS SELECT hash(i) % 900 AS zip, hash(-i) % 90 AS age, i AS id FROM range(200_000) AS r(i)")
    release = release_query("many", Policy.of(k=5, quasi_identifiers=["zip", "age"], keep=keep))
    plan = json.loads(con.execute(f"EXPLAIN (FORMAT json) {release}").fetchall()[0][1])
    joins = [step for step in steps(plan) if "zip IS NOT DISTINCT FROM" in str(step["extra_info"].get("Conditions"))]
    assert len(joins) == 1
    assert joins[0]["extra_info"]["Join Type"] == "LEFT"
    probe, build = joins[0]["children"]
    assert "many" in str(list(steps([probe])))
    assert "many" not in str(list(steps([build])))
