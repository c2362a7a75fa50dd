"""The fingerprint of a table changes with any cell, any type and any row, and with nothing else."""

from __future__ import annotations

import duckdb
import pytest

from kanon_sql.engines.duckdb.database.fingerprint import fingerprint

ROWS = "(VALUES (1, 'a', 0.5), (2, NULL, 1.5), (2, NULL, 1.5), (3, '', -0.5)) AS t(x, y, z)"


@pytest.mark.parametrize(
    ("query", "same"),
    [
        (f"FROM {ROWS} ORDER BY x DESC", True),
        (f"SELECT * REPLACE (x + (y = 'a')::INTEGER AS x) FROM {ROWS}", False),
        (f"SELECT * REPLACE (coalesce(y, '') AS y) FROM {ROWS}", False),
        (f"SELECT * REPLACE (z * 2 AS z) FROM {ROWS}", False),
        (f"SELECT * REPLACE (x::BIGINT AS x) FROM {ROWS}", False),
        (f"SELECT x AS w, y, z FROM {ROWS}", False),
        (f"SELECT y, x, z FROM {ROWS}", False),
        (f"SELECT DISTINCT * FROM {ROWS}", False),
        (f"FROM {ROWS} UNION ALL SELECT 2, NULL, 1.5", False),
        (f"FROM {ROWS} WHERE false", False),
    ],
)
def test_what_changes_it(con: duckdb.DuckDBPyConnection, query: str, same: bool) -> None:
    con.execute(f"CREATE TABLE one AS FROM {ROWS}; CREATE TABLE other AS {query}")
    assert (fingerprint(con, "one") == fingerprint(con, "other")) is same
