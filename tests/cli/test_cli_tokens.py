"""`kanon anonymize` compares tokens with the releases that the databases of IN and OUT remember."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kanon_sql
from kanon_sql.cli import main

Run = Callable[..., Result]

SETUP = """CREATE TABLE people AS SELECT i AS id, i % 4 AS zip, i // 4 % 5 AS age FROM range(100) AS t(i);
    CREATE ANONYMIZATION POLICY zips ON people (IDENTIFIER id AS PSEUDONYM, age; BY zip; GUARANTEE k >= 6);
    CREATE ANONYMIZATION POLICY ages ON people (IDENTIFIER id AS PSEUDONYM, zip; BY age; GUARANTEE k >= 6);"""

REFUSED = "the tokens of id link rows of this release and those of 1 earlier release"

SECRET = ["--secret-file", "secret"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder with a database that remembers a release, and its policies in a file."""
    monkeypatch.chdir(tmp_path)
    Path("secret").write_text("of the house, long enough")
    Path("secret").chmod(0o600)
    with kanon_sql.connect("clinic.duckdb", secret="of the house, long enough") as con:
        con.execute(SETUP)
        con.execute("COPY people TO 'people.csv'")
        con.execute("FROM people ANONYMIZE WITH POLICY zips").fetchall()
    done = CliRunner().invoke(main, ["policy", "export", "clinic.duckdb", "-o", "p.yaml"])
    assert done.exit_code == 0, done.output
    return lambda *command: CliRunner().invoke(main, [*command, *SECRET])


@pytest.mark.parametrize(("source", "target"), [("clinic.duckdb::people", "out.csv"), ("people.csv", "clinic.duckdb::out")])
def test_tokens_are_compared_with_those_of_the_database(run: Run, source: str, target: str) -> None:
    done = run("anonymize", source, "-o", target, "--policy", "p.yaml::ages")
    assert done.exit_code == 1
    assert f"error: {REFUSED}" in done.stderr
    assert not Path("out.csv").exists()
    with kanon_sql.connect("clinic.duckdb") as con:
        assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'out'").fetchall() == [(0,)]
        assert con.execute("SELECT name FROM kanon_token_releases").fetchall() == [("zips",)]


@pytest.mark.everything
def test_without_a_database_there_is_a_warning(run: Run) -> None:
    done = run("anonymize", "people.csv", "-o", "out.csv", "--policy", "p.yaml::ages", "-q")
    assert done.exit_code == 0, done.output
    assert "warning: no database file records the tokens of id" in done.stderr
    assert run("anonymize", "people.csv", "-o", "o.csv", "--policy", "p.yaml::ages", "--strict").exit_code == 1
    assert not Path("o.csv").exists()
