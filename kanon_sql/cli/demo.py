"""The demonstration: an invented hospital, its release, and the proof that the release keeps its guarantee."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.demo_table import FILE, patients
from kanon_sql.engines.duckdb.measures import record
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
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
    ("see what the columns of the file are", f"kanon profile {FILE}"),
    ("get a policy to start from", f"kanon suggest {FILE} -o policy.json"),
    ("release the file", f"kanon anonymize {FILE} -o released.csv --policy policy.json"),
    ("check the release", f"kanon audit released.csv --qi {','.join(QUASI_IDENTIFIERS)} --k 5"),
    ("try statements of your own", "kanon shell"),
    ("see every command", "kanon --help"),
)
"""The first steps need the file that ``--write`` leaves."""

_UNIQUE = f"""SELECT {", ".join(QUASI_IDENTIFIERS)} FROM patients
    GROUP BY ALL HAVING system.main.count(*) = 1 ORDER BY system.main.min(visit) ASC NULLS LAST LIMIT 1"""  # noqa: S608

_FITTING = f"""SELECT disease, system.main.count(*) AS n FROM system.main.query_table($table)
    WHERE {" AND ".join(f"({name} IS NULL OR {name} = ${name})" for name in QUASI_IDENTIFIERS)}
    GROUP BY disease ORDER BY n DESC NULLS LAST, disease ASC NULLS LAST"""  # noqa: S608


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


def show(con: Any, console: Console, *, rows: int, k: int, seed: int, folder: str | None = None) -> None:
    """Invent the table, release it, and show what became of it, what a neighbour learns, the certificate and the audit.

    Parameters
    ----------
    con : Connection
        An empty connection of kanon-sql.
    console : Console
        Where to show it.
    rows, k, seed : int
        Size of the table, least class, seed of the generator.
    folder : str, optional
        The folder that has the table as a file.
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
    first = ("get this table as a file", "kanon demo --write .") if folder is None else ("go to the file", f"cd {folder}")
    for purpose, command in (first, *_NEXT):
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
    share = certificate.suppressed_share
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
