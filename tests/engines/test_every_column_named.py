"""`qi` that names every column of a stored table: the release is made as without `qi`, and no column is taken for another's."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.errors import UnknownColumnError

ROWS = "SELECT i % 7 AS zip, i % 3 AS age, CASE WHEN i % 2 > 0 THEN 'flu' ELSE 'cold' END AS disease FROM range(90) AS t(i)"

NAMED = "FROM k_anonymize('patients', 4, qi := ['Disease', 'zip', 'age'])"


@pytest.fixture
def con() -> Any:
    with kanon_sql.register(duckdb.connect(), secret="every column") as con:
        con.execute(f"CREATE TABLE patients AS {ROWS}")
        yield con


def test_the_rows_are_those_without_qi(con: Any) -> None:
    assert con.execute(NAMED).fetchall() == con.execute("FROM k_anonymize('patients', 4)").fetchall()
    assert [name for name, *_ in con.description] == ["zip", "age", "disease"]


def test_rows_are_not_joined_with_the_source(con: Any) -> None:
    def reads(query: str) -> int:
        return str(con.execute(f"EXPLAIN {query}").fetchall()).count("patients")

    assert reads(NAMED) == reads("FROM k_anonymize('patients', 4)")
    assert reads("FROM k_anonymize('patients', 4, qi := ['zip', 'age'])") > reads(NAMED)


def test_a_sensitive_column_counts_as_named(con: Any) -> None:
    named = con.execute("FROM l_diversify('patients', 'disease', 2, k := 4, qi := ['age', 'zip'])").fetchall()
    assert named == con.execute("FROM l_diversify('patients', 'disease', 2, k := 4)").fetchall()


def test_a_column_added_in_the_transaction_is_not_released_unchanged(con: Any) -> None:
    con.execute("BEGIN")
    con.execute("ALTER TABLE patients ADD COLUMN label VARCHAR")
    con.execute("UPDATE patients SET label = 'label ' || rowid")
    try:
        names = con.execute(f"SELECT label FROM ({NAMED})").fetchall()
    except kanon_sql.errors.KanonError:
        names = []
    assert {name for (name,) in names} <= {None}


def test_a_column_dropped_in_the_transaction_is_missed(con: Any) -> None:
    con.execute("BEGIN")
    con.execute("ALTER TABLE patients DROP COLUMN age")
    with pytest.raises((UnknownColumnError, duckdb.Error), match="age"):
        con.execute(NAMED).fetchall()


def test_what_is_about_rows_is_still_about_rows(con: Any) -> None:
    ordered = con.execute("SELECT zip FROM k_anonymize('patients', 1, qi := ['zip', 'age', 'disease'], row_order := 'source')")
    assert [zip_code for (zip_code,) in ordered.fetchall()] == [i % 7 for i in range(90)]
