"""Hierarchies in files, as ARX writes them: in the clause, the functions, Python, stored policies and the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.engines.spark.guarantees import check_supported
from kanon_sql.errors import KanonError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Levels

# An interval as ARX writes it holds a comma; a zip code begins with a zero.
ARX = "\n".join(f"{n:02};[{n // 5 * 5}, {n // 5 * 5 + 5}[;*" for n in range(20)) + "\n"

AGES = "CREATE TABLE t AS SELECT printf('%02d', i * i % 20) AS age, i % 2 AS sex FROM range(60) AS r(i)"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "age.csv").write_text(ARX)
    (tmp_path / "named.csv").write_text("level0,level1,level2\n" + ARX.replace(", ", "-").replace(";", ","))
    (tmp_path / "tree.csv").write_text("0;few;*\n1;few;*\n2;many;*\n")
    return tmp_path


def labels(con: Any, query: str) -> set[str | None]:
    return {row[0] for row in con.execute(f"SELECT age FROM ({query})").fetchall()}


@pytest.mark.everything
def test_the_clause_reads_a_file(shared_clause: Any, files: Path) -> None:
    shared_clause.execute(AGES)
    found = labels(shared_clause, "FROM t ANONYMIZE BY age IN HIERARCHY 'age.csv', sex GUARANTEE k >= 8")
    assert found & {"[0, 5[", "[5, 10[", "[10, 15[", "[15, 20["}
    assert not found - {None} - {f"{n:02}" for n in range(20)} - {f"[{n}, {n + 5}[" for n in range(0, 20, 5)}
    levels = "column0 AS level0, column1 AS level1, column2 AS level2"
    loaded = f"(SELECT {levels} FROM read_csv('age.csv', all_varchar := true, header := false))"
    shared_clause.execute(f"CREATE TABLE ages AS FROM {loaded}")
    assert found == labels(shared_clause, "FROM t ANONYMIZE BY age IN HIERARCHY ages, sex GUARANTEE k >= 8")


def test_a_line_of_names_is_no_value(shared_clause: Any, files: Path) -> None:
    shared_clause.execute(AGES)
    found = labels(shared_clause, "FROM t ANONYMIZE BY age IN HIERARCHY 'named.csv', sex GUARANTEE k >= 8")
    assert found & {"[0-5[", "[5-10[", "[10-15[", "[15-20["}


@pytest.mark.everything
def test_functions_and_allowed_stored_policies_read_a_file(files: Path) -> None:
    by_clause = "FROM t ANONYMIZE BY age IN HIERARCHY 'age.csv', sex GUARANTEE k >= 8"
    called = "FROM k_anonymize('t', 8, qi := ['age', 'sex'], hierarchies := MAP {'age': 'age.csv'})"
    stored = "FROM t ANONYMIZE WITH POLICY aged"
    with kanon_sql.connect(allowed_files=["age.csv"]) as con:
        con.execute(AGES)
        con.execute("CREATE ANONYMIZATION POLICY aged ON t (BY age IN HIERARCHY 'age.csv', sex; GUARANTEE k >= 8)")
        assert labels(con, by_clause) == labels(con, called) == labels(con, stored)


@pytest.mark.everything
def test_closeness_takes_a_tree_from_a_file(shared_clause: Any, files: Path) -> None:
    shared_clause.execute("CREATE TABLE v AS SELECT i % 4 AS ward, i % 3 AS visits FROM range(60) AS r(i)")
    query = "FROM v ANONYMIZE BY ward GUARANTEE k >= 5 AND t(visits, 'hierarchical', 'tree.csv') <= 0.2"
    assert len(shared_clause.execute(query).fetchall()) == 60
    (files / "tree.csv").write_text("0;few;*\n")
    with pytest.raises(KanonError, match="2 of the 3 distinct values are missing from the hierarchy"):
        shared_clause.execute(query).fetchall()


@pytest.mark.everything
def test_a_map_and_a_table_of_distances_are_files_too(shared_clause: Any, files: Path) -> None:
    (files / "edges.csv").write_text("a,b\n00501,00502\n00502,00503\n00503,00504\n")
    (files / "far.csv").write_text("a,b,distance\n0,1,0.1\n0,2,1\n1,2,1\n")
    shared_clause.execute(
        "CREATE TABLE v AS SELECT printf('%05d', 501 + i % 4) AS zip, i % 3 AS visits FROM range(120) AS r(i)"
    )
    query = "FROM v ANONYMIZE BY zip IN REGIONS 'edges.csv' GUARANTEE k >= 50 AND t(visits, 'far.csv') <= 0.3"
    regions = f"SELECT zip, count(*) FROM ({query}) GROUP BY ALL ORDER BY ALL"
    assert shared_clause.execute(regions).fetchall() == [("region 1", 60), ("region 2", 60)]


def test_a_table_called_csv_is_no_file(shared_clause: Any, files: Path) -> None:
    shared_clause.execute(AGES)
    shared_clause.execute("CREATE SCHEMA ages; CREATE TABLE ages.csv AS SELECT DISTINCT age AS level0, '*' AS level1 FROM t")
    assert labels(shared_clause, "FROM t ANONYMIZE BY age IN HIERARCHY ages.csv, sex GUARANTEE k >= 2")


@pytest.mark.everything
def test_python_reads_a_file(files: Path) -> None:
    people = pd.DataFrame({"age": [f"{n * n % 20:02}" for n in range(60)], "sex": [n % 2 for n in range(60)]})
    asked = {"k": 8, "quasi_identifiers": ["age", "sex"], "recodings": {"age": "HIERARCHY 'age.csv'"}}
    release = kanon_sql.anonymize(people, **asked)  # type: ignore[arg-type]
    assert set(release.table["age"]) & {"[0, 5[", "[5, 10[", "[10, 15[", "[15, 20["}


@pytest.mark.everything
@pytest.mark.parametrize("recode", [["age=HIERARCHY 'age.csv'"], ["age=HIERARCHY ages", "--beside", "ages=age.csv"]])
def test_the_command_reads_a_file(files: Path, recode: list[str]) -> None:
    rows = [f"{n * n % 20:02},{n % 2}" for n in range(60)]
    (files / "t.csv").write_text("\n".join(["age,sex", *rows]) + "\n")
    arguments = ["--qi", "age,sex", "--k", "8", "--recode", *recode, "--certificate", "c.json", "-q"]
    done = CliRunner().invoke(main, ["anonymize", "t.csv", "-o", "o.csv", *arguments])
    assert done.exit_code == 0, done.output
    assert "[0, 5[" in (files / "o.csv").read_text()
    allowed = recode[1:] or ["--allow-file", "age.csv"]
    verified = CliRunner().invoke(main, ["verify", "t.csv", "o.csv", "c.json", *allowed])
    assert verified.exit_code == 0, verified.output


@pytest.mark.everything
def test_python_audits_closeness_by_files(files: Path) -> None:
    (files / "far.csv").write_text("a,b,distance\n0,1,0.1\n0,2,1\n1,2,1\n")
    people = pd.DataFrame({"ward": [n % 4 for n in range(60)], "visits": [n % 3 for n in range(60)]})
    about = {"quasi_identifiers": ["ward"], "sensitive": "visits", "t": 0.2}
    for metric in ({"metric": "hierarchical", "hierarchy": "tree.csv"}, {"metric": "far.csv"}):
        release = kanon_sql.anonymize(people, k=5, **about, **metric)  # type: ignore[arg-type]
        measured = kanon_sql.audit(release.table, **about, **metric)  # type: ignore[arg-type]
        assert measured.t is not None
        assert measured.t <= 0.2


@pytest.mark.everything
def test_the_command_takes_such_a_tree_for_closeness(files: Path) -> None:
    rows = [f"{n % 4},{n % 3}" for n in range(60)]
    (files / "v.csv").write_text("\n".join(["ward,visits", *rows]) + "\n")
    about = ["--qi", "ward", "--sensitive", "visits", "--t", "0.2", "--metric", "hierarchical", "--hierarchy", "tree.csv"]
    done = CliRunner().invoke(main, ["anonymize", "v.csv", "-o", "o.csv", "--k", "5", *about, "-q"])
    assert done.exit_code == 0, done.output
    audited = CliRunner().invoke(main, ["audit", "o.csv", "--k", "5", *about])
    assert audited.exit_code == 0, audited.output
    drawn = CliRunner().invoke(main, ["frontier", "v.csv", "-o", "curve.csv", "--k", "5", *about, "-q"])
    assert drawn.exit_code == 0, drawn.output


@pytest.mark.everything
def test_a_report_takes_such_a_tree(files: Path) -> None:
    pytest.importorskip("altair", reason="kanon-sql[report] is not installed")
    rows = [f"{n % 4},{n % 3}" for n in range(60)]
    (files / "v.csv").write_text("\n".join(["ward,visits", *rows]) + "\n")
    about = ["--sensitive", "visits", "--t", "0.2", "--metric", "hierarchical", "--hierarchy", "tree.csv"]
    done = CliRunner().invoke(main, ["report", "v.csv", "v.csv", "-o", "v.html", "--qi", "ward", "--k", "5", *about, "-q"])
    assert done.exit_code == 0, done.output


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ARX.replace(";*", ";"), "level2 of the hierarchy has empty cells"),
        (ARX.replace("05;[5, 10[;*\n", ""), "distinct values are missing from the hierarchy"),
        (ARX + "07;[0, 5[;*\n", "1 label with two parents"),
        ("age;group;all\n" + ARX, "the hierarchy has 2 roots"),
    ],
)
def test_a_broken_file_releases_nothing(shared_clause: Any, files: Path, text: str, told: str) -> None:
    shared_clause.execute(AGES)
    (files / "age.csv").write_text(text)
    with pytest.raises(PolicyError) as refused:
        shared_clause.execute("FROM t ANONYMIZE BY age IN HIERARCHY 'age.csv', sex GUARANTEE k >= 8").fetchall()
    assert told in str(refused.value)


def test_spark_refuses_a_file() -> None:
    asked = Policy.of(k=5, quasi_identifiers=["age"], recodings={"age": Levels(table='"age.csv"')})
    with pytest.raises(PolicyError, match="on Spark, a policy must refer to tables, not files; hint"):
        check_supported(asked)


@pytest.mark.everything
def test_a_file_that_is_not_there_and_one_that_may_not_be_read(files: Path) -> None:
    with kanon_sql.connect() as con:
        con.execute(AGES)
        with pytest.raises(KanonError, match=r"none\.csv"):
            con.execute("FROM t ANONYMIZE BY age IN HIERARCHY 'none.csv' GUARANTEE k >= 8").fetchall()
        con.execute("SET enable_external_access = false")
        with pytest.raises(KanonError, match="Permission"):
            con.execute("FROM t ANONYMIZE BY age IN HIERARCHY 'age.csv' GUARANTEE k >= 8").fetchall()
