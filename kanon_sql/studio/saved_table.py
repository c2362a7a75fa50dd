"""A table of counts in a new folder: its rows, certificate and report, and the texts that make and check it again."""

from __future__ import annotations

import multiprocessing
import shlex
from contextlib import closing
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

import duckdb

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.staging import write_text
from kanon_sql.engines.duckdb.files.tables import loading, stage
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.errors import AuditError, raise_alone
from kanon_sql.model.validation import same_name
from kanon_sql.report.table_report import report_table
from kanon_sql.studio.counted_table import CountedTable, Saved
from kanon_sql.studio.counts import EVERY, PERCENT, PLAIN, RIGHT
from kanon_sql.studio.hand_over import seen_from
from kanon_sql.studio.new_folder import new_folder

_COMMAND_GROUPINGS = {EVERY: "cube", RIGHT: "rollup", PLAIN: "plain"}

_SORTED = "FROM {} ORDER BY ALL ASC NULLS LAST"
"""The rows of a table; their order says nothing about the search."""

_HEADING = {"title": None, "purpose": None, "recipient": None}


def save(table: CountedTable, folder: str, ending: str) -> Saved:
    """Write a table with everything about it into a new folder: whole and verified, or not at all.

    Parameters
    ----------
    folder : str
        The folder, which does not exist or is empty.
    ending : str
        One of `kanon_sql.studio.hand_over.FORMATS`.

    Raises
    ------
    SourceError
        When the folder has something in it, or cannot be written.
    AuditError
        When a claim of the certificate does not hold for the written rows and the file of the source.
    """
    name = saved_as(table)
    with new_folder(folder) as (staged, target):
        file, inner = f"{name}.{ending}", name if ending == "duckdb" else None
        with closing(duckdb.connect()) as con:
            con.execute(f"SET temp_directory = {literal(str(staged.parent / 'spill'))}")
            con.register("kanon#rows", table.rows)
            con.execute(f'CREATE TABLE {name} AS FROM "kanon#rows"')
            rows = stage(con, _SORTED.format(name), Place.of(str(target / file), inner), staging=staged.parent)
        rows.path.chmod(0o600)
        rows.path.rename(staged / file)
        texts = texts_of(table, ending, target) | {"certificate.json": table.certificate.to_json()}
        for each, text in texts.items():
            write_text(text, staged / each)
        released, certificate = Place.of(str(staged / file), inner), str(staged / "certificate.json")
        page, verified = _checked(table, released, certificate)
        write_text(page, staged / "report.html")
    return Saved(folder=target, files=tuple(sorted([file, "report.html", *texts])), verified=verified)


def _checked(table: CountedTable, released: Place, certificate: str) -> tuple[str, dict[str, str]]:
    """Check the files as `kanon verify` does; return the report about them, and what was checked.

    Notes
    -----
    A process of its own does it: it may take long, the page answers meanwhile, and `CountedTable.cancel` ends it.

    Raises
    ------
    AuditError
        When a claim does not hold.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    table.checking = context.Process(target=_check, args=(theirs, table.source.place, released, certificate), daemon=True)
    table.checking.start()
    theirs.close()
    with closing(ours):
        try:
            page, verified = ours.recv()
        except (EOFError, OSError):
            raise_alone(AuditError("the table was not checked: the process ended unexpectedly; hint: save it again"))
    table.checking.join()
    if page is None:
        raise AuditError(verified)
    return page, verified


def _check(pipe: Pipe, source: Place, released: Place, certificate: str) -> None:
    """Send the report and what was checked, or None and why a claim does not hold."""
    try:
        made = report_table(audit_macros(duckdb.connect()), source, released, certificate, _HEADING)
        pipe.send((made.text, {name: text for name, text in made.figures.items() if isinstance(text, str)}))
    except Exception as error:
        pipe.send((None, error_line(error)))


def saved_as(table: CountedTable) -> str:
    """Return what the table and its file are called: never as the source."""
    return "protected_counts" if same_name(table.source.name) == "counts" else "counts"


def texts_of(table: CountedTable, ending: str, folder: Path) -> dict[str, str]:
    """Return the texts that make the table again and check it, by the names of their files.

    Parameters
    ----------
    ending : str
        The format of the table.
    folder : Path
        Where they will be: they name the source from there, so that both can be moved together.
    """
    name, place = saved_as(table), seen_from(table.source, folder)
    output = f"{name}.{ending}" + (f"::{name}" if ending == "duckdb" else "")
    reading = place.dialect.options
    found = {"verify.sh": shlex.join(["kanon", "verify", str(place), output, "certificate.json", *reading]) + "\n"}
    create = None if table.remembered else loading(table.source.place, into=table.source.name, named=place)
    if create is not None:
        earlier = (f"CREATE TABLE earlier_{number} AS\n{each};" for number, each in enumerate(table.respected, 1))
        steps = [create, *(f"{each};" for each in table.prepared), *earlier, f"CREATE TABLE {name} AS\n{table.statement};"]
        found["release.sql"] = "\n\n".join([*steps, _written(name, ending), ""])
    command = _command(table, place, output) or (["kanon", "run", "release.sql"] if create is not None else None)
    if command is not None:
        found["release.sh"] = shlex.join(command) + "\n"
    return found


def _written(name: str, ending: str) -> str:
    """Return the statements that write the table to its file."""
    rows = _SORTED.format(name)
    if ending != "duckdb":
        return f"COPY ({rows}) TO '{name}.{ending}';"
    attach = f"ATTACH '{name}.{ending}' AS kanon_output"
    return f"{attach};\nCREATE TABLE kanon_output.{name} AS {rows};\nDETACH kanon_output;"


def _command(table: CountedTable, place: Place, output: str) -> list[str] | None:
    """Return the command that makes the table again; None if it has no words for it."""
    form, people = table.form, table.policy.people
    if table.respected or form.unknown or any(form.widths.get(name) for name in form.keys) or form.count != "n":
        return None
    if any(name != name.strip() or "," in name or '"' in name for name in form.keys):
        return None
    command = ["kanon", "protect", str(place), "-o", output, "--by", ",".join(form.keys), "--k", str(form.k)]
    command += ["--grouping", _COMMAND_GROUPINGS[form.grouping]]
    if form.measure is not None:
        command += ["--measures", f"{form.total}={form.measure}", "--p", f"{form.total}={PERCENT}"]
    command += ["--per", people.per] if people is not None else ["--per-row"] * table.policy.per_row
    command += ["--ledger", str(table.ledger)] if table.ledger is not None else []
    return [*command, *place.dialect.options]
