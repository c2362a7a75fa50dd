"""Generalized releases of Adult beside their peers, and groups of labels: bins, regions, rectangles."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import kanon_sql
from benchmarks.names import ALL_SURNAMES, weights

KS = (5, 10, 100)

GUARANTEES = ("l(\"salary-class\", 'distinct') >= 2", 't("salary-class") <= 0.4', 't("salary-class") <= 0.2')
"""What is guaranteed beside k of releases with ranges and sets, where salary-class is sensitive."""

PEERS: dict[tuple[str, int], tuple[tuple[str, float], ...]] = {
    ("levels", 5): (("ARX", 0.189),),
    ("levels", 10): (("ARX", 0.200),),
    ("levels", 100): (("ARX", 0.352),),
    ("ranges and sets", 5): (("anonypy", 0.033), ("Mondrian", 0.072)),
    ("ranges and sets", 10): (("anonypy", 0.060), ("Mondrian", 0.108)),
    ("ranges and sets", 100): (("anonypy", 0.224), ("Mondrian", 0.282)),
    ("full domain", 5): (("ARX", 0.240),),
    ("full domain", 10): (("ARX", 0.279),),
    ("full domain", 100): (("ARX", 0.440),),
}
"""Mean loss of a cell of other tools on the same table, k, and kind of recoding, the best first."""


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per release; loss is computed from the released rows, not taken from a certificate."""
    with kanon_sql.connect() as con:
        columns = load_adult(con, data)
        _load_places(con, data)
        by = {
            "suppression": [f'"{name}"' for name in columns],
            "levels": [f'"{name}" IN HIERARCHY "h_{name}"' for name in columns],
            "ranges and sets": [f'"{name}" IN {"RANGES" if name == "age" else "SETS"}' for name in columns],
            "full domain": [f'"{name}" IN HIERARCHY "h_{name}"' for name in columns],
        }
        using = {"suppression": "", "levels": "USING greedy", "full domain": "USING full_domain (max_suppressed = 1)"}
        for kind, items in by.items():
            for k in KS:
                query = f"FROM adult ANONYMIZE BY {', '.join(items)} GUARANTEE k >= {k} {using.get(kind, '')}"
                yield _released(con, query, kind, k, columns)
        for k in KS:
            query = f"FROM adult ANONYMIZE BY {', '.join(by['levels'])} GUARANTEE k >= {k}"
            yield _released(con, query, "levels, default", k, columns)
        items = [item for item, name in zip(by["ranges and sets"], columns, strict=True) if name != "salary-class"]
        shown = [name for name in columns if name != "salary-class"]
        for guarantee in GUARANTEES:
            query = f"FROM adult ANONYMIZE BY {', '.join(items)} GUARANTEE k >= 5 AND {guarantee}"
            yield _released(con, query, f"ranges and sets, {guarantee}", 5, shown)
        for kind, k, call in (
            ("bins of surnames", 500, "bin_labels('surnames', 'name', 500)"),
            ("regions of counties (a row is 1,000 people)", 500, "region_labels('people', 'county', 'neighbours', 500)"),
            ("rectangles of zip codes", 100, "rectangle_labels('zips', 'lat', 'long', 100)"),
        ):
            started = time.perf_counter()
            labels = "x, y" if call.startswith("rectangle") else "label"
            groups = len(con.execute(f"SELECT DISTINCT * EXCLUDE ({labels}) FROM {call}").fetchall())
            yield {"kind": kind, "k": k, "groups": groups, "seconds": time.perf_counter() - started}


def load_adult(con: Any, data: Path) -> list[str]:
    """Create the table ``adult`` and the hierarchy ``h_<column>`` of each column, and return the names of the columns."""
    con.execute(f"CREATE TABLE adult AS FROM read_csv('{data}/adult_arx.csv.gz', all_varchar = true)")
    columns = [name for name, *_ in con.execute("DESCRIBE adult").fetchall()]
    for name in columns:
        file = f"{data}/hierarchies/adult_hierarchy_{name}.csv"
        con.execute(f"CREATE TABLE \"h_{name}\" AS FROM read_csv('{file}', all_varchar = true)")
    con.execute("CREATE OR REPLACE TABLE adult AS SELECT * REPLACE (CAST(age AS INTEGER) AS age) FROM adult")
    return columns


