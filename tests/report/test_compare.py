"""Releases side by side: queries by brute force over all rows that a release may stand for, and the figures of the macros."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from page_reader import assert_sound

import kanon_sql
from kanon_sql.clause.queries import read_queries
from kanon_sql.cli.commands import main
from kanon_sql.errors import AuditError, KanonWarning, PolicyError
from kanon_sql.report.figure_rows import figure_rows
from kanon_sql.report.query_errors import QueryErrors, query_errors
from kanon_sql.report.usefulness import prepare

sys.path.insert(0, str(Path(__file__).parents[1] / "sql"))

from test_usefulness import tables
from usefulness_oracle import Domain

QUERIES = """
SELECT {0}, count(*), avg(x) FROM t GROUP BY {0};
SELECT count(*), sum(x), count(x), avg(x) FILTER (WHERE {0} IS NOT NULL) FROM t WHERE {1} IS NULL OR length({1}::VARCHAR) > 4;
SELECT {1} IS NULL, count_if(length({0}::VARCHAR) > 2), count({1}), sum(length({0}::VARCHAR)) FROM t GROUP BY 1;
SELECT {0}, {1}, count(*) FROM t GROUP BY ALL HAVING count(*) > 0.3;
"""


@pytest.mark.everything
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.everything) for seed in range(2, 60))])
def test_queries_by_all_rows_that_a_release_may_stand_for(seed: int) -> None:
    with duckdb.connect() as con:
        prepare(con)
        source, released = tables(con, seed)
        names = list(source)
        con.execute("CREATE TABLE source AS SELECT *, row_number() OVER () AS x FROM o")
        con.execute("CREATE TABLE released0 AS SELECT *, row_number() OVER () AS x FROM r")
        queries = read_queries(QUERIES.format(names[0], names[1]), [*names, "x"])
        found = query_errors(con, queries, "released0", {"key": [], "value": []})
        con.execute('CREATE OR REPLACE TABLE possible AS FROM "kanon#source" LIMIT 0')
        con.execute("ALTER TABLE possible ADD COLUMN weight DOUBLE")
        domains = {name: Domain(column, 100) for name, column in source.items()}
        shares = {name: domains[name].shares(released[name]) for name in names}
        for row in range(len(released[names[0]])):
            for places in itertools.product(*(shares[name][row].nonzero()[0] for name in names)):
                weight = 1.0
                for name, place in zip(names, places, strict=True):
                    weight *= shares[name][row][place]
                cells = [domains[name].values[place] for name, place in zip(names, places, strict=True)]
                con.execute(f"INSERT INTO possible VALUES ({', '.join('?' * len(cells))}, ?, ?)", [*cells, row + 1, weight])
        con.execute("ALTER TABLE possible ADD COLUMN x_sum DOUBLE; UPDATE possible SET x_sum = x * weight")
        con.execute("ALTER TABLE possible ADD COLUMN x_count DOUBLE; UPDATE possible SET x_count = weight")
        for query, each in zip(queries, found, strict=True):
            expected = answers(con, query.plain, query.keys)
            other = answers(con, query.weighted.replace("kanon#weighted", "possible"), query.keys)
            assert each.groups == len(expected)
            assert (each.lost, each.added) == (len(expected.keys() - other.keys()), len(other.keys() - expected.keys()))
            assert each.errors == pytest.approx(sorted(errors(expected, other)), abs=1e-9)


def answers(con: Any, query: str, keys: tuple[int, ...]) -> dict[tuple[object, ...], list[Any]]:
    rows = con.execute(query).fetchall()
    return {tuple(row[n] for n in keys): [value for n, value in enumerate(row) if n not in keys] for row in rows}


def errors(expected: dict[tuple[object, ...], list[Any]], other: dict[tuple[object, ...], list[Any]]) -> list[float]:
    found = []
    for key, values in expected.items():
        for place, value in enumerate(values):
            if value is None:
                continue
            answer = other[key][place] if key in other else None
            same = answer is not None and float(answer) == value == 0
            apart = answer is None or (value == 0) != (answer == 0)
            found.append(0.0 if same else 1.0 if apart else abs(float(answer) - float(value)) / abs(float(value)))
    return found


def test_the_rows_of_a_weighted_query_are_those_of_sql(tmp_path: Path) -> None:
    """The rewritten texts themselves, on rows whose weights are whole: as if each stood there so many times."""
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 3 AS a, nullif(i % 5, 4) AS b, 1 + i % 4 AS weight FROM range(60) AS t(i)")
        con.execute('CREATE TABLE "kanon#source" AS SELECT a, b FROM t, range(weight)')
        con.execute(
            'CREATE TABLE "kanon#weighted" AS SELECT *, b * weight AS b_sum, weight * (b IS NOT NULL)::INT AS b_count FROM t'
        )
        text = """SELECT a, count(*), count(b), sum(b), avg(b), 10 * sum(b) / count(*) FROM t GROUP BY a;
            SELECT sum(a * b), avg(a + b) FILTER (WHERE b > 1), count_if(b = 2), count(*) FILTER (WHERE a = 1) FROM t;
            SELECT a FROM t GROUP BY a HAVING count(*) > 3 AND avg(b) > 1"""
        for query in read_queries(text.rpartition(";")[0], ["a", "b"]):
            expected = sorted(con.execute(query.plain).fetchall())
            assert sorted(con.execute(query.weighted).fetchall()) == [pytest.approx(row) for row in expected]


QI = ["zip", "age", "sex"]


def people(rows: int = 120) -> pa.Table:
    cells = {
        "zip": [f"0{2138 + i * i % 3}" for i in range(rows)],
        "age": [20 + i * i % 23 for i in range(rows)],
        "sex": ["fm"[i % 2] for i in range(rows)],
        "sick": ["yes" if i * i % 23 > 11 else "no" for i in range(rows)],
    }
    return pa.table(cells)


@pytest.fixture(scope="module")
def released() -> dict[str, Any]:
    options: dict[str, Any] = {"quasi_identifiers": ["zip", "age", "sex"], "keep": ["sick"]}
    return {
        "five": kanon_sql.anonymize(people(), k=5, **options),
        "levels": kanon_sql.anonymize(people(), k=5, recodings={"age": "INTERVALS (5, 10)"}, **options),
        "source": people(),
    }


ASKED = "SELECT sex, count(*), avg(age) FROM people GROUP BY sex; SELECT count(*) FROM people WHERE age BETWEEN 25 AND 31"


@pytest.mark.everything
def test_the_figures_are_those_of_the_macros(released: dict[str, Any]) -> None:
    found = kanon_sql.compare(
        people(), released, quasi_identifiers=["zip", "age", "sex"], queries=ASKED, by=["sex"], target="sick"
    )
    five, levels, same = found.releases
    assert (same.loss, same.marginals, same.correlations, same.error, same.k) == (0, 0, 0, 0, 1)
    assert same.accuracy == same.kept_accuracy
    assert (five.k, levels.k) == (5, 5)
    assert five.bound == released["five"].certificate.gap
    with duckdb.connect() as con:
        con.execute((Path(__file__).parents[2] / "sql" / "kanon.sql").read_text(encoding="utf-8"))
        source, table = people(), released["levels"].table
        con.register("source", source)
        con.register("table_of_levels", table)
        pair = "'table_of_levels', 'source'"
        ((distance,),) = con.execute(f"SELECT avg(distance) FROM marginals({pair})").fetchall()
        ((accuracy,),) = con.execute(
            f"SELECT released_accuracy FROM predictability({pair}, 'sick', ['zip', 'age', 'sex'])"
        ).fetchall()
        ((worst,),) = con.execute(f"SELECT max(loss) FROM group_loss({pair}, ['zip', 'age', 'sex'], 'sex')").fetchall()
    assert levels.marginals == pytest.approx(distance)
    assert levels.kept_accuracy == accuracy
    assert levels.groups[0].worst == pytest.approx(worst)
    assert {each.name for each in found.best} <= {"five", "levels", "source"}
    assert "source" in {each.name for each in found.best}
    told = found.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert found.advice == told["advice"]


@pytest.mark.everything
def test_kept_columns_are_no_quasi_identifiers() -> None:
    """Without names, the classes are those of the certificates: two releases at k = 5 have a risk of 20 % at most."""
    source = people().append_column("number", pa.array(range(120)))
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=QI, keep=["sick", "number"])
    found = kanon_sql.compare(source, {"one": release, "two": release.table}).releases
    assert [each.k for each in found] == [release.certificate.smallest_class] * 2
    with pytest.raises(PolicyError, match="the quasi-identifiers are unknown; hint: pass quasi_identifiers="):
        kanon_sql.compare(source, {"two": release.table})


@pytest.mark.everything
def test_people_are_counted_where_the_guarantee_counts_them() -> None:
    visits = people().append_column("patient", pa.array([n // 2 for n in range(120)]))
    by_rows = kanon_sql.anonymize(visits.drop_columns(["patient"]), k=5, quasi_identifiers=QI, per_row=True)
    by_people = kanon_sql.anonymize(visits, k=5, quasi_identifiers=QI, per="patient")
    found = kanon_sql.compare(visits, {"rows": by_rows, "people": by_people})
    rows, persons = found.releases
    assert (rows.people, persons.people) == (False, True)
    counted = by_people.certificate.smallest_class_people
    assert (persons.k, persons.risk, persons.average_risk) == (counted, 1 / counted, None)
    assert by_people.certificate.smallest_class is not None
    assert by_people.certificate.smallest_class > 5
    assert figure_rows(found.releases)[0] == ("smallest class", f"{rows.k} rows", f"{counted} people")
    assert f"{counted} people; no class has fewer than {by_people.certificate.smallest_class} rows" in repr(
        by_people.certificate
    )


VISITS = """SELECT i // 6 AS patient, i // 6 % 5 AS zip, i // 6 * 7 % 3 AS sex, i // 6 * 11 % 4 AS job, i % 4 AS ward
    FROM range(1200) AS t(i)"""


@pytest.mark.everything
def test_people_of_releases_without_certificates_are_counted_in_the_source() -> None:
    """200 people with six rows each: a class of n people has 6 n rows."""
    hidden = "CREATE TABLE released AS SELECT * EXCLUDE (patient) REPLACE (CASE WHEN zip <> 1 THEN job END AS job) FROM visits"
    with duckdb.connect() as con:
        visits = con.sql(VISITS).to_arrow_table()
        con.execute(hidden)
        table = con.table("released").to_arrow_table()
        texts = con.sql("SELECT coalesce(CAST(COLUMNS(*) AS VARCHAR), '*') FROM released").to_arrow_table()
        fewest, without_zip = (
            con.sql(f"SELECT min(n) // 6 FROM (SELECT count(*) AS n FROM released GROUP BY {names})").fetchall()[0][0]
            for names in ("zip, sex, job", "sex, job")
        )
    named = {"quasi_identifiers": ["zip", "sex", "job"]}
    found = kanon_sql.compare(visits, {"nulls": table, "texts": texts, "with people": visits}, per="patient", **named)
    assert [(each.people, each.k) for each in found.releases] == [(True, fewest), (True, fewest), (True, 3)]
    assert [each.risk for each in found.releases] == [1 / fewest, 1 / fewest, 1 / 3]
    labels = table.set_column(0, "zip", pa.array(["0 to 4"] * len(table)))
    assert kanon_sql.compare(visits, {"labels": labels}, per="patient", **named).releases[0].k == without_zip
    with pytest.warns(
        KanonWarning, match="patient repeats people: .*; hint: pass per='patient', or per_row=True if each row is"
    ):
        found = kanon_sql.compare(visits, {"nulls": table}, **named)
    assert (found.to_dict()["settled"], found.releases[0].k) == (False, 6 * fewest)
    assert "Risks are per row, although people have several rows." in found.html()
    assert kanon_sql.compare(visits, {"nulls": table}, per_row=True, **named).open is None
    with pytest.raises(PolicyError, match="patient identifies people, so it cannot be a quasi-identifier"):
        kanon_sql.compare(visits, {"nulls": table}, per="patient", quasi_identifiers=["zip", "patient"])


@pytest.mark.everything
def test_the_command_counts_people(run: Run) -> None:
    with duckdb.connect() as con:
        con.execute(f"COPY ({VISITS}) TO 'visits.csv'")
        con.execute("COPY (SELECT * EXCLUDE (patient) FROM 'visits.csv') TO 'released.csv'")
    asked = ("visits.csv", "released.csv", "--qi", "zip,sex,job")
    done = run(*asked, "--per", "patient")
    assert (done.exit_code, done.stderr) == (0, "")
    assert re.search(r"smallest class +at least 3 people", done.stdout)
    assert "hint: pass --per patient, or --per-row if each row is a person" in " ".join(run(*asked, "-q").stderr.split())
    assert run(*asked, "--per-row", "-q").output == ""


@pytest.mark.everything
def test_who_beats_whom() -> None:
    found = kanon_sql.compare(people(), {"source": people(), "again": people()}, quasi_identifiers=QI)
    assert [each.name for each in found.best] == ["source", "again"]
    assert found.advice.startswith("Choose source: its distance of marginals is 0.00%, the lowest, at a risk of 100.00%.")


@pytest.mark.everything
def test_the_page(released: dict[str, Any]) -> None:
    found = kanon_sql.compare(
        people(), {"<b>": released["five"], "levels": released["levels"]}, queries=ASKED, by=["sex"], target="sick"
    )
    page = assert_sound(found.html())
    assert page.table("The figures of each release").rows[0] == ["figure", "<b>", "levels"]
    rows = page.table("The errors of each query").rows[1:]
    assert [row[:2] for row in rows] == [[f"query {n}", name] for n in (1, 2) for name in ("<b>", "levels")]
    assert found.advice in page.text


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"quasi_identifiers": ["nothing"]}, PolicyError, "the source has no column nothing; hint: use"),
        ({"target": "nothing"}, PolicyError, "the source has no column nothing"),
        ({"by": ["nothing"]}, PolicyError, "the source has no column nothing"),
        ({"queries": "SELECT avg(sex) FROM t"}, PolicyError, "query 1 fails: Binder Error: .*; hint: run it on the source"),
        (
            {"queries": "SELECT count(*) FROM t WHERE zip::DATE > DATE '2020-01-01'"},
            PolicyError,
            "query 1 fails on a value; hint: use TRY_CAST",
        ),
        ({"queries": "DROP TABLE t"}, PolicyError, "query 1 is not a SELECT, or writes data"),
    ],
)
def test_bad_input(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        kanon_sql.compare(people(), {"same": people()}, **{"quasi_identifiers": QI, **options})


@pytest.mark.everything
def test_releases_of_other_tables() -> None:
    with pytest.raises(AuditError, match="few has 3 rows, but the source has 120; hint"):
        kanon_sql.compare(people(), {"few": people(3)}, quasi_identifiers=QI)
    with pytest.raises(PolicyError, match="a release has no column zip; hint: use one of age, sex, sick"):
        kanon_sql.compare(people(), {"narrow": people().drop_columns(["zip"])}, quasi_identifiers=["zip"])
    with pytest.raises(PolicyError, match="query 1 uses zip, which is missing from a release"):
        kanon_sql.compare(
            people(),
            {"narrow": people().drop_columns(["zip"])},
            quasi_identifiers=["age"],
            queries="SELECT zip, count(*) FROM t GROUP BY 1",
        )
    with pytest.raises(PolicyError, match="the source and the releases share no column"):
        kanon_sql.compare(people(), {"other": pa.table({"a": [1]})})
    with pytest.raises(PolicyError, match="releases must map names to tables"):
        kanon_sql.compare(people(), {})


def test_a_query_of_too_many_combinations() -> None:
    names = [f"c{n}" for n in range(6)]
    source = pa.table({name: list(range(40)) for name in names})
    hidden = pa.table({name: [None, *range(1, 40)] for name in names})
    with pytest.raises(PolicyError, match="query 1 needs too many combinations of values: up to 4,096,000,000 "):
        kanon_sql.compare(
            source, {"r": hidden}, quasi_identifiers=names, queries=f"SELECT {', '.join(names)}, count(*) FROM t GROUP BY ALL"
        )


@pytest.mark.everything
def test_a_hierarchy_says_what_a_label_covers() -> None:
    source = pa.table({"job": ["nurse", "doctor", "cook", "waiter"] * 5})
    tree = pa.table({"value": ["nurse", "doctor", "cook", "waiter"], "parent": ["care", "care", "food", "food"]})
    hidden = pa.table({"job": ["care", "care", "cook", "waiter"] * 5})
    queries = "SELECT count(*) FROM t WHERE job = 'nurse'"
    found, blind = (
        kanon_sql.compare(source, {"r": hidden}, quasi_identifiers=["job"], queries=queries, hierarchies=each).releases[0]
        for each in ({"job": tree}, None)
    )
    assert (found.error, found.loss) == (0.0, pytest.approx(1 / 6))
    assert (blind.error, blind.loss) == (1.0, 0.5)


@pytest.mark.everything
def test_a_query_may_leave_out_the_columns_of_a_hierarchy() -> None:
    source = pa.table({"job": ["nurse", "doctor"] * 5, "age": [30, 40] * 5})
    hidden = pa.table({"job": ["care"] * 10, "age": [30, 40] * 5})
    tree = pa.table({"level0": ["nurse", "doctor"], "level1": ["care", "care"]})
    queries = "SELECT age, count(*) FROM t GROUP BY age; SELECT job, avg(age) FROM t GROUP BY job"
    found = kanon_sql.compare(
        source, {"r": hidden}, quasi_identifiers=["job", "age"], queries=queries, hierarchies={"job": tree}
    ).releases[0]
    assert [each.errors for each in found.queries] == [(0.0, 0.0), (0.125, pytest.approx(1 / 6))]


@pytest.mark.everything
def test_empty_groups() -> None:
    found = kanon_sql.compare(
        people(), {"same": people()}, quasi_identifiers=QI, queries="SELECT sex, count(*) FROM t WHERE age > 1000 GROUP BY sex"
    )
    assert found.releases[0].queries == (QueryErrors(number=1, groups=0, lost=0, added=0, errors=()),)
    assert found.releases[0].error is None


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, released: dict[str, Any]) -> Run:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as con:
        source, five, levels = people(), released["five"].table, released["levels"].table
        for name, table in {"people": source, "five": five, "levels": levels}.items():
            con.register("t", table)
            con.execute(f"COPY t TO '{name}.csv'")
    Path("q.sql").write_text(ASKED, encoding="utf-8")
    Path("five.json").write_text(released["five"].certificate.to_json(), encoding="utf-8")
    return lambda *words: CliRunner().invoke(main, ["compare", *words])


@pytest.mark.everything
def test_the_command(run: Run) -> None:
    """A CSV file names no types: the ages are numbers all the same, and the zip codes are not."""
    done = run(
        "people.csv", "five.csv", "levels.csv", "--queries", "q.sql", "--target", "sick", "--by", "sex", "-o", "out.html"
    )
    assert done.exit_code == 0, done.output
    assert "Choose " in done.output
    assert "median error of queries" in done.output
    assert_sound(Path("out.html").read_text(encoding="utf-8"))
    again = run("people.csv", "five.csv", "-o", "out.html")
    assert again.exit_code == 1
    assert "exists; hint: pass --force to replace the file" in again.output


@pytest.mark.everything
def test_the_command_in_json(run: Run) -> None:
    done = run("people.csv", "levels.csv", "--qi", "zip,age,sex", "--queries", "q.sql", "--json")
    told = json.loads(done.output)
    assert told["written"] is None
    assert told["releases"][0]["all_queries"]["groups"] == 3
    assert told["releases"][0]["name"] == "levels"


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("people.csv", "five.csv", "five.csv"), "a release is listed twice; hint: list each release once"),
        (("people.csv", "nothing.csv"), "there is no file"),
        (("people.csv", "five.csv", "--queries", "nothing.sql"), "nothing.sql"),
        (("people.csv", "five.csv", "-o", "out.txt"), "has no known extension; hint: use .html"),
        (("people.csv", "five.csv", "-o", "people.csv"), "has no known extension; hint: use .html"),
        (("people.csv", "five.csv", "--certificate", "x=five.json"), "x is not one of the releases"),
        (("people.csv",), "Missing argument"),
    ],
)
def test_mistakes(run: Run, words: tuple[str, ...], said: str) -> None:
    done = run(*words)
    assert done.exit_code != 0
    assert said in done.output
