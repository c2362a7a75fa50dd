"""Small tables, ways to generalize them, and `kanon anonymize` and `kanon verify` in this process."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from kanon_sql.cli import main
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.errors import AuditError, InfeasibleError
from kanon_sql.generalize.groups import grouped_again
from kanon_sql.verification.coded_source import Regroup
from kanon_sql.verification.files import verify_files

Run = Callable[..., Result]
Row = Sequence[object]

HEADER = ["zip", "age", "job", "born", "x", "y", "ward"]

TABLES = {
    "jobs": "level0,level1,level2,level3\na,x,z,*\nb,x,z,*\nc,y,z,*\nd,y,z,*\ne,w,v,*\n,w,v,*\n",
    "codes": "level0,level1,level2,level3\na,A,z,*\nb,B,z,*\nc,C,z,*\nd,D,z,*\ne,E,v,*\n,N,v,*\n",
    "parents": "value,parent\na,x\nb,x\nc,y\nd,y\nx,z\ny,z\ne,w\nz,*\nw,*\n",
    "map": "a,b\n111,112\n112,121\n121,122\n122,211\n211,212\n212,221\n221,222\n",
}
"""Hierarchies, one with ways up of different lengths, and a map."""

KINDS: dict[str, dict[str, str]] = {
    "digits": {"zip": "DIGITS"},
    "some digits": {"zip": "DIGITS (2, 1)"},
    "widths": {"age": "INTERVALS (4, 8)"},
    "top": {"age": "TOP 17 BOTTOM 3"},
    "widths to the ends": {"age": "INTERVALS (4, 8) TOP 17 BOTTOM 3"},
    "cuts": {"age": "CUTS (5, 12) TOP 19"},
    "only levels": {"age": "CUTS ONLY (5, 12)", "born": "INTERVALS ONLY (month, year)"},
    "years": {"born": "INTERVALS (month, decade) BOTTOM 2019"},
    "periods": {"born": "INTERVALS (month, year)"},
    "hierarchy": {"job": "HIERARCHY jobs"},
    "parents": {"job": "HIERARCHY parents"},
    "losses": {"zip": "DIGITS (2, 1) LOSS (0.25, 0.5)", "job": "HIERARCHY jobs LOSS (0.1, 0.6)"},
    "losses of the finest": {"job": "HIERARCHY codes (1, 2) LOSS (0.2, 0.6)"},
    "ladders": {"zip": "DIGITS", "age": "INTERVALS (4, 8)", "job": "HIERARCHY jobs", "born": "INTERVALS (month, year)"},
    "bins": {"zip": "BINS"},
    "bins by name": {"zip": "BINS (fold)"},
    "regions": {"zip": "REGIONS map"},
    "regions by name": {"zip": "REGIONS map (regions)"},
    "intervals": {"age": "INTERVALS"},
    "sum": {"born": "INTERVALS ('sum')"},
    "rectangles": {"x": "RECTANGLES WITH y", "y": "RECTANGLES WITH x"},
    "rectangles by name": {"x": "RECTANGLES WITH y (kd_tree)", "y": "RECTANGLES WITH x (kd_tree)"},
    "ranges": {"age": "RANGES", "born": "RANGES"},
    "sets": {"job": "SETS", "zip": "SETS"},
    "means": {"age": "MEANS", "y": "MEANS"},
    "one mean": {"age": "MEANS"},
    "medians": {"age": "MEDIANS", "born": "MEDIANS", "y": "MEDIANS"},
    "means and sets": {"age": "MEANS", "job": "SETS"},
    "summaries and ladders": {"age": "RANGES", "job": "SETS", "zip": "DIGITS"},
}

CHOSEN = ("bins", "bins by name", "regions", "regions by name", "intervals", "sum", "rectangles", "rectangles by name")
SUMMARIES = ("ranges", "sets", "means", "one mean", "medians", "means and sets", "summaries and ladders")


def command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return the command in this process, in a folder that has the tables beside."""
    monkeypatch.chdir(folder)
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_text(text)
    return lambda *arguments: CliRunner().invoke(main, arguments)


