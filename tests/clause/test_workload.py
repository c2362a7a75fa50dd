"""What queries use of a table: weights by use, and levels that answer them."""

from __future__ import annotations

import pytest

from kanon_sql.clause.workload import uses_of, weights_of
from kanon_sql.errors import PolicyError

COLUMNS = ["sex", "age", "income", "Zip", "born"]


def points(text: str) -> dict[str, int]:
    return {name: use.points for name, use in uses_of(text, COLUMNS).items() if use.points}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT sex, count(*) FROM t GROUP BY sex", {"sex": 3}),
        ("SELECT sex, count(*) FROM t GROUP BY 1", {"sex": 3}),
        ("SELECT sex AS s, count(*) FROM t GROUP BY s", {"sex": 3}),
        ("SELECT sex, zip, avg(income) FROM t GROUP BY ALL", {"sex": 3, "Zip": 3, "income": 1}),
        ("SELECT count(*) FROM t WHERE age >= 65 AND sex = 'f'", {"age": 2, "sex": 2}),
        ("SELECT count(*) FILTER (WHERE age > 3) FROM t", {"age": 2}),
        ("SELECT sex FROM t", {"sex": 1}),
        ("SELECT a.name, count(*) FROM t JOIN areas AS a ON t.zip = a.zip GROUP BY a.name", {"Zip": 3}),
        ("SELECT count(*) FROM t JOIN areas USING (zip)", {"Zip": 3}),
        ("WITH w AS (SELECT sex FROM t WHERE age < 5) SELECT sex, count(*) FROM w GROUP BY sex", {"sex": 3, "age": 2}),
        ("SELECT sex, count(*) FROM t GROUP BY sex; SELECT sex, sum(income) FROM t GROUP BY sex", {"sex": 6, "income": 1}),
        ("SELECT sex, count(*) FROM t GROUP BY sex HAVING avg(age) > 4 ORDER BY count(*)", {"sex": 3, "age": 1}),
    ],
)
def test_uses(text: str, expected: dict[str, int]) -> None:
    assert points(text) == expected


@pytest.mark.parametrize(
    ("text", "column", "levels"),
    [
        ("SELECT count(*) FROM t WHERE age >= 65", "age", "CUTS (65)"),
        ("SELECT count(*) FROM t WHERE age > 64 AND age < 80", "age", "CUTS (65, 80)"),
        ("SELECT count(*) FROM t WHERE 65 <= age", "age", "CUTS (65)"),
        ("SELECT count(*) FROM t WHERE 64 < age", "age", "CUTS (65)"),
        ("SELECT count(*) FROM t WHERE 64 >= age", "age", "CUTS (65)"),
        ("SELECT count(*) FROM t WHERE age BETWEEN 18 AND 64", "age", "CUTS (18, 65)"),
        ("SELECT count(*) FROM t WHERE income > -1.5", "income", "CUTS (-1.5)"),
        ("SELECT age // 10, count(*) FROM t GROUP BY 1", "age", "INTERVALS (10)"),
        ("SELECT floor(age / 5), count(*) FROM t GROUP BY 1", "age", "INTERVALS (5)"),
        ("SELECT year(born), count(*) FROM t GROUP BY 1; SELECT month(born) FROM t", "born", "INTERVALS (month, year)"),
        ("SELECT date_trunc('quarter', born), count(*) FROM t GROUP BY 1", "born", "INTERVALS (quarter)"),
        ("SELECT extract(year FROM born), count(*) FROM t GROUP BY 1", "born", "INTERVALS (year)"),
        ("SELECT left(zip, 3), count(*) FROM t GROUP BY 1; SELECT substr(zip, 1, 2) FROM t", "Zip", "DIGITS (3, 2)"),
        ("SELECT left(zip, 3), count(*) FROM t GROUP BY 1; SELECT zip, count(*) FROM t GROUP BY zip", "Zip", "DIGITS"),
        ("SELECT count(*) FROM t WHERE sex = 'f' AND age <> 3", "age", None),
    ],
)
def test_levels_that_answer_the_queries(text: str, column: str, levels: str | None) -> None:
    assert uses_of(text, COLUMNS)[column].recoding == levels


def test_weights_follow_the_uses() -> None:
    uses = uses_of(
        "SELECT sex, count(*) FROM t WHERE age > 5 GROUP BY sex; SELECT sex, sum(income) FROM t GROUP BY sex", COLUMNS
    )
    assert weights_of(uses) == {"sex": 5, "age": 3, "income": 2, "Zip": 1, "born": 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the query file is empty"),
        ("DELETE FROM t", "query 1 is not a SELECT, or writes data"),
        ("SELECT 1; CREATE TABLE x AS SELECT 1", "query 2 is not a SELECT, or writes data"),
        ("SELECT sexx FROM t", r"query 1 uses sexx, which the table does not have; hint: did you mean sex\?"),
        ("SELECT FROM WHERE", "the query file is not valid SQL"),
    ],
)
def test_bad_queries(text: str, told: str) -> None:
    with pytest.raises(PolicyError, match=told):
        uses_of(text, COLUMNS)
