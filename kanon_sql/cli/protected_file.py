"""From file to file: a protected table is written beside its place, compared with the checked rows, and only then put there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.publish import PATIENCE, publish_both
from kanon_sql.cli.terminal import without_bar
from kanon_sql.engines.duckdb.staging import write_text
from kanon_sql.errors import AuditError, SourceError

if TYPE_CHECKING:
    from kanon_sql.certificate.table_certificate import TableCertificate
    from kanon_sql.cli.terminal import Step
    from kanon_sql.engines.duckdb.places import Place

_DIFFERENT = """SELECT system.main.count(*) FROM (
        (SELECT {cells} FROM released EXCEPT ALL SELECT {cells} FROM written)
        UNION ALL (SELECT {cells} FROM written EXCEPT ALL SELECT {cells} FROM released)
    )"""


def protect_file(
    origin: Place,
    place: Place,
    planned: Callable[[list[str]], tuple[str, Iterable[str]]],
    staging: Path,
    delimiter: str,
    step: Step,
    evidence: tuple[Path, Path] | None,
    *,
    force: bool,
) -> TableCertificate:
    """Read, solve, write, compare, publish.

    Parameters
    ----------
    origin, place : Place
        The source, and where the table goes.
    planned : callable
        Makes the query of the protected table of the table ``source``, and the columns that it sums, once all are known.
    staging : Path
        A private directory on the file system of ``place``.
    delimiter : str
        The separator of CSV files.
    step : Step
        Hears of each step.
    evidence : tuple of Path, optional
        A private path and the place of the certificate, on one file system.
    force : bool
        Whether what is in their places is replaced.
    """
    import kanon_sql
    from kanon_sql.cli.interrupt import interruptible
    from kanon_sql.engines.duckdb.cells.number_texts import read_numbers
    from kanon_sql.engines.duckdb.files import columns, load, stage
    from kanon_sql.engines.duckdb.formulas import escape
    from kanon_sql.engines.duckdb.names import quoted
    from kanon_sql.engines.duckdb.registration import session_of

    con = without_bar(kanon_sql.connect(config={"temp_directory": str(staging / "spill")}))
    stopped = threading.Event()

    def interrupt() -> None:
        stopped.set()
        con.interrupt()

    def go_on() -> None:
        if stopped.is_set():
            raise KeyboardInterrupt

    def work() -> TableCertificate:
        with closing(con):
            step("reading")
            load(con, origin, into="source", delimiter=delimiter)
            query, summed = planned(columns(con, "source"))
            read_numbers(con, "source", summed)
            go_on()
            step("solving")
            con.watch(lambda moment: step("solving", moment))
            con.execute(f"CREATE TABLE released AS {query}")
            found = session_of(con.raw).protected_tables.certificates
            if not found:
                raise SourceError("the table has no rows; hint: protect a table with rows")
            certificate: TableCertificate = found[-1]
            go_on()
            step("writing")
            shown = quoted(escape(con, "released") if place.escaped else "released")
            staged = stage(con, f"FROM {shown}", place, staging=staging, delimiter=delimiter)
            step("auditing")
            _compare(con, staged, delimiter)
            if evidence is not None:
                write_text(certificate.to_json(), evidence[0])
            go_on()
            publish_both(con, staged, place, evidence, force)
            return certificate

    return interruptible(interrupt, work, finish=con.finish, patience=PATIENCE)


def _compare(con: Any, staged: Place, delimiter: str) -> None:
    """Read the written file again and compare it with the checked rows."""
    from kanon_sql.engines.duckdb.files import columns, load
    from kanon_sql.engines.duckdb.names import quoted

    load(con, staged, into="written", delimiter=delimiter)
    if columns(con, "written") != columns(con, "released"):
        raise AuditError("the written file has other columns than the checked table; nothing was released")
    cells = ", ".join(f"CAST({quoted(name)} AS VARCHAR) AS {quoted(name)}" for name in columns(con, "released"))
    if con.execute(_DIFFERENT.format(cells=cells)).fetchall()[0][0]:
        raise AuditError(
            "the written file has other rows than the checked table; nothing was released; hint: a Parquet file keeps all "
            "values apart"
        )
