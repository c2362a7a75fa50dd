"""One statement with one clause, in its parts."""

from __future__ import annotations

import pytest

from kanon_sql.clause import single_release
from kanon_sql.errors import ClauseError
from kanon_sql.model.policy import Policy

CLAUSE = "ANONYMIZE BY zip, `a ge` GUARANTEE k >= 3 USING greedy"


def test_a_statement_is_taken_apart() -> None:
    text = f"create table `my db`.t using delta as with o as (from p) select * from o where a in (select 1) {CLAUSE};"
    found = single_release(text)
    assert found is not None
    assert (found.into, found.using, found.tail) == ('"my db".t', "delta", "")
    assert found.query == "with o as (from p) select * from o where a in (select 1)"
    assert isinstance(found.policy, Policy)
    assert [qi.column for qi in found.policy.quasi_identifiers] == ["zip", "a ge"]


def test_what_stands_behind_the_clause_is_the_tail() -> None:
    found = single_release("FROM t ANONYMIZE WITH POLICY research ORDER BY zip LIMIT 3")
    assert found is not None
    assert (found.query, found.policy, found.into, found.tail) == ("FROM t", "research", None, "ORDER BY zip LIMIT 3")


@pytest.mark.parametrize("text", ["SELECT 1", "SELECT 'ANONYMIZE BY zip'", "SELECT anonymize FROM t"])
def test_a_statement_without_the_clause_has_no_parts(text: str) -> None:
    assert single_release(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * FROM people ANONYMIZE", "release raw rows"),
        ("SELECT zip, age FROM people ANONYMIZE (a, b)", "release raw rows"),
        (f"SELECT * FROM (SELECT * FROM people {CLAUSE})", "inner query"),
        (f"SELECT 1; SELECT * FROM people {CLAUSE}", "a release must be the only statement"),
        (f"INSERT INTO t SELECT * FROM people {CLAUSE}", "CREATE TABLE"),
        (f"CREATE OR REPLACE TABLE t AS SELECT * FROM people {CLAUSE}", "CREATE TABLE"),
        (f"CREATE TABLE t AS SELECT * FROM people {CLAUSE} ORDER BY zip", "no effect"),
        (f"WITH a AS (SELECT * FROM people {CLAUSE}) SELECT * FROM a {CLAUSE}", "several"),
        ("EXPLAIN ANONYMIZE FROM people ANONYMIZE BY zip GUARANTEE k >= 2", "supports neither EXPLAIN ANONYMIZE"),
    ],
)
def test_what_is_no_release_is_refused(text: str, message: str) -> None:
    with pytest.raises(ClauseError, match=message):
        single_release(text)


def test_a_mistake_shows_the_clause_that_was_meant():
    with pytest.raises(ClauseError) as caught:
        single_release("CREATE TABLE r AS SELECT zip FROM patients ANONYMIZE zip age GUARENTEE k = 5")
    assert type(caught.value) is ClauseError
    assert "; hint: write ANONYMIZE BY zip, age GUARANTEE k >= 5 (line 1, " in str(caught.value)
