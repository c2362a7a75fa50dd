"""`kanon run`, `kanon audit`, `kanon demo`, `kanon --help`, and a shell at the end of a pipe."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from kanon_process import Kanon

from kanon_sql.clause.statements import is_complete, statements
from kanon_sql.cli import main

SCRIPT = """-- a script; with a semicolon here
CREATE TABLE t AS SELECT i % 2 AS a, 'x;y' AS b FROM range(10) r(i);
SELECT a, b, NULL AS n FROM t
ANONYMIZE BY a, b
GUARANTEE k >= 5
ORDER BY a LIMIT 1;
"""


@pytest.mark.everything
def test_a_script_runs_statement_by_statement(kanon: Kanon, folder: Path) -> None:
    (folder / "s.sql").write_text(SCRIPT)
    done = kanon("run", "s.sql")
    assert (done.returncode, done.stdout, done.stderr) == (0, "a\tb\tn\n0\tx;y\tNULL\n", "released under k >= 5\n")


@pytest.mark.everything
@pytest.mark.parametrize(("command", "told"), [(["run", "-"], "released under k >= 5\n"), (["shell"], "")])
def test_a_script_comes_through_a_pipe(started: Kanon, command: list[str], told: str) -> None:
    done = started(*command, input=SCRIPT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a\tb\tn\n0\tx;y\tNULL\n", told)


@pytest.mark.parametrize("command", [["run", "-"], ["shell"]])
def test_a_script_stops_at_its_first_error(kanon: Kanon, command: list[str]) -> None:
    done = kanon(*command, input="SELECT 1 AS one;\n\nSELECT *\nFROM nowhere;\nSELECT 'never';\n")
    assert (done.returncode, done.stdout) == (1, "one\n1\n")
    assert done.stderr.startswith("error: stdin, statement 2 (line 3): ")
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_clause_is_an_error_of_the_script(kanon: Kanon) -> None:
    done = kanon("run", "-", input="SELECT 1 AS a ANONYMIZE BY b GUARANTEE k >= 1;")
    assert (done.returncode, done.stdout) == (1, "")
    assert '"b"' in done.stderr


@pytest.mark.everything
@pytest.mark.parametrize(("command", "told"), [(["run", "-"], "released under k >= 3 PER ROW\n"), (["shell"], "")])
def test_rows_that_are_groups_are_an_error_of_the_script(kanon: Kanon, command: list[str], told: str) -> None:
    query = "SELECT i // 3 AS a, count(*) AS n FROM range(9) AS r(i) GROUP BY a ANONYMIZE BY a KEEP n GUARANTEE k >= 3"
    done = kanon(*command, input=f"{query};")
    assert (done.returncode, done.stdout) == (1, "")
    assert "GROUP BY can merge several people into one row" in done.stderr
    done = kanon(*command, input=f"{query} PER ROW;")
    assert (done.returncode, done.stdout, done.stderr) == (0, "a\tn\nNULL\t3\nNULL\t3\nNULL\t3\n", told)


@pytest.mark.everything
def test_a_database_keeps_what_a_script_made(kanon: Kanon) -> None:
    assert kanon("run", "-", "--db", "d.duckdb", input="CREATE TABLE t AS SELECT 7 AS seven").returncode == 0
    assert kanon("shell", "d.duckdb", "--read-only", input="FROM t").stdout == "seven\n7\n"
    assert kanon("shell", "d.duckdb", "--read-only", input="DROP TABLE t").returncode == 1


def test_a_script_that_is_not_there_or_not_text(kanon: Kanon, folder: Path) -> None:
    (folder / "s.sql").write_bytes(b"SELECT '\xe9'")
    assert kanon("run", "none.sql").stderr == "error: there is no file none.sql; hint: did you mean s.sql?\n"
    assert "UTF-8" in kanon("run", "s.sql").stderr
    assert kanon("run", "-", "--db", "no/d.duckdb", input="").returncode == 1


def test_cells_cannot_break_lines_or_steer_the_terminal(kanon: Kanon) -> None:
    done = kanon("run", "-", input="SELECT chr(27) || '[31m' || chr(9) || 'a' || chr(10) AS x")
    assert done.stdout == "x\n\\x1b[31m\\ta\\n\n"


def test_times_with_a_zone_are_shown(kanon: Kanon) -> None:
    done = kanon("run", "-", input="SET TimeZone = 'UTC'; SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00' AS t, 1 AS a")
    assert done.stdout.startswith("t\ta\n2020-01-01 00:00:00")


@pytest.mark.everything
def test_a_closed_pipe_is_no_error(folder: Path, environment: dict[str, str]) -> None:
    command = f"echo 'SELECT i FROM range(1000000) t(i)' | {sys.executable} -m kanon_sql.cli run - | head -n 2"
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.stdout, "Traceback" in done.stderr) == ("i\n0\n", False)


@pytest.mark.everything
def test_audit_measures_and_judges(started: Kanon, people: Path) -> None:
    done = started("audit", "people.csv", "--qi", "zip,age")
    assert done.returncode == 0
    words = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if " " in line.strip())
    words = {name: value.strip() for name, value in words.items()}
    assert (words["k"], words["rows"], words["prosecutor_risk"]) == ("3", "12", "33.3 %")
    assert started("audit", "people.csv", "--qi", "zip,age", "--k", "3").returncode == 0
    below = started("audit", "people.csv", "--qi", "zip,age", "--k", "4")
    warning = "warning: note singles out 100.0% of the rows. It is not a quasi-identifier, so this audit does not count it.\n"
    assert (below.returncode, below.stderr) == (
        1,
        f"{warning}error: the smallest class has 3 rows, fewer than k = 4; hint: anonymize the table first, with a guarantee "
        "at least this strong; if the release is for attackers who know any 3 columns, pass --k 4 --known 3\n",
    )
    assert started("audit", "people.csv", "--qi", "nobody").returncode == 3


@pytest.mark.everything
def test_the_demo_is_the_same_every_time(started: Kanon) -> None:
    first, second = (started("demo", "--rows", "400", "--k", "3") for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout


@pytest.mark.everything
def test_the_demo_shows_roles_what_an_attacker_learns_and_what_was_guaranteed(kanon: Kanon) -> None:
    done = kanon("demo", "--rows", "1000", "--k", "4")
    assert (done.returncode, done.stderr) == (0, "")
    seen = " ".join(done.stdout.split())
    before, after = done.stdout.split("Some released visits")
    assert " name " in before
    assert not {"name", "patient_id"} & {*after.split("What an attacker")[0].split()}
    assert "GUARANTEE k >= 4 PER patient_id AND l(disease) >= 2" in seen
    assert re.search(r"Before: \d+ rows match, all from one patient. The attacker learns: ", seen)
    found = re.search(
        r"After: (\d+) rows match, from at least 4 patients, with (\d+) diseases; "
        r"the most frequent disease, .*, makes up (\d+)% of them",
        seen,
    )
    assert found is not None
    assert "Warning" not in seen
    assert int(found[1]) >= 4
    assert int(found[2]) >= 2
    assert int(found[3]) <= 50
    assert re.search(r"with at least 3 other patients: there are \d+ equivalence classes, and the smallest has [4-9]", seen)
    assert "patients in the smallest class (k) 1 4 or more" in seen
    assert re.search(r"rows in the smallest class 1 [4-9]", seen)
    assert re.search(r"diseases in the least diverse class 1 [2-7]", seen)
    assert max(map(len, done.stdout.split("Next steps")[0].splitlines())) <= 100


@pytest.mark.everything
def test_the_next_steps_of_the_demo_work_on_the_file_that_it_leaves(
    kanon: Kanon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = kanon("demo", "--rows", "600", "--write", "hospital")
    assert done.returncode == 0, done.stderr
    first, *steps = re.findall(r"^- .*: (\S.*)$", done.stdout.split("Next steps")[1], re.MULTILINE)
    assert first == "cd hospital"
    monkeypatch.chdir(tmp_path / "hospital")
    for step in steps:
        if step != "kanon shell":
            done = kanon(*step.split()[1:])
            assert (done.returncode, done.stderr) == (0, ""), step
    policy = Path("policy.yaml").read_text()
    assert "per: patient_id" in policy
    assert "identifiers:\n  - name\n" in policy
    header = Path("released.csv").read_text().partition("\n")[0]
    assert not {"patient_id", "name"} & {*header.split(",")}
    again = kanon("demo", "--rows", "150", "--write", ".")
    assert (again.returncode, again.stderr) == (1, "error: visits.csv already exists; hint: choose a different folder\n")


@pytest.mark.everything
def test_a_demo_that_cannot_be(kanon: Kanon) -> None:
    done = kanon("demo", "--rows", "3", "--k", "5")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("error: ")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, kanon_sql.cli; print([m for m in ('duckdb', 'rich', 'numpy', 'sqlglot', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("command", sorted(main.commands))
def test_the_help_of_a_command_shows_every_option_on_80_columns(command: str) -> None:
    text = CliRunner().invoke(main, [command, "--help"], terminal_width=80).output
    assert max(map(len, text.splitlines())) <= 80
    for parameter in main.commands[command].params:
        for name in parameter.opts if isinstance(parameter, click.Option) else ():
            assert re.search(rf"^  (?:-\w, )?{name}\b|^  {name}\b", text, re.MULTILINE), name


def test_long_helps_have_groups() -> None:
    headings = {
        name: re.findall(r"^(\w.*):$", CliRunner().invoke(main, [name, "-h"]).output, re.MULTILINE)
        for name in ("anonymize", "audit", "verify", "serve")
    }
    assert headings == {
        "anonymize": ["Options", "Guarantee", "Cells and search", "Files and output"],
        "audit": ["Options", "Guarantee", "Files and output"],
        "verify": ["Options", "Files and output"],
        "serve": ["Options"],
    }


@pytest.mark.parametrize(
    "arguments", [["nothing"], ["anonymize", "--colour"], ["demo", "--rows", "0"], ["run"], ["audit"], ["demo", "--seed", "-1"]]
)
def test_wrong_options_exit_with_2(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "Usage" in result.output


def test_version_and_help() -> None:
    assert CliRunner().invoke(main, ["--version"]).output.startswith("kanon, version ")
    assert all(name in CliRunner().invoke(main, ["-h"]).output for name in main.commands)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("-- nothing\n;;/* ; */", []),
        ("SELECT 1", [("SELECT 1", 1)]),
        ("SELECT ';' -- ;\n ;\nSELECT $t$;$t$ ; ", [("SELECT ';' -- ;", 1), ("SELECT $t$;$t$", 3)]),
        ("CALL f('a;b'); SELECT \"x;\"", [("CALL f('a;b')", 1), ('SELECT "x;"', 1)]),
        ("SELECT 'é' ; SELECT e'\\';'", [("SELECT 'é'", 1), ("SELECT e'\\';'", 1)]),
        ("SELECT 'open; SELECT 2", [("SELECT 'open; SELECT 2", 1)]),
    ],
)
def test_statements_are_split_where_sql_splits_them(text: str, expected: list[tuple[str, int]]) -> None:
    assert [(each.text, each.line) for each in statements(text)] == expected


@pytest.mark.parametrize(
    ("text", "complete"),
    [("", True), ("SELECT 1", False), ("SELECT 1;", True), ("SELECT ';", False), ("SELECT 1; /* x", False), ("-- x", False)],
)
def test_a_statement_is_complete_after_its_semicolon(text: str, complete: bool) -> None:
    assert is_complete(text) is complete


@pytest.mark.everything
def test_the_package_runs_as_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("kanon")


def test_a_copied_release_has_its_certificate_next_to_it(kanon: Kanon, people: Path, folder: Path) -> None:
    release = "SELECT zip, age FROM 'people.csv' ANONYMIZE BY zip, age GUARANTEE k >= 2 PER ROW"
    (folder / "job.sql").write_text(f"COPY ({release}) TO 'out.csv';\nSELECT 1;", encoding="utf-8")
    done = kanon("run", "job.sql")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "released under k >= 2 PER ROW; certificate: out.csv.certificate.json\n"
    assert kanon("verify", "people.csv", "out.csv", "out.csv.certificate.json").returncode == 0


def test_each_copied_table_has_its_own_certificate(kanon: Kanon, people: Path, folder: Path) -> None:
    counts = "SELECT zip, count(*) AS n FROM people GROUP BY CUBE (zip) PROTECT n >= 2 PER ROW"
    release = "SELECT zip, age FROM people ANONYMIZE BY zip, age GUARANTEE k >= 2 PER ROW"
    script = f"""
        CREATE TABLE people AS FROM 'people.csv';
        CREATE TABLE shown AS {counts};
        COPY ({release}) TO 'semicolons.csv' (HEADER, DELIMITER ';');
        copy ({release}) TO ('by_' || 'name.csv');
    """
    (folder / "job.sql").write_text(script, encoding="utf-8")
    done = kanon("run", "job.sql")
    assert done.returncode == 0, done.stderr
    for name in ("semicolons.csv", "by_name.csv"):
        verified = kanon("verify", "people.csv", name, f"{name}.certificate.json")
        assert verified.returncode == 0, (name, verified.stderr)
