"""Sources that give other rows each time: what is released is one reading, whole, or nothing."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

pytestmark = pytest.mark.own_connection

SOURCES = {
    "zip": "SELECT i AS id, (random() * 4)::INTEGER AS zip, i % 3 AS age FROM range(60) AS t(i)",
    "rows": "SELECT i AS id, i % 4 AS zip, i % 3 AS age FROM range(60) AS t(i) WHERE random() < 0.7",
    "sample": "SELECT i AS id, i % 4 AS zip, i % 3 AS age FROM range(60) AS t(i) USING SAMPLE 40",
}


def check(rows: list[tuple[int, object, object]], k: int) -> None:
    assert len({row[0] for row in rows}) == len(rows), "no row is there twice"
    sizes: dict[tuple[object, object], int] = {}
    for _, zip_, age in rows:
        sizes[zip_, age] = sizes.get((zip_, age), 0) + 1
    assert min(sizes.values()) >= k


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ["v", "main.v", "memory.main.v"])
def test_a_view_is_read_once(con: duckdb.DuckDBPyConnection, source: str, name: str) -> None:
    con.execute(f"CREATE VIEW v AS {SOURCES[source]}")
    for _ in range(5):
        check(con.sql(f"FROM k_anonymize('{name}', 4, qi := ['zip', 'age'], keep := ['id'])").fetchall(), 4)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("source", SOURCES)
def test_a_query_above_is_read_once(con: duckdb.DuckDBPyConnection, source: str) -> None:
    for _ in range(5):
        check(
            con.sql(f"WITH v AS ({SOURCES[source]}) FROM k_anonymize('v', 4, qi := ['zip', 'age'], keep := ['id'])").fetchall(),
            4,
        )


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("source", SOURCES)
def test_a_query_above_that_hides_a_table(con: duckdb.DuckDBPyConnection, source: str) -> None:
    # The name is that of a stored table, so it is read twice: a reading that differs ends in an error, never in a mixture.
    con.execute("CREATE TABLE v AS SELECT 1 AS id, 1 AS zip, 1 AS age")
    for _ in range(10):
        try:
            rows = con.sql(
                f"WITH v AS ({SOURCES[source]}) FROM k_anonymize('v', 4, qi := ['zip', 'age'], keep := ['id'])"
            ).fetchall()
        except duckdb.Error as error:
            assert "the source returned different rows" in str(error)  # noqa: PT017 - an error is one of two good ends
            continue
        check(rows, 4)


def test_a_table_that_is_not_committed_yet(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("BEGIN")
    con.execute("CREATE TABLE v AS SELECT i AS id, i % 4 AS zip, i % 3 AS age FROM range(60) AS t(i)")
    check(con.sql("FROM k_anonymize('v', 4, qi := ['zip', 'age'], keep := ['id'])").fetchall(), 4)


def test_a_file_is_read_once(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute(f"COPY (SELECT i AS id, i % 4 AS zip, i % 3 AS age FROM range(60) AS t(i)) TO '{tmp_path}/v.parquet'")
    check(con.sql(f"""FROM k_anonymize('"{tmp_path}/v.parquet"', 4, qi := ['zip', 'age'], keep := ['id'])""").fetchall(), 4)
