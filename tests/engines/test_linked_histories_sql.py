"""Linked histories by the clause: as a query, a table, a file and a view; and by the command."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import ClauseError, InfeasibleError, KanonError, PolicyError, SourceError

LINKED = "ANONYMIZE BY sex, ward, month KEEP cost GUARANTEE k >= 3 PER patient LINKED FOR ANY 2 ROWS"


@pytest.fixture
def con() -> kanon_sql.Connection:
    con = kanon_sql.connect(secret="s")
    con.execute("SELECT setseed(0.5)")
    con.execute(
        """CREATE TABLE visits AS SELECT i // 4 AS "Patient", (i // 4) % 2 AS sex,
            ['eye', 'skin', 'heart'][1 + (random() * 3)::INT % 3] AS ward,
            DATE '2026-01-01' + INTERVAL ((random() * 3)::INT) MONTH AS month, i AS cost
        FROM range(160) t(i)"""
    )
    return con


@pytest.mark.everything
def test_it_is_the_release_of_python(con: kanon_sql.Connection) -> None:
    found = con.sql(f"FROM visits {LINKED}").to_arrow_table()
    release = kanon_sql.link_histories(
        con.table("visits").to_arrow_table(),
        3,
        per="patient",
        quasi_identifiers=["sex", "ward", "month"],
        keep=["cost"],
        secret="s",
    )
    assert found.column_names == ["patient", "sex", "ward", "month", "cost"]  # a token is spelled as in the clause
    assert found.to_pydict() == {name.lower(): cells for name, cells in release.table.to_pydict().items()}
    [row] = con.sql("FROM kanon_linked_releases()").to_arrow_table().to_pylist()
    certificate = release.certificate.to_dict()
    assert {name: value for name, value in row.items() if name not in {"number", "seconds", "guarantee"}} == {
        name: certificate[name] for name in row if name not in {"number", "seconds", "guarantee"}
    }
    assert row["fewest_candidates"] >= 3


@pytest.mark.everything
def test_a_table_a_view_and_a_file_hold_the_release(con: kanon_sql.Connection, tmp_path: Path) -> None:
    con.execute(f"CREATE TABLE stored AS FROM visits {LINKED}")
    con.execute(f"CREATE VIEW viewed AS FROM visits {LINKED}")
    con.execute(f"COPY (FROM visits {LINKED}) TO '{tmp_path / 'out.parquet'}'")
    stored = con.execute("FROM stored").fetchall()
    assert con.execute("FROM viewed").fetchall() == stored
    assert con.execute(f"FROM '{tmp_path / 'out.parquet'}'").fetchall() == stored
    assert con.execute("SELECT count(*) FROM kanon_linked_releases()").fetchall() == [(3,)]
    audit = "FROM history_risk('stored', 'patient', ['sex', 'ward', 'month'], 2, k := 3)"
    people, fewest, below = con.execute(f"SELECT people, fewest_candidates, people_below {audit}").fetchall()[0]
    assert (fewest >= 3, below) == (True, 0)
    assert people == con.execute("SELECT linked_people FROM kanon_linked_releases()").fetchall()[0][0]


@pytest.mark.everything
def test_a_query_around_it_sees_the_release_alone(con: kanon_sql.Connection) -> None:
    rows = con.execute(
        f"""WITH eyes AS (FROM visits WHERE ward = 'eye')
            SELECT count(*), count(patient) FROM (FROM eyes {LINKED}) WHERE cost >= $1""",
        [0],
    ).fetchall()
    eyes = con.execute("SELECT count(*) FROM visits WHERE ward = 'eye'").fetchall()[0][0]
    assert rows[0][0] == eyes
    assert 0 < rows[0][1] <= eyes


def test_types_and_names_stay(con: kanon_sql.Connection) -> None:
    source = con.sql("FROM visits")
    found = con.sql(f"FROM visits {LINKED}")
    assert [name.lower() for name in found.columns] == [name.lower() for name in source.columns]
    assert found.types[1:] == source.types[1:]
    assert found.types[0] == "VARCHAR"


def test_values_that_look_different_are_different(con: kanon_sql.Connection) -> None:
    looks = "CASE WHEN i < 2 THEN INTERVAL 30 DAY ELSE INTERVAL 1 MONTH END"
    con.execute(f"CREATE TABLE odd AS SELECT i AS p, {looks} AS x FROM range(4) t(i)")
    rows = con.execute("FROM odd ANONYMIZE BY x GUARANTEE k >= 3 PER p LINKED FOR ANY 1 ROW").fetchall()
    assert rows == [(None, None)] * 4
    con.execute(
        "CREATE TABLE texts AS SELECT i AS p, (CASE WHEN i < 2 THEN 'a' ELSE 'A' END) COLLATE NOCASE AS x FROM range(4) t(i)"
    )
    rows = con.execute("FROM texts ANONYMIZE BY x GUARANTEE k >= 3 PER p LINKED FOR ANY 1 ROW").fetchall()
    assert rows == [(None, None)] * 4


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        (f"FROM visits {LINKED.replace('k >= 3', 'k >= 41')}", InfeasibleError, "the table has 40 people, fewer than k = 41"),
        (f"FROM visits {LINKED.replace('KEEP cost', '')}", PolicyError, 'the column "cost" has no role'),
        (f"FROM visits {LINKED.replace('ward', 'wrad')}", ClauseError, 'unknown column "wrad"; hint: did you mean "ward"'),
        (f"FROM visits {LINKED.replace('PER patient', 'PER patent')}", ClauseError, 'unknown column "patent"'),
        (
            f"SELECT * REPLACE (nullif(patient, 1) AS patient) FROM visits {LINKED}",
            SourceError,
            "4 rows have no person in patient",
        ),
    ],
)
def test_errors_are_ours(con: kanon_sql.Connection, text: str, error: type[KanonError], told: str) -> None:
    with pytest.raises(error) as refusal:
        con.execute(text)
    assert told in str(refusal.value)
    assert con.execute("SELECT count(*) FROM kanon_linked_releases()").fetchall() == [(0,)]
    assert len(con.session.gatherings) == 0


def test_a_macro_behind_the_syntax_releases_nothing(con: kanon_sql.Connection) -> None:
    con.execute('CREATE MACRO "-"(a, b) AS 0')
    with pytest.raises(KanonError, match="the macro - takes the place of a built-in function; nothing was released"):
        con.execute(f"FROM visits {LINKED}")


def test_an_interrupt_and_progress_reach_the_search(con: kanon_sql.Connection) -> None:
    seen: list[str] = []

    def stop(moment: object) -> None:
        seen.append(str(moment))
        raise KanonError("seen enough")

    con.watch(stop)
    with pytest.raises(KanonError, match="seen enough"):
        con.execute(f"FROM visits {LINKED}")
    assert seen == ["suppressing cells of histories"]


@pytest.mark.everything
def test_the_command_writes_what_the_clause_shows(
    con: kanon_sql.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KANON_SECRET", "s")
    con.execute("COPY visits TO 'in.parquet'")
    asked = ["--qi", "sex,ward,month", "--keep", "cost", "--per", "patient", "--k", "3", "--known-rows", "2"]
    done = CliRunner().invoke(main, ["anonymize", "in.parquet", "-o", "out.parquet", *asked, "--certificate", "proof.json"])
    assert done.exit_code == 0, done.output
    assert "k >= 3 PER Patient LINKED FOR ANY 2 ROWS" in done.output
    assert duckdb.sql("FROM 'out.parquet'").fetchall() == con.execute(f"FROM visits {LINKED}").fetchall()
    assert json.loads(Path("proof.json").read_text())["fewest_candidates"] >= 3
    for beside, told in (
        (["--seed", "1"], "--seed cannot be combined with --known-rows"),
        (["--sensitive", "cost", "--l", "2"], "--sensitive cannot be combined with --known-rows"),
        (["--policy", "p.yaml"], "--policy cannot be combined with --known-rows"),
    ):
        done = CliRunner().invoke(main, ["anonymize", "in.parquet", "-o", "new.parquet", *asked, *beside])
        assert (done.exit_code, told in done.output) == (2, True), done.output
    done = CliRunner().invoke(main, ["anonymize", "in.parquet", "-o", "new.parquet", *asked[:-4], "--known-rows", "2"])
    assert (done.exit_code, "--known-rows needs --k" in done.output) == (2, True), done.output
    assert not Path("new.parquet").exists()


def test_an_empty_table_has_too_few_people() -> None:
    empty = pa.table({"p": pa.array([], pa.int64()), "x": pa.array([], pa.int64())})
    with pytest.raises(InfeasibleError, match="the table has 0 people, fewer than k = 2"):
        kanon_sql.link_histories(empty, 2, per="p", quasi_identifiers=["x"])


@pytest.mark.everything
def test_no_type_lists_values_that_are_suppressed(con: kanon_sql.Connection) -> None:
    con.execute(
        """CREATE TABLE stays AS SELECT i // 2 AS patient, ['eye', 'skin', 'secret'][1 + CASE WHEN i = 7 THEN 2 ELSE i % 2 END]
                ::ENUM ('eye', 'skin', 'secret') AS ward, [ward] AS wards FROM range(400) t(i)"""
    )
    con.execute("CREATE TABLE r AS FROM stays ANONYMIZE BY ward, wards GUARANTEE k >= 5 PER patient LINKED FOR ANY 2 ROWS")
    assert con.sql("FROM r").types == ["VARCHAR", "VARCHAR", "VARCHAR[]"]
    assert con.execute("SELECT DISTINCT ward FROM r ORDER BY ALL NULLS LAST").fetchall() == [("eye",), ("skin",), (None,)]
    assert len(con.execute("FROM r").fetchall()) == 400
