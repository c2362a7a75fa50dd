"""Queries whose rows are groups: which are found, and what says that a row is what counts."""

from __future__ import annotations

import duckdb
import pytest

from kanon_sql.clause import rewrite, single_release
from kanon_sql.clause.groups import refuse_grouped_query
from kanon_sql.clause.select import AGGREGATES
from kanon_sql.errors import ClauseError
from kanon_sql.model.guarantee import Guarantee
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, People, requirement_from_json
from kanon_sql.model.stored_policy import StoredPolicy

G = "SELECT region, count(*) AS n FROM people GROUP BY region"

GROUPED = {
    f"{G}": "GROUP BY",
    "FROM people SELECT region, count(*) GROUP BY ALL": "GROUP BY",
    "SELECT region FROM people GROUP BY ROLLUP (region)": "GROUP BY",
    "SELECT count(*) FROM people GROUP BY ()": "GROUP BY",
    "SELECT DISTINCT region FROM people": "DISTINCT",
    "SELECT DISTINCT ON (region) * FROM people": "DISTINCT",
    "FROM people SELECT DISTINCT region": "DISTINCT",
    "SELECT 1 AS one FROM people HAVING count(*) > 1": "HAVING",
    "SELECT region FROM people UNION SELECT region FROM others": "UNION",
    "SELECT region FROM people UNION BY NAME SELECT region FROM others": "UNION",
    "SELECT region FROM people INTERSECT SELECT region FROM others": "INTERSECT",
    "(FROM people) EXCEPT (FROM others)": "EXCEPT",
    "FROM people SELECT * EXCEPT FROM others": "EXCEPT",
    "FROM people SELECT * EXCEPT (FROM others)": "EXCEPT",
    "FROM people UNION ALL FROM others UNION FROM others": "UNION",
    f"SELECT region, age FROM people UNION ALL {G}": "GROUP BY",
    f"(({G})) UNION ALL (SELECT region, age FROM people)": "GROUP BY",
    "SELECT sum(age) FROM people": "sum(...)",
    "SELECT round(avg(age) / 2, 1) AS age FROM people": "avg(...)",
    "SELECT count(*) FILTER (WHERE age > 1) AS n FROM people": "count(...)",
    "SELECT quantile_cont(age, 0.5) FROM people": "quantile_cont(...)",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM people": "percentile_cont(...)",
    'SELECT "max"(age), main.min(age) FROM people': '"max"(...)',
    "SELECT sum(count(*)) OVER () AS n FROM people": "count(...)",
    "SELECT list(age) FROM people": "list(...)",
    "PIVOT people ON region USING sum(age)": "PIVOT",
    "FROM people PIVOT (sum(age) FOR region IN (1, 2))": "PIVOT",
    "FROM (SUMMARIZE people)": "SUMMARIZE",
    f"FROM ({G})": "GROUP BY",
    f"SELECT * FROM (SELECT region FROM ({G}) WHERE n > 1) AS g(r) WHERE r > 0": "GROUP BY",
    f"FROM g: ({G})": "GROUP BY",
    f"FROM (({G}) UNION ALL (FROM others SELECT region, age))": "GROUP BY",
    f"FROM ({G}) AS a JOIN (SELECT DISTINCT region FROM others) AS b USING (region)": "GROUP BY",
    f"FROM ({G}) AS a, LATERAL (SELECT max(age) AS age FROM people WHERE region = a.region) AS b": "GROUP BY",
    f"FROM (({G}) AS a JOIN (SELECT DISTINCT region FROM others) AS b USING (region))": "GROUP BY",
    f"FROM ({G}) SEMI JOIN people USING (region)": "GROUP BY",
    f"FROM ({G}) ANTI JOIN others USING (region)": "GROUP BY",
    f"SELECT * FROM ({G} ORDER BY n LIMIT 2) AS g": "GROUP BY",
    f"SELECT n IS DISTINCT FROM 2 AS two, region FROM ({G})": "GROUP BY",
    f"UNPIVOT ({G}) ON n": "GROUP BY",
    f"(WITH g AS ({G}) SELECT * FROM g)": "GROUP BY",
    f'(WITH g AS NOT MATERIALIZED ({G}), "H" AS (FROM G) TABLE h)': "GROUP BY",
    f"(WITH people AS ({G}) FROM people)": "GROUP BY",
    f"(WITH g AS ({G}) SELECT * FROM (WITH h AS (FROM g) FROM h WHERE n > 0))": "GROUP BY",
    "(WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 3) FROM n)": "UNION",
    f"(WITH RECURSIVE n AS ({G} UNION ALL SELECT region, n - 1 FROM n WHERE n > 9) FROM n)": "GROUP BY",
}

