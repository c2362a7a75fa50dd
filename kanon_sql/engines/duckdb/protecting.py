"""A protected table in Python: counts and sums of a table of any library."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.certificate.table_certificate import ProtectedTable
from kanon_sql.engines.duckdb.cells.arguments import protect_query
from kanon_sql.engines.duckdb.cells.known_columns import check_columns
from kanon_sql.engines.duckdb.conversions import answer_of, converted
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.registration import new_session
from kanon_sql.engines.duckdb.relations import is_relation, place_rows
from kanon_sql.engines.duckdb.tables import frame_of, names_of, readable, to_arrow
from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.solvers.budget import Progress

if TYPE_CHECKING:
    import pyarrow as pa


def protect(
    table: Any,
    by: Sequence[str],
    *,
    measures: Mapping[str, str] | None = None,
    k: int = 5,
    grouping: str = "cube",
    p: Mapping[str, float | str | Fraction] | None = None,
    dominance: Mapping[str, tuple[int, float | str | Fraction]] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> ProtectedTable:
    """Publish counts and sums from which no count below k follows.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch, pandas.DataFrame, polars.DataFrame or LazyFrame, or DuckDBPyRelation
        The source, one row for each person unless ``per`` names a column.
    by : sequence of str
        The keys.
    measures : mapping of str to str, optional
        For each sum the name of its column. The counts are called ``n``.
    k : int
        Rows of 1 to k - 1 people are suppressed.
    grouping : {'cube', 'rollup', 'plain'}
        Every combination of keys, keys left out from the right, or all keys only.
    p : mapping of str to number, optional
        For some sums p of the p % rule.
    dominance : mapping of str to (largest, share), optional
        For some sums the dominance rule.
    progress : callable, optional
        As for `kanon_sql.anonymize`.
    **options
        ``show``, ``cost``, ``rows``, ``contributors``, ``per``, ``algorithm``, ``time_limit`` and ``suppressed``, as the fields
        of `kanon_sql.model.protection.Protection`.

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
    source = table if is_relation(table) else frame_of(table)
    _check(by, measures, options, names_of(source))
    sql = protect_query("source", list(by), measures, grouping, p, dominance, k=k, **options)
    con = duckdb.connect()
    session = new_session(con)
    session.search.watch(progress)
    if is_relation(table):
        place_rows(table, con, "source")
    else:
        con.register("source", readable(to_arrow(table)))
    with session.announcements.waiting():
        answer_of(session, lambda: con.execute(f"CREATE TABLE released AS {sql}"))
    certificates = session.protected_tables.certificates
    if not certificates:
        raise PolicyError("the table has no rows; hint: protect a table with rows")
    return ProtectedTable(table=_shown(con, table), certificate=certificates[-1], sql=sql)


_OPTIONS = ("show", "cost", "rows", "contributors", "per", "algorithm", "time_limit", "suppressed")


def _check(by: Sequence[str], measures: Mapping[str, str] | None, options: Mapping[str, Any], names: list[str]) -> None:
    """Refuse options and columns that do not exist."""
    for each in options:
        if each not in _OPTIONS:
            raise TypeError(f"protect() has no option {each!r}; hint: {hint_of(each, _OPTIONS, 'see its documentation')}")
    if isinstance(by, str) or not isinstance(by, Sequence):
        raise PolicyError("by must be a list of columns; hint: by=['region', 'sex']")
    per = [] if options.get("per") is None else [options["per"]]
    check_columns((*by, *(measures or {}).values(), *per), names)


def _shown(con: duckdb.DuckDBPyConnection, table: Any) -> Any:
    """Return the table ``released`` as the kind of the source."""
    if is_relation(table):
        home = duckdb.connect()
        place_rows(con.table("released"), home, "released")
        con.close()
        released = home.table("released")
        weakref.finalize(released, _let_go, home)  # DuckDB 1.4 closes a connection that only relations refer to
        return released
    arrow = _narrow(con)
    con.close()
    match type(table).__module__.split(".")[0]:
        case "pandas":
            return converted(lambda: _pandas(arrow), "the table cannot be shown as pandas; hint: pass an Arrow table")
        case "polars":
            import polars

            return polars.from_arrow(arrow)
    return arrow


def _narrow(con: duckdb.DuckDBPyConnection) -> pa.Table:
    """Return the rows with sums of whole numbers in 64 bits: Arrow has no wider integers, and the gate takes none."""
    relation = con.table("released")
    kinds = zip(relation.columns, relation.types, strict=True)
    cells = [f"CAST({quoted(name)} AS BIGINT) AS {quoted(name)}" if kind == "HUGEINT" else quoted(name) for name, kind in kinds]
    return relation.project(", ".join(cells)).to_arrow_table()


def _pandas(arrow: pa.Table) -> Any:
    """Return a pandas table whose counts stay whole numbers beside NULL."""
    import pandas
    import pyarrow as pa

    return arrow.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)


def _let_go(_: duckdb.DuckDBPyConnection) -> None:
    """Refer to a connection until this is called."""
