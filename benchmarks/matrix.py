"""Every guarantee with every recoding on Adult, and some on wide tables: cost, proven bound and seconds of the default."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks import generated
from benchmarks.generalization import load_adult

GUARANTEES = (
    "k >= 5",
    "k >= 5 PER person",
    "k >= 5 PER person AND l(occupation) >= 3",
    "alpha(\"salary-class\", '>50K') <= 0.5",
    't("salary-class") <= 0.2',
    "t(occupation) <= 0.2",
    "l(\"salary-class\", 'distinct') >= 2",
    "l(occupation) >= 3",
    "l(occupation) >= 3 AND t(occupation) <= 0.4",
    "t(occupation, 'ordered') <= 0.2",
    "l(occupation, 'entropy') >= 3",
    "beta(occupation) <= 1",
    "delta(occupation) <= 3",
    "k >= 5 IN pop",
    "k >= 5 AND k >= 20 IN pop",
    "presence(pop) <= 0.6",
)
"""What is guaranteed; k >= 5 beside those about sensitive values."""

RECODINGS = ("suppression", "levels", "sets")

WIDE = ("answers", "histories", "traits", "levels")
"""Generated tables: 75,000 x 16, 30,000 x 24, 10,000 x 60, and 60,000 x 8 in INTERVALS."""

WIDE_GUARANTEES = ("k >= 5", "k >= 5 AND l(s) >= 2", "k >= 5 AND t(s) <= 0.3", "k >= 5 PER person")

_POPULATION = "pop"
"""The table, two thirds of it and one half of it again."""


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each guarantee and recoding, after a run on few rows that loads the kernels."""
    with kanon_sql.connect() as con:
        columns = load_adult(con, data)
        con.execute("ALTER TABLE adult ADD COLUMN person INTEGER")
        con.execute("UPDATE adult SET person = rowid * 7919 % 9000")
        con.execute(
            f"CREATE TABLE {_POPULATION} AS SELECT * EXCLUDE (person) FROM adult UNION ALL BY NAME "
            "SELECT * EXCLUDE (person) FROM adult WHERE rowid % 3 < 2 UNION ALL BY NAME "
            "SELECT * EXCLUDE (person) FROM adult WHERE rowid % 2 = 0"
        )
        for guarantee in GUARANTEES:
            for recoding in RECODINGS:
                if recoding != "sets" or _POPULATION not in guarantee:
                    yield released(con, columns, guarantee, recoding)
        for name in WIDE:
            for guarantee in WIDE_GUARANTEES:
                yield wide(con, name, guarantee)


def wide(con: Any, name: str, guarantee: str, using: str = "") -> dict[str, Any]:
    """Return the record of one release of a wide table."""
    source = getattr(generated, name)()
    con.register("arrow", generated.with_persons(source))
    con.execute("CREATE OR REPLACE TABLE wide AS FROM arrow")
    items = [f'"{column}"' for column in source.column_names]
    if name == "levels":
        steps = (", ".join(map(str, widths)) for _, widths in generated.LADDERS)
        items = [f"{item} IN INTERVALS ({each})" for item, each in zip(items, steps, strict=True)]
    unused = [each for each in ("s", "person") if f"({each})" not in guarantee and f" {each}" not in guarantee]
    query = (
        f"FROM (SELECT * EXCLUDE ({', '.join(unused)}) FROM wide) ANONYMIZE BY {', '.join(items)} GUARANTEE {guarantee} {using}"
    )
    recoding = "levels" if name == "levels" else "suppression"
    return _measured(con, query, "wide", table=name, guarantee=guarantee, recoding=recoding)


def released(con: Any, columns: list[str], guarantee: str, recoding: str, using: str = "") -> dict[str, Any]:
    """Return the record of one release."""
    items = {
        "suppression": '"{}"',
        "levels": '"{}" IN HIERARCHY "h_{}"',
        "sets": '"{}" IN SETS',
    }
    shown = [name for name in columns if f"({name}" not in guarantee and f'("{name}"' not in guarantee]
    by = ", ".join(items[recoding].format(name, name) for name in shown)
    k = "" if "k >=" in guarantee or "presence" in guarantee else "k >= 5 AND "
    chosen = "*" if "person" in guarantee else "* EXCLUDE (person)"
    query = f"FROM (SELECT {chosen} FROM adult) ANONYMIZE BY {by} GUARANTEE {k}{guarantee} {using}"
    return _measured(con, query, "adult", table="Adult", guarantee=guarantee, recoding=recoding)


def _measured(con: Any, query: str, source: str, **about: str) -> dict[str, Any]:
    """Return the record of a query, after one on few rows of its source that loads the kernels."""
    con.execute(query.replace(f"FROM {source}", f"FROM (FROM {source} LIMIT 200)", 1)).fetchall()
    started, cpu = time.perf_counter(), time.process_time()
    con.execute(f"CREATE OR REPLACE TABLE released AS {query}")
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
    certificate = kanon_sql.releases(con)[-1]
    return {
        **about,
        "work": f"{about['guarantee']} {about['recoding']}",
        "cost": float(certificate.cost),
        "lower_bound": float(certificate.lower_bound),
        "bound_method": certificate.bound_method,
        "reason": certificate.reason,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per table, guarantee and recoding."""
    drawn = Table(title="Guarantees with recodings: cost, proven bound, gap, seconds")
    for column in ("table", "guarantee", "recoding", "cost", "lower bound", "gap %", "s", "CPU s"):
        drawn.add_column(column, justify="left" if column in ("table", "guarantee", "recoding") else "right")
    for each in records:
        gap = 100 * (1 - each["lower_bound"] / each["cost"]) if each["cost"] else 0.0
        figures = (f"{each['cost']:,.0f}", f"{each['lower_bound']:,.0f}", f"{gap:.1f}", f"{each['seconds']:.1f}")
        drawn.add_row(each["table"], each["guarantee"], each["recoding"], *figures, f"{each['cpu_seconds']:.1f}")
    console.print(drawn)
