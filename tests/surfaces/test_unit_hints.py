"""Each surface refuses a table in which people repeat, in words of its own, and each hint works when it is applied."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import KanonError, UnknownColumnError, UnlistedColumnError
from kanon_sql.model.refusals import IdentifierError
from kanon_sql.model.repetition import RepeatedPeopleError

VISITS = """CREATE TABLE visits AS SELECT i AS visit_id, 'P' || i % 300 AS patient, 1940 + (hash(i % 300) % 60)::INT AS born,
    'Z' || hash(i % 300 + 1000) % 30 AS zip, ['f', 'm'][1 + (hash(i % 300 + 2000) % 2)::INT] AS sex, i % 3 AS ward
    FROM range(1500) t(i)"""

REPEATED = (
    "patient repeats people: rows that share its value agree on born, zip and sex; {} would count rows, not people: 300 people "
)

LEFT = ["zip", "sex", "ward"]

GONE = ["visit_id", "born"]


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with duckdb.connect("clinic.duckdb") as con:
        con.execute(VISITS)
        con.execute("COPY visits TO 'visits.csv'")
    return tmp_path


@pytest.fixture
def visits(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute(VISITS)
    return con


def ran(*arguments: str) -> str:
    """Run the command; return what it says."""
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return re.sub(r"\s+", " ", done.output)


def hint_of(told: str) -> str:
    return told.rpartition("hint: ")[2].strip()


ANONYMIZE = ("anonymize", "visits.csv", "-o", "out.csv", "--force", "--qi", "zip,sex", "--k", "5", "-q")

COMMANDS = {
    "anonymize": ANONYMIZE,
    "known columns": (*ANONYMIZE, "--known", "1"),
    "diversity": (*ANONYMIZE, "--sensitive", "ward", "--l", "2"),
    "sets": (*ANONYMIZE, "--recode", "sex=SETS", "--recode", "zip=SETS"),
    "masks": (*ANONYMIZE, "--mask", "zip", "--mask", "sex", "--mask", ""),
    "frontier": ("frontier", "visits.csv", "-o", "out.csv", "--force", "--qi", "zip,sex", "--k", "5", "-q"),
    "append": ("append", "clinic.duckdb::visits", "released", "--key", "visit_id", "--qi", "zip,sex", "--k", "5", "-q"),
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", COMMANDS)
def test_the_hints_of_the_command_line_work(clinic: Path, name: str) -> None:
    command = COMMANDS[name]
    told = ran(*command)
    scope = " FOR ANY 1 COLUMN" if name == "known columns" else ""
    assert REPEATED.format(f"k >= 5{scope}") in told
    assert hint_of(told) == "pass --per patient, or --per-row if each row is a person"
    gone = ",".join(GONE if name != "append" else GONE[1:])
    assert "hint: pass --per patient" in ran(*command, "--drop", f"{gone},patient")
    for option in (["--per", "patient"], ["--per-row"]):
        whole = f"{gone},patient" if option == ["--per-row"] else gone
        told = ran(*command, *option, "--drop", whole)
        assert told == "" or told.startswith("warning: "), option  # known columns warn of more of them
        if name == "append":
            with duckdb.connect("clinic.duckdb") as con:
                assert set(LEFT) == {each[0] for each in con.execute("DESCRIBE released").fetchall()}
                con.execute("DROP TABLE released; DROP TABLE kanon_ledger_released; DROP TABLE kanon_batches_released")


@pytest.mark.everything
def test_columns_without_a_role_have_hints_that_work(clinic: Path) -> None:
    command = (*ANONYMIZE, "--per-row")
    told = ran(*command)
    assert "columns have no role and look like identifiers of people: visit_id (by its name); patient (by its name)" in told
    hint = "pass --drop visit_id,patient, or pass --keep visit_id,patient,born,ward to release them on purpose"
    assert hint_of(told) == hint
    assert "SELECT" not in told
    assert "singles out" in ran(*command, "--keep", "visit_id,patient,born,ward")
    told = ran(*command, "--drop", "visit_id,patient")
    assert told == "" or "no role" not in told
    told = ran(*ANONYMIZE, "--per", "patient", "--qi", "visit_id")
    assert hint_of(told) == "pass --drop visit_id and remove it from --qi"


@pytest.mark.everything
def test_a_dropped_column_is_not_in_the_release_and_its_certificate_is_verified(clinic: Path) -> None:
    command = (*ANONYMIZE, "--per", "patient", "--drop", "visit_id,born", "--certificate", "c.json")
    assert ran(*command) == ""
    assert Path("out.csv").read_text().splitlines()[0] == ",".join(LEFT)
    policy = json.loads(Path("c.json").read_text())
    assert "born" not in json.dumps(policy)
    told = ran("verify", "visits.csv", "out.csv", "c.json")
    assert "columns differ" not in told
    told = ran(*ANONYMIZE, "--drop", "patiemt")
    assert 'unknown column "patiemt" in drop; hint: did you mean "patient"?' in told
    assert "the column zip is dropped but has a role" in ran(*ANONYMIZE, "--drop", "zip")


def refused(release: Any) -> KanonError:
    with pytest.raises(KanonError) as refusal:
        release()
    return refusal.value


OPTIONS: dict[str, Any] = {"k": 5, "quasi_identifiers": ["zip", "sex"]}


@pytest.mark.everything
def test_the_hints_of_python_work(visits: duckdb.DuckDBPyConnection) -> None:
    table = visits.table("visits").to_arrow_table()
    scopes = ({}, "k >= 5"), ({"known": 1}, "k >= 5 FOR ANY 1 COLUMN"), ({"per": "visit_id"}, "k >= 5 PER visit_id")
    for more, counted in scopes:
        error = refused(lambda more=more: kanon_sql.anonymize(table, **OPTIONS, **more))
        assert isinstance(error, RepeatedPeopleError)
        assert str(error).startswith(REPEATED.format(counted))
        assert hint_of(str(error)) == "pass per='patient', or per_row=True if each row is a person"
    released = kanon_sql.anonymize(table, **OPTIONS, drop=[*GONE, "patient"], per="patient").table
    assert released.column_names == LEFT
    assert kanon_sql.anonymize(table, **OPTIONS, drop=[*GONE, "patient"], per_row=True).table.column_names == LEFT
    error = refused(lambda: kanon_sql.anonymize(table, **OPTIONS, per="patient"))
    assert isinstance(error, UnlistedColumnError)
    assert hint_of(str(error)) == "pass drop=['visit_id'], or pass keep=['visit_id', 'born', 'ward'] to release it on purpose"
    assert isinstance(refused(lambda: kanon_sql.anonymize(table, **OPTIONS, drop=["names"])), UnknownColumnError)


FUNCTIONS = {
    "k_anonymize": "k_anonymize('{}', 5, qi := ['zip', 'sex']{})",
    "l_diversify": "l_diversify('{}', 'ward', 2, qi := ['zip', 'sex']{})",
    "pattern_guided": "pattern_guided('{}', [['zip'], ['sex'], []], k := 5, qi := ['zip', 'sex']{})",
    "known": "k_anonymize('{}', 5, qi := ['zip', 'sex'], known := 1{})",
}


@pytest.mark.everything
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_hints_of_functions_work(visits: duckdb.DuckDBPyConnection, name: str) -> None:
    visits.execute("CREATE VIEW seen AS FROM visits")
    for table in ("visits", "seen"):
        with pytest.raises(duckdb.Error) as refusal:
            visits.execute(f"FROM {FUNCTIONS[name].format(table, '')}")
        assert hint_of(str(refusal.value)) == "pass per := 'patient', or per_row := true if each row is a person"
        dropped = "drop := ['visit_id', 'born', 'patient']"
        for more in (f"{dropped}, per := 'patient'", f"{dropped}, per_row := true"):
            found = visits.execute(f"DESCRIBE FROM {FUNCTIONS[name].format(table, f', {more}')}").fetchall()
            assert [each[0] for each in found] == LEFT
            visits.execute(f"FROM {FUNCTIONS[name].format(table, f', {more}')}").fetchall()
        with pytest.raises(duckdb.Error, match='unknown column "names" in drop'):
            visits.execute(f"FROM {FUNCTIONS[name].format(table, ', drop := [' + repr('names') + ']')}")


def test_the_hints_of_the_json_argument_work(visits: duckdb.DuckDBPyConnection) -> None:
    """Its keys are those of a policy, not those of a stored one."""

    def asked(**more: Any) -> str:
        data = {"quasi_identifiers": [{"column": "zip"}, {"column": "sex"}], "requirements": [{"type": "k", "k": 5}], **more}
        return f"FROM anonymize('visits', '{json.dumps(data)}')"

    with pytest.raises(duckdb.Error) as refusal:
        visits.execute(asked())
    people = {"type": "people", "k": 5, "per": "patient"}
    hint = f'add {json.dumps(people)} to the requirements, or write {{"type": "k", "k": 5, "per_row": true}} if each row is a'
    assert hint_of(str(refusal.value)) == f"{hint} person"
    with pytest.raises(duckdb.Error) as refusal:
        visits.execute(asked(requirements=[people]))
    hint = 'remove it in a view, or add "visit_id", "born", "ward" to keep to release it on purpose'
    assert hint_of(str(refusal.value)) == hint
    visits.execute(asked(requirements=[people], keep=["visit_id", "born", "ward"]))


CLAUSES = {
    "BY zip, sex GUARANTEE {}": "k >= 5",
    "BY GROUPING SETS ((zip), (sex), ()) GUARANTEE {}": "k >= 5",
    "BY zip, sex GUARANTEE {} ": "k >= 5 FOR ANY 1 COLUMN",
    "BY zip, sex  GUARANTEE {}": "k >= 5 FOR (zip), (sex)",
    "BY born IN MEANS GUARANTEE {}": "k >= 5",
    "BY born IN INTERVALS (10, 30), zip GUARANTEE {}": "k >= 5",
    "BY zip IN BINS GUARANTEE {}": "k >= 5",
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("clause", CLAUSES)
def test_the_hints_of_the_clause_work(visits: duckdb.DuckDBPyConnection, clause: str) -> None:
    guarantee = CLAUSES[clause]
    con = kanon_sql.connect()
    con.execute(VISITS)
    columns = [name for name in ("born", "zip", "sex", "ward") if name in clause or name == "ward"]
    people, rows = guarantee.replace("k >= 5", "k >= 5 PER patient"), guarantee.replace("k >= 5", "k >= 5 PER ROW")
    if "FOR" in guarantee:
        rows = f"k >= 1 PER ROW AND {guarantee}"
    for shown in (columns, [*columns, "patient"]):
        for explain in ("", "EXPLAIN ANONYMIZE "):
            text = f"{explain}SELECT {', '.join(shown)} FROM visits ANONYMIZE {clause.format(guarantee)}"
            error = refused(lambda text=text: con.execute(text))
            assert isinstance(error, RepeatedPeopleError)
            added = "" if "patient" in shown else "add patient to the SELECT (PER does not release it) and "
            assert hint_of(str(error)) == f"{added}write {people}, or {rows} if each row is a person"
    con.execute(f"SELECT {', '.join(columns)}, patient FROM visits ANONYMIZE {clause.format(people)}").fetchall()
    con.execute(f"SELECT {', '.join(columns)} FROM visits ANONYMIZE {clause.format(rows)}").fetchall()
    con.close()


@pytest.mark.everything
def test_the_hints_of_policies_work(clinic: Path) -> None:
    policy = """CREATE OR REPLACE ANONYMIZATION POLICY p ON visits (
        IDENTIFIER visit_id, born{}; BY zip, sex; KEEP ward; GUARANTEE k >= 5{})"""
    with kanon_sql.connect("clinic.duckdb") as con:
        con.execute(policy.format(", patient", ""))
        for text in ("FROM visits ANONYMIZE WITH POLICY p", "FROM anonymize('visits', 'p')"):
            error = refused(lambda text=text: con.execute(text))
            assert hint_of(str(error)) == "write k >= 5 PER patient in the policy, or k >= 5 PER ROW if each row is a person"
    assert "hint: write k >= 5 PER patient in the policy" in ran("release", "clinic.duckdb", "-o", "public.duckdb", "-q")
    assert "hint: write k >= 5 PER patient in the policy" in ran(
        *("append", "clinic.duckdb::visits", "released", "--key", "visit_id", "--policy", "p", "-q")
    )
    with kanon_sql.connect("clinic.duckdb") as con:
        for more in ((", patient", " PER patient"), ("", " PER patient"), (", patient", " PER ROW")):
            con.execute(policy.format(*more))
            con.execute("FROM visits ANONYMIZE WITH POLICY p").fetchall()
    assert ran("release", "clinic.duckdb", "-o", "public.duckdb", "-q") == ""


@pytest.mark.everything
def test_the_hints_of_policy_files_work(clinic: Path) -> None:
    def wrote(*requirements: dict[str, Any]) -> None:
        roles = {"identifiers": ["visit_id", "born", "patient"], "kept": ["ward"], "requirements": requirements}
        columns = [{"column": "zip"}, {"column": "sex"}]
        data = {"policies": [{"name": "p", "table": "visits", "quasi_identifiers": columns, **roles}]}
        Path("p.json").write_text(json.dumps(data))

    commands = (
        ("anonymize", "visits.csv", "-o", "out.csv", "--force", "--policy", "p.json", "-q"),
        ("release", "clinic.duckdb", "-o", "public.duckdb", "--policies", "p.json", "-q"),
        ("frontier", "visits.csv", "-o", "curve.csv", "--force", "--policies", "p.json", "-q"),
    )
    people, rows = {"type": "people", "k": 5, "per": "patient"}, {"type": "k", "k": 5, "per_row": True}
    for command in commands:
        wrote({"type": "k", "k": 5})
        told = ran(*command)
        hint = f"add {json.dumps(people)} to the requirements, or write {json.dumps(rows)} if each row is a person"
        assert hint_of(told) == hint
        for requirements in ([{"type": "k", "k": 5}, people], [rows]):
            wrote(*requirements)
            assert ran(*command) == ""
            Path("public.duckdb").unlink(missing_ok=True)


def test_a_release_that_grows_is_settled_over_all_batches(visits: duckdb.DuckDBPyConnection) -> None:
    options = {**OPTIONS, "key": "visit_id", "con": visits, "drop": ["born", "patient"]}
    visits.execute("CREATE TABLE later AS FROM visits WHERE visit_id < 300")
    assert kanon_sql.append("later", "released", **options).released == 300
    visits.execute("INSERT INTO later FROM visits WHERE visit_id BETWEEN 300 AND 599")
    error = refused(lambda: kanon_sql.append("later", "released", **options))
    assert isinstance(error, RepeatedPeopleError)
    assert str(error).endswith('first drop "main"."released" and its ledger, because earlier batches did not count people')
    assert visits.execute("SELECT count(*) FROM released").fetchall() == [(300,)]
    assert kanon_sql.append("later", "released", **options, per_row=True).released == 300


@pytest.mark.everything
def test_histories_need_a_person(clinic: Path) -> None:
    command = ("anonymize", "visits.csv", "-o", "out.csv", "--force", "--qi", "zip,sex", "--k", "5", "--known-rows", "2", "-q")
    told = ran(*command, "--per", "visit_id", "--drop", "born,ward,patient")
    assert REPEATED.format("k >= 5 PER visit_id LINKED FOR ANY 2 ROWS") in told
    assert hint_of(told) == "pass --per patient"
    assert ran(*command, "--per", "patient", "--drop", "born,ward,visit_id") == ""
    told = ran(*command[:6], "zip,visit_id", *command[7:], "--per", "patient", "--drop", "born,ward,sex")
    assert "a quasi-identifier looks like an identifier of people: visit_id" in told
    with pytest.raises(IdentifierError), kanon_sql.connect("clinic.duckdb") as con:
        con.execute(
            "SELECT zip, visit_id, patient FROM visits "
            "ANONYMIZE BY zip, visit_id GUARANTEE k >= 5 PER patient LINKED FOR ANY 2 ROWS"
        )