PEOPLE = [
    "FROM people",
    "SELECT region, age FROM people WHERE age IS NOT DISTINCT FROM 3 AND region IS DISTINCT FROM 9",
    "SELECT count(*) OVER (PARTITION BY region) AS n, sum(age) FILTER (WHERE age > 1) OVER () AS s FROM people",
    "SELECT first(age IGNORE NULLS) OVER w AS a FROM people WINDOW w AS (ORDER BY age) QUALIFY row_number() OVER w = 1",
    "SELECT age - (SELECT avg(age) FROM people) AS rest, list_sum([1, 2]) AS three FROM people",
    "SELECT age FROM people WHERE EXISTS (FROM others SELECT region GROUP BY region) AND age IN (SELECT max(age) FROM people)",
    'SELECT "count", "group" FROM (SELECT region AS "count", age AS "group" FROM people) AS t',
    "SELECT t.group, t.distinct FROM (SELECT region AS group, age AS distinct FROM people) AS t",
    "SELECT region FROM people UNION ALL SELECT region FROM others",
    "FROM people EXCEPT ALL FROM others",
    "FROM people INTERSECT ALL (FROM others)",
    "SELECT * EXCLUDE (age) FROM people",
    "VALUES (1, 2), (3, 4)",
    "SELECT 1 AS one",
    "UNPIVOT people ON age",
    "FROM people USING SAMPLE 3 ROWS",
    f"SELECT * FROM people JOIN ({G}) AS g USING (region)",
    f"SELECT * FROM ({G}) AS g LEFT JOIN people USING (region)",
    f"SELECT * FROM ({G}) AS g, people",
    f"SELECT * FROM (people JOIN ({G}) AS g USING (region))",
    f"SELECT * FROM people SEMI JOIN ({G}) AS g USING (region)",
    "SELECT * FROM (FROM people) AS p, LATERAL (SELECT count(*) AS n FROM others) AS l",
    f"(WITH g AS ({G}) SELECT * FROM people JOIN g USING (region))",
    f"(WITH g AS ({G}), h AS (FROM people) FROM h)",
    f"(WITH g AS (FROM people) FROM (WITH h AS ({G}) FROM g))",
    f"(WITH people AS ({G}) FROM main.people)",
    "(WITH people AS (SELECT age FROM people WHERE age > 1) FROM people)",
    "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) FROM n)",
    "FROM range(3) AS g",
]


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE people AS SELECT i % 3 AS region, i AS age FROM range(9) AS r(i)")
        con.execute("CREATE TABLE others AS FROM people WHERE age > 3")
        yield con


def release(query: str, guarantee: str = "k >= 5") -> str:
    return rewrite(f"{query} ANONYMIZE BY x GUARANTEE {guarantee}", lambda body, *_: body)


