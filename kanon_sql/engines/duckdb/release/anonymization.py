"""A release of a table in Python: its rows go through DuckDB by number, and come back as what they were."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import duckdb

from kanon_sql.certificate import Release
from kanon_sql.engines.duckdb.connect.registration import new_session
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.sources import without
from kanon_sql.engines.duckdb.python_tables.arrow_columns import from_duckdb
from kanon_sql.engines.duckdb.python_tables.conversions import answer_of
from kanon_sql.engines.duckdb.python_tables.duckdb_relations import is_relation, place_rows
from kanon_sql.engines.duckdb.python_tables.frames import Frame
from kanon_sql.engines.duckdb.python_tables.numbered_rows import NUMBER, number_rows
from kanon_sql.engines.duckdb.python_tables.tables import frame_of, names_of, register_tables
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.engines.written import read_options
from kanon_sql.model.dropped_columns import dropped_columns, remaining
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import POLICY_DEFAULTS, UNSAID_K, OptionsBesideK, completed, spelled_out
from kanon_sql.model.recodings import Generalization, Medians
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit_of_policy import unit_of
from kanon_sql.model.validation import same_name
from kanon_sql.solvers.budget import Progress

if TYPE_CHECKING:
    import pyarrow as pa


@spelled_out(POLICY_DEFAULTS)
def anonymize(
    table: Any,
    k: int = UNSAID_K,
    *,
    drop: Sequence[str] | None = None,
    tables: Mapping[str, Any] | None = None,
    secret: str | bytes | None = None,
    progress: Progress | None = None,
    **options: Unpack[OptionsBesideK[str | Generalization]],
) -> Release:
    """Release a table so that every row looks like k - 1 others, at the least loss.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch, pandas.DataFrame, polars.DataFrame or LazyFrame, or DuckDBPyRelation
        The source. A pandas index is not released, nor is metadata.
    k : int
        Minimum number of rows per class; 2 by default, unless a guarantee about the population is given.
    drop : sequence of str, optional
        Columns to leave out of the release.
    tables : mapping, optional
        By their names, the hierarchies, tables of distances and of neighbours that requirements and recodings name, each of
        a kind as ``table``.
    secret : str or bytes, optional
        As for `kanon_sql.register`.
    progress : callable, optional
        Called with a `Moment`: the step, the share done, and cost, bound and gap of the best release so far; may raise to
        stop. By default a notebook shows it under the cell; elsewhere nothing is shown.
    **options
        The rest of the policy, as in :class:`~kanon_sql.model.policy_options.OptionsBesideK`: ``quasi_identifiers``,
        ``sensitive``, ... Recodings may be texts, as the clause writes them: ``{'zip': 'DIGITS', 'age': 'INTERVALS (5, 10)',
        'job': 'HIERARCHY jobs', 'lat': 'RECTANGLES WITH lon', ...}``; the cells become texts. ``'zip IN DIGITS (3)'`` in a
        mask shows a column at some of its levels, its name alone at all of them.

    Returns
    -------
    Release
        The released table, of the same kind, and its certificate.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        When the policy is wrong, the source cannot be read, or no release meets the guarantee.
    TypeError
        When there is no such option.

    Notes
    -----
    Reading and writing cost as much as a GROUP BY and a join of the table. Solving depends on the number of distinct
    combinations of quasi-identifiers, and ends at ``time_limit``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["98101", "98101", "98102", "98103"], "age": [34, 34, 51, 51]})
    >>> release = anonymize(people, 2)
    >>> sorted(release.table.to_pandas()["zip"].dropna())
    ['98101', '98101']
    >>> release.certificate.figures()["cost"]
    '2, lower bound 2: no release costs less'
    """
    completed("anonymize", options, POLICY_DEFAULTS)
    policy = Policy.of(**read_options({**options, "k": k}))
    return released(table, policy, drop, surface="python", tables=tables, secret=secret, progress=progress)


def released(
    table: Any,
    policy: Policy,
    drop: Sequence[str] | None,
    *,
    surface: Surface,
    tables: Mapping[str, Any] | None = None,
    secret: str | bytes | None = None,
    progress: Progress | None = None,
) -> Release:
    """Release a table under a policy; errors name options of ``surface``, all else as for `anonymize`."""
    source = table if is_relation(table) else frame_of(table)
    names = names_of(source)
    dropped = dropped_columns(drop, policy, names)
    resolved = policy.resolve(remaining(names, dropped), "python")
    number = NUMBER if isinstance(source, Frame) else None
    wide = 'FROM "source"' if dropped else None
    unit = unit_of(resolved, every_column=policy.every_column)
    sql = release_query(without('"source"', dropped), resolved, wide, number=number, surface=surface, unit=unit)
    with duckdb.connect() as con:
        session = new_session(con, secret)
        session.search.watch(progress)
        register_tables(con, policy, tables)
        with session.announcements.waiting(), session.search.statement():
            rows = (
                _of_frame(con, session, source, resolved, sql)
                if isinstance(source, Frame)
                else _of_relation(con, session, source, resolved, sql)
            )
        return Release(table=rows, certificate=session.releases[-1], sql=sql)


def _of_frame(con: duckdb.DuckDBPyConnection, session: Session, frame: Frame, policy: Policy, sql: str) -> Any:
    """Release a frame: quasi-identifiers as DuckDB shows them, all else from the rows of the frame."""
    places = {same_name(name): place for place, name in enumerate(frame.names)}
    shown = {places[same_name(qi.column)] for qi in policy.quasi_identifiers}
    texts = shown if policy.suppress is not None else {places[same_name(name)] for name in policy.generalized}
    medians = set[int]()
    if policy.suppress is None:
        medians = {places[same_name(name)] for name, each in policy.aggregated.items() if isinstance(each, Medians)}
    numbered = number_rows(con, frame, shown | {places[same_name(name)] for name in policy.measured})
    released = answer_of(session, lambda: _run(con, sql))
    rows = numbered.rows(released.column(NUMBER))
    columns = {}
    for name in released.column_names[:-1]:
        place, values = places[same_name(name)], released.column(name)
        if place in texts - medians:
            columns[place] = frame.made(values)
        elif place in medians:
            columns[place] = frame.shown(place, from_duckdb(values, frame.column(place)))
        elif place in shown:
            numbered.refuse_altered(place, name, values, rows)
            columns[place] = frame.shown(place, from_duckdb(values, frame.column(place)))
        else:
            columns[place] = frame.taken(place, rows)
    return frame.table(columns)


def _run(con: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    """Return the rows of a statement; it is planned once, while a relation over it would plan it twice."""
    con.execute(f"CREATE TEMP TABLE released AS {sql}")
    return con.table("released").to_arrow_table()


def _of_relation(
    con: duckdb.DuckDBPyConnection, session: Session, relation: duckdb.DuckDBPyRelation, policy: Policy, sql: str
) -> duckdb.DuckDBPyRelation:
    """Release a relation; the new one belongs to a database that holds nothing else."""
    place_rows(relation, con, "source", plain={qi.column for qi in policy.quasi_identifiers})
    answer_of(session, lambda: con.execute(f"CREATE TABLE released AS {sql}"))
    home = duckdb.connect()
    place_rows(con.table("released"), home, "released")
    released = home.table("released")
    weakref.finalize(released, _let_go, home)  # DuckDB 1.4 closes a connection that only relations refer to
    return released


def _let_go(_: duckdb.DuckDBPyConnection) -> None:
    """Refer to a connection until this is called."""
