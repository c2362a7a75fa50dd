"""The process that makes releases and protected tables, so that the page answers while a solver is at work."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Sequence
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.files.places import Place

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.connect.connection import Connection
    from kanon_sql.model.stored_policy import StoredPolicy
    from kanon_sql.solvers.budget import Moment

FINISH = b"finish"
"""What ends the search with the best release so far."""


def make_release(
    pipe: Pipe,
    place: Place,
    table: str,
    statements: Sequence[str],
    remembered: bool = False,
    ledger: Path | None = None,
    folder: Path | None = None,
) -> None:
    """Release a table and send what happens: the steps of the search, then the release or an error.

    Parameters
    ----------
    pipe : Pipe
        Gets ``("moment", seconds, step, cost, lower bound, ready)``, and at last ``("released", figures, certificate, rows)``
        with the rows in Arrow's stream format, or ``("failed", words)``. `FINISH` may come from it. The process ends with its
        other end.
    place, table
        The source, and the name that the statement has for it.
    statements : sequence of str
        Queries with ANONYMIZE or PROTECT, and policies; the rows of the last one are sent, and it knows what the others made.
    remembered, ledger
        As for `Search`.
    folder : Path, optional
        As for `Search.start`.
    """
    from kanon_sql.engines.duckdb.connect.error_line import error_line
    from kanon_sql.errors import KanonWarning

    warnings.simplefilter("ignore", KanonWarning)  # the certificate has them
    try:
        _release(pipe, place, table, statements, remembered, ledger, folder)
    except Exception as error:
        pipe.send(("failed", error_line(error)))


def make_releases(
    pipe: Pipe,
    source: str,
    into: str,
    policies: str | Sequence[StoredPolicy] | None,
    kind: str,
    allowed_files: Sequence[str],
) -> None:
    """Release the tables of a database, and send what happens: the table and its search, then the certificates or an error.

    Parameters
    ----------
    pipe : Pipe
        Gets ``("moment", seconds, step, cost, lower bound, ready)``, and at last ``("released", certificates)`` by their names,
        or ``("failed", words)``. The process ends with its other end.
    source, into, policies, kind, allowed_files
        As for `kanon_sql.release_database`; the kind is its format.
    """
    import kanon_sql
    from kanon_sql.engines.duckdb.connect.error_line import error_line
    from kanon_sql.errors import KanonWarning

    warnings.simplefilter("ignore", KanonWarning)  # the certificates have them
    start = time.monotonic()

    def hear(name: str, done: int, count: int, moment: Moment | None) -> None:
        step = f"{name} ({done} of {count})" + ("" if moment is None else f", {moment.step}")
        figures = (None, None, False) if moment is None else _figures(moment)
        pipe.send(("moment", time.monotonic() - start, step, *figures))

    def listen() -> None:
        try:
            pipe.recv_bytes()
        except (EOFError, OSError):
            os._exit(1)  # nobody waits for the releases

    threading.Thread(target=listen, daemon=True).start()
    try:
        found = kanon_sql.release_database(
            source, into, policies=policies, format=kind, allowed_files=allowed_files, progress=hear
        )
        pipe.send(("released", {name: each.to_json() for name, each in found.items()}))
    except Exception as error:
        pipe.send(("failed", error_line(error)))


def _figures(moment: Moment) -> tuple[float | None, float | None, bool]:
    cost, bound = (None if each is None else float(each) for each in (moment.cost, moment.lower_bound))
    return cost, bound, moment.ready


def _release(
    pipe: Pipe,
    place: Place,
    table: str,
    statements: Sequence[str],
    remembered: bool,
    ledger: Path | None,
    folder: Path | None,
) -> None:
    import kanon_sql
    from kanon_sql.engines.duckdb.cells.remembered_source import comparable, read_source
    from kanon_sql.engines.duckdb.files.spilling import private_spilling
    from kanon_sql.engines.duckdb.files.tables import load
    from kanon_sql.studio.rows import sent

    con = kanon_sql.connect(allowed_files=[] if folder is None else [folder])
    con.execute("SET enable_progress_bar = false")
    start = time.monotonic()

    def hear(moment: Moment) -> None:
        pipe.send(("moment", time.monotonic() - start, moment.step, *_figures(moment)))

    def listen() -> None:
        try:
            while pipe.recv_bytes() == FINISH:
                con.finish()
        except (EOFError, OSError):
            os._exit(1)  # nobody waits for the release

    threading.Thread(target=listen, daemon=True).start()
    with private_spilling(":memory:", con):
        if remembered:
            read_source(con, con.session, place, into=table, ledger=ledger)
            comparable(con, con.session, table)
        else:
            load(con, place, into=table)
        if folder is not None:
            os.chdir(folder)  # once the source is read, whose pattern may be relative
        con.watch(hear)
        *earlier, last = statements
        for statement in earlier:
            con.execute(statement).fetchall()
        rows = con.sql(last).to_arrow_table()
        made = _made(con)
        con.close()  # first: once the release is known, the file of the source must be free
        pipe.send(("released", *made, sent(rows)))


def _made(con: Connection) -> tuple[dict[str, str], str]:
    """Return the figures of the last release, or table of counts, and its certificate."""
    import kanon_sql
    from kanon_sql.engines.duckdb.connect.registration import session_of

    tables = session_of(con.raw).protected_tables
    certificate = tables.newest() if tables.certificates else kanon_sql.releases(con)[-1]
    return certificate.figures(), certificate.to_json()
