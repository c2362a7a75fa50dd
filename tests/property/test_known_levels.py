"""Levels, masks, weights and linked columns by known columns: what is released is counted again, and verified from files."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main

COLUMNS = ["zip", "age", "sex", "job"]

GENERALIZED: dict[str, dict[str, str]] = {
    "digits": {"zip": "zip IN DIGITS"},
    "intervals": {"age": "age IN INTERVALS (10, 20)"},
    "chosen intervals": {"age": "age IN INTERVALS"},
    "hierarchy": {"job": "job IN HIERARCHY jobs"},
    "a hidden value": {"zip": "zip IN DIGITS (3, 2)"},
    "bins": {"zip": "zip IN BINS"},
    "cuts": {"age": "age IN CUTS (30, 50)"},
    "only cuts": {"age": "age IN CUTS ONLY (30, 50)"},
    "an end": {"age": "age TOP 55"},
    "intervals with ends": {"age": "age IN INTERVALS (10, 20) TOP 55 BOTTOM 22"},
    "all": {"zip": "zip IN DIGITS", "age": "age IN INTERVALS (10, 20)", "job": "job IN HIERARCHY jobs"},
}

HIDING = {"a hidden value", "chosen intervals", "bins", "only cuts", "an end", "intervals with ends"}
"""Where some cells or all of them cannot show their values."""


def source() -> pa.Table:
    draw = random.Random(2)
    rows = range(300)
    return pa.table(
        {
            "zip": [f"9{draw.choice('78')}{draw.choice('012')}{draw.choice('0123')}" for _ in rows],
            "age": [20 + draw.randrange(40) for _ in rows],
            "sex": [draw.choice("fm") for _ in rows],
            "job": [draw.choice("abcdefgh") for _ in rows],
            "disease": [draw.choice("xyz") for _ in rows],
        }
    )


@pytest.fixture(scope="module")
def con() -> Any:
    found = kanon_sql.connect()
    found.register("given", source())
    found.execute("CREATE TABLE people AS FROM given")
    levels = "CASE WHEN i < 4 THEN 'low' ELSE 'high' END AS level1, 'any' AS level2"
    found.execute(f"CREATE TABLE jobs AS SELECT chr((97 + i)::INTEGER) AS level0, {levels} FROM range(8) AS r(i)")
    return found


def released(con: Any, by: str, guarantee: str) -> tuple[list[tuple[Any, ...]], kanon_sql.Certificate]:
    rows = con.execute(f"SELECT * FROM people ANONYMIZE BY {by} GUARANTEE {guarantee}").fetchall()
    return rows, kanon_sql.releases(con)[-1]


def smallest(rows: list[tuple[Any, ...]], size: int) -> int:
    return min(min(Counter(tuple(row[c] for c in chosen) for row in rows).values()) for chosen in combinations(range(4), size))


@pytest.mark.everything
@pytest.mark.parametrize("name", GENERALIZED)
def test_levels_cost_no_more_than_suppression(con: Any, name: str) -> None:
    """The classes by two columns have 5 rows, whatever the levels; no release loses more than by suppression alone."""
    by = ", ".join(GENERALIZED[name].get(column, column) for column in COLUMNS)
    rows, certificate = released(con, by, "k >= 5 FOR ANY 2 COLUMNS")
    assert smallest(rows, 2) == certificate.smallest_class_known
    assert smallest(rows, 2) >= 5
    assert certificate.lower_bound <= certificate.cost
    if name not in {
        "a hidden value",
        "chosen intervals",
        "bins",
        "only cuts",
        "an end",
        "intervals with ends",
    }:  # there no cell shows its value
        _, suppressed = released(con, ", ".join(COLUMNS), "k >= 5 FOR ANY 2 COLUMNS")
        assert certificate.cost <= suppressed.cost
    shown = {row[COLUMNS.index(column)] for row in rows for column in GENERALIZED[name]}
    assert name in {"chosen intervals", "bins"} or shown - {None}


MASKS = [
    "GROUPING SETS ((zip, age, sex, job), (zip, sex), (age), (sex, job), ())",
    "GROUPING SETS ((zip, age, sex, job) COST 0, (zip, sex) COST 1, (sex, job) COST 2, () COST 5)",
    "GROUPING SETS ((zip IN DIGITS (3), age, sex, job), (zip IN DIGITS (2), sex), (sex, job), ())",
    "ROLLUP (sex, job, zip, age)",
]


@pytest.mark.sweep
@pytest.mark.parametrize("masks", MASKS)
def test_masks_are_kept(con: Any, masks: str) -> None:
    rows, certificate = released(con, masks, "k >= 5 FOR ANY 2 COLUMNS AND t(disease) <= 0.5 FOR ANY 1 COLUMN")
    assert smallest(rows, 2) >= 5
    shown = {tuple(value is not None for value in row[:4]) for row in rows}
    permitted = {
        MASKS[0]: {(1, 1, 1, 1), (1, 0, 1, 0), (0, 1, 0, 0), (0, 0, 1, 1), (0, 0, 0, 0)},
        MASKS[1]: {(1, 1, 1, 1), (1, 0, 1, 0), (0, 0, 1, 1), (0, 0, 0, 0)},
        MASKS[2]: {(1, 1, 1, 1), (1, 0, 1, 0), (0, 0, 1, 1), (0, 0, 0, 0)},
        MASKS[3]: {(1, 1, 1, 1), (1, 0, 1, 1), (0, 0, 1, 1), (0, 0, 1, 0), (0, 0, 0, 0)},
    }[masks]
    assert shown <= {tuple(map(bool, each)) for each in permitted}
    assert certificate.lower_bound <= certificate.cost


@pytest.mark.everything
@pytest.mark.parametrize(
    "options",
    [
        ["--recode", "zip=DIGITS", "--recode", "age=INTERVALS (10, 20)"],
        ["--recode", "age=CUTS ONLY (30, 50)"],
        ["--recode", "age=INTERVALS (10, 20) TOP 55 BOTTOM 22"],
        ["--linked", "sex,job", "--weight", "zip=3"],
        ["--mask", "zip,age,sex,job", "--mask", "zip,sex", "--mask", "sex,job", "--mask", ""],
    ],
    ids=["levels", "cuts", "ends", "linked", "masks"],
)
def test_a_release_is_verified_from_its_files(tmp_path: Path, options: list[str]) -> None:
    place = {name: str(tmp_path / name) for name in ("in.csv", "out.csv", "cert.json")}
    duckdb.connect().from_arrow(source()).write_csv(place["in.csv"])
    guarantee = ["--qi", ",".join(COLUMNS), "--k", "5", "--known", "2", "--sensitive", "disease", "--l", "1.2"]
    written = ["--certificate", place["cert.json"]]
    done = CliRunner().invoke(main, ["anonymize", place["in.csv"], "-o", place["out.csv"], *guarantee, *options, *written])
    assert done.exit_code == 0, done.output
    verified = CliRunner().invoke(main, ["verify", place["in.csv"], place["out.csv"], place["cert.json"]])
    assert verified.exit_code == 0, verified.output
    assert "proven again by its prices" in " ".join(verified.output.split())
