"""From file to file: a protected table is written next to its place, compared with the checked rows, and only then moved."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.publication import Solved
from kanon_sql.cli.terminal import without_bar
from kanon_sql.errors import AuditError

if TYPE_CHECKING:
    from kanon_sql.certificate.table_certificate import TableCertificate
    from kanon_sql.cli.publication import Publication
    from kanon_sql.engines.duckdb.cells.arguments import TableArguments
    from kanon_sql.engines.duckdb.files.places import Place

_DIFFERENT = """SELECT system.main.count(*) FROM (
        (SELECT {cells} FROM released EXCEPT ALL SELECT {cells} FROM written)
        UNION ALL (SELECT {cells} FROM written EXCEPT ALL SELECT {cells} FROM released)
    )"""


def protect_file(
    job: Publication,
    planned: Callable[[list[str]], tuple[TableArguments, Iterable[str]]],
    *,
    ledger: str | None,
    secret: bytes | None,
    piped: bool,
) -> TableCertificate:
    """Read, solve, write, compare, publish.

    Parameters
    ----------
    job : Publication
        The source, and where the table goes.
    planned : callable
        Returns the arguments of the protected table of the table ``source``, and the columns that it sums, once all are known.
    ledger : str, optional
        The database file that remembers the table.
    secret : bytes, optional
        Seals what is remembered.
    piped : bool
        Whether the source came through a pipe.
    """
    import kanon_sql
    from kanon_sql.engines.duckdb.cells.number_texts import read_numbers
    from kanon_sql.engines.duckdb.cells.remembered_source import comparable, let_go, read_source
    from kanon_sql.engines.duckdb.connect.registration import session_of
    from kanon_sql.engines.duckdb.files.tables import columns
    from kanon_sql.model.validation import same_name

    con = without_bar(kanon_sql.connect(config=job.spill, secret=secret))
    session = session_of(con.raw)

    def read() -> None:
        read_source(con, session, job.origin, into="source", ledger=ledger, piped=piped)

    def solve(go_on: Callable[[], None]) -> Solved[TableCertificate]:
        arguments, summed = planned(columns(con, "source"))
        _, protection = arguments.requested()
        earlier = [] if protection.earlier == "ignore" else comparable(con, session, "source")
        names = {name for each in earlier for name in each.tabulation.sums if name in map(same_name, columns(con, "source"))}
        read_numbers(con, "source", (*summed, *names))
        go_on()
        job.step("solving")
        con.watch(lambda moment: job.step("solving", moment))
        con.execute(f"CREATE TABLE released AS {arguments.query(earlier)}")
        let_go(con)
        certificate = session.protected_tables.newest()
        _narrow_sums(con, certificate)
        return Solved(certificate=certificate, rows="FROM {}", audit=lambda staged: compare(con, staged))

    return job.publish(con, solve, read)


def _narrow_sums(con: Any, certificate: TableCertificate) -> None:
    """Give whole sums the 64 bits that they fit in: Parquet would round a HUGEINT."""
    from kanon_sql.engines.duckdb.names import quoted

    sums = {each["name"] for each in json.loads(certificate.tabulation)["items"] if each["kind"] == "sum"}
    for name, kind, *_ in con.execute("DESCRIBE released").fetchall():
        if kind == "HUGEINT" and name in sums:
            con.execute(f"ALTER TABLE released ALTER {quoted(name)} TYPE BIGINT")


def compare(con: Any, staged: Place) -> None:
    """Read the written file again and compare it with the checked rows."""
    from kanon_sql.engines.duckdb.files.tables import columns, load
    from kanon_sql.engines.duckdb.names import quoted

    load(con, staged, into="written")
    if columns(con, "written") != columns(con, "released"):
        raise AuditError(
            "the columns in the written file differ from those in the checked table; nothing was released; "
            "hint: write a Parquet file"
        )
    cells = ", ".join(f"CAST({quoted(name)} AS VARCHAR) AS {quoted(name)}" for name in columns(con, "released"))
    if con.execute(_DIFFERENT.format(cells=cells)).fetchall()[0][0]:
        raise AuditError(
            "the rows of the written file differ from those of the checked table; nothing was released; hint: write a Parquet "
            "file, which preserves all values"
        )
