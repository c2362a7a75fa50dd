"""Peers that a package index holds, on the same work as kanon-sql in the same run: anjana, anonypy, pycanon."""

from __future__ import annotations

import contextlib
import importlib
import io
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks.generalization import load_adult, mean_loss

KS = (5, 10, 100)

DROPPED = 0.1
"""Share of the rows that one level per column may drop, for both."""

SENSITIVE = "salary-class"


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per program and work: loss counted from the released rows, CPU seconds of the call alone."""
    with kanon_sql.connect() as con:
        columns = load_adult(con, data)
        shown = [name for name in columns if name != SENSITIVE]
        for k in KS:
            yield _released(con, "one level per column", "kanon-sql", k, shown, lambda k=k: _one_level(con, shown, k))
            yield _released(con, "one level per column", "anjana", k, shown, lambda k=k: _anjana(con, shown, k))
            yield _released(con, "ranges and sets", "kanon-sql", k, shown, lambda k=k: _ranges_and_sets(con, shown, k))
            yield _released(con, "ranges and sets", "anonypy", k, shown, lambda k=k: _anonypy(con, shown, k))
        _ranges_and_sets(con, shown, 5)()
        yield from _audits(con, shown)


def _released(
    con: Any, work: str, program: str, k: int, columns: list[str], prepare: Callable[[], Callable[[], float]]
) -> dict[str, Any]:
    """Return the loss of what a program released as table ``released``, and the CPU seconds that it names."""
    record = {"work": work, "program": program, "k": k}
    try:
        seconds = prepare()()
    except (PackageNotFoundError, ImportError):
        return record | {"missing": True}
    names = ", ".join(f'"{name}"' for name in columns)
    smallest = "SELECT min(n) FROM (SELECT count(*) AS n FROM released GROUP BY "
    hidden = " AND ".join(f'"{name}" IS NULL' for name in columns)
    return record | {
        "version": version(program),
        "loss": float(mean_loss(con, columns)),
        "smallest_class": con.execute(f"{smallest}{names})").fetchall()[0][0],
        "rows_hidden": con.execute(f"SELECT count(*) FROM released WHERE {hidden}").fetchall()[0][0],
        "cpu_seconds": seconds,
    }


def _one_level(con: Any, columns: list[str], k: int) -> Callable[[], float]:
    items = ", ".join(f'"{name}" IN HIERARCHY "h_{name}"' for name in columns)
    return _statement(con, f"FROM adult ANONYMIZE BY {items} GUARANTEE k >= {k} USING full_domain (max_suppressed = {DROPPED})")


def _ranges_and_sets(con: Any, columns: list[str], k: int) -> Callable[[], float]:
    items = ", ".join(f'"{name}" IN {"RANGES" if name == "age" else "SETS"}' for name in columns)
    return _statement(con, f"FROM adult ANONYMIZE BY {items} GUARANTEE k >= {k}")


def _statement(con: Any, query: str) -> Callable[[], float]:
    return lambda: _cpu(lambda: con.execute(f"CREATE OR REPLACE TABLE released AS {query}"))[0]


def _anjana(con: Any, columns: list[str], k: int) -> Callable[[], float]:
    anonymity = importlib.import_module("anjana.anonymity")
    frame = con.execute("SELECT * REPLACE (CAST(age AS VARCHAR) AS age) FROM adult").df()
    trees = {
        name: dict(enumerate(map(list, zip(*con.execute(f'FROM "h_{name}"').fetchall(), strict=True)))) for name in columns
    }

    names = ", ".join(f'"{name}"' for name in columns)

    def run() -> float:
        seconds, released = _cpu(lambda: anonymity.k_anonymity(frame, [], columns, k, 100 * DROPPED, trees))
        con.register("of_anjana", released)
        con.execute(f"CREATE OR REPLACE TABLE released AS SELECT {names} FROM of_anjana")
        con.unregister("of_anjana")
        # A dropped row has lost all its cells.
        dropped = frame.shape[0] - released.shape[0]
        con.execute(f'INSERT INTO released BY NAME SELECT NULL AS "{columns[0]}" FROM range({dropped})')
        return seconds

    return run


def _anonypy(con: Any, columns: list[str], k: int) -> Callable[[], float]:
    anonypy = importlib.import_module("anonypy")
    frame = con.execute("FROM adult").df()
    for name in columns:
        if name != "age":
            frame[name] = frame[name].astype("category")

    def run() -> float:
        seconds, rows = _cpu(lambda: anonypy.Preserver(frame, columns, SENSITIVE).anonymize_k_anonymity(k))
        con.register(
            "of_anonypy", importlib.import_module("pandas").DataFrame([{n: _only(v) for n, v in row.items()} for row in rows])
        )
        # Its labels, a,b and 17-20, in our form; a row stands for as many as it counts.
        sets = [
            f"""if(contains("{n}", ','), '{{' || replace("{n}", ',', ', ') || '}}', "{n}") AS "{n}\""""
            for n in columns
            if n != "age"
        ]
        age = "if(contains(age, '-'), '[' || replace(age, '-', ', ') || ']', age) AS age"
        con.execute(f"CREATE OR REPLACE TABLE released AS SELECT {', '.join([age, *sets])} FROM of_anonypy, range(count)")
        con.unregister("of_anonypy")
        return seconds

    return run


