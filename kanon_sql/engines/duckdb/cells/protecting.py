"""Protected tables in Python: counts and sums of a table of any library, one table or several together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import duckdb

from kanon_sql.certificate.table_certificate import ProtectedTable
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.tables_together import TablesTogether
from kanon_sql.engines.duckdb.cells.arguments import TableArguments, check_columns
from kanon_sql.engines.duckdb.cells.query import protected_query
from kanon_sql.engines.duckdb.cells.remembered_source import comparable, let_go, remember
from kanon_sql.engines.duckdb.connect.registration import new_session
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.python_tables.conversions import answer_of
from kanon_sql.engines.duckdb.python_tables.duckdb_relations import is_relation, place_rows
from kanon_sql.engines.duckdb.python_tables.released_table import released_as
from kanon_sql.engines.duckdb.python_tables.tables import frame_of, names_of, readable, to_arrow
from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.policy_file import choose
from kanon_sql.model.policy_names import protection_of_name
from kanon_sql.model.protection import Protection
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import named
from kanon_sql.solvers.budget import Progress


def protect(
    table: Any,
    by: Sequence[str],
    *,
    measures: Mapping[str, str] | None = None,
    k: int | None = None,
    grouping: str = "cube",
    recodings: Mapping[str, str] | None = None,
    p: Mapping[str, float | str | Fraction] | None = None,
    dominance: Mapping[str, tuple[int, float | str | Fraction]] | None = None,
    ledger: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> ProtectedTable:
    """Publish counts and sums from which no count below k follows.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch, pandas.DataFrame, polars.DataFrame or LazyFrame, or DuckDBPyRelation
        The source, one row for each person unless ``per`` names a column. It is refused if a column repeats people, unless
        ``per_row=True`` says that each row is a person.
    by : sequence of str
        The keys.
    measures : mapping of str to str, optional
        For each sum the name of its column. The counts are called ``n``.
    k : int, optional
        Rows of 1 to k - 1 people are suppressed; 5 by default.
    grouping : {'cube', 'rollup', 'plain'}
        Every combination of keys, keys left out from the right, or all keys only.
    recodings : mapping of str to str, optional
        For some keys their levels, such as ``{"zip": "DIGITS (5, 3, 0)"}``; 0 is the total.
    p : mapping of str to number, optional
        For some sums p of the p % rule.
    dominance : mapping of str to (largest, share), optional
        For some sums the dominance rule.
    ledger : str or PathLike, optional
        A DuckDB file that remembers the table; it is made if it is not there. The table is protected together with those that
        the file remembers of Python: they count as tables of the same people. Without a ledger nothing remembers the table,
        and a warning says so.
    progress : callable, optional
        As for `kanon_sql.anonymize`.
    **options
        ``show``, ``hide``, ``impossible``, ``cost``, ``rows``, ``contributors``, ``per``, ``per_row``, ``algorithm``,
        ``time_limit``, ``earlier`` and ``suppressed``, as the arguments of `kanon_sql.model.protection.Protection.of`.
        ``show``, ``hide`` and ``impossible`` take rows by their values, such as ``{"sex": "F"}``. ``policy`` is a policy of a
        file, as ``FILE::NAME``: it says all of these.

    Returns
    -------
    ProtectedTable
        The table, of the kind of the source, and its certificate. A suppressed row shows NULL in every count and sum.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        When an argument is wrong, the source cannot be read, or nothing that may be suppressed is enough.

    Notes
    -----
    The source is read once, by one GROUP BY. Solving depends on the number of distinct combinations of the keys.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"region": ["north"] * 9 + ["south"] * 8, "sex": ["f", "m", "m"] * 5 + ["f"] * 2})
    >>> protect(people, by=["region", "sex"], k=4).table["n"].null_count
    4
    """
    requested: dict[str, Any] = {
        "measures": measures,
        "grouping": grouping,
        "recodings": recodings,
        "p": p,
        "dominance": dominance,
    }
    return protected(table, by, {**requested, "k": k, **options}, surface="python", ledger=ledger, progress=progress)


def protected(
    table: Any,
    by: Sequence[str],
    requested: Mapping[str, Any],
    *,
    surface: Surface,
    ledger: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> ProtectedTable:
    """Publish counts and sums of a table; errors name options of ``surface``, ``requested`` are its other arguments."""
    con, session, columns = _opened(table, ledger, progress, surface)
    arguments = replace(arguments_of(columns, by, **requested), surface=surface)
    with _ended_by_errors(con):
        sql = arguments.query(_earlier(con, session, arguments.requested()[1]))
        _create(con, session, sql)
        let_go(con)
    return ProtectedTable(table=released_as(con, table), certificate=session.protected_tables.newest(), sql=sql)


def protect_together(
    table: Any,
    tables: Sequence[Mapping[str, Any]],
    *,
    ledger: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> list[ProtectedTable]:
    """Publish several tables of the same people, safe against a reader who has all of them.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch, pandas.DataFrame, polars.DataFrame or LazyFrame, or DuckDBPyRelation
        As for `protect`.
    tables : sequence of mapping
        For each table the arguments of `protect` by their names. ``per``, ``cost``, ``algorithm`` and ``time_limit`` are the
        same in all; the strictest ``k`` applies to all.
    ledger : str or PathLike, optional
        As for `protect`.
    progress : callable, optional
        As for `kanon_sql.anonymize`.

    Returns
    -------
    list of ProtectedTable
        The tables in their order. Cost and bound of a certificate are about all tables together.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        As `protect`; also when there are no tables.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"region": ["n", "n", "s"] * 8, "sex": ["f", "m"] * 12, "age": [1, 2, 2, 3] * 6})
    >>> one, two = protect_together(people, [{"by": ["region", "sex"], "k": 5}, {"by": ["region", "age"], "k": 5}])
    >>> one.table["n"].null_count, two.table["n"].null_count, one.certificate.cost == two.certificate.cost
    (4, 6, True)
    """
    con, session, columns = _opened(table, ledger, progress)
    together = TablesTogether()
    for each in tables:
        together.add(*arguments_of(columns, **each).requested())
    if not together.requested:
        raise PolicyError("there are no tables; hint: pass tables=[{'by': ['region', 'sex']}, {'by': ['region', 'age']}]")
    countings = [counting for counting, _ in together.requested]
    found = []
    with _ended_by_errors(con), session.protected_tables.together(together) as tickets:
        earlier = _earlier(con, session, together.requested[0][1])
        for ticket, (counting, protection) in zip(tickets, together.requested, strict=True):
            sql = protected_query(
                counting, protection, _SOURCE, earlier, together=countings, ticket=ticket, held=True, surface="python"
            )
            _create(con, session, sql)
            released, certificate = released_as(con.cursor(), table), session.protected_tables.newest()
            found.append(ProtectedTable(table=released, certificate=certificate, sql=sql))
    con.close()
    return found


_SOURCE = 'FROM "source"'


def _opened(
    table: Any, ledger: str | os.PathLike[str] | None, progress: Progress | None, surface: Surface = "python"
) -> tuple[duckdb.DuckDBPyConnection, Session, list[str]]:
    """Return a database of its own with a table as ``source``, its ledger attached, and the names of its columns."""
    source = table if is_relation(table) else frame_of(table)
    con = duckdb.connect()
    session = new_session(con)
    session.serve(con)
    session.search.watch(progress)
    if is_relation(table):
        place_rows(table, con, "source")
    else:
        con.register("source", readable(to_arrow(table)))
    remember(con, session, ledger, surface=surface, frame=None if is_relation(table) else "source")
    return con, session, names_of(source)


@contextmanager
def _ended_by_errors(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Close a connection after an error, so that its ledger can be opened again."""
    try:
        yield
    except BaseException:
        con.close()
        raise


