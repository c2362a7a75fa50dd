"""The demonstration: an invented hospital, its release, and the proof that the release keeps its guarantee."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.engines.duckdb.measures import record
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console
    from rich.table import Table

    from kanon_sql.certificate import Certificate

QUASI_IDENTIFIERS = ("zip", "age", "sex", "marital", "education")
KEPT = ("visit", "month")

SHOWN_PATIENTS = 6

_ROLES = (
    ("name", "identifier", "dropped"),
    (", ".join(QUASI_IDENTIFIERS), "quasi-identifiers: an attacker may know them", "suppressed where they single a person out"),
    ("disease", "sensitive: nobody may learn it", "unchanged; at most half of a class share one"),
    (", ".join(KEPT), "kept: a running number, the month", "unchanged, on purpose"),
)

_NEXT = (
    ("try statements of your own", "kanon shell"),
    ("see what the columns of a file are", "kanon profile patients.csv"),
    ("get a policy to start from", "kanon suggest patients.csv -o policy.json"),
    ("release a file", "kanon anonymize patients.csv -o released.csv --qi zip,age --k 5"),
    ("check a release", "kanon audit released.csv --qi zip,age --k 5"),
    ("see every command", "kanon --help"),
)

_UNIQUE = f"""SELECT {", ".join(QUASI_IDENTIFIERS)} FROM patients
    GROUP BY ALL HAVING system.main.count(*) = 1 ORDER BY system.main.min(visit) ASC NULLS LAST LIMIT 1"""  # noqa: S608

_FITTING = f"""SELECT disease, system.main.count(*) AS n FROM system.main.query_table($table)
    WHERE {" AND ".join(f"({name} IS NULL OR {name} = ${name})" for name in QUASI_IDENTIFIERS)}
    GROUP BY disease ORDER BY n DESC NULLS LAST, disease ASC NULLS LAST"""  # noqa: S608

_FIRST_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Iris", "Jack", "Kim", "Leo", "Mia", "Noah", "Olga")
_INITIALS = "ABCDEFGHKLMNOPRSTVW"

# Neighbourhoods of one region: a few are large, most are small.
_ZIPS = ("00501", "00544", "06390", "11701", "11702", "11703", "11704", "11705")
_EDUCATION = ("none", "school", "college", "bachelor", "graduate")
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
        ``visit`` (a number that stands for nobody), ``name``, ``zip`` (text, with leading zeros), ``age`` (bands of ten years),
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
    diseases, visits = draw(causes), rng.permutation(rows) + 10_000
    names = zip(rng.choice(_FIRST_NAMES, rows), rng.choice(list(_INITIALS), rows), strict=True)
    return pa.table(
        {
            "visit": visits,
            "name": [f"{first} {initial}." for first, initial in names],
            "zip": [_ZIPS[code] for code in zips],
            "age": [f"{low}-{low + 9}" for low in decade],
            "sex": np.where(female, "female", "male").tolist(),
            "marital": [_MARITAL[code] for code in marital],
            "education": [_EDUCATION[code] for code in level],
            "month": [f"2026-{number:02}" for number in month],
            "disease": [_DISEASES[code] for code in diseases],
        }
    )


def statement(k: int) -> str:
    """Return the SQL that the demonstration runs."""
    return "\n".join(
        (
            "CREATE TABLE released AS",
            "SELECT * EXCLUDE (name)  -- an identifier is never released",
            "FROM patients",
            f"ANONYMIZE BY {', '.join(QUASI_IDENTIFIERS)}",
            f"KEEP {', '.join(KEPT)}",
            f"GUARANTEE k >= {k:d} AND l(disease) >= 2",
        )
    )


def show(con: Any, console: Console, *, rows: int, k: int, seed: int) -> None:
    """Invent the table, release it, and show what became of it, what a neighbour learns, the certificate and the audit.

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
    from kanon_sql.cli.terminal import solving

    con.register("invented", patients(rows, seed))
    con.execute("CREATE TABLE patients AS FROM invented")
    con.unregister("invented")
    _title(console, f"{rows:,} invented patients of a hospital")
    console.print(_rows(con, "patients"))
    _title(console, "The role of each column")
    console.print(_table(("column", "role", "in the release"), _ROLES))

    _title(console, "The release")
    console.print(Syntax(statement(k) + ";", "sql", background_color="default"))
    with solving(con, console):
        con.execute(statement(k))
    console.print("\nThe same patients afterwards; * is a suppressed cell, no other cell has changed:")
    console.print(_rows(con, "released"))

    _title(console, "What an attacker would have learned")
    for paragraph in neighbour(con):
        console.print(paragraph)

    _title(console, "The certificate in plain words")
    for line in _in_words(kanon_sql.releases(con)[-1], k):
        console.print(f"- {line}")

    _title(console, "The audit: plain SQL over the rows before and after")
    console.print(_audit(con))

    _title(console, "Next steps")
    for purpose, command in _NEXT:
        console.print(f"- {purpose}: [bold]{command}[/bold]", soft_wrap=True)


