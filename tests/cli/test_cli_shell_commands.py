"""The commands of `kanon shell` and its output modes, at the end of a pipe."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from kanon_process import Kanon
from rich.console import Console

import kanon_sql
from kanon_sql.cli.script import done_line, execute
from kanon_sql.cli.shell import Shell, is_command
from kanon_sql.cli.terminal import progress
from kanon_sql.errors import KanonError

ROWS = "SELECT * FROM (VALUES (1, 'x,\"y', NULL), (2, '', 1.5)) AS t(a, b, c);"


def shown(kanon: Kanon, text: str) -> str:
    done = kanon("shell", input=text)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


MODES = {
    "csv": 'a,b,c\n1,"x,""y",\n2,"",1.5\n',
    "json": '[{"a": 1, "b": "x,\\"y", "c": null},\n {"a": 2, "b": "", "c": 1.5}]\n',
    "jsonlines": '{"a": 1, "b": "x,\\"y", "c": null}\n{"a": 2, "b": "", "c": 1.5}\n',
    "line": 'a = 1\nb = x,"y\nc = NULL\n\na = 2\nb = \nc = 1.5\n',
    "list": 'a|b|c\n1|x,"y|NULL\n2||1.5\n',
    "markdown": '| a | b | c |\n|---|---|---|\n| 1 | x,"y | NULL |\n| 2 |  | 1.5 |\n',
    "tabs": 'a\tb\tc\n1\tx,"y\tNULL\n2\t\t1.5\n',
}


def test_modes(kanon: Kanon) -> None:
    text = "".join(f".mode {mode}\n{ROWS}\n.mode list\nSELECT 0 AS behind;\n" for mode in MODES)
    assert shown(kanon, text) == "".join(f"{expected}behind\n0\n" for expected in MODES.values())


def test_an_empty_result_is_a_result_in_every_mode(kanon: Kanon) -> None:
    seen = shown(kanon, "".join(f".mode {mode}\nSELECT 1 AS a LIMIT 0;\n" for mode in ("csv", "json", "jsonlines", "line")))
    assert seen == "a\n[]\n"


@pytest.mark.parametrize("name", [".maximum_rows", ".maxrows"])
def test_the_rows_of_a_drawn_table_are_limited(kanon: Kanon, name: str) -> None:
    seen = shown(kanon, f".mode duckbox\n{name} 3\nSELECT 'ab' AS word FROM range(100);\n")
    assert seen.count("ab") == 3
    assert "100 rows (3 shown)" in seen


def test_the_timer_tells_the_time_of_each_statement(kanon: Kanon) -> None:
    seen = shown(kanon, ".timer on\nSELECT 1 AS one;\n.timer off\nSELECT 2 AS two;\n")
    assert re.fullmatch(r"one\n1\nRun Time \(s\): real \d+\.\d{3} user \d+\.\d{3} sys \d+\.\d{3}\ntwo\n2\n", seen)


def test_schema_and_tables_take_a_pattern(kanon: Kanon) -> None:
    made = "CREATE TABLE wards (beds INTEGER);\nCREATE VIEW patients AS SELECT 1 AS id;\n"
    seen = shown(kanon, made + ".schema ward%\n.tables\n.tables pat%\n")
    head = "schema\tname\tkind\n"
    views = "main\tpatients\tview\n"
    assert seen == f"CREATE TABLE wards(beds INTEGER);\n{head}{views}main\twards\ttable\n{head}{views}"


@pytest.mark.everything
def test_another_database_is_opened(kanon: Kanon, folder: Path) -> None:
    (folder / "s.sql").write_text(".mode csv\nCREATE TABLE t AS SELECT 7 AS seven;\n")
    seen = shown(kanon, ".open d.duckdb\n.read s.sql\n.open\nSELECT 1 AS one;\n.open --readonly 'd.duckdb'\nFROM t;\n")
    assert seen == "one\n1\nseven\n7\n"
    done = kanon("shell", input=".open --readonly d.duckdb\nDROP TABLE t;\n")
    assert done.returncode == 1
    assert kanon("shell", "d.duckdb", input="FROM t").stdout == "seven\n7\n"
    done = kanon("shell", input=".open none/d.duckdb\n")
    assert done.returncode == 1
    assert "empty in-memory database" in done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("leave", [".quit", ".exit", "quit", "exit;", "QUIT"])
def test_words_that_leave(kanon: Kanon, leave: str) -> None:
    assert is_command(leave)
    assert shown(kanon, f"SELECT 1 AS one;\n{leave}\nSELECT 2 AS two;\n") == "one\n1\n"


@pytest.mark.parametrize(
    ("text", "count", "line"),
    [
        ("CREATE TABLE released AS FROM t", 32561, "created table released (32,561 rows)"),
        ('create or replace temp table db."my t" as from t', 1, 'created table db."my t" (1 row)'),
        ("CREATE TABLE IF NOT EXISTS t (a INT)", None, "created table t"),
        ("CREATE VIEW v AS FROM t", None, "created view v"),
        ("INSERT INTO t VALUES (1), (2)", 2, "inserted 2 rows"),
        ("DELETE FROM t", 0, "deleted 0 rows"),
        ("MERGE INTO t USING u ON true", 3, "3 rows changed"),
        ("DROP TABLE t", None, "done"),
    ],
)
def test_a_statement_without_rows_says_what_it_did(text: str, count: int | None, line: str) -> None:
    assert done_line(text, count) == line


@pytest.mark.everything
@pytest.mark.parametrize("word", ["anonymize", "ANONYMISE"])
def test_help_shows_the_syntax_of_the_clause(kanon: Kanon, word: str) -> None:
    seen = shown(kanon, f".help {word}\n")
    for part in ("GUARANTEE", "PER", "IN HIERARCHY", "WITH POLICY"):
        assert part in seen
    assert max(map(len, seen.splitlines())) <= 80
    example = seen[seen.index("CREATE TABLE released") :]
    rows = "CREATE TABLE patients AS SELECT 'Ann' AS name, 1 AS zip, 2 AS age, 'flu' AS disease FROM range(5);\n"
    assert shown(kanon, f"{rows}{example}SELECT count(*) AS n FROM released;") == "n\n5\n"


def test_help_lists_every_command(kanon: Kanon) -> None:
    seen = shown(kanon, "help")
    assert seen == shown(kanon, ".help")
    for name in ("maximum_rows", "maxrows", "mode", "open", "quit", "exit", "read", "schema", "tables", "timer"):
        assert f".{name}" in seen


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("command", "told"),
    [
        (".dance", "unknown command .dance; hint: write .help to list all commands"),
        (".mode dance", "unknown mode dance; hint: use one of duckbox, csv"),
        (".timer maybe", "hint: write .timer on"),
        (".help dance", "there is no help for dance; hint: write .help, .help anonymize or .help protect"),
        (".maxrows 0", "hint: write .maximum_rows 100"),
        (".open a.db b.db", "hint: write .open --readonly clinic.duckdb"),
        (".read", "hint: write .read release.sql"),
        (".tables a b", "hint: write .tables patient%"),
        (".read 'open", "a quote is not closed"),
    ],
)
def test_a_command_that_makes_no_sense(kanon: Kanon, command: str, told: str) -> None:
    done = kanon("shell", input=f"SELECT 1 AS one;\n{command}\nSELECT 2;\n")
    assert (done.returncode, done.stdout) == (1, "one\n1\n")
    assert done.stderr.startswith("error: stdin, line 2: ")
    assert told in done.stderr


@pytest.mark.everything
def test_a_command_in_a_failed_transaction_is_an_error_of_its_own(kanon: Kanon) -> None:
    done = kanon("shell", input="BEGIN;\n.tables\n.read s.sql\n")
    assert (done.returncode, done.stdout) == (1, "schema\tname\tkind\n")
    assert "no file s.sql" in done.stderr
    with kanon_sql.connect() as con:
        shell = Shell(con, Console(file=io.StringIO()), lambda path, read: con)
        con.execute("CREATE TABLE one (a INTEGER PRIMARY KEY); BEGIN")
        with pytest.raises(KanonError, match="Constraint"):  # a name that is unknown ends a transaction since DuckDB 2 only
            shell.run("INSERT INTO one VALUES (1), (1);", None)
        for command in (".tables", ".schema"):
            with pytest.raises(KanonError, match=r"(?i)transaction"):
                shell.run(command, None)


@pytest.mark.everything
def test_a_line_within_a_statement_is_no_command(kanon: Kanon) -> None:
    assert shown(kanon, "SELECT '\n.quit\n' AS text;\n") == "text\n\\n.quit\\n\n"
    assert shown(kanon, "SELECT t\n.a AS b FROM (SELECT 5 AS a) AS t;\n") == "b\n5\n"


def test_the_line_of_an_error_counts_commands_too(kanon: Kanon) -> None:
    done = kanon("shell", input=".mode csv\n\nSELECT 1 AS one;\n.mode tabs\nFROM nowhere;\n")
    assert "(line 5)" in done.stderr


@pytest.mark.everything
def test_a_release_is_summed_up_in_a_line_and_its_most_important_figures_fit_80_columns() -> None:
    drawn = io.StringIO()
    console = Console(file=drawn, force_terminal=True, color_system=None, width=80)
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 3 AS a, i % 7 AS b FROM range(60) AS r(i)")
        execute(con, "CREATE TABLE released AS FROM t ANONYMIZE BY a, b GUARANTEE k >= 5", console)
        execute(con, "SELECT count(*) FROM released", console)
        told = drawn.getvalue()
        drawn.seek(0)
        drawn.truncate()
        execute(con, "FROM kanon_releases()", console)
    (line,) = (line for line in told.split("\n") if "release 1" in line)
    assert re.search(
        r"release 1: k >= 5; \d+ of 120 cells suppressed .*; cost \d+, .*; \d+ classes, the smallest of \d+ rows", line
    )
    lines = drawn.getvalue().split("\n")
    assert max(map(len, lines)) <= 80
    names = next(each for each in lines if "number" in each)
    for name in ("requirements", "warnings", "smallest_class", "suppressed_cells"):
        assert f" {name} " in names


def test_progress_never_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.progress import Progress

    from kanon_sql.solvers.budget import Moment

    seen: list[float] = []
    monkeypatch.setattr(Progress, "update", lambda self, task, *, completed, **_: seen.append(completed))
    monkeypatch.setattr(Console, "is_terminal", True)
    with progress(True) as step:
        step("reading")
        for done in (0.2, 0.8, 0.1, 1.0):
            step("solving", Moment(step="greedy", done=done))
        step("solving")
        step("writing")
    assert seen == sorted(seen)
    assert seen[0] < seen[-1]
