"""`kanon append`: batch by batch from one table of a database to another."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import click
import duckdb
import pytest
from click.testing import CliRunner

from kanon_sql.cli import main
from kanon_sql.cli.append import append
from kanon_sql.model.append_options import APPEND_CHOICES


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    path = str(tmp_path / "clinic.duckdb")
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE visits AS SELECT i AS visit, i % 3 AS zip, i % 2 AS age FROM range(60) AS t(i)")
        con.execute(f"COPY visits TO '{path}.csv'")
    return path


def kanon(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["append", *arguments])
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.everything
def test_two_batches(clinic: str) -> None:
    arguments = (f"{clinic}::visits", "visits_released", "--key", "visit", "--qi", "zip,age", "--k", "5")
    assert "released          60 rows, 60 in all" in kanon(*arguments)
    assert "nothing was released" in kanon(*arguments)
    with duckdb.connect(clinic) as con:
        con.execute("INSERT INTO visits SELECT 100 + i, i % 3, i % 2 FROM range(30) AS t(i)")
    assert kanon(arguments[0], f"{clinic}::visits_released", *arguments[2:], "--quiet") == ""
    with duckdb.connect(clinic) as con:
        assert con.execute("SELECT count(*) FROM visits_released").fetchall() == [(90,)]
        assert con.execute("SELECT max(batch) FROM kanon_ledger_visits_released").fetchall() == [(2,)]
        con.execute("UPDATE visits SET age = 5 WHERE visit = 7")
    assert "error: 1 row was changed since it was released" in kanon(*arguments, code=1)
    assert "changed since 1 row" in " ".join(kanon(*arguments, "--changed", "ignore").split())


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{}::visits", "out", "--key", "visit", "--policy", "p", "--qi", "zip"), "--policy cannot be combined with --qi"),
        (("{}::visits", "out", "--key", "visit", "--policy", "p"), 'there is no policy "p"'),
        (
            ("{}::visits", "other.duckdb::out", "--key", "visit", "--k", "2"),
            "error: SOURCE and RELEASE are in different databases; hint: append",
        ),
        (("{}.csv", "out", "--key", "visit", "--k", "2"), "clinic.duckdb.csv is a file, so RELEASE must include a database"),
        (("{}::nothing", "out", "--key", "visit", "--k", "2"), "nothing"),
        (("{}::visits", "out", "--key", "person", "--k", "2"), 'unknown column "person"'),
    ],
)
def test_wrong_calls(clinic: str, arguments: tuple[str, ...], message: str) -> None:
    assert message in kanon(*(each.format(clinic) for each in arguments), code=1)


@pytest.mark.parametrize("name", sorted(APPEND_CHOICES))
def test_the_command_has_the_choices_of_python(name: str) -> None:
    (option,) = (each for each in append.params if each.name == name)
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == APPEND_CHOICES[name]
    assert option.default == APPEND_CHOICES[name][0]


def test_dbt_has_the_options_of_python() -> None:
    macro = files("kanon_sql").joinpath("dbt/macros/append.sql").read_text(encoding="utf-8").partition("append_options() %}")[2]
    assert re.findall(r"'(\w+)'", macro) == [*APPEND_CHOICES]