def _earlier(con: duckdb.DuckDBPyConnection, session: Session, protection: Protection) -> Sequence[Counting]:
    """Return what is counted for the tables that a new one respects."""
    return [] if protection.earlier == "ignore" else comparable(con, session, "source")


def _create(con: duckdb.DuckDBPyConnection, session: Session, sql: str) -> None:
    """Make the table ``released``."""
    with session.announcements.waiting():
        answer_of(session, lambda: con.execute(f"CREATE OR REPLACE TABLE released AS {sql}"))


_SHAPE = ("measures", "grouping", "recodings")

_OPTIONS = (
    "k", "p", "dominance", "show", "hide", "impossible", "cost", "rows", "contributors", "per", "per_row", "algorithm",
    "time_limit", "earlier", "suppressed",
)  # fmt: skip


def arguments_of(columns: list[str], by: Sequence[str], policy: str | None = None, **requested: Any) -> TableArguments:
    """Return the arguments of a table; refuse options and columns that do not exist."""
    known = (*_SHAPE, *_OPTIONS, "policy")
    for each in requested:
        if each not in known:
            raise TypeError(f"protect() has no option {each!r}; hint: {hint_of(each, known, 'see its documentation')}")
    if isinstance(by, str) or not isinstance(by, Sequence):
        raise PolicyError("by must be a list of columns; hint: pass by=['region', 'sex']")
    per = [] if requested.get("per") is None else [requested["per"]]
    check_columns((*by, *(requested.get("measures") or {}).values(), *per), columns)
    stored = None
    if policy is not None:
        file = named(policy, "policy", "a file of policies", "policy='policies.yaml::weekly'")
        stored = protection_of_name(*choose(file))
        stored.check_columns(columns)
    shape = {name: requested.pop(name) for name in _SHAPE if name in requested}
    return TableArguments(table="source", by=list(by), **shape, policy=stored, options=requested, surface="python")
