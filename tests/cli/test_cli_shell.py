"""`kanon shell` on a terminal."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect")

PROMPT = "kanon>"
FOREVER = "SELECT count(*) FROM range(100000000000) t(i) WHERE hash(i) = 1;"


class Terminal:
    """A person at the shell: types, and reads what came until the next prompt."""

    def __init__(self, folder: Path, environment: dict[str, str], *arguments: str) -> None:
        command = ["-m", "kanon_sql.cli", "shell", *arguments]
        self.child = pexpect.spawn(
            sys.executable, command, cwd=str(folder), env=environment, encoding="utf-8", timeout=60, dimensions=(50, 120)
        )
        self.child.expect(PROMPT)

    def says(self, text: str, until: str) -> str:
        self.child.send(text + "\r")
        self.child.expect(until)
        seen = self.child.before + self.child.after
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)


@pytest.fixture
def terminal(folder: Path, environment: dict[str, str]) -> Iterator[Terminal]:
    person = Terminal(folder, environment)
    try:
        yield person
    finally:
        person.child.close(force=True)


@pytest.mark.everything
def test_a_table_is_drawn(terminal: Terminal) -> None:
    seen = terminal.says("SELECT 'ab' AS word, NULL AS nothing FROM range(100);", r"100 rows.*40 shown")
    assert "╭" in seen
    assert seen.count("ab") - seen.count("'ab'") == 40
    assert "NULL" in seen


@pytest.mark.everything
def test_a_statement_runs_over_lines_and_the_clause_is_understood(terminal: Terminal) -> None:
    terminal.child.send("SELECT i % 2 AS parity\r")
    terminal.child.expect(r"\.\.\.>")
    terminal.child.send("FROM range(6) t(i) ANONYMIZE BY parity GUARANTEE k >= 3;\r")
    terminal.child.expect("6 rows")


@pytest.mark.everything
def test_an_error_is_told_and_the_shell_goes_on(terminal: Terminal) -> None:
    assert "nowhere" in terminal.says("FROM nowhere;", "error: .*nowhere")
    terminal.says("SELECT 40 + 2 AS answer;", "42")


@pytest.mark.everything
def test_ctrl_c_stops_a_running_statement(terminal: Terminal) -> None:
    terminal.child.send(FOREVER + "\r")
    # Long enough for the statement to run, not only to be typed.
    terminal.child.expect(pexpect.TIMEOUT, timeout=1.5)
    terminal.child.sendintr()
    terminal.child.expect("interrupted", timeout=10)
    terminal.says("SELECT 40 + 2 AS answer;", "42")


@pytest.mark.everything
def test_ctrl_c_clears_the_line_and_ctrl_d_leaves(terminal: Terminal) -> None:
    terminal.child.send("SELECT nonsense")
    terminal.child.sendintr()
    terminal.child.expect(PROMPT)
    terminal.says("SELECT 40 + 2 AS answer;", "42")
    terminal.child.expect(PROMPT)
    terminal.child.sendeof()
    terminal.child.expect(pexpect.EOF)
    terminal.child.close()
    assert terminal.child.exitstatus == 0


@pytest.mark.everything
def test_dot_commands(terminal: Terminal, folder: Path) -> None:
    (folder / "s.sql").write_text("CREATE TABLE wards AS SELECT 1 AS beds; SELECT 'from the file' AS here;")
    terminal.says(".read s.sql", "from the file")
    terminal.says(".tables", "wards")
    terminal.says(".help", "Ctrl-D leaves")
    terminal.says(".read none.sql", "no file none.sql")
    terminal.says(".dance", "unknown command .dance; hint: write .help to list all commands")
    terminal.child.send(".quit\r")
    terminal.child.expect(pexpect.EOF)


@pytest.mark.everything
def test_a_release_shows_where_it_stands_and_is_summed_up(terminal: Terminal) -> None:
    terminal.says(
        "CREATE TABLE t AS SELECT i * i % 97 AS a, i * i % 31 AS b, i % 5 AS c FROM range(3000) r(i);",
        r"created table t \(3,000 rows\)",
    )
    terminal.child.expect(PROMPT)
    terminal.child.send("CREATE TABLE r AS FROM t ANONYMIZE BY a, b, c GUARANTEE k >= 5;\r")
    terminal.child.expect(r"cost [\d,]+, proven at least [\d,]+ \(gap [\d.]+ %\)")
    terminal.child.expect(r"release 1: k >= 5; [\d,]+ of 9,000 cells suppressed")


@pytest.mark.sweep
@pytest.mark.everything
@pytest.mark.parametrize("leave", ["exit", "quit", ".exit", "quit;"])
def test_words_that_leave_need_no_semicolon(folder: Path, environment: dict[str, str], leave: str) -> None:
    person = Terminal(folder, environment)
    person.child.send(leave + "\r")
    person.child.expect(pexpect.EOF)
    person.child.close()
    assert person.child.exitstatus == 0


@pytest.mark.everything
def test_names_are_completed(terminal: Terminal) -> None:
    terminal.says("CREATE TABLE hospital_wards (beds_in_use INTEGER);", "created table hospital_wards")
    terminal.child.expect(PROMPT)
    terminal.child.send("FROM hospital_w")
    terminal.child.expect("hospital_wards.*table")
    terminal.child.send("\t;\r")
    terminal.child.expect("beds_in_use")


@pytest.mark.everything
def test_the_history_is_kept_for_the_owner_alone(folder: Path, environment: dict[str, str]) -> None:
    first = Terminal(folder, environment)
    first.says("SELECT 41 + 1 AS answer;", "42")
    first.child.expect(PROMPT)
    first.child.sendeof()
    first.child.expect(pexpect.EOF)
    first.child.close()
    history = Path(environment["XDG_STATE_HOME"]) / "kanon" / "history"
    assert "SELECT 41 + 1" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0
    second = Terminal(folder, environment)
    second.child.send("\x1b[A")
    second.child.expect("answer")
    second.child.send("\r")
    second.child.expect("42")
    second.child.close(force=True)


@pytest.mark.everything
def test_without_prompt_toolkit_the_hint_says_what_to_install(folder: Path, environment: dict[str, str]) -> None:
    (folder / "prompt_toolkit").mkdir()
    (folder / "prompt_toolkit" / "__init__.py").write_text("raise ModuleNotFoundError(name='prompt_toolkit')")
    child = pexpect.spawn(
        sys.executable,
        ["-m", "kanon_sql.cli", "shell"],
        cwd=str(folder),
        env=environment,
        encoding="utf-8",
        timeout=60,
    )
    child.expect(re.escape("pip install 'kanon-sql[shell]'"))
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1


@pytest.mark.everything
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("text", ["", FOREVER + "\r"])
def test_a_signal_to_terminate_ends_the_shell(terminal: Terminal, number: signal.Signals, text: str) -> None:
    terminal.child.send(text)
    terminal.child.expect(pexpect.TIMEOUT, timeout=1.5)
    terminal.child.kill(number)
    terminal.child.expect(pexpect.EOF)
    terminal.child.close()
    assert terminal.child.exitstatus == 1
