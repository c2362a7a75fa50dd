"""Releases in which each column is a quasi-identifier or sensitive, named by `qi` or not: one way, and all is measured."""

from __future__ import annotations

import json
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


@pytest.mark.everything
def test_the_rows_are_those_without_qi(con: Any) -> None:
    assert con.execute(NAMED).fetchall() == con.execute("FROM k_anonymize('patients', 4)").fetchall()
    assert [name for name, *_ in con.description] == ["zip", "age", "disease"]


@pytest.mark.everything
def test_rows_are_not_joined_with_the_source(con: Any) -> None:
    def reads(query: str) -> int:
        return str(con.execute(f"EXPLAIN {query}").fetchall()).count("patients")

    assert reads(NAMED) == reads("FROM k_anonymize('patients', 4)")
    assert reads("FROM k_anonymize('patients', 4, qi := ['zip', 'age'])") > reads(NAMED)


@pytest.mark.everything
def test_a_sensitive_column_counts_as_named(con: Any) -> None:
    named = con.execute("FROM l_diversify('patients', 'disease', 2, k := 4, qi := ['age', 'zip'])").fetchall()
    assert named == con.execute("FROM l_diversify('patients', 'disease', 2, k := 4)").fetchall()


@pytest.mark.everything
def test_a_column_added_in_the_transaction_is_not_released_unchanged(con: Any) -> None:
    con.execute("BEGIN")
    con.execute("ALTER TABLE patients ADD COLUMN label VARCHAR")
    con.execute("UPDATE patients SET label = 'label ' || rowid")
    assert set(con.execute("SELECT label FROM k_anonymize('patients', 4)").fetchall()) == {(None,)}
    with pytest.raises(duckdb.Error, match="a column has no role and identifies people: label singles out"):
        con.execute(f"SELECT label FROM ({NAMED})")


def test_a_column_dropped_in_the_transaction_is_missed(con: Any) -> None:
    con.execute("BEGIN")
    con.execute("ALTER TABLE patients DROP COLUMN age")
    with pytest.raises((UnknownColumnError, duckdb.Error), match="age"):
        con.execute(NAMED).fetchall()


def test_what_is_about_rows_is_still_about_rows(con: Any) -> None:
    ordered = con.execute("SELECT zip FROM k_anonymize('patients', 1, qi := ['zip', 'age', 'disease'], row_order := 'source')")
    assert [zip_code for (zip_code,) in ordered.fetchall()] == [i % 7 for i in range(90)]


GIVEN = "SELECT i % 30 AS zip, i // 45 AS age, i % 30 * 10 AS pay FROM range(90) t(i)"
OWN = "SELECT i % 30 AS zip, i // 45 AS age, i * 7 AS pay FROM range(90) t(i)"
TOLD = {
    GIVEN: "pay is released unchanged and gives back 100.0% of the suppressed cells of zip",
    OWN: "pay is released unchanged and singles out 100.0% of the rows",
}
POLICY = {"every_column": True, "requirements": [{"type": "k", "k": 4}, {"type": "t", "t": 1, "sensitive": "pay"}]}
CALLS = (
    "t_close('{}', 'pay', 1, k := 4)",
    "t_close('{}', 'pay', 1, k := 4, qi := ['zip', 'age'])",
    "t_close('{}', 'pay', 1, k := 4, recodings := MAP {{'zip': 'INTERVALS (10)'}}, suppress := '*')",
    "l_diversify('{}', 'pay', 2, k := 4)",
    f"anonymize('{{}}', '{json.dumps(POLICY).replace('{', '{{').replace('}', '}}')}')",
)


@pytest.mark.everything
@pytest.mark.parametrize("rows", TOLD, ids=("given", "own"))
def test_sensitive_columns_are_measured_however_the_others_are_named(con: Any, rows: str) -> None:
    con.execute(f"CREATE TABLE paid AS {rows}; CREATE VIEW seen AS FROM paid")
    for table in ("paid", "seen"):
        for call in CALLS:
            con.execute(f"FROM {call.format(table)}").fetchall()
            found = kanon_sql.releases(con)[-1]
            assert (found.unchanged, found.warnings) == ((), (TOLD[rows],)), call
    con.execute(f"PREPARE again AS FROM {CALLS[0].format('paid')}")
    con.execute("EXECUTE again").fetchall()
    assert kanon_sql.releases(con)[-1].warnings == (TOLD[rows],)
    release = kanon_sql.anonymize(con.table("paid"), 4, sensitive="pay", t=1)
    assert release.certificate.warnings == (TOLD[rows],)


@pytest.mark.everything
def test_nothing_is_measured_without_a_sensitive_column(con: Any) -> None:
    plan = str(con.execute("EXPLAIN FROM k_anonymize('patients', 4)").fetchall())
    assert "lone" not in plan
    assert "lone" in str(con.execute("EXPLAIN FROM t_close('patients', 'disease', 0.3)").fetchall())


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "more",
    ["per := 'pay'", "keep := ['pay']", "row_order := 'source'", "known := 2", "k_map := 1, population := 'paid'"],
)
def test_whatever_works_with_qi_works_without_it(con: Any, more: str) -> None:
    con.execute(f"CREATE TABLE paid AS {OWN}")
    names = "'zip', 'age'" if "'pay'" in more else "'zip', 'age', 'pay'"
    named = con.execute(f"FROM k_anonymize('paid', 4, {more}, qi := [{names}])").fetchall()
    assert con.execute(f"FROM k_anonymize('paid', 4, {more})").fetchall() == named
    with pytest.raises(duckdb.Error, match='unknown column "name" in drop'):
        con.execute(f"FROM k_anonymize('paid', 4, {more}, drop := ['name'])")


def test_too_many_sets_of_known_columns_are_refused_before_the_search(con: Any) -> None:
    columns = ", ".join(f"i % 2 AS c{n}" for n in range(40))
    con.execute(f"CREATE TABLE wide AS SELECT {columns} FROM range(90) t(i)")
    with pytest.raises(duckdb.Error, match=r"too many sets of columns: 91,390 \(maximum 50,000\)"):
        con.execute("FROM k_anonymize('wide', 4, known := 4)")
