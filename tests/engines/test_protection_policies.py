"""Stored policies for tables of counts: the rows are those of the clause that they hold, and what does not fit is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.registration import session_of
from kanon_sql.errors import KanonError
from kanon_sql.model.policy_file import read, written
from kanon_sql.model.policy_names import stored_of

TABLE = """CREATE TABLE visits AS SELECT ['north', 'south', 'east'][1 + i * 7 % 11 % 3] AS region,
    ['f', 'm'][1 + i * 31 % 7 % 2] AS sex, i * 37 % 90 AS cost, i AS patient FROM range(60) AS t(i)"""

CLAUSE = "n >= 6 AND dominance(total, 1) <= 0.5 AND p(total) >= 10 SHOW GROUPING SETS (()) COST n ROWS ABSENT"

QUERY = "SELECT region, sex, count(*) AS n, sum(cost) AS total FROM visits GROUP BY CUBE (region, sex)"

FUNCTION = "FROM protect('visits', by := ['region', 'sex'], measures := MAP {'total': 'cost'}, policy := 'weekly')"


@pytest.fixture
def con() -> Any:
    con = kanon_sql.connect()
    con.execute(TABLE)
    con.execute(f"CREATE ANONYMIZATION POLICY weekly ON visits (PROTECT {CLAUSE});")
    con.execute(
        "CREATE ANONYMIZATION POLICY people ON visits (IDENTIFIER patient; BY region, sex; KEEP cost; GUARANTEE k >= 3)"
    )
    return con


def rows(con: Any, query: str) -> list[str]:
    return sorted(map(repr, con.execute(query).fetchall()))


@pytest.mark.everything
def test_the_rows_are_those_of_the_clause(con: Any) -> None:
    plain = kanon_sql.connect()
    plain.execute(TABLE)
    expected = rows(plain, f"{QUERY} PROTECT {CLAUSE}")
    assert len(expected) < 12
    assert rows(con, f"{QUERY} PROTECT WITH POLICY weekly") == expected
    assert rows(con, f"WITH a AS ({QUERY} PROTECT WITH POLICY WEEKLY) SELECT * FROM a ORDER BY 1 LIMIT 99") == expected
    assert rows(con, FUNCTION) == expected
    con.execute(f"CREATE TABLE counts AS {QUERY} PROTECT WITH POLICY weekly")
    assert rows(con, "FROM counts") == expected
    told = dict(con.execute(f"EXPLAIN PROTECT {QUERY} PROTECT WITH POLICY weekly").fetchall())
    assert told["guarantee"] == "n >= 6, dominance(total, 1) <= 0.5, p(total) >= 10"


@pytest.mark.everything
def test_a_stock_connection_reads_stored_policies(con: Any) -> None:
    stock = kanon_sql.register(duckdb.connect())
    stock.execute(TABLE)
    stock.register("stored", con.sql("FROM kanon_policies").to_arrow_table())
    stock.execute("CREATE TABLE kanon_policies AS SELECT * REPLACE (created::TIMESTAMP AS created) FROM stored")
    assert rows(stock, FUNCTION) == rows(con, FUNCTION)


def test_rules_follow_the_sums_and_sets_that_a_table_has(con: Any) -> None:
    con.execute("SELECT sex, count(*) AS how_many FROM visits GROUP BY sex PROTECT WITH POLICY weekly").fetchall()
    con.execute("SELECT sex, count(*) AS n, sum(cost) AS TOTAL FROM visits GROUP BY sex PROTECT WITH POLICY weekly").fetchall()
    found = [each.requirements for each in session_of(con.raw).protected_tables.certificates]
    assert found == [("n >= 6",), ("n >= 6", "dominance(TOTAL, 1) <= 0.5", "p(TOTAL) >= 10")]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("query", "text"),
    [
        (QUERY.replace("AS total", "AS s") + " PROTECT WITH POLICY weekly", "has no rule for the sum s; hint: add a rule"),
        (f"{QUERY} PROTECT WITH POLICY weakly", 'there is no policy "weakly"; hint: did you mean "weekly"?'),
        (f"{QUERY} PROTECT WITH POLICY people", 'the policy "people" is for rows; hint: write ANONYMIZE WITH POLICY people'),
        (f"{QUERY} PROTECT WITH POLICY weekly ROWS NULL", "ROWS cannot follow WITH POLICY; hint: add it to the policy"),
        (f"{QUERY} PROTECT WITH POLICY main.weekly", "a policy name cannot have a schema"),
        (f"{QUERY} PROTECT WITH POLICY", "expected a policy"),
        (QUERY.replace("(*)", "(DISTINCT patient)") + " PROTECT WITH POLICY weekly", 'the policy "weekly" counts rows'),
        (
            "FROM visits ANONYMIZE WITH POLICY weekly",
            "is for tables of counts; hint: write GROUP BY ... PROTECT WITH POLICY weekly",
        ),
        ("FROM anonymize('visits', 'weekly')", "is for tables of counts; hint: write GROUP BY ... PROTECT WITH POLICY weekly"),
        ("FROM protect('visits', by := ['sex'], policy := 'people')", 'the policy "people" is for rows'),
        ("FROM protect('visits', by := ['sex'], policy := 'week')", 'there is no policy "week"; hint: did you mean "weekly"?'),
        ("FROM protect('visits', by := ['sex'], policy := 5)", "policy must be the name of a policy, got int"),
        ("FROM protect('visits', by := ['sex'], policy := 'weekly', k := 5)", 'k is already part of the policy "weekly"'),
        ("FROM protect('visits', by := ['sex'], measures := MAP {'s': 'cost'}, policy := 'weekly')", "no rule for the sum s"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(con: Any, query: str, text: str) -> None:
    with pytest.raises(KanonError) as error:
        con.execute(query).fetchall()
    assert text in str(error.value)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ("PROTECT m >= 5", "in a policy, the count is called n, not m"),
        ("PROTECT p(total) >= 10", "PROTECT needs a minimum count"),
        ("PROTECT n >= 1", "at least 2"),
        ("PROTECT n >= 5; BY sex", "PROTECT must be the only part of its policy"),
        ("BY sex; PROTECT n >= 5", "PROTECT needs its own policy"),
        ("PROTECT n >= 5 PER patients", 'unknown column "patients" in the policy: did you mean "patient"'),
        ("PROTECT n >= 5 GUARANTEE k >= 5", "unexpected GUARANTEE in PROTECT"),
        ("PROTECT WITH POLICY weekly", "WITH is a reserved word"),
    ],
)
def test_policies_that_are_none(con: Any, parts: str, text: str) -> None:
    with pytest.raises(KanonError) as error:
        con.execute(f"CREATE ANONYMIZATION POLICY other ON visits ({parts})")
    assert text in str(error.value)
    assert len(con.execute("SHOW ANONYMIZATION POLICIES").fetchall()) == 2


@pytest.mark.everything
def test_people_are_those_of_the_policy(con: Any) -> None:
    con.execute("CREATE ANONYMIZATION POLICY by_patient ON visits (PROTECT count(*) >= 5 PER Patient)")
    plain = kanon_sql.connect()
    plain.execute(TABLE)
    with pytest.raises(KanonError, match=r"counts people by Patient, not by .*; hint: write count\(\*\) AS n"):
        con.execute("SELECT sex, count(DISTINCT cost) AS n FROM visits GROUP BY sex PROTECT WITH POLICY by_patient")
    asked = "SELECT sex, count(DISTINCT patient) AS n FROM visits GROUP BY sex PROTECT"
    expected = rows(plain, f"{asked} n >= 5 PER patient")
    assert rows(con, f"{asked} WITH POLICY by_patient") == expected
    assert rows(con, "SELECT sex, count(*) AS n FROM visits GROUP BY sex PROTECT WITH POLICY by_patient") == expected
    assert rows(con, "FROM protect('visits', by := ['sex'], grouping := 'plain', policy := 'by_patient')") == expected


@pytest.mark.everything
def test_replaced_and_dropped(con: Any) -> None:
    con.execute("CREATE OR REPLACE ANONYMIZATION POLICY weekly ON visits (PROTECT n >= 5 USING auto (earlier = 'ignore'))")
    con.execute("CREATE VIEW shown AS SELECT sex, count(*) AS n FROM visits GROUP BY sex PROTECT WITH POLICY weekly")
    before = rows(con, "FROM shown")
    with pytest.raises(KanonError, match="already exists"):
        con.execute("CREATE ANONYMIZATION POLICY weekly ON visits (PROTECT n >= 50)")
    con.execute("CREATE OR REPLACE ANONYMIZATION POLICY weekly ON visits (PROTECT n >= 59 USING auto (earlier = 'ignore'))")
    shown = con.execute("SELECT sex, count(*) AS n FROM visits GROUP BY sex PROTECT WITH POLICY weekly").fetchall()
    assert {n for _, n in shown} == {None}
    assert rows(con, "FROM shown") == before
    con.execute("DROP ANONYMIZATION POLICY weekly")
    with pytest.raises(KanonError, match="there is no policy"):
        con.execute("SELECT sex, count(*) AS n FROM visits GROUP BY sex PROTECT WITH POLICY weekly")


def test_several_rules_about_a_sum_are_stored(con: Any) -> None:
    rules = "dominance(total, 1) <= 0.5 AND dominance(total, 2) <= 2/3 AND p(total) >= 20 AND p(total) >= 10"
    con.execute(f"CREATE ANONYMIZATION POLICY several ON visits (PROTECT n >= 3 AND {rules})")
    (text,) = con.execute("SELECT policy FROM kanon_policies WHERE name = 'several'").fetchone()
    asked = stored_of("several", "visits", text).protection
    assert asked.requirements == (
        "n >= 3",
        "dominance(total, 1) <= 0.5",
        "dominance(total, 2) <= 0.666666666667",
        "p(total) >= 20",
    )
    assert [each.share for each in asked.dominance] == [Fraction(1, 2), Fraction(2, 3)]


@pytest.mark.parametrize("ending", [".json", ".yaml"])
def test_files_hold_both_kinds(con: Any, ending: str) -> None:
    stored = [
        stored_of(*row) for row in con.execute('SELECT name, "table", policy FROM kanon_policies ORDER BY ALL').fetchall()
    ]
    text = written(stored, ending)
    assert read(text, f"policies{ending}") == stored
    assert "protect" in text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("{k: 5, dominanc: {}}", "did you mean"),
        ("{p: {total: 10}}", "k"),
        ("{k: 5, p: [total]}", "p must be a mapping"),
        ("{k: 5, dominance: {total: 1}}", "dominance needs the number of contributors"),
        ("{k: 5, dominance: {total: [1.5, 0.5]}}", "whole number"),
        ("{k: 5, contributors: 'no'}", "contributors must be true, false or a whole number"),
        ("{k: 5, per: 3}", "per must be a column name"),
        ("{k: 5, show: [region]}", "a grouping set of show must be a list"),
        ("{k: 5, show: [[3]]}", "a key of show must be a column name"),
        ("{k: 5, rows: gone}", "unknown rows 'gone'"),
        ("[k, 5]", "must be a JSON object"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(said: str, text: str) -> None:
    with pytest.raises(KanonError) as error:
        read(f"policies: [{{name: weekly, table: visits, protect: {said}}}]", "policies.yaml")
    assert text in str(error.value)
    assert "policies.yaml, line 1" in str(error.value)


def test_a_policy_of_rows_has_no_part_of_the_other_kind() -> None:
    text = "policies: [{name: weekly, table: visits, protect: {k: 5}, quasi_identifiers: [sex]}]"
    with pytest.raises(KanonError, match="quasi_identifiers"):
        read(text, "policies.yaml")