@pytest.mark.parametrize("query", GROUPED)
def test_rows_that_are_groups_are_refused(query: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(query)
    with pytest.raises(ClauseError) as caught:
        release(query)
    assert str(caught.value).startswith(f"{GROUPED[query]} can merge several people into one row")
    assert "write k >= 5 PER ROW" in str(caught.value)
    assert release(query, "k >= 5 PER ROW") == f"SELECT * FROM ({query})"


@pytest.mark.parametrize("query", PEOPLE)
def test_rows_of_people_are_released(query: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(query)
    assert release(query) == f"SELECT * FROM ({query})"


@pytest.mark.sweep
@pytest.mark.parametrize("query", [*GROUPED, *PEOPLE])
def test_rows_that_are_groups_are_found_wherever_the_clause_stands(query: str) -> None:
    for text in (
        "CREATE TABLE t AS {} ANONYMIZE BY x GUARANTEE k >= 5",
        "PREPARE p AS {} ANONYMIZE BY x GUARANTEE k >= 5",
        "CREATE MACRO m() AS TABLE {} ANONYMIZE BY x GUARANTEE k >= 5",
        "INSERT INTO t {} ANONYMIZE BY x GUARANTEE k >= 5",
        "WITH a AS ({}), b AS (FROM a) SELECT * FROM b ANONYMIZE BY x GUARANTEE k >= 5",
        "CREATE TABLE t AS WITH a AS ({}) FROM a ANONYMIZE BY x GUARANTEE k >= 5",
        "WITH a AS ({}) INSERT INTO t FROM a ANONYMIZE BY x GUARANTEE k >= 5",
        "PREPARE p AS WITH a AS ({}) FROM a ANONYMIZE BY x GUARANTEE k >= 5",
        "COPY (WITH a AS ({}) FROM a ANONYMIZE BY x GUARANTEE k >= 5) TO 'f.csv'",
        "SELECT 1; WITH a AS ({}) SELECT count(*) FROM (FROM a ANONYMIZE BY x GUARANTEE k >= 5)",
        "EXPLAIN WITH a AS (SELECT 1), b AS ({}) FROM (SELECT * FROM b) ANONYMIZE BY x GUARANTEE k >= 5",
    ):
        refused = False
        try:
            rewrite(text.format(query), lambda body, *_: body)
        except ClauseError as error:
            refused = "several people" in str(error)
        assert refused is (query in GROUPED), text


@pytest.mark.parametrize(
    ("query", "refused"),
    [
        ("SELECT who, count(*) AS n FROM stays GROUP BY who", False),
        ("SELECT DISTINCT who, zip FROM stays", False),
        ("SELECT DISTINCT * FROM stays", False),
        ("SELECT DISTINCT ON (who) who, zip FROM stays", False),
        ("SELECT DISTINCT s.* FROM stays AS s", False),
        ('SELECT s."WHO", max(zip) AS zip FROM stays AS s GROUP BY ALL', False),
        ("SELECT name AS who, max(zip) AS zip FROM stays GROUP BY name", False),
        ("SELECT name who, max(zip) AS zip FROM stays GROUP BY name", False),
        ("SELECT who, zip FROM stays UNION SELECT who, zip FROM stays", False),
        ("SELECT * FROM (SELECT name AS n, max(zip) AS zip FROM stays GROUP BY name) AS g", True),
        ("SELECT g.n AS who, zip FROM (SELECT name AS n, max(zip) AS zip FROM stays GROUP BY name) AS g", False),
        ("(WITH g AS (SELECT who, max(zip) AS zip FROM stays GROUP BY who) SELECT who, zip FROM g)", False),
        ("(WITH g(a, who) AS (SELECT who, max(zip) FROM stays GROUP BY who) SELECT who, a FROM g)", True),
        ("SELECT * FROM (SELECT who, max(name) AS n FROM stays GROUP BY who) AS g(a, who)", True),
        ("SELECT * FROM (SELECT who, max(zip) AS zip FROM stays GROUP BY who) WHERE (zip > 1)", False),
        ("SELECT min(who) AS who, zip FROM stays GROUP BY zip", True),
        ("SELECT any_value(who) AS who, zip FROM stays GROUP BY zip", True),
        ("SELECT DISTINCT lower(who) AS who FROM stays", True),
        ("SELECT zip, who + 1 AS other FROM stays GROUP BY ALL", True),
        ("SELECT * FROM (SELECT min(who) AS who, zip FROM stays GROUP BY zip)", True),
        ("SELECT who, zip FROM stays UNION ALL SELECT min(who) AS who, zip FROM stays GROUP BY zip", True),
        ("PIVOT stays ON zip USING count(*) GROUP BY who", True),
    ],
)
def test_a_row_of_one_person_is_no_group(query: str, refused: bool) -> None:
    text = f"{query} ANONYMIZE BY zip GUARANTEE k >= 5 PER WHO"
    if not refused:
        assert rewrite(text, lambda body, *_: body) == f"SELECT * FROM ({query})"
        return
    with pytest.raises(ClauseError, match="would count them as one person; hint: return the column WHO itself"):
        rewrite(text, lambda body, *_: body)


def test_every_aggregate_function_of_duckdb_is_known(con: duckdb.DuckDBPyConnection) -> None:
    named = con.execute("SELECT DISTINCT upper(function_name) FROM duckdb_functions() WHERE function_type = 'aggregate'")
    assert {name for (name,) in named.fetchall() if name.replace("_", "").isalnum()} <= AGGREGATES


def test_no_known_aggregate_function_is_a_scalar_one(con: duckdb.DuckDBPyConnection) -> None:
    named = con.execute("SELECT DISTINCT upper(function_name) FROM duckdb_functions() WHERE function_type = 'scalar'")
    assert not {name for (name,) in named.fetchall()} & AGGREGATES


def test_spark_leaves_columns_out_and_subtracts_by_other_words() -> None:
    for query in ("SELECT * EXCEPT (age) FROM people", "SELECT zip FROM people LATERAL VIEW explode(a) v AS x, y"):
        found = single_release(f"{query} ANONYMIZE BY zip GUARANTEE k >= 5")
        assert found is not None
        found.check_rows(Guarantee())
    for query in ("FROM people MINUS SELECT * FROM others", f"SELECT * FROM ({G}) LATERAL VIEW explode(a) v AS x, y"):
        found = single_release(f"CREATE TABLE t USING delta AS {query} ANONYMIZE WITH POLICY research")
        assert found is not None
        found.check_rows(Guarantee(requirements=(KAnonymity(k=2, per_row=True),)))
        with pytest.raises(ClauseError, match="several people"):
            found.check_rows(Guarantee())


def test_a_query_that_is_nested_deeply_is_followed_or_refused() -> None:
    for depth in (10, 100, 5000):
        with pytest.raises(ClauseError, match="several people" if depth < 200 else "nested too deeply"):
            release("FROM (" * depth + G + ")" * depth)


def test_long_chains_of_queries_above_are_read_once() -> None:
    chain = ", ".join(f"q{n} AS (SELECT a.region FROM q{n - 1} AS a, q{n - 1} AS b)" for n in range(1, 60))
    with pytest.raises(ClauseError, match="several people"):
        rewrite(f"WITH q0 AS ({G}), {chain} FROM q59 ANONYMIZE BY region GUARANTEE k >= 5", lambda body, *_: body)


def test_a_text_is_checked_by_itself() -> None:
    refuse_grouped_query("WITH g AS (FROM people) SELECT * FROM g", Guarantee(), "")
    with pytest.raises(
        ClauseError,
        match=r"if each row of this query counts as one person, say so \(line 2, "
        r"column 2, at 'group by'\)",
    ):
        refuse_grouped_query("with g as (select region from people\n group by region)\nselect * from g", Guarantee(), "say so")
    people = Guarantee(requirements=(KAnonymity(k=2), People(k=2, per="who")))
    refuse_grouped_query("SELECT DISTINCT who, zip FROM stays", people, "")


def test_the_requirement_says_what_it_counts() -> None:
    rows = KAnonymity(k=5, per_row=True)
    assert rows.describe() == "k >= 5 PER ROW"
    assert rows.to_json() == {"type": "k", "k": 5, "per_row": True}
    assert KAnonymity(k=5).to_json() == {"type": "k", "k": 5}
    assert requirement_from_json(rows.to_json()) == rows
    assert requirement_from_json({"type": "k", "k": 5, "per_row": False}) == KAnonymity(k=5)
    assert People(k=5, per="Row").describe() == 'k >= 5 PER "Row"'
    policy = Policy.of(k=3, quasi_identifiers=["zip"], requirements=[rows])
    assert policy.per_row
    assert not Policy.of(k=3, quasi_identifiers=["zip"]).per_row
    assert Policy.from_json(policy.to_json()) == policy
    stored = StoredPolicy(name="regions", table="people", policy=policy)
    assert stored.policy_for(["zip"]).per_row
    assert StoredPolicy.from_json("regions", "people", stored.to_json()) == stored
