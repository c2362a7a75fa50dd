"""A release of a table in Python: its rows go through DuckDB by number, and come back as what they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

from kanon_sql.certificate import Release
from kanon_sql.engines.duckdb.arrow_columns import from_duckdb
from kanon_sql.engines.duckdb.conversions import asked
from kanon_sql.engines.duckdb.frames import Frame
from kanon_sql.engines.duckdb.numbered_rows import NUMBER, number_rows
from kanon_sql.engines.duckdb.registration import session_of
from kanon_sql.engines.duckdb.relations import is_relation, place_rows
from kanon_sql.engines.duckdb.release import release_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.tables import Number, frame_of, names_of, register_tables
from kanon_sql.engines.duckdb.written import read_masks, read_recodings
from kanon_sql.model.masks import AtLevels
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import ROW_ORDERS
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.requirements import Requirement
from kanon_sql.model.validation import same_name
from kanon_sql.solvers.budget import Progress


def anonymize(
    table: Any,
    *,
    k: int = 2,
    quasi_identifiers: Iterable[str | QuasiIdentifier] | None = None,
    sensitive: str | None = None,
    l: Number | None = None,  # noqa: E741 - its name everywhere
    variant: str | None = None,
    c: Number | None = None,
    t: Number | None = None,
    metric: str | None = None,
    hierarchy: str | None = None,
    per: str | None = None,
    requirements: Iterable[Requirement] = (),
    tables: Mapping[str, Any] | None = None,
    masks: Iterable[Iterable[str | AtLevels]] | None = None,
    linked: Iterable[Iterable[str]] | None = None,
    weights: Mapping[str, object] | None = None,
    recodings: Mapping[str, str | Generalization] | None = None,
    algorithm: str = "auto",
    time_limit: float | None = None,
    seed: int = 0,
    max_suppressed: Number | None = None,
    suppress: str | None = None,
    row_order: str = ROW_ORDERS[0],
    secret: str | bytes | None = None,
    progress: Progress | None = None,
) -> Release:
    """Release a table so that every row looks like k - 1 others, at the least loss.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch, pandas.DataFrame, polars.DataFrame or LazyFrame, or DuckDBPyRelation
        The source. A pandas index is not released, nor is metadata.
    k : int
        Least number of rows of a class.
    quasi_identifiers : iterable of str, optional
        Columns that help to recognize somebody; None takes all that are not sensitive.
    sensitive : str, optional
        The sensitive attribute that ``l`` and ``t`` are about; it is released as it is.
    l, variant, c : optional
        Its l-diversity in every class, as in :class:`~kanon_sql.model.requirements.LDiversity`.
    t, metric, hierarchy : optional
        Its t-closeness in every class, as in :class:`~kanon_sql.model.requirements.TCloseness`.
    per : str, optional
        The column that tells people apart, where they may have several rows: ``k`` counts people then, and the column is not
        released.
    requirements : iterable of Requirement
        More requirements, such as those on further sensitive attributes.
    tables : mapping, optional
        By their names, the hierarchies, tables of distances and of neighbours that requirements and recodings name, each of
        a kind as ``table``.
    masks : iterable of iterable of str, optional
        Permitted patterns, as lists of shown columns; None permits all. ``'zip IN DIGITS (3)'`` shows a column at some of its
        levels, its name alone at all of them.
    linked : iterable of iterable of str, optional
        Groups of columns that are suppressed together or not at all in each row.
    weights : mapping, optional
        Cost of a suppressed cell by column, 1 by default.
    recodings : mapping, optional
        How the cells of a column are coarsened before they are suppressed, as the clause writes it: ``{'zip': 'DIGITS',
        'age': 'INTERVALS (5, 10)', 'job': 'HIERARCHY jobs', 'lat': 'RECTANGLES WITH lon', ...}``. Its cells become texts.
    algorithm, time_limit, seed, max_suppressed, suppress, row_order
        As in :class:`~kanon_sql.model.policy.Policy`.
    secret : str or bytes, optional
        As for `kanon_sql.register`.
    progress : callable, optional
        Called with a `Moment`: the step, the share done, and cost, bound and gap of the best release so far; may raise to
        stop.

    Returns
    -------
    Release
        The released table, of the same kind, and its certificate.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        When the policy is wrong, the source cannot be read, or no release keeps the promise.
    """
    policy = Policy.of(
        k=k,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        l=l,
        variant=variant,
        c=c,
        t=t,
        metric=metric,
        hierarchy=hierarchy,
        per=per,
        requirements=requirements,
        masks=read_masks(masks),
        linked=linked,
        weights=weights,
        recodings=read_recodings(recodings),
        algorithm=algorithm,
        time_limit=time_limit,
        seed=seed,
        max_suppressed=max_suppressed,
        suppress=suppress,
        row_order=row_order,
    )
    source = table if is_relation(table) else frame_of(table)
    resolved = policy.resolve(names_of(source))
    sql = release_query('"source"', resolved, number=NUMBER if isinstance(source, Frame) else None)
    with duckdb.connect() as con:
        session = session_of(con, secret)
        session.watch(progress)
        register_tables(con, policy, tables)
        released = (
            _of_frame(con, session, source, resolved, sql)
            if isinstance(source, Frame)
            else _of_relation(con, session, source, resolved, sql)
        )
        return Release(table=released, certificate=session.releases[-1], sql=sql)


def _of_frame(con: duckdb.DuckDBPyConnection, session: Session, frame: Frame, policy: Policy, sql: str) -> Any:
    """Release a frame: quasi-identifiers as DuckDB shows them, all else from the rows of the frame."""
    places = {same_name(name): place for place, name in enumerate(frame.names)}
    shown = {places[same_name(qi.column)] for qi in policy.quasi_identifiers}
    texts = shown if policy.suppress is not None else {places[same_name(name)] for name in policy.generalized}
    numbered = number_rows(con, frame, shown | {places[same_name(name)] for name in policy.measured})
    released = asked(session, lambda: con.sql(sql).to_arrow_table())
    rows = numbered.rows(released.column(NUMBER))
    columns = {}
    for name in released.column_names[:-1]:
        place, values = places[same_name(name)], released.column(name)
        if place in texts:
            columns[place] = frame.texts(values)
        elif place in shown:
            numbered.refuse_altered(place, name, values, rows)
            columns[place] = frame.shown(place, from_duckdb(values, frame.column(place)))
        else:
            columns[place] = frame.taken(place, rows)
    return frame.table(columns)


def _of_relation(
    con: duckdb.DuckDBPyConnection, session: Session, relation: duckdb.DuckDBPyRelation, policy: Policy, sql: str
) -> duckdb.DuckDBPyRelation:
    """Release a relation; the new one belongs to a database that holds nothing else."""
    place_rows(relation, con, "source", plain={qi.column for qi in policy.quasi_identifiers})
    asked(session, lambda: con.execute(f"CREATE TABLE released AS {sql}"))
    home = duckdb.connect()
    place_rows(con.table("released"), home, "released")
    return home.table("released")
