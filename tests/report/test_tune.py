"""`kanon tune`: never worse than the default, and the policy that is written gives the errors that are stated."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

import kanon_sql
from kanon_sql.clause.queries import read_queries
from kanon_sql.cli.commands import main
from kanon_sql.report.query_errors import query_errors, together

PEOPLE = """SELECT 18 + (hash(i) % 72)::INT AS age, (98000 + hash(i, 1) % 30)::VARCHAR AS zip,
    ['f', 'm'][1 + (hash(i, 2) % 2)::INT] AS sex, 'job ' || (hash(i, 3) % 5) AS job, (hash(i, 4) % 50)::INT * 1000 AS pay,
    'Name ' || i AS name FROM range(240) t(i)"""

QUERIES = """SELECT job, sex, count(*) FROM people GROUP BY ALL;
SELECT count(*), avg(pay) FROM people WHERE age >= 65 AND sex = 'f';
SELECT age // 10, count(*) FROM people GROUP BY 1;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KANON_SECRET", "0" * 64)
    duckdb.sql(PEOPLE).write_csv("people.csv")
    (tmp_path / "q.sql").write_text(QUERIES)
    return tmp_path


def tune(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["tune", "people.csv", *arguments])


@pytest.mark.everything
@pytest.mark.parametrize("qi", [pytest.param((), marks=pytest.mark.everything), ("--qi", "age,zip,sex,job")])
def test_the_policy_gives_the_errors_that_are_stated(folder: Path, qi: tuple[str, ...]) -> None:
    done = tune("--queries", "q.sql", "--k", "4", "--time-limit", "3", "--json", "-q", *qi)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["median_error"] <= told["default_median_error"]
    assert told["releases"] >= 2
    with kanon_sql.connect() as con:
        con.execute(f"CREATE TABLE people AS {PEOPLE}")
        con.execute(told["policy"])
        con.execute("CREATE TABLE released AS SELECT * FROM people ANONYMIZE WITH POLICY tuned")
        (certificate,) = kanon_sql.releases(con)
        assert certificate.smallest_class is None or certificate.smallest_class >= 4
        con.raw.execute("CREATE TABLE source AS FROM people")
        queries = read_queries(QUERIES, ["age", "zip", "sex", "job", "pay"])
        found = together(query_errors(con.raw, queries, "released", {"key": [], "value": []}))
    assert found.median == pytest.approx(told["median_error"], abs=0.02)  # other rows of a row type may be suppressed
    assert found.lost == told["groups_lost"]
    assert "Name" not in told["policy"]


@pytest.mark.everything
def test_unused_columns_are_given_up_for_the_queries(folder: Path) -> None:
    (folder / "q.sql").write_text("SELECT job, sex, count(*) FROM people GROUP BY ALL")
    done = tune("--queries", "q.sql", "--k", "8", "--qi", "age,zip,sex,job", "--time-limit", "3", "-o", "policy.sql")
    assert done.exit_code == 0, done.output
    assert "default median error" in done.stdout
    text = (folder / "policy.sql").read_text()
    assert "-- Tuned for 1 query" in text
    with kanon_sql.connect() as con:
        con.execute(f"CREATE TABLE people AS {PEOPLE}")
        con.execute(text)
        plain = "FROM people ANONYMIZE BY age, zip, sex, job KEEP pay, name GUARANTEE k >= 8"
        lost = [
            con.sql(f"SELECT count(*) FILTER (job IS NULL) + count(*) FILTER (sex IS NULL) FROM ({each})").fetchall()[0][0]
            for each in ("FROM people ANONYMIZE WITH POLICY tuned", plain)
        ]
    assert lost[0] < lost[1]
    assert tune("--queries", "q.sql", "-o", "policy.sql").exit_code == 1
    assert tune("--queries", "q.sql", "-o", "policy.yaml", "--time-limit", "1", "-q").exit_code == 0


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("DELETE FROM people", "query 1 is not a SELECT, or writes data"),
        ("SELECT jobb, count(*) FROM people GROUP BY 1", "uses jobb, which the source does not have; hint: did you mean job"),
        ("SELECT name, count(*) FROM people GROUP BY 1", "uses name, which the source does not have"),
        ("", "the query file is empty"),
    ],
)
def test_bad_queries_are_refused(folder: Path, text: str, told: str) -> None:
    (folder / "q.sql").write_text(text)
    done = tune("--queries", "q.sql", "--time-limit", "1")
    assert done.exit_code != 0
    assert told in str(done.exception) + done.output
