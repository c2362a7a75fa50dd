"""A protected table of base cells that another engine has counted: all that comes after the GROUP BY of its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.certificate.table_certificate import ProtectedTable
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.duckdb.cells.query import protected_query
from kanon_sql.engines.duckdb.connect.registration import new_session
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.python_tables.conversions import answer_of
from kanon_sql.engines.duckdb.python_tables.released_table import released_as
from kanon_sql.model.named_rows import shows_of, shows_sql
from kanon_sql.model.protection import Protection
from kanon_sql.solvers.budget import Progress

if TYPE_CHECKING:
    import pyarrow as pa


def counted_keys(counting: Counting) -> list[str]:
    """Return the keys that the other engine counts by: all but those that say which of some named values another key shows."""
    return [text for text in counting.tabulation.keys if shows_of(text) is None]


def _with_named_rows(counting: Counting) -> str:
    """Return the SQL of base cells with all keys: which named values they have is compared here."""
    keys = counting.tabulation.keys
    named = [(place, found) for place, text in enumerate(keys) if (found := shows_of(text)) is not None]
    if not named:
        return "counted"
    shown = [
        f"{shows_sql(quoted(f'kanon#key{keys.index(text)}'), values)} AS {quoted(f'kanon#key{place}')}"
        for place, (text, values) in named
    ]
    return f"(SELECT *, {', '.join(shown)} FROM counted)"  # noqa: S608


def protect_counted(
    cells: pa.Table, counting: Counting, protection: Protection, progress: Progress | None, warned: Sequence[str]
) -> ProtectedTable:
    """Return the protected table of base cells.

    Parameters
    ----------
    cells : pyarrow.Table
        For each combination of `counted_keys` ``kanon#key0`` and so on, ``kanon#people``, and for each sum ``kanon#sum0``, its
        least value ``kanon#least0``, ``kanon#lowest0`` and ``kanon#highest0`` of contributions with the sum of their squares
        ``kanon#squares0``, and ``kanon#largest0`` where a rule looks at them.
    warned : sequence of str
        What the other engine warns of: whom the rows of the source describe.

    Raises
    ------
    SourceError
        When there are no base cells.
    PolicyError, InfeasibleError, AuditError
        As for `kanon_sql.protect`.
    """
    con = duckdb.connect()
    session = new_session(con)
    session.serve(con)
    session.search.watch(progress)
    con.register("counted", cells)
    sql = protected_query(counting, protection, f"FROM {_with_named_rows(counting)}", warned=warned)
    with session.announcements.waiting():
        answer_of(session, lambda: con.execute(f"CREATE TABLE released AS {sql}"))
    certificate = session.protected_tables.newest()
    return ProtectedTable(table=released_as(con, cells), certificate=certificate, sql=sql)
