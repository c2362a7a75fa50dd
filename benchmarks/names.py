"""Figure 7 of "On the Approximability of Geometric and Geographic Generalization": bins of names, how full the fullest is."""

from __future__ import annotations

import csv
import gzip
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.labels import balanced, fold, plain_spread
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64

RESULTS = Path(__file__).resolve().parent / "results"

LISTS = {"FEMALE-1990": "female_first", "MALE-1990": "male_first", "LAST-1990": "all_last"}
ALL_SURNAMES = "LAST-1990, all"

METHODS: dict[str, tuple[Callable[[Int64, int, Budget], Grouping], bool]] = {
    "Random Fold": (fold.group, True),
    "Random Spread": (plain_spread.group, True),
    "Sorted Fold": (fold.group, False),
    "Sorted Spread": (plain_spread.group, False),
    "balanced": (balanced.group, False),
}
"""Each method, and whether it gets the names in a random order; else the most frequent one is the first."""

VALUES_OF_K = 60

FACTORS = {"Fold": 3.0, "Spread": 2.5, "balanced": 2.5}
"""Theorems 5 and 8; measured is the simplified Spread of section 5, for which Theorem 8 is not proven."""


def weights(name: str, data: Path) -> Int64:
    """Return the rows of each name, the most frequent one first.

    The lists give per cent with three digits; a thousandth of one per cent is a row. As in the paper, names below that are
    left out, except in `ALL_SURNAMES`, where each of them is one row.
    """
    with gzip.open(data / f"names_dist_{LISTS.get(name, 'all_last')}.csv.gz", "rt", encoding="utf-8") as source:
        rows = np.array([round(float(each["freq_pct"]) * 1000) for each in csv.DictReader(source)])
    rows = np.maximum(rows, 1) if name == ALL_SURNAMES else rows[rows > 0]
    return np.sort(rows)[::-1]


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per list, k and method; all surnames are for `balanced` only, from k = 2 on."""
    balanced.group(np.array([5, 5, 4, 3, 3, 3, 7]), 7, UNLIMITED)  # loads the kernels
    for place, name in enumerate([*LISTS, ALL_SURNAMES]):
        rows = weights(name, data)
        least = 2 if name == ALL_SURNAMES else int(rows[0])
        for k in _values_of_k(least, int(rows.sum()) // 2):
            # An order for each k, whatever was measured before.
            shuffled = np.random.default_rng([place, k]).permutation(rows)
            for method in METHODS if name != ALL_SURNAMES else ("balanced",):
                run, random = METHODS[method]
                yield _record(name, method, run, shuffled if random else rows, k)


def _values_of_k(least: int, most: int) -> list[int]:
    return np.unique(np.rint(np.geomspace(least, most, VALUES_OF_K)).astype(np.int64)).tolist()


def _record(name: str, method: str, run: Callable[[Int64, int, Budget], Grouping], rows: Int64, k: int) -> dict[str, Any]:
    start = time.process_time()
    found = run(rows, k, UNLIMITED)
    seconds = time.process_time() - start
    bins = found.rows(rows)
    heaviest = int(bins.max())
    if bins.min() < k or heaviest > FACTORS[method.split()[-1]] * found.lower_bound:
        raise AssertionError(f"{name}, {method}, k = {k}: the bins are not what they should be; hint: run the tests")
    return {
        "table": name,
        "names": len(rows),
        "rows": int(rows.sum()),
        "k": k,
        "method": method,
        "bins": len(bins),
        "heaviest": heaviest,
        "lower_bound": found.lower_bound,
        "ratio": heaviest / max(k, int(rows.max())),
        "cpu_seconds": seconds,
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per list and method, and write all records as CSV and as a plot."""
    drawn = Table(title="Names in bins of k rows or more: fullest bin / max(k, most frequent name)")
    drawn.add_column("list")
    drawn.add_column("method")
    for column in ("names", "values of k", "worst", "average", "proven optimal", "most CPU s"):
        drawn.add_column(column, justify="right")
    for name, method in dict.fromkeys((each["table"], each["method"]) for each in records):
        own = [each for each in records if (each["table"], each["method"]) == (name, method)]
        ratios = [each["ratio"] for each in own]
        proven = sum(each["heaviest"] == each["lower_bound"] for each in own)
        drawn.add_row(
            name,
            method,
            f"{own[0]['names']:,}",
            str(len(own)),
            f"{max(ratios):.3f}",
            f"{sum(ratios) / len(ratios):.3f}",
            f"{proven}/{len(own)}",
            f"{max(each['cpu_seconds'] for each in own):.3f}",
        )
    console.print(drawn)
    _write(console, records)


def _write(console: Console, records: list[dict[str, Any]]) -> None:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "names.csv").open("w", newline="", encoding="utf-8") as target:
        writer = csv.DictWriter(target, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    try:
        import altair
    except ImportError:
        console.print("benchmarks/results/names.csv; no plot without altair: pip install altair")
        return
    figures = [{key: each[key] for key in ("table", "k", "method", "ratio")} for each in records if each["table"] in LISTS]
    chart = (
        altair.Chart(altair.Data(values=figures), width=380, height=300)
        .mark_line(point=True)
        .encode(
            x=altair.X("k:Q", scale=altair.Scale(type="log", nice=False)),
            y=altair.Y("ratio:Q", title="rows of the fullest bin / k", scale=altair.Scale(zero=False)),
            color=altair.Color("method:N", sort=list(METHODS)),
        )
        .facet(column=altair.Column("table:N", title=None, sort=list(LISTS)))
        .resolve_scale(x="independent")
    )
    chart.save(RESULTS / "names.html")
    console.print("benchmarks/results/names.csv, benchmarks/results/names.html")