def neighbour(con: Any) -> tuple[str, ...]:
    """Return what somebody who knows a patient would have learned from each table.

    Notes
    -----
    An attacker who knows the quasi-identifiers of a patient looks for matching rows: a suppressed cell matches anyone.
    """
    known = con.execute(_UNIQUE).fetchall()
    if not known:
        return ("No patient is the only one with these quasi-identifiers; hint: fewer --rows make some unique.",)
    values = dict(zip(QUASI_IDENTIFIERS, known[0], strict=True))
    before, after = (_fitting(con, table, values) for table in ("patients", "released"))
    told = ", ".join(f"{name} {value}" for name, value in values.items())
    total, (disease, most) = sum(after.values()), next(iter(after.items()))
    share = f"the most frequent, {disease}, has {most / total:.0%} of them"
    return (
        f"Suppose an attacker knows this about one patient: {told}.",
        f"Before: 1 row matches, so the attacker learns the disease: {next(iter(before))}.",
        f"Afterwards: {how_many(total, 'row matches', 'rows match')}, with {how_many(len(after), 'disease')}; {share}.",
    )


def _fitting(con: Any, table: str, values: dict[str, Any]) -> dict[str, int]:
    """Return how many of the rows that fit a patient have each disease, the most frequent first."""
    return dict(con.execute(_FITTING, {"table": table, **values}).fetchall())


def _in_words(certificate: Certificate, k: int) -> tuple[str, ...]:
    share = certificate.suppressed_cells / certificate.cells
    least = (
        "This is proven to be the least that any release must suppress."
        if certificate.gap == 0
        else f"Every such release costs at least {float(certificate.lower_bound):,.0f}: {certificate.saving}."
    )
    return (
        f"Each patient shares the quasi-identifiers with at least {how_many(k - 1, 'other')}: there are "
        f"{how_many(certificate.classes or 0, 'equivalence class', 'equivalence classes')}, and the smallest has "
        f"{how_many(certificate.smallest_class or 0, 'row')}.",
        "In no class does one disease have more than half of the rows.",
        f"{certificate.suppressed_cells:,} of {certificate.cells:,} cells that could help to recognize a person are suppressed "
        f"({share:.1%}). {least}",
        f"Released unchanged, and not protected: {', '.join(certificate.unchanged)}.",
        *(f"Warning: {each}." for each in certificate.warnings),
    )


def _title(console: Console, text: str) -> None:
    console.print()
    console.rule(f"[bold]{text}[/bold]", align="left")


def _table(names: tuple[str, ...], rows: Iterable[tuple[object, ...]], numbers: Container[str] = ()) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, header_style="bold cyan", pad_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        shown.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text("*", style="dim") if value is None else Text(str(value)) for value in row))
    return shown


def _rows(con: Any, table: str) -> Table:
    """Return a few patients, the same ones for every table: the visit number is random, so they are a fair sample."""
    con.execute("FROM system.main.query_table(?) ORDER BY visit ASC NULLS LAST LIMIT ?", [table, SHOWN_PATIENTS])
    return _table(tuple(column[0] for column in con.description), con.fetchall())


def _audit(con: Any) -> Table:
    risks, diversities = (
        [record(con, f"FROM {macro}", [table, list(QUASI_IDENTIFIERS), *more]) for table in ("patients", "released")]
        for macro, more in (("reidentification_risk(?, ?)", []), ("l_diversity(?, ?, ?)", ["disease"]))
    )
    found = (
        ("rows of the smallest class (k)", [f"{round(1 / risk['prosecutor_risk']):,}" for risk in risks]),
        ("patients alone in their class", [f"{risk['uniques']:,}" for risk in risks]),
        ("highest risk of being recognized", [f"{risk['prosecutor_risk']:.0%}" for risk in risks]),
        ("average risk", [f"{risk['prosecutor_risk_average']:.1%}" for risk in risks]),
        ("diseases in the least diverse class", [f"{each['distinct_l']:,}" for each in diversities]),
    )
    return _table(("", "before", "after"), ((label, *values) for label, values in found), ("before", "after"))