def people(seed: int, rows: int = 60) -> list[Row]:
    draw = random.Random(seed)
    return [
        (
            "".join(draw.choice("12") for _ in range(3)),
            draw.randint(0, 20),
            draw.choice("abcde"),
            f"20{draw.choice(['19', '20'])}-0{draw.randint(1, 3)}-{draw.choice(['01', '15'])}",
            draw.randint(0, 9),
            draw.randint(0, 9) / 2,
            f"w{draw.randint(0, 3)}",
        )
        for _ in range(rows)
    ]


def write(path: Path, rows: Sequence[Row], header: Sequence[str] = HEADER) -> None:
    with path.open("w", newline="") as file:
        file.write(",".join(header) + "\n")
        for row in rows:  # quotes, so that an empty text is none of the missing values
            file.write(",".join("" if cell is None else f'"{cell}"' for cell in row) + "\n")


def release(run: Run, recodings: Mapping[str, str], *more: str, out: str = "out.csv", source: str = "in.csv") -> None:
    arguments = ["anonymize", source, "-o", out, "--certificate", "c.json", "--force", "--unlisted-limit", "1"]
    for column, how in recodings.items():
        arguments += ["--recode", f"{column}={how}"]
    for name in named(recodings):
        arguments += ["--beside", f"{name}={name}.csv"]
    done = run(*arguments, *more)
    if isinstance(done.exception, SystemExit) and "hint: choose a smaller k" in done.stderr:
        raise InfeasibleError(done.stderr)
    assert done.exit_code == 0, done.output


def named(recodings: Mapping[str, str]) -> list[str]:
    return [name for name in TABLES if any(name in how.split() for how in recodings.values())]


def verified(
    recodings: Mapping[str, str], out: str = "out.csv", source: str = "in.csv", regroup: Regroup | None = grouped_again
) -> dict[str, str]:
    """Verify in this process; the report without line breaks."""
    beside = {name: Place.of(f"{name}.csv") for name in named(recodings)}
    con, tables = audit_macros(duckdb.connect()), (Place.of(source), Place.of(out))
    return verify_files(con, *tables, "c.json", beside, regroup=regroup)


def refused(recodings: Mapping[str, str], regroup: Regroup | None = grouped_again) -> str:
    with pytest.raises(AuditError) as caught:
        verified(recodings, regroup=regroup)
    return str(caught.value)


_RELEASED: dict[tuple[str, ...], dict[str, bytes]] = {}
"""The files of each standard release that was made: it is the same every time."""


def standard(run: Run, folder: Path, kind: str, *more: str) -> dict[str, str]:
    """Release a table by one kind of recoding; the quasi-identifiers are what it generalizes, and mostly two more."""
    if (kind, *more) not in _RELEASED:
        write(folder / "in.csv", people(7))
        columns = list(dict.fromkeys([*KINDS[kind], *([] if kind in CHOSEN else ["job", "x"])]))
        algorithm = () if kind in SUMMARIES or "--algorithm" in more else ("--algorithm", "greedy")
        release(run, KINDS[kind], "--qi", ",".join(columns), "--k", "4", *algorithm, *more)
        _RELEASED[kind, *more] = {name: (folder / name).read_bytes() for name in ("in.csv", "out.csv", "c.json")}
    for name, content in _RELEASED[kind, *more].items():
        (folder / name).write_bytes(content)
    return KINDS[kind]


def released(folder: Path) -> list[list[str]]:
    with (folder / "out.csv").open(newline="") as file:
        return list(csv.reader(file))[1:]


def rewrite(folder: Path, rows: Sequence[Row]) -> None:
    write(folder / "out.csv", [[None if cell == "" else cell for cell in row] for row in rows])
