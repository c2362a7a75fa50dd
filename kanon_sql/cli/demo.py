"""The demonstration: an invented hospital, its release, and the proof that the release keeps its guarantee."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.demo_table import FILE, visits
from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.audit.people_figures import people_figures
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from kanon_sql.certificate import Certificate

QUASI_IDENTIFIERS = ("zip", "age", "sex", "marital", "education")
KEPT = ("quarter",)

SHOWN_VISITS = 6

_ROLES = (
    ("name", "identifier", "dropped"),
    ("patient_id", "identifies people; a patient may have several rows", "dropped; used to count people"),
    (", ".join(QUASI_IDENTIFIERS), "quasi-identifiers: an attacker may know them", "suppressed if they single out a person"),
    ("disease", "sensitive: nobody should learn it", "unchanged; no disease makes up more than half of a class"),
    (", ".join(KEPT), "kept: the quarter of the visit", "unchanged, on purpose"),
)

_NEXT = (
    ("inspect the columns of the file", f"kanon profile {FILE}"),
    ("draft a policy", f"kanon suggest {FILE} -o policy.yaml"),
    ("release the file", f"kanon anonymize {FILE} -o released.csv --policy policy.yaml --certificate certificate.json"),
    ("check the release", f"kanon audit released.csv --qi {','.join(QUASI_IDENTIFIERS)} --k 5"),
    ("try your own statements", "kanon shell"),
    ("list all commands", "kanon --help"),
)
"""The first steps need the file that ``--write`` leaves."""

_UNIQUE = f"""SELECT {", ".join(QUASI_IDENTIFIERS)} FROM visits
    GROUP BY ALL HAVING system.main.count(DISTINCT patient_id) = 1 AND system.main.count(*) > 1
    ORDER BY system.main.min(patient_id) ASC NULLS LAST LIMIT 1"""  # noqa: S608

_FITTING = f"""SELECT disease, system.main.count(*) AS n FROM system.main.query_table($table)
    WHERE {" AND ".join(f"({name} IS NULL OR {name} = ${name})" for name in QUASI_IDENTIFIERS)}
    GROUP BY disease ORDER BY n DESC NULLS LAST, disease ASC NULLS LAST"""  # noqa: S608


_FIRST = "FROM visits ORDER BY patient_id ASC NULLS LAST, quarter ASC NULLS LAST LIMIT ?"

_SOME = "FROM released ORDER BY system.main.hash(quarter, disease, zip, age) ASC NULLS LAST LIMIT ?"
"""Classes would stand together otherwise."""


def statement(k: int) -> str:
    """Return the SQL that the demonstration runs."""
    return "\n".join(
        (
            "CREATE TABLE released AS",
            "SELECT * EXCLUDE (name)  -- an identifier is never released",
            "FROM visits",
            f"ANONYMIZE BY {', '.join(QUASI_IDENTIFIERS)}",
            f"KEEP {', '.join(KEPT)}",
            f"GUARANTEE k >= {k:d} PER patient_id AND l(disease) >= 2",
        )
    )


def show(con: Any, console: Console, *, rows: int, k: int, seed: int, folder: str | None = None) -> None:
    """Invent the table, release it, and show what became of it, what a neighbour learns, the certificate and the audit.

    Parameters
    ----------
    con : Connection
        An empty connection of kanon-sql.
    rows, k, seed : int
        Size of the table, least class, seed of the generator.
    folder : str, optional
        The folder that has the table as a file.
    """
    from rich.syntax import Syntax

    import kanon_sql
    from kanon_sql.cli.terminal import solving

    con.register("invented", visits(rows, seed))
    con.execute("CREATE TABLE visits AS FROM invented")
    con.unregister("invented")
    _title(console, f"{rows:,} hospital visits by fictional patients")
    console.print(_rows(con, _FIRST))
    _title(console, "The role of each column")
    console.print(_table(("column", "role", "in the release"), _ROLES))

    _title(console, "The release")
    console.print(Syntax(statement(k) + ";", "sql", background_color="default"))
    with solving(con, console):
        con.execute(statement(k))
    console.print("\nSome released visits, in no particular order. * is a suppressed cell; all other cells are unchanged:")
    console.print(_rows(con, _SOME))

    _title(console, "What an attacker would have learned")
    for paragraph in neighbour(con, k):
        console.print(paragraph)

    _title(console, "The certificate in plain words")
    for line in _in_words(kanon_sql.releases(con)[-1], k):
        console.print(f"- {line}")

    _title(console, "The audit: plain SQL on the source and the release")
    console.print(_audit(con, k))

    _title(console, "Next steps")
    first = ("write this table to a file", "kanon demo --write .") if folder is None else ("go to the folder", f"cd {folder}")
    for purpose, command in (first, *_NEXT):
        console.print(f"- {purpose}: [bold]{command}[/bold]", soft_wrap=True)


def neighbour(con: Any, k: int) -> tuple[str, ...]:
    """Return what an attacker who knows a patient would have learned from each table.

    Notes
    -----
    An attacker who knows the quasi-identifiers of a patient looks for matching rows: a suppressed cell matches anyone.
    """
    known = con.execute(_UNIQUE).fetchall()
    if not known:
        return ("No patient with several visits has unique quasi-identifiers; hint: pass a smaller --rows.",)
    values = dict(zip(QUASI_IDENTIFIERS, known[0], strict=True))
    before, after = (_fitting(con, table, values) for table in ("visits", "released"))
    facts = ", ".join(f"{name} {value}" for name, value in values.items())
    total, (disease, most) = sum(after.values()), next(iter(after.items()))
    share = f"the most frequent disease, {disease}, makes up {most / total:.0%} of them"
    return (
        f"Suppose an attacker knows this about one patient: {facts}.",
        f"Before: {how_many(sum(before.values()), 'row matches', 'rows match')}, all from one patient. The attacker learns: "
        f"{', '.join(before)}.",
        f"After: {how_many(total, 'row matches', 'rows match')}, from at least {how_many(k, 'patient')}, with "
        f"{how_many(len(after), 'disease')}; {share}.",
    )


def _fitting(con: Any, table: str, values: dict[str, Any]) -> dict[str, int]:
    """Return how many of the rows that fit a patient have each disease, the most frequent first."""
    return dict(con.execute(_FITTING, {"table": table, **values}).fetchall())


def _in_words(certificate: Certificate, k: int) -> tuple[str, ...]:
    share = certificate.suppressed_share
    least = (
        "No release can suppress less; this is proven."
        if certificate.gap == 0
        else f"Every such release costs at least {float(certificate.lower_bound):,.0f}: {certificate.saving}."
    )
    return (
        f"Each patient shares the quasi-identifiers with at least {how_many(k - 1, 'other patient')}: there are "
        f"{how_many(certificate.classes or 0, 'equivalence class', 'equivalence classes')}, and the smallest has "
        f"{how_many(certificate.smallest_class_people or 0, 'patient')}.",
        "No disease makes up more than half of a class.",
        f"{certificate.suppressed_cells:,} of {certificate.cells:,} cells that could identify a person are suppressed "
        f"({share:.1%}). {least}",
        f"Released unchanged and unprotected: {', '.join(certificate.unchanged)}.",
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


def _rows(con: Any, query: str) -> Table:
    """Return a few visits."""
    con.execute(query, [SHOWN_VISITS])
    return _table(tuple(column[0] for column in con.description), con.fetchall())


def _audit(con: Any, k: int) -> Table:
    patients, diversities = people_figures(con, "visits", QUASI_IDENTIFIERS, "patient_id"), _diversities(con)
    rows = [record(con, "FROM reidentification_risk(?, ?)", [each, list(QUASI_IDENTIFIERS)]) for each in ("visits", "released")]
    found: tuple[tuple[str, Sequence[str]], ...] = (
        ("patients in the smallest class (k)", (f"{patients['k']:,}", f"{k:,} or more")),
        ("rows in the smallest class", [f"{round(1 / risk['prosecutor_risk']):,}" for risk in rows]),
        ("patients alone in their class", (f"{patients['uniques']:,}", "0")),
        ("highest risk of re-identification", (f"{patients['prosecutor_risk']:.0%}", f"{1 / k:.0%} or less")),
        ("diseases in the least diverse class", [f"{each:,}" for each in diversities]),
    )
    return _table(("", "before", "after"), ((label, *values) for label, values in found), ("before", "after"))


def _diversities(con: Any) -> list[int]:
    """Return the fewest diseases of a class, before and after."""
    measured = ([table, list(QUASI_IDENTIFIERS), "disease"] for table in ("visits", "released"))
    return [record(con, "FROM l_diversity(?, ?, ?)", each)["distinct_l"] for each in measured]
