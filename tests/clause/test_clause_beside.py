"""What a statement reads beside its clauses: DuckDB says whether a name stands for a query above or for a table."""

from __future__ import annotations

import duckdb
import pytest

from kanon_sql.clause.unreleased_tables import unreleased_tables

RELEASE = " UNION ALL (FROM visits ANONYMIZE BY zip GUARANTEE k >= 5)"

RAW = [
    "FROM visits",
    "WITH visits AS (SELECT * FROM visits) FROM visits",
    "WITH v AS (FROM visits), w AS (FROM v) FROM w",
    "WITH v AS (WITH v AS (FROM visits) FROM v) FROM v",
    "SELECT * FROM (WITH v AS (FROM visits) FROM v)",
    "SELECT * FROM visits WHERE EXISTS (WITH visits AS (SELECT 3 AS x) FROM visits)",
    "WITH RECURSIVE visits AS (FROM visits) FROM visits",
    "WITH RECURSIVE visits AS (FROM visits UNION ALL SELECT zip + 1, age FROM visits WHERE zip < 3) FROM visits",
    'SELECT * FROM "VISITS"',
]

OTHER = [
    "SELECT 1, 2",
    "WITH visits AS (SELECT 1 AS zip, 2 AS age) FROM visits",
    'WITH "Visits" AS (SELECT 1 AS zip, 2 AS age) FROM VISITS',
    "WITH v AS (SELECT 1 AS zip, 2 AS age), w AS (FROM v) SELECT * FROM (FROM w)",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i, i FROM n",
]


@pytest.mark.parametrize("query", RAW + OTHER)
def test_a_name_is_what_duckdb_takes_it_for(query: str) -> None:
    found = [name.casefold() for name in unreleased_tables(query + RELEASE)]
    assert found == (["visits"] if query in RAW else [])
    with duckdb.connect() as con:
        con.execute("CREATE TABLE visits AS SELECT 1 AS zip, 2 AS age")
        before = con.execute(query).fetchall()
        con.execute("UPDATE visits SET age = 7")
        assert (con.execute(query).fetchall() != before) == (query in RAW)


def test_a_query_above_that_stands_later_is_not_the_one() -> None:
    assert unreleased_tables("WITH a AS (FROM b), b AS (SELECT 7) FROM a" + RELEASE) == ["b"]
    assert unreleased_tables("SELECT * FROM (WITH v AS (SELECT 1) FROM v) UNION ALL FROM v" + RELEASE) == ["v"]