def _load_places(con: Any, data: Path) -> None:
    rows = weights(ALL_SURNAMES, data).tolist()
    con.execute(
        "CREATE TABLE surnames AS SELECT 'name ' || i AS name FROM (SELECT unnest($1) AS n, unnest(range($2)) AS i), range(n)",
        [rows, len(rows)],
    )
    con.execute(
        f"CREATE TABLE neighbours AS SELECT u AS a, v AS b FROM read_csv('{data}/us_counties_edges.csv.gz', all_varchar = true)"
    )
    con.execute(
        f"CREATE TABLE people AS SELECT CAST(id AS VARCHAR) AS county FROM read_csv('{data}/us_counties_nodes.csv.gz'), "
        "range(greatest(1, PO90 // 1000))"
    )
    con.execute(f"CREATE TABLE zips AS FROM read_csv('{data}/us_zipcodes.csv.gz')")


def _released(con: Any, query: str, kind: str, k: int, columns: list[str]) -> dict[str, Any]:
    con.execute(query.replace("FROM adult", "FROM (FROM adult LIMIT 300)")).fetchall()  # loads the kernels
    started = time.perf_counter()
    con.execute(f"CREATE OR REPLACE TABLE released AS {query}")
    seconds = time.perf_counter() - started
    certificate = con.session.releases[-1]
    return {
        "kind": kind,
        "k": k,
        "loss": float(mean_loss(con, columns)),
        "cost": float(certificate.cost / certificate.cells),
        "lower_bound": float(certificate.lower_bound / certificate.cells),
        "smallest_class": certificate.smallest_class,
        "algorithm": certificate.algorithm,
        "seconds": seconds,
        "peers": ", ".join(f"{name}: {loss}" for name, loss in PEERS.get((kind, k), ())),
    }


def mean_loss(con: Any, columns: list[str]) -> Fraction:
    """Return the mean of (values covered - 1) / (values - 1) over all cells of the table ``released`` of Adult."""
    return sum((_loss(con, name) for name in columns), Fraction(0)) / len(columns)


def _loss(con: Any, name: str) -> Fraction:
    """Return the mean of (values covered - 1) / (values - 1) over the cells of a column; 1 where it is suppressed."""
    values = [text for (text,) in con.execute(f'SELECT DISTINCT CAST("{name}" AS VARCHAR) FROM adult').fetchall()]
    tree = con.execute(f'FROM "h_{name}"').fetchall()
    under: dict[str, set[str]] = {}
    for leaf, *above in tree:
        for label in (leaf, *above):
            if leaf in values:
                under.setdefault(label, set()).add(leaf)
    lost = Fraction(0)
    cells = con.execute(f'SELECT CAST("{name}" AS VARCHAR), count(*) FROM released GROUP BY 1').fetchall()
    for label, count in cells:
        if label is None:
            covered = len(values)
        elif label.startswith("{"):
            covered = len(label[1:-1].split(", "))
        elif label.startswith("["):
            low, high = map(int, label[1:-1].split(", "))
            covered = sum(low <= int(value) <= high for value in values)
        else:
            covered = len(under[label])
        lost += Fraction(count * (covered - 1), len(values) - 1)
    return lost / sum(count for _, count in cells)


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print the releases of Adult, then the groups."""
    drawn = Table(title="30,162 rows of Adult x 9: mean loss of a cell")
    for column in ("recoding", "k", "loss", "cost by cell", "lower bound", "smallest class", "algorithm", "seconds", "peers"):
        drawn.add_column(column, justify="left" if column in ("recoding", "algorithm", "peers") else "right")
    for each in records:
        if "loss" in each:
            shares = (f"{each[name]:.4f}" for name in ("loss", "cost", "lower_bound"))
            rest = (f"{each['smallest_class']:,}", each["algorithm"], f"{each['seconds']:.1f}", each["peers"])
            drawn.add_row(each["kind"], str(each["k"]), *shares, *rest)
    console.print(drawn)
    drawn = Table(title="Groups of labels, audit included")
    for column in ("labels", "k", "groups", "seconds"):
        drawn.add_column(column, justify="left" if column == "labels" else "right")
    for each in records:
        if "groups" in each:
            drawn.add_row(each["kind"], str(each["k"]), f"{each['groups']:,}", f"{each['seconds']:.2f}")
    console.print(drawn)
