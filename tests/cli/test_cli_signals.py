"""A command that is told to stop leaves no file behind and touches none; one that is told to end gives what it has found."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kanon_process import KANON, Kanon

from kanon_sql.engines.interrupt import ENDING, Terminated, interruptible, stopping_signals
from kanon_sql.solvers.budget import Moment

pexpect = pytest.importorskip("pexpect")

PATIENT = """
import sys, time
from kanon_sql.cli import main
from kanon_sql.solvers.registry import SOLVERS, Solver
from kanon_sql.solvers.k_anonymity import greedy
from kanon_sql.model.requirements import KAnonymity

def solve(problem, budget):
    found = greedy.solve(problem, budget)
    while not budget.over():
        budget.report("searching", 0.5, found.cost(problem.table), 1)
        open("searching", "w").close()
        time.sleep(0.01)
    return found

if __name__ == "__main__":
    SOLVERS["patient"] = Solver(name="patient", module="patient", guarantee="it ends when told", requirements=(KAnonymity,))
    main()
"""
"""The command with one more solver: it has a release at once and goes on looking for ever."""


@pytest.fixture(autouse=True)
def as_in_a_terminal() -> Iterator[None]:
    """Ctrl-C as in a terminal: a shell lets its background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.everything
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("wait", [0.0, 1.0])
def test_a_stopped_release_leaves_nothing(
    folder: Path, environment: dict[str, str], con: duckdb.DuckDBPyConnection, number: signal.Signals, wait: float
) -> None:
    columns = ", ".join(f"hash(i * 31 + {n}) % 7 AS c{n}" for n in range(10))
    con.execute(f"COPY (SELECT {columns} FROM range(1000000) t(i)) TO '{folder}/in.csv' (HEADER)")
    (folder / "out.csv").write_text("old")
    arguments = ["-o", "out.csv", "--k", "50", "--force", "--algorithm", "greedy", "--certificate", "cert.json"]
    process = subprocess.Popen(
        [*KANON, "anonymize", "in.csv", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(folder.glob(".kanon-*")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(wait)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (1, "", "error: interrupted\n")
    assert {path.name for path in folder.iterdir()} == {"in.csv", "out.csv"}
    assert (folder / "out.csv").read_text() == "old"


def patient(folder: Path, environment: dict[str, str], *arguments: str) -> Any:
    """Start a command on a terminal, with the patient solver."""
    (folder / "patient.py").write_text(PATIENT)
    return pexpect.spawn(
        sys.executable,
        ["-B", "patient.py", *arguments],  # no bytecode beside it
        cwd=str(folder),
        env={**environment, "COLUMNS": "120"},
        encoding="utf-8",
        timeout=30,
        dimensions=(50, 120),
    )


RELEASE = (
    "anonymize",
    "people.csv",
    "-o",
    "out.csv",
    "--qi",
    "zip,age",
    "--k",
    "4",
    "--keep",
    "note",
    "--algorithm",
    "patient",
)


@pytest.mark.everything
def test_the_first_ctrl_c_ends_the_search_with_the_best_release(
    people: Path, folder: Path, environment: dict[str, str], started: Kanon
) -> None:
    child = patient(folder, environment, *RELEASE, "--certificate", "cert.json")
    child.expect(r"solving: searching: cost 12, proven at least 1 \(gap 91.7 %\)")
    child.sendintr()
    child.expect(ENDING[:50])
    child.expect("written")
    child.expect(r"patient \(named by the policy\)")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert started("verify", "people.csv", "out.csv", "cert.json").returncode == 0


@pytest.mark.everything
def test_a_sigterm_does_not_wait_for_the_search(people: Path, folder: Path, environment: dict[str, str]) -> None:
    child = patient(folder, environment, *RELEASE)
    child.expect("searching")
    child.kill(signal.SIGTERM)
    child.expect("error: interrupted")
    child.expect(pexpect.EOF)
    assert ENDING[:50] not in child.before
    child.close()
    assert child.exitstatus == 1
    assert {path.name for path in folder.iterdir()} == {"people.csv", "patient.py", "searching"}


@pytest.mark.everything
def test_a_statement_of_a_script_ends_and_the_script_goes_on(folder: Path, environment: dict[str, str]) -> None:
    (folder / "s.sql").write_text("""
        CREATE TABLE t AS SELECT i % 2 AS a FROM range(6) r(i);
        SELECT a FROM t ANONYMIZE BY a GUARANTEE k >= 3 USING patient;
        SELECT 'still ' || 'here';
        SELECT count(*) FROM range(100000000000) t(i) WHERE hash(i) = 1;
    """)
    child = patient(folder, environment, "run", "s.sql")
    deadline = time.monotonic() + 30
    while not (folder / "searching").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    child.sendintr()
    child.expect(ENDING[:50])
    child.expect("6 rows")
    child.expect("still here")
    time.sleep(0.5)
    child.sendintr()  # no search is left that could be ended
    child.expect("error: interrupted")
    child.close()


class Work:
    """Work that goes on until it is told to end or to stop."""

    def __init__(self, ends: bool) -> None:
        self.ends = ends
        self.told: list[str] = []
        self.over = threading.Event()

    def finish(self) -> bool:
        self.told.append("finish")
        return self.ends

    def interrupt(self) -> None:
        self.told.append("interrupt")
        self.over.set()

    def run(self) -> str:
        assert self.over.wait(30)
        if "interrupt" in self.told:
            raise RuntimeError("stopped")
        return "found"


def ctrl_c(*moments: float) -> None:
    """Send this process Ctrl-C after so many seconds."""
    main = threading.main_thread().ident
    assert main is not None
    for moment in moments:
        threading.Timer(moment, signal.pthread_kill, (main, signal.SIGINT)).start()


@pytest.mark.everything
def test_work_that_ends_gives_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    work = Work(ends=True)
    ctrl_c(0.1)
    threading.Timer(0.4, work.over.set).start()
    assert interruptible(work.interrupt, work.run, finish=work.finish) == "found"
    assert work.told == ["finish"]
    assert capsys.readouterr().err == f"{ENDING}\n"


@pytest.mark.everything
def test_work_is_stopped_by_the_second_ctrl_c(capsys: pytest.CaptureFixture[str]) -> None:
    work = Work(ends=True)
    ctrl_c(0.1, 0.4)
    with pytest.raises(KeyboardInterrupt):
        interruptible(work.interrupt, work.run, finish=work.finish)
    assert work.told[:2] == ["finish", "interrupt"]
    assert capsys.readouterr().err.count(ENDING) == 1


def test_work_that_has_found_nothing_is_stopped_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    work = Work(ends=False)
    ctrl_c(0.1)
    with pytest.raises(KeyboardInterrupt):
        interruptible(work.interrupt, work.run, finish=work.finish)
    assert work.told[:2] == ["finish", "interrupt"]
    assert capsys.readouterr().err == ""


def test_a_signal_to_terminate_does_not_wait_for_the_search() -> None:
    work = Work(ends=True)

    def terminate(*_: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGINT, terminate)
    try:
        ctrl_c(0.1)
        with pytest.raises(Terminated):
            interruptible(work.interrupt, work.run, finish=work.finish)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "finish" not in work.told


@pytest.mark.parametrize(
    ("cost", "bound", "text"),
    [
        (None, None, "prices"),
        (Fraction(77, 2), None, "prices: cost 38.5"),
        (Fraction(38459), Fraction(37628), "prices: cost 38,459, proven at least 37,628 (gap 2.2 %)"),
        (Fraction(0), Fraction(0), "prices: cost 0, proven at least 0 (gap 0.0 %)"),
    ],
)
def test_where_a_solver_stands(cost: Fraction | None, bound: Fraction | None, text: str) -> None:
    assert str(Moment(step="prices", done=0.5, cost=cost, lower_bound=bound)) == text


class Referent:
    """Something that a weak reference can point to."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_python_drops_still_stops_the_work() -> None:
    ran = []
    with stopping_signals():
        referent = Referent()
        callback = weakref.ref(referent, lambda _: signal.raise_signal(signal.SIGTERM))
        del referent  # what the handler raises within the callback is dropped
        with pytest.raises(Terminated):
            interruptible(lambda: None, lambda: ran.append(1))
    del callback
    assert not ran
    with stopping_signals():
        interruptible(lambda: None, lambda: ran.append(2))
    assert ran == [2]


def test_what_duckdb_makes_of_a_signal_within_a_statement_stops_too() -> None:
    with pytest.raises(Terminated) as stopped, stopping_signals():
        raise RuntimeError("Query interrupted")
    assert stopped.value.__suppress_context__
    with pytest.raises(RuntimeError, match="of another kind"), stopping_signals():
        raise RuntimeError("of another kind")
