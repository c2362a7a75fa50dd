"""DIGITS in plain SQL: labels that tell nothing of other values, and memory as the characters of all values."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import pytest
from bounded import bounded

SQL = Path(__file__).parents[2] / "sql" / "kanon.sql"

ZIPS = "SELECT (98100 + hash(i) % 400)::VARCHAR AS zip FROM range(300) AS r(i)"

BOMBS = {
    "one long value": "CASE WHEN i = 7 THEN repeat('9', 100000) ELSE (98100 + i % 50)::VARCHAR END",
    "long values": "repeat('9', 3000) || (10000 + i)",
}


@pytest.mark.sweep
@pytest.mark.parametrize("other", ["repeat('98', 2000)", "'98123-1234'", "'9'", "''"])
def test_a_suppressed_value_leaves_no_trace_in_the_labels_of_others(con: duckdb.DuckDBPyConnection, other: str) -> None:
    con.execute(f"CREATE TABLE t AS {ZIPS} UNION ALL SELECT {other}")
    rows = con.execute("FROM pattern_guided('t', [['zip IN DIGITS (3, 1)'], []], k := 5, qi := ['zip'])").fetchall()
    found = {label for (label,) in rows}
    assert len(found) >= 4
    assert found <= {"981**", "982**", "983**", "984**", None}


@pytest.mark.everything
@pytest.mark.own_connection
def test_many_row_types_are_not_paired_with_many_labels(con: duckdb.DuckDBPyConnection) -> None:
    """A join by row types alone takes 10 seconds and 3 GB here."""
    zips = "(98000 + hash(i) % 2000)::VARCHAR AS zip"
    con.execute(f"CREATE TABLE t AS SELECT {zips}, hash(i, 1) % 90 AS age FROM range(20000) AS r(i)")
    con.execute("SET memory_limit = '500MB'; SET max_temp_directory_size = '0MB'")
    masks = "[['zip IN DIGITS (5, 4, 3)', 'age IN INTERVALS (5, 20)'], []]"
    rows = con.execute(f"FROM pattern_guided('t', {masks}, k := 5, qi := ['zip', 'age'])").fetchall()
    assert len(rows) == 20000
    assert min(Counter(rows).values()) >= 5


@pytest.mark.everything
@pytest.mark.parametrize("values", BOMBS)
def test_long_values_take_memory_as_their_characters(values: str) -> None:
    script = f"""
import duckdb
plain = duckdb.connect(config={{"threads": 2}})
plain.execute(open({str(SQL)!r}, encoding="utf-8").read())
plain.execute("CREATE TABLE t AS SELECT {BOMBS[values]} AS zip FROM range(2000) AS r(i)")
for masks in ("[['zip IN DIGITS'], []]", "[['zip IN DIGITS (4, 3)'], []]"):
    rows = plain.execute(f"SELECT count(*) FROM pattern_guided('t', {{masks}}, k := 20, qi := ['zip']) GROUP BY zip").fetchall()
    found += [sum(size for size, in rows), min(size for size, in rows)]
"""
    ended = bounded(script)
    assert ended.refusal == ""
    assert ended.released[::2] == [2000, 2000]
    assert min(ended.released[1::2]) >= 20
    assert ended.peak < 1000
