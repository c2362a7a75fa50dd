"""Queries that a release can be asked: which are read, and how each row comes to count with its weight."""

from __future__ import annotations

import pytest

from kanon_sql.clause.queries import read_queries
from kanon_sql.errors import PolicyError

COLUMNS = ["sex", "age", "income", "Zip"]


def test_a_query_is_taken_apart() -> None:
    text = "SELECT sex, avg(income), count(*) FROM a.people AS p WHERE p.age BETWEEN 30 AND 40 GROUP BY ALL ORDER BY 2;"
    (found,) = read_queries(text, COLUMNS)
    assert (found.number, found.columns, found.means) == (1, ("age", "sex"), ("income",))
    assert (found.keys, found.values) == ((0,), (1, 2))
    assert 'FROM "kanon#source" AS "p"' in found.plain
    assert 'FROM "kanon#weighted" AS "p"' in found.weighted
    assert "ORDER" not in found.text


def test_a_column_is_only_summed_if_nothing_else_uses_it() -> None:
    (only,) = read_queries("SELECT sum(Income), count(income), avg(INCOME) FROM t", COLUMNS)
    (both,) = read_queries("SELECT sum(income) FILTER (WHERE income > 3) FROM t", COLUMNS)
    (part,) = read_queries("SELECT sum(income + 1) FROM t", COLUMNS)
    assert [(each.columns, each.means) for each in (only, both, part)] == [((), ("income",)), *2 * [(("income",), ())]]


def test_several_queries_and_comments() -> None:
    found = read_queries("-- one\nSELECT count(*) FROM t;\n;/* two */ SELECT zip, count(*) FROM u GROUP BY zip;", COLUMNS)
    assert [(each.number, each.columns) for each in found] == [(1, ()), (2, ("Zip",))]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("INSERT INTO t VALUES (1)", "is not a SELECT, or writes data"),
        ("CREATE TABLE u AS SELECT count(*) FROM t", "is not a SELECT, or writes data"),
        ("COPY t TO 'out.csv'", "is not a SELECT, or writes data"),
        ("DELETE FROM t", "is not a SELECT, or writes data"),
        ("ATTACH 'file'", "is not a SELECT, or writes data"),
        ("SELECT count(*) FROM t UNION SELECT 1", "is a set operation"),
        ("WITH c AS (SELECT 1) SELECT count(*) FROM c", "has WITH"),
        ("SELECT count(*) FROM t JOIN u USING (age)", "has a JOIN"),
        ("SELECT count(*) FROM t, u", "has a JOIN"),
        ("SELECT count(*) FROM (SELECT 1)", "does not read a single table by name"),
        ("SELECT count(*) FROM read_csv('file')", "does not read a single table by name"),
        ("SELECT count(*)", "does not read a single table by name"),
        ("SELECT count(*) FROM t WHERE age IN (SELECT 1)", "has a subquery"),
        ("SELECT count(*) OVER () FROM t", "has a window"),
        ("SELECT count(*) FROM t WHERE age = ?", "has a parameter"),
        ("SELECT DISTINCT age, count(*) FROM t GROUP BY age", "has DISTINCT"),
        ("SELECT age, count(*) FROM t GROUP BY age LIMIT 3", "has LIMIT"),
        ("SELECT count(DISTINCT age) FROM t", r"uses count\(DISTINCT ...\)"),
        ("SELECT max(age) FROM t", "uses max, which cannot be computed from weights"),
        ("SELECT median(age) FROM t", "uses median"),
        ("SELECT mad(age) FROM t", "calls mad, which may be an aggregate"),
        ("SELECT age FROM t", "has no aggregate, or returns rows"),
        ("SELECT *, count(*) FROM t", "has no aggregate, or returns rows"),
        ("SELECT agee, count(*) FROM t GROUP BY 1", "uses agee, which the source does not have; hint: did you mean age"),
    ],
)
def test_what_weights_do_not_give_is_refused(query: str, said: str) -> None:
    with pytest.raises(PolicyError, match=f"query 2 {said}"):
        read_queries(f"SELECT count(*) FROM t; {query}", COLUMNS)


@pytest.mark.parametrize(("text", "said"), [("", "is empty"), ("-- nothing", "is empty"), ("SELECT (", "is not valid SQL")])
def test_a_file_without_queries(text: str, said: str) -> None:
    with pytest.raises(PolicyError, match=f"the query file {said}"):
        read_queries(text, COLUMNS)
