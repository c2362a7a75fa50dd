"""Tables of counts by tau-ARGUS and G-Confid, next to PROTECT: what they suppress, and what a reader can prove still.

Each program is installed into an environment of its own and runs in processes of its own. One that cannot be installed or that
fails is skipped, with the reason.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import kanon_sql
from benchmarks.table_attack.prover import Reader
from benchmarks.table_attack.reader import MARKED, OPEN, knowledge
from benchmarks.table_attack.statement import Dimension, Statement

__all__ = ["measure", "show"]

K = 5

ENVIRONMENTS = Path(__file__).resolve().parent / "results" / "environments"
"""Where the other programs are installed; git ignores it."""

_TABLES = (
    ("education", "sex", "race"),
    ("workclass", "marital", "sex"),
    ("occupation", "sex", "race"),
    ("education", "occupation", "sex"),
)

_SOURCE = """CREATE TABLE people AS SELECT * RENAME ("marital-status" AS marital) FROM '{adult}'"""

_SECONDS = 1800
"""Of one program on one table, at most."""

Row = tuple[Any, ...]


class SkippedError(Exception):
    """Why a program is not measured."""


@dataclass(frozen=True, slots=True)
class Made:
    """A table that a program made: all its rows, those too that nobody has, and seconds."""

    rows: list[Row]
    seconds: float
    cpu_seconds: float
    proof: str = ""


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each table and each way to protect it."""
    adult = data / "adult_arx.csv.gz"
    if not adult.is_file():
        yield {"work": "all", "skipped": f"there is no {adult}"}
        return
    source = _SOURCE.format(adult=adult)
    ways: dict[str, Callable[[str, tuple[str, ...], Path], Made]] = {
        "tau-ARGUS, range 50 %": lambda *given: _tau_argus(*given, margin=50),
        "tau-ARGUS, range 100 %": lambda *given: _tau_argus(*given, margin=100),
        "G-Confid, cost SIZE": lambda *given: _g_confid(*given, cost="SIZE"),
        "G-Confid, cost CONSTANT": lambda *given: _g_confid(*given, cost="CONSTANT"),
        "PROTECT": _protect,
    }
    _protect(source, ("sex",), Path())  # a tiny table loads the kernels and the solvers
    for keys in _TABLES:
        for work, make in ways.items():
            record: dict[str, Any] = {"work": work, "table": ", ".join(keys)}
            with tempfile.TemporaryDirectory() as folder:
                try:
                    made = make(source, keys, Path(folder))
                except SkippedError as reason:
                    yield record | {"skipped": str(reason)}
                    continue
            figures = {"seconds": made.seconds, "cpu_seconds": made.cpu_seconds, "proof": made.proof}
            yield record | judged(source, keys, made.rows) | figures


def judged(source: str, keys: tuple[str, ...], rows: list[Row]) -> dict[str, Any]:
    """Return what a table suppresses, and how many of its small rows are proven to be small.

    Parameters
    ----------
    source : str
        A statement that makes the table ``people``.
    keys : tuple of str
        The columns of the cube.
    rows : list of tuple
        Keys, None for all, and the count, None if it is suppressed. Rows that nobody has may be there or not.

    Notes
    -----
    Once a suppressed row may have nobody for all that the reader knows, and once he knows that somebody is there: PROTECT says
    so, G-Confid has no rows of nobody, and tau-ARGUS suppresses none.
    """
    statement = Statement(tuple(Dimension(key, (key,), frozenset((key,))) for key in keys), "CUBE", n=K)
    known = knowledge(source, [(statement, rows)])
    people = np.array([known.truth[each.atoms].sum() for each in known.groups])
    hidden = np.array([each.says == MARKED for each in known.groups])
    empty = int((hidden & (people == 0)).sum())
    if len(known.wrong) > empty:
        raise AssertionError(f"{', '.join(keys)}: the table is not that of the source")
    asked = np.flatnonzero((people > 0) & (people < K))
    atoms = np.array([known.groups[place].atoms for place in asked], np.bool_).reshape(len(asked), len(known.truth))
    opened = replace(known, groups=[replace(each, says=OPEN) if each.says == MARKED else each for each in known.groups])
    found = {"proven": opened} | ({} if empty else {"proven_if_somebody": known})
    answers = {name: Reader(each).small(atoms, K, or_none=False) for name, each in found.items()}
    return {
        "rows": int((people > 0).sum()),
        "primary": len(asked),
        "secondary": int((hidden & (people >= K)).sum()),
        "hidden_empty": empty,
        "open": sum(int((answer == -1).sum()) for answer in answers.values()),
        "proven_if_somebody": None,
        **{name: int((answer == 1).sum()) for name, answer in answers.items()},
    }


