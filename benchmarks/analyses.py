"""Which release serves an analysis: releases of Adult by several recodings, and those of ARX, asked the same questions."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv
from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks.generalization import load_adult
from kanon_sql.clause.workload import uses_of
from kanon_sql.report.usefulness import Usefulness

KS = (5, 10, 50)

TARGET = "salary-class"

ASKED = ("age", "sex", "race", "education", "occupation")
"""The columns that the queries are about."""

QUERIES = 20

_DRAWN = 5
"""Tables that a regression and a classifier learn from, and whose results are combined."""

ARX = os.environ.get("KANON_ARX")
"""A folder with releases of the same table by ARX: arx5.csv, arx10.csv, arx50.csv."""


def queries(con: Any) -> str:
    """Return counting queries about two columns each: those of a row that is drawn, ages in ten years around its own."""
    random = np.random.default_rng(7)
    rows = con.execute(f"SELECT {', '.join(ASKED)} FROM adult ORDER BY ALL").fetchall()
    found = []
    for _ in range(QUERIES):
        row = dict(zip(ASKED, rows[int(random.integers(len(rows)))], strict=True))
        one, two = sorted(random.choice(len(ASKED), 2, replace=False).tolist())
        told = [
            f"age BETWEEN {row['age'] - 5} AND {row['age'] + 4}" if name == "age" else f"{name} = '{row[name]}'"
            for name in (ASKED[one], ASKED[two])
        ]
        found.append(f"SELECT count(*) FROM adult WHERE {' AND '.join(told)}")
    return "; ".join(found)


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per release: risk, loss, errors of the queries, a regression, two classifiers, loss by sex and race."""
    with kanon_sql.connect() as con:
        columns = load_adult(con, data)
        shown = [name for name in columns if name != TARGET]
        source = con.execute("FROM adult").to_arrow_table()
        trees = {name: con.execute(f'FROM "h_{name}"').to_arrow_table() for name in shown}
        asked = queries(con)
        yield {"k": 1, "release": "source", **_fitted([source], source, shown)}
        for k in KS:
            for name, query in _statements(shown, asked, columns, k).items():
                start = time.process_time()
                table = con.execute(query).to_arrow_table()
                yield _record(name, k, table, source, shown, asked, trees) | {"cpu_seconds": time.process_time() - start}
            if ARX is not None and (path := Path(ARX) / f"arx{k}.csv").exists():
                texts = {name: pa.string() for name in columns}
                table = csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=texts))
                yield _record("ARX, levels", k, table, source, shown, asked, trees)


def _statements(shown: list[str], asked: str, columns: list[str], k: int) -> dict[str, str]:
    uses = uses_of(asked, columns)
    most = max(uses[name].points for name in shown)
    weight = {name: max(Fraction(uses[name].points, most), Fraction(1, 4)) for name in shown}
    by = {
        "suppression": [f'"{name}"' for name in shown],
        "weights from the queries": [f'"{name}" WEIGHT {float(weight[name]):g}' for name in shown],
        "levels": [f'"{name}" IN HIERARCHY "h_{name}"' for name in shown],
        "ranges and sets": [f'"{name}" IN {"RANGES" if name == "age" else "SETS"}' for name in shown],
    }
    return {
        name: f'FROM adult ANONYMIZE BY {", ".join(items)} KEEP "{TARGET}" GUARANTEE k >= {k}' for name, items in by.items()
    }


def _record(
    name: str, k: int, table: pa.Table, source: pa.Table, shown: list[str], asked: str, trees: dict[str, pa.Table]
) -> dict[str, Any]:
    told = {"quasi_identifiers": shown, "queries": asked, "by": ["sex", "race"], "target": TARGET, "hierarchies": trees}
    (found,) = kanon_sql.compare(source, {name: table}, **told).releases
    drawn = kanon_sql.impute(table, _DRAWN, quasi_identifiers=[*shown, TARGET], hierarchies=trees)
    return {"k": k, "release": name, **_compared(found), **_fitted(drawn, source, shown)}


def _compared(found: Usefulness) -> dict[str, Any]:
    answers = found.answers
    assert answers is not None
    return {
        "risk": found.risk,
        "loss": found.loss,
        "median_error": answers.median,
        "error_95": answers.most,
        "naive_bayes": found.kept_accuracy,
        **{f"loss_by_{each.column}": each.worst for each in found.groups},
    }


def _fitted(tables: list[pa.Table], source: pa.Table, shown: list[str]) -> dict[str, Any]:
    """Return what a year of age adds to the chance of a high salary (percentage points), and the accuracy of a classifier."""
    fits = [_age(table) for table in tables]
    slope, within = (float(np.mean([fit[place] for fit in fits])) for place in (0, 1))
    between = float(np.var([fit[0] for fit in fits], ddof=1)) if len(fits) > 1 else 0.0
    error = (within + (1 + 1 / len(fits)) * between) ** 0.5
    record: dict[str, Any] = {"age": 100 * slope, "age_error": 100 * error}
    try:
        linear, preprocessing = (importlib.import_module(f"sklearn.{name}") for name in ("linear_model", "preprocessing"))
    except ImportError:
        return record | {"accuracy": None}
    encoder = preprocessing.OneHotEncoder(handle_unknown="ignore").fit(_cells(source, shown))
    told = np.asarray(source.column(TARGET).to_pylist())
    right = []
    for table in tables:
        learnt = np.asarray(table.column(TARGET).to_pylist())
        model = linear.LogisticRegression(max_iter=400).fit(encoder.transform(_cells(table, shown)), learnt)
        right.append(float(np.mean(model.predict(encoder.transform(_cells(source, shown))) == told)))
    return record | {"accuracy": float(np.mean(right))}


def _age(table: pa.Table) -> tuple[float, float]:
    """Return the coefficient of age and its variance: high salary by age, sex and an intercept, ordinary least squares."""
    high = np.asarray(table.column(TARGET).to_pylist()) == ">50K"
    ages = np.asarray(table.column("age").to_pylist(), dtype=float)
    male = np.asarray(table.column("sex").to_pylist()) == "Male"
    by = np.stack([np.ones(len(ages)), ages, male.astype(float)], axis=1)
    inverse = np.linalg.inv(by.T @ by)
    fitted = inverse @ by.T @ high
    left = high - by @ fitted
    return float(fitted[1]), float(left @ left / (len(ages) - 3) * inverse[1, 1])


def _cells(table: pa.Table, shown: list[str]) -> Any:
    return np.stack([np.asarray(table.column(name).cast(pa.string()).to_pylist(), dtype=object) for name in shown], axis=1)


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print what each release is still good for."""
    table = Table(title="Adult, 8 quasi-identifiers: what releases are good for")
    figures = ("loss", "median error", "95 %", "age (OLS)", "classifier", "loss by sex", "by race", "CPU s")
    for heading in ("k", "release", *figures):
        table.add_column(heading, justify="left" if heading == "release" else "right")
    for each in records:
        table.add_row(
            str(each["k"]),
            each["release"],
            *(_share(each.get(name)) for name in ("loss", "median_error", "error_95")),
            f"{each['age']:.3f} ± {each['age_error']:.3f}",
            *(_share(each.get(name)) for name in ("accuracy", "loss_by_sex", "loss_by_race")),
            f"{each['cpu_seconds']:.1f}" if "cpu_seconds" in each else "",
        )
    console.print(table)


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"
