"""What `kanon protect` and Python remember: in the database of the source, in a ledger, or nowhere, which the screen says."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from kanon_process import Kanon

import kanon_sql
from kanon_sql.errors import KanonWarning, SourceError
from kanon_sql.model.secret import Secret

PEOPLE = (
    "SELECT 'r' || (range * 7 % 11 % 4) AS region, 's' || (range * 31 % 7 % 2) AS sex, 'a' || (range * 37 % 5) AS age, "
    "range % 50 AS income FROM range(60)"
)
ONE = ("--by", "region,sex", "-q")
OTHER = ("--by", "region,age", "--measures", "s=income", "-q")


@pytest.fixture
def files(folder: Path) -> Path:
    """A table in a database, and the same in a file."""
    with closing(duckdb.connect(str(folder / "clinic.duckdb"))) as con:
        con.execute(f"CREATE TABLE people AS {PEOPLE}")
        con.execute(f"COPY people TO '{folder / 'people.csv'}'")
    return folder


def people_table() -> pa.Table:
    with closing(kanon_sql.connect()) as con:
        return con.sql(PEOPLE).to_arrow_table()


def remembered(path: Path) -> list[dict[str, Any]]:
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        return [json.loads(text) for (text,) in con.execute("SELECT counting FROM kanon_protected_tables").fetchall()]


def rows(text: str) -> list[str]:
    return sorted(text.splitlines())


def test_without_a_ledger_the_screen_says_that_nothing_remembers(files: Path, kanon: Kanon) -> None:
    done = kanon("protect", "people.csv", "-o", "out.csv", *ONE)
    assert done.returncode == 0
    assert "This table is not remembered: its source is not in a database" in done.stderr
    assert "hint: pass --ledger research.duckdb" in done.stderr
    people = people_table()
    with pytest.warns(KanonWarning, match='This table is not remembered: .* hint: pass ledger="research.duckdb"'):
        kanon_sql.protect(people, ["region", "sex"])


def test_a_database_remembers_what_a_command_makes_of_it_and_statements_respect_that(files: Path, kanon: Kanon) -> None:
    clinic = files / "clinic.duckdb"
    assert kanon("protect", "clinic.duckdb::people", "-o", "clinic.duckdb::counts", *ONE).stderr == ""
    assert len(remembered(clinic)) == 1
    with closing(kanon_sql.connect(str(clinic))) as con:
        assert con.execute("SELECT count(*) FROM counts").fetchall() == [(15,)]
        asked = "SELECT region, age, count(*) AS n, sum(income) AS s FROM people GROUP BY CUBE (region, age) PROTECT n >= 5"
        con.execute(f"COPY ({asked}) TO '{files / 'sql.csv'}'")
        with pytest.raises(SourceError, match="with a different FROM"):
            con.execute(asked.replace("FROM people", "FROM people, range(1)")).fetchall()
    assert len(remembered(clinic)) == 2
    done = kanon("protect", "clinic.duckdb::people", "-o", "out.csv", *OTHER)
    assert (done.returncode, done.stderr) == (0, "")
    assert rows((files / "out.csv").read_text()) == rows((files / "sql.csv").read_text())
    assert len(remembered(clinic)) == 2


def test_a_ledger_remembers_files_without_their_folders(files: Path, kanon: Kanon) -> None:
    ledger = ("--ledger", "led.duckdb")
    first = kanon("protect", "people.csv", "-o", "one.csv", *ONE, *ledger, "--certificate", "one.json")
    assert (first.returncode, first.stderr) == (0, "")
    other = kanon("protect", "people.csv", "-o", "two.csv", *OTHER, *ledger)
    assert (other.returncode, other.stderr) == (0, "")
    assert kanon("protect", "clinic.duckdb::people", "-o", "three.csv", *OTHER).returncode == 0
    assert rows((files / "two.csv").read_text()) != rows((files / "three.csv").read_text())  # it respects the first
    assert len(remembered(files / "led.duckdb")) == 2
    assert str(files) not in json.dumps(remembered(files / "led.duckdb"))
    again = kanon("protect", "people.csv", "-o", "four.csv", *OTHER, *ledger, "--certificate", "four.json")
    assert (again.returncode, again.stderr) == (0, "")
    verified = kanon("verify", "people.csv", "four.csv", "four.json", "one.csv", "one.json")
    assert verified.returncode == 0, verified.stderr
    assert "2 tables respected" in " ".join(verified.stdout.split())
    assert kanon("protect", "people.csv", "-o", "five.csv", *OTHER, *ledger, "--earlier", "ignore").returncode == 0
    lines = (files / "people.csv").read_text().splitlines()
    (files / "people.csv").write_text("\n".join(lines[:-1]) + "\n")
    assert "the source has changed" in kanon("protect", "people.csv", "-o", "six.csv", *ONE, *ledger).stderr
    (files / "people.csv").write_text("\n".join(line.split(",", 1)[1] for line in lines) + "\n")
    assert (
        "columns that this source no longer has"
        in kanon("protect", "people.csv", "-o", "six.csv", "--by", "sex", *ledger).stderr
    )


def test_a_table_that_is_made_again_has_its_certificate(files: Path, kanon: Kanon) -> None:
    for _ in range(2):
        done = kanon("protect", "clinic.duckdb::people", "-o", "out.csv", *ONE, "--certificate", "cert.json", "--force")
        assert (done.returncode, done.stderr) == (0, "")
        assert kanon("verify", "clinic.duckdb::people", "out.csv", "cert.json").returncode == 0
    assert len(remembered(files / "clinic.duckdb")) == 1


def test_a_database_table_in_another_ledger_is_known_by_its_file(files: Path, kanon: Kanon) -> None:
    with closing(duckdb.connect(str(files / "clinic.duckdb"))) as con:
        con.execute("CREATE VIEW adults AS FROM people WHERE age <> 'a0'")
    ledger = ("--ledger", "led.duckdb")
    assert kanon("protect", "clinic.duckdb::people", "-o", "one.csv", *ONE, *ledger).returncode == 0
    assert "with a different FROM" in kanon("protect", "clinic.duckdb::adults", "-o", "two.csv", *ONE, *ledger).stderr
    with closing(duckdb.connect(str(files / "clinic.duckdb"))) as con:
        assert con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'kanon_protected_tables'").fetchall() == []


def test_python_tables_of_a_ledger_are_about_the_same_people(files: Path) -> None:
    people, ledger = people_table(), files / "led.duckdb"
    one = kanon_sql.protect(people, ["region", "sex"], ledger=ledger)
    again = kanon_sql.protect(people, ["region", "sex"], ledger=ledger)
    assert one.table.equals(again.table)
    assert one.certificate.cost == again.certificate.cost
    two = kanon_sql.protect_together(people, [{"by": ["region", "age"]}, {"by": ["sex", "age"]}], ledger=ledger)
    assert len(two) == 2
    assert len(remembered(ledger)) == 3
    with pytest.raises(SourceError, match="the source has changed"):
        kanon_sql.protect(people.slice(0, 59), ["region", "sex"], ledger=ledger)
    assert kanon_sql.protect(people.slice(0, 59), ["region", "sex"], ledger=ledger, earlier="ignore").certificate.rows == 15


def test_a_copy_in_another_format_or_in_python_is_recognized(files: Path, kanon: Kanon) -> None:
    """Another format gives the same columns other types."""
    asked = ("--by", "region", "-q", "--ledger", "led.duckdb")
    assert kanon("protect", "people.csv", "-o", "out.csv", *asked).returncode == 0
    with closing(duckdb.connect()) as con:
        con.execute(f"COPY ({PEOPLE}) TO '{files / 'copy.parquet'}'")
    for copy in ("copy.parquet", "clinic.duckdb::people"):
        done = kanon("protect", copy, "-o", "other.csv", *asked)
        assert done.returncode == 1
        assert "same columns and number of rows was protected under a different name" in done.stderr
        assert "--earlier ignore" in done.stderr
    with pytest.raises(SourceError, match="same columns and number of rows was protected under a different name"):
        kanon_sql.protect(people_table(), ["region"], ledger=files / "led.duckdb")


def test_a_ledger_that_cannot_be_kept_is_refused(files: Path, kanon: Kanon, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (
        ("led.csv", "is not a database"),
        ("no/led.duckdb", "there is no folder"),
        ("led.xyz", "no known extension"),
    ):
        done = kanon("protect", "people.csv", "-o", "out.csv", *ONE, "--ledger", name)
        assert (done.returncode > 0, text in done.stderr) == (True, True), done.stderr
    monkeypatch.setattr("kanon_sql.engines.duckdb.connect.session.secret_of", lambda: Secret(b"x", repeatable=False))
    with pytest.raises(SourceError, match=r"the secret is lost when this process ends, .*; hint: set KANON_SECRET"):
        kanon_sql.protect(people_table(), ["region"], ledger=files / "led.duckdb")
    assert not (files / "out.csv").exists()
