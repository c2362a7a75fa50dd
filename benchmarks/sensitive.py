"""Sensitive attributes on the 30,162 rows of Adult that ARX is measured on: cells lost, seconds, and what is proven."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.csv as csv
from rich.console import Console
from rich.table import Table

import kanon_sql

K = 5

GUARANTEES: tuple[tuple[str, dict[str, Any], float | None], ...] = (
    ("occupation", {"l": 2}, None),
    ("occupation", {"l": 3}, None),
    ("occupation", {"l": 5}, None),
    ("occupation", {"l": 5, "variant": "distinct"}, 3.2),
    ("occupation", {"t": "0.2"}, 57.6),
    ("occupation", {"t": "0.4"}, None),
    ("occupation", {"l": 3, "t": "0.4"}, None),
    ("occupation", {"t": "0.2", "metric": "ordered"}, None),
    ("occupation", {"t": "0.4", "metric": "ordered"}, None),
    ("salary-class", {"l": "1.25"}, None),
    ("salary-class", {"l": 2, "variant": "distinct"}, 15.7),
    ("salary-class", {"t": "0.2"}, 41.4),
    ("salary-class", {"t": "0.4"}, None),
    ("salary-class", {"t": "0.2", "metric": "ordered"}, None),
)
"""Sensitive attribute, guarantee, and the share of cells in per cent that ARX generalizes fully (it may also coarsen)."""


VISITS = """CREATE TABLE visits AS
    SELECT hash(i) % 20000 AS person, hash(person) % 40 AS zip, hash(person, 1) % 2 AS sex, hash(i, 2) % 12 AS age,
           i // 1000 AS week
    FROM range(100000) AS t(i)"""
"""100,000 visits of 20,000 people: their zip code and sex stay the same, their age and the week do not."""

PEOPLE = ("k >= 5", "k >= 5 PER person", "k >= 25", "k >= 25 PER person")


def measure(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per guarantee, after a run of each kind on few rows that loads the kernels."""
    source = csv.read_csv(data / "adult_arx.csv.gz")
    for sensitive, guarantee, peer in GUARANTEES:
        kanon_sql.anonymize(source.slice(0, 2000), k=K, sensitive=sensitive, **guarantee)
        certificate = kanon_sql.anonymize(source, k=K, sensitive=sensitive, **guarantee).certificate
        yield {
            "table": "Adult",
            "rows": source.num_rows,
            "guarantee": " AND ".join(certificate.requirements),
            "algorithm": certificate.algorithm,
            "cost": int(certificate.cost),
            "share": 100 * certificate.suppressed_cells / certificate.cells,
            "peer_share": peer,
            "lower_bound": int(certificate.lower_bound),
            "bound_method": certificate.bound_method,
            "seconds": certificate.seconds,
        }
    yield from _people()


def _people() -> Iterator[dict[str, Any]]:
    with kanon_sql.connect() as con:
        con.execute(VISITS)
        for guarantee in PEOPLE:
            for rows in (2000, 100_000):  # the first loads the kernels
                columns = "*" if "PER" in guarantee else "* EXCLUDE (person)"
                body = f"SELECT {columns} FROM visits LIMIT {rows}"
                started = time.perf_counter()
                con.execute(f"FROM ({body}) ANONYMIZE BY zip, sex, age, week GUARANTEE {guarantee}").fetchall()
                seconds = time.perf_counter() - started
            certificate = kanon_sql.releases(con)[-1]
            yield {
                "table": "visits",
                "rows": rows,
                "guarantee": guarantee,
                "algorithm": certificate.algorithm,
                "cost": int(certificate.cost),
                "share": 100 * certificate.suppressed_cells / certificate.cells,
                "peer_share": None,
                "lower_bound": int(certificate.lower_bound),
                "bound_method": certificate.bound_method,
                "seconds": seconds,
            }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print one row per guarantee, table by table."""
    for table, title in (
        ("Adult", "Adult x 8 quasi-identifiers"),
        ("visits", "20,000 people x 4 quasi-identifiers, whole statements"),
    ):
        _show(console, title, [each for each in records if each["table"] == table])


def _show(console: Console, title: str, records: list[dict[str, Any]]) -> None:
    drawn = Table(title=f"{records[0]['rows']:,} rows of {title}")
    drawn.add_column("guarantee")
    for column in ("cells", "% of cells", "ARX %", "lower bound", "gap %", "seconds"):
        drawn.add_column(column, justify="right")
    for each in records:
        gap = 100 * (1 - each["lower_bound"] / each["cost"]) if each["cost"] else 0.0
        peer = "-" if each["peer_share"] is None else f"{each['peer_share']:.1f}"
        figures = (f"{each['cost']:,}", f"{each['share']:.1f}", peer, f"{each['lower_bound']:,}", f"{gap:.1f}")
        drawn.add_row(each["guarantee"], *figures, f"{each['seconds']:.1f}")
    console.print(drawn)
