"""A release of histories in Python: tokens link the rows of each person, and any m known rows are those of k people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from kanon_sql.certificate.history_certificate import LinkedRelease
from kanon_sql.engines.duckdb.connect.registration import new_session
from kanon_sql.engines.duckdb.histories.query import history_query
from kanon_sql.engines.duckdb.python_tables.conversions import answer_of
from kanon_sql.engines.duckdb.python_tables.duckdb_relations import is_relation, place_rows
from kanon_sql.engines.duckdb.python_tables.released_table import released_as
from kanon_sql.engines.duckdb.python_tables.tables import frame_of, names_of, readable, to_arrow
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.solvers.budget import Progress


def link_histories(
    table: Any,
    k: int,
    *,
    per: str,
    quasi_identifiers: Sequence[str],
    known_rows: int = 2,
    keep: Sequence[str] = (),
    secret: str | bytes | None = None,
    progress: Progress | None = None,
) -> LinkedRelease:
    """Release rows that tokens link to people, so that any ``known_rows`` rows of a person are those of at least k people.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch, pandas.DataFrame, polars.DataFrame or LazyFrame, or DuckDBPyRelation
        The source. It has no other columns than those that are named here.
    k : int
        The least number of people.
    per : str
        The column that tells people apart. It shows tokens.
    quasi_identifiers : sequence of str
        The columns that the attacker may know. Those that have one value in all rows of each person are the person's own:
        the attacker knows them.
    known_rows : int
        How many rows of a person the attacker knows, any of them: 1, 2 or 3.
    keep : sequence of str
        The columns that are released unchanged on purpose.
    secret : str or bytes, optional
        As for `kanon_sql.register`.
    progress : callable, optional
        As for `kanon_sql.anonymize`.

    Returns
    -------
    LinkedRelease
        The table, of the kind of the source, and its certificate. A suppressed cell is NULL. A row whose quasi-identifiers are
        all suppressed shows no token; such rows are those of at least k people.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        When an argument is wrong, the source cannot be read, there are fewer than k people, or the audit of the release fails.

    Notes
    -----
    A suppressed cell is a value of its own, as for `KnownColumns`. An attacker who knows more rows, how many rows a person has,
    or rows that a person does not have may find fewer people. The search is a heuristic: see `HistoryCertificate.gap`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> wards = ["eye", "skin", "eye", "skin", "eye", "heart", "eye", "birth"]
    >>> visits = pa.table({"patient": [1, 1, 2, 2, 3, 3, 4, 4], "ward": wards})
    >>> release = link_histories(visits, 2, per="patient", quasi_identifiers=["ward"])
    >>> release.certificate.fewest_candidates, release.certificate.suppressed_cells
    (2, 2)
    """
    source = table if is_relation(table) else frame_of(table)
    requested = LinkedHistories(
        k=k, per=per, known_rows=known_rows, quasi_identifiers=tuple(quasi_identifiers), keep=tuple(keep)
    ).resolved(names_of(source), "python")
    con = duckdb.connect()
    session = new_session(con, secret)
    session.search.watch(progress)
    if is_relation(table):
        place_rows(table, con, "source")
    else:
        con.register("source", readable(to_arrow(table)))
    query = history_query("source", requested, surface="python")
    answer_of(session, lambda: con.execute(f"CREATE TABLE released AS {query}"))
    return LinkedRelease(table=released_as(con, table), certificate=session.linked_releases[-1])