def _only(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def _audits(con: Any, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what a release with ranges and sets is measured to guarantee, by SQL and by pycanon."""
    by = ", ".join(f"'{name}'" for name in columns)
    ours = {
        "k": f"SELECT k FROM k_anonymity('released', qi := [{by}])",
        "distinct l": f"SELECT distinct_l FROM l_diversity('released', sa := '{SENSITIVE}', qi := [{by}])",
        "t": f"SELECT t FROM t_closeness('released', sa := '{SENSITIVE}', qi := [{by}])",
    }
    theirs = {
        "k": lambda peer, frame: peer.k_anonymity(frame, columns),
        "distinct l": lambda peer, frame: peer.l_diversity(frame, columns, [SENSITIVE]),
        "t": lambda peer, frame: peer.t_closeness(frame, columns, [SENSITIVE]),
    }
    for what, query in ours.items():
        seconds, value = _cpu(lambda query=query: con.execute(query).fetchall()[0][0])
        record = {"work": "audit", "what": what}
        yield record | {"program": "kanon-sql", "version": version("kanon-sql"), "value": float(value), "cpu_seconds": seconds}
        try:
            peer = importlib.import_module("pycanon.anonymity")
        except ImportError:
            yield record | {"program": "pycanon", "missing": True}
            continue
        frame = con.execute("SELECT COLUMNS(*)::VARCHAR FROM released").df()
        seconds, value = _cpu(lambda what=what, peer=peer, frame=frame: theirs[what](peer, frame))
        yield record | {"program": "pycanon", "version": version("pycanon"), "value": float(value), "cpu_seconds": seconds}


def _cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a call, of all threads, and its result; what it prints is dropped."""
    before = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        result = call()
    return time.process_time() - before, result


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print the releases, then the audits; a peer that is not installed is named."""
    releases = [each for each in records if each["work"] != "audit" and "missing" not in each]
    drawn = Table(title="30,162 rows of Adult x 8: mean loss of a cell")
    for column in ("work", "k", "program", "loss", "smallest class", "rows hidden", "CPU s"):
        drawn.add_column(column, justify="left" if column in ("work", "program") else "right")
    for each in releases:
        figures = (
            f"{each['loss']:.4f}",
            f"{each['smallest_class']:,}",
            f"{each['rows_hidden']:,}",
            f"{each['cpu_seconds']:.1f}",
        )
        drawn.add_row(each["work"], str(each["k"]), f"{each['program']} {each['version']}", *figures)
    console.print(drawn)
    drawn = Table(title="What a release guarantees, measured")
    for column in ("guarantee", "program", "value", "CPU s"):
        drawn.add_column(column, justify="left" if column in ("guarantee", "program") else "right")
    for each in records:
        if each["work"] == "audit" and "missing" not in each:
            drawn.add_row(
                each["what"], f"{each['program']} {each['version']}", f"{each['value']:.6g}", f"{each['cpu_seconds']:.2f}"
            )
    console.print(drawn)
    if missing := sorted({each["program"] for each in records if "missing" in each}):
        console.print(f"Not installed, so not measured: {', '.join(missing)}.")