def _protect(source: str, keys: tuple[str, ...], _folder: Path) -> Made:
    with kanon_sql.connect(config={"threads": 2}) as con:
        con.execute("SET enable_progress_bar = false")
        con.execute(source)
        listed = ", ".join(keys)
        wall, cpu = time.perf_counter(), time.process_time()
        query = f"SELECT {listed}, count(*) AS n FROM people GROUP BY CUBE ({listed}) PROTECT n >= {K} PER ROW"
        rows = con.execute(query).fetchall()
        took = time.perf_counter() - wall, time.process_time() - cpu
        bound, cost, status = con.execute(
            "SELECT lower_bound, cost, status FROM kanon_protected_tables() ORDER BY number DESC LIMIT 1"
        ).fetchall()[0]
    return Made(rows, *took, proof=status if bound == cost else f"at least {bound}")


def _tau_argus(source: str, keys: tuple[str, ...], folder: Path, *, margin: int) -> Made:
    """Run the command of pytauargus: a minimum frequency, and optimal secondary suppression of a table with its totals."""
    python = _environment("pytauargus[parquet]==0.6.0")
    _write_people(source, keys, folder)
    command = [str(python.with_name("tauargus")), "protect", "people.parquet", "--tables", ",".join(keys), "--response", "one"]
    took = _run([*command, "--safety", f"FREQ({K},{margin})", "--suppress", "OPT(1)", "--out", "made.parquet"], folder)
    names = ", ".join(f"CASE WHEN trim({key}) <> 'Total' THEN trim({key}) END" for key in keys)
    rows = duckdb.sql(f"SELECT {names}, CAST(one AS BIGINT) FROM '{folder}/made.parquet'").fetchall()
    return Made(rows, *took)


def _g_confid(source: str, keys: tuple[str, ...], folder: Path, *, cost: str) -> Made:
    """Run G-Confid: cells with too few respondents are sensitive, and complements are found by linear programs."""
    python = _environment("gconfid==2.0.4")
    _write_people(source, keys, folder)
    program = Path(__file__).with_name("table_peers_gconfid.py")
    took = _run([str(python), "-I", str(program), "people.parquet", "made.parquet", str(K), cost, *keys], folder)
    return Made(duckdb.sql(f"SELECT {', '.join(keys)}, n FROM '{folder}/made.parquet'").fetchall(), *took)


def _write_people(source: str, keys: tuple[str, ...], folder: Path) -> None:
    with duckdb.connect() as con:
        con.execute(source)
        con.execute(f"COPY (SELECT {', '.join(keys)}, 1 AS one FROM people) TO '{folder}/people.parquet'")


def _environment(package: str) -> Path:
    """Return the Python of an environment that has a package, and nothing of ours."""
    folder = ENVIRONMENTS / package.partition("[")[0].partition("==")[0]
    python = folder / "bin" / "python"
    if not (folder / "installed").is_file():
        for command in ([sys.executable, "-m", "venv", str(folder)], [str(python), "-m", "pip", "install", "-q", package]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SkippedError(f"{package} cannot be installed: {_last(done.stderr)}")
        (folder / "installed").touch()
    return python


def _run(command: list[str], folder: Path) -> tuple[float, float]:
    """Run a program and return its wall and CPU seconds, those of its start included."""
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise SkippedError(f"not done after {_SECONDS} s") from None
    if done.returncode or not (folder / "made.parquet").is_file():
        raise SkippedError(_last(done.stderr or done.stdout))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _last(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no message")


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per table and program, then what was skipped."""
    drawn = Table(title=f"Cubes of 30,162 rows of Adult, n >= {K}: secondary rows, and small rows that are proven to be small")
    drawn.add_column("table")
    drawn.add_column("program")
    for head in ("rows", "primary", "secondary", "proven", "if not empty", "open", "proof", "s", "CPU s"):
        drawn.add_column(head, justify="right")
    for each in records:
        if "skipped" not in each:
            names = ("rows", "primary", "secondary", "proven", "proven_if_somebody", "open")
            counts = ("-" if each[name] is None else each[name] for name in names)
            times = f"{each['seconds']:.1f}", f"{each['cpu_seconds']:.1f}"
            drawn.add_row(each["table"], each["work"], *map(str, counts), each["proof"], *times)
    console.print(drawn)
    for each in records:
        if "skipped" in each:
            console.print(f"skipped: {each['work']}, {each.get('table', '')}: {escape(each['skipped'])}")
