"""The demonstration: an invented hospital, its release, and the proof that the release keeps its guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.cli.terminal import grid_of
from kanon_sql.engines.duckdb.measures import record

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console
    from rich.table import Table


QUASI_IDENTIFIERS = ("zip", "age", "sex", "marital", "education")

SHOWN_PATIENTS = 10

# Neighbourhoods of one region: a few are large, most are small.
_ZIPS = ("00501", "00544", "06390", "11701", "11702", "11703", "11704", "11705")
_EDUCATION = ("no diploma", "high school", "college", "bachelor", "graduate")
_MARITAL = ("single", "married", "divorced", "widowed")
_DISEASES = ("asthma", "pregnancy", "fracture", "diabetes", "heart failure", "cancer", "influenza")

# What brings people to hospital, by the age up to which the row counts; one weight per disease.
_CAUSES = {
    20: (6, 1, 8, 1, 0.2, 0.4, 5),
    45: (3, 6, 5, 2, 1, 2, 4),
    65: (2, 0.0, 3, 6, 4, 5, 4),
    150: (1, 0.0, 5, 6, 8, 6, 6),
}


def patients(rows: int, seed: int) -> pa.Table:
    """Invent a hospital table; the same arguments give the same table.

    Parameters
    ----------
    rows : int
        Number of patients.
    seed : int
        Seed of the generator.

    Returns
    -------
    pyarrow.Table
        ``visit`` (a number that stands for nobody), ``zip`` (text, with leading zeros), ``age`` (bands of ten years),
        ``sex``, ``marital``, ``education``, ``month`` of admission and ``disease``; marital status, education and
        disease depend on age, influenza on the month, education on the zip code.
    """
    import pyarrow as pa

    rng = np.random.default_rng(seed)

    def draw(weights: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Draw one choice per row from a row of weights each."""
        shares = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
        chosen: np.ndarray[Any, np.dtype[np.int64]] = (rng.random((rows, 1)) > shares[:, :-1]).sum(axis=1)
        return chosen

    places = 1 / np.arange(1, len(_ZIPS) + 1)
    zips = draw(np.tile(places, (rows, 1)))
    age = np.clip(rng.normal(52, 22, rows), 0, 99).astype(np.int64)
    female = rng.random(rows) < 0.53
    month = rng.integers(1, 13, rows)

    grown = age[:, None] >= 20
    marital = draw(
        np.where(
            grown, np.stack([90.0 - age, 20.0 + age, 0.5 * age, np.maximum(0.2, age - 55.0)], axis=1).clip(0.2), [1, 0, 0, 0]
        )
    )
    # Schools differ by neighbourhood; a child has no diploma yet.
    level = draw(np.where(grown, np.exp(-0.5 * (np.arange(5) - 1.2 - 0.15 * zips[:, None]) ** 2), [1, 0, 0, 0, 0]))

    limits = np.array(list(_CAUSES))
    causes = np.array(list(_CAUSES.values()), dtype=np.float64)[np.searchsorted(limits, age, side="right")]
    causes[:, 1] *= female & (age >= 18) & (age < 46)
    causes[:, 6] *= np.where(np.isin(month, (12, 1, 2)), 3.0, 0.3)

    decade = age // 10 * 10
    return pa.table(
        {
            "visit": rng.permutation(rows) + 10_000,
            "zip": [_ZIPS[code] for code in zips],
            "age": [f"{low}-{low + 9}" for low in decade],
            "sex": np.where(female, "female", "male").tolist(),
            "marital": [_MARITAL[code] for code in marital],
            "education": [_EDUCATION[code] for code in level],
            "month": [f"2026-{number:02}" for number in month],
            "disease": [_DISEASES[code] for code in draw(causes)],
        }
    )


def statement(k: int) -> str:
    """Return the SQL that the demonstration runs."""
    lines = ("CREATE TABLE released AS", "SELECT *", "FROM patients")
    clause = (f"ANONYMIZE BY {', '.join(QUASI_IDENTIFIERS)}", f"GUARANTEE k >= {k:d}")
    return "\n".join((*lines, *clause))


def show(con: Any, console: Console, *, rows: int, k: int, seed: int) -> None:
    """Invent the table, release it, and show the rows, the statement, the certificate and the audit.

    Parameters
    ----------
    con : Connection
        An empty connection of kanon-sql.
    console : Console
        Where to show it.
    rows, k, seed : int
        Size of the table, least class, seed of the generator.
    """
    from rich.syntax import Syntax

    import kanon_sql

    con.register("invented", patients(rows, seed))
    con.execute("CREATE TABLE patients AS FROM invented")
    con.unregister("invented")
    before = _risk(con, "patients")
    _title(console, f"{rows:,} invented patients of a hospital")
    console.print(_rows(con, "patients"))
    console.print(
        f"{before['uniques']:,} of them ({before['uniques_share']:.0%}) are the only one with their "
        f"{', '.join(QUASI_IDENTIFIERS[:-1])} and {QUASI_IDENTIFIERS[-1]}: a neighbour would recognize them."
    )

    _title(console, "The release")
    console.print(Syntax(statement(k) + ";", "sql", background_color="default"))
    if console.is_terminal:
        with console.status("solving"):
            con.execute(statement(k))
    else:
        con.execute(statement(k))
    console.print("\nThe same patients afterwards; no other cell has changed:")
    console.print(_rows(con, "released"))

    _title(console, "The certificate")
    console.print(grid_of(kanon_sql.releases(con)[-1].figures().items()))

    _title(console, "The audit: plain SQL over the released rows")
    after = _risk(con, "released")
    console.print(_audit(before, after))


def _title(console: Console, text: str) -> None:
    console.print()
    console.rule(f"[bold]{text}[/bold]", align="left")


def _rows(con: Any, table: str) -> Table:
    """Return a few patients, the same ones for every table: the visit number is random, so they are a fair sample."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    con.execute("FROM system.main.query_table(?) ORDER BY visit ASC NULLS LAST LIMIT ?", [table, SHOWN_PATIENTS])
    shown = Table(box=box.SIMPLE_HEAD, header_style="bold cyan", pad_edge=False, padding=(0, 1, 0, 0))
    for column in con.description:
        shown.add_column(column[0])
    for row in con.fetchall():
        shown.add_row(*(Text("*", style="dim") if value is None else Text(str(value)) for value in row))
    return shown


def _risk(con: Any, table: str) -> dict[str, Any]:
    return record(con, "FROM reidentification_risk(?, ?)", [table, list(QUASI_IDENTIFIERS)])


def _audit(before: dict[str, Any], after: dict[str, Any]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table("", "before", "after", box=box.SIMPLE_HEAD, header_style="bold cyan", pad_edge=False)
    table.columns[1].justify = table.columns[2].justify = "right"
    for label, name, form in (
        ("k: rows of the smallest class", "k", ","),
        ("patients alone in their class", "uniques", ","),
        ("highest risk to be recognized", "prosecutor_risk", ".0%"),
        ("average risk", "prosecutor_risk_average", ".1%"),
    ):
        values = [round(1 / risk["prosecutor_risk"]) if name == "k" else risk[name] for risk in (before, after)]
        table.add_row(label, *(format(value, form) for value in values))
    return table
