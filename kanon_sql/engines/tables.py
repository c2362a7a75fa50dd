"""Tables in Python: a release of Arrow, pandas, polars or a DuckDB relation, given back as what came in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import duckdb

from kanon_sql.certificate import Release
from kanon_sql.engines.duckdb import register, session_of
from kanon_sql.engines.release import release_query
from kanon_sql.errors import AuditError, SourceError
from kanon_sql.policy import Policy, QuasiIdentifier
from kanon_sql.solvers.budget import Progress
from kanon_sql.validation import same_name

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What the audit counted on a table.

    Attributes
    ----------
    k : int or None
        Rows of the smallest class; None for an empty table.
    rows, classes, uniques : int
        Rows, equivalence classes, and classes of a single row.
    highest_risk, average_risk : float or None
        Prosecutor risk of the worst row and of the average row: one over the size of its class.
    """

    k: int | None
    rows: int
    classes: int
    uniques: int
    highest_risk: float | None
    average_risk: float | None


def anonymize(
    table: Any,
    *,
    k: int = 2,
    quasi_identifiers: Iterable[str | QuasiIdentifier] | None = None,
    masks: Iterable[Iterable[str]] | None = None,
    linked: Iterable[Iterable[str]] | None = None,
    weights: Mapping[str, object] | None = None,
    algorithm: str = "auto",
    time_limit: float | None = None,
    seed: int = 0,
    suppress: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Release a table so that every row looks like k - 1 others, at the least loss.

    Parameters
    ----------
    table : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The source. A pandas index is not released.
    k : int
        Least number of rows of a class.
    quasi_identifiers : iterable of str, optional
        Columns that help to recognize somebody; None takes all.
    masks : iterable of iterable of str, optional
        Permitted patterns, as lists of shown columns; None permits all.
    linked : iterable of iterable of str, optional
        Groups of columns that are suppressed together or not at all in each row.
    weights : mapping, optional
        Cost of a suppressed cell by column, 1 by default.
    algorithm, time_limit, seed, suppress
        As in :class:`~kanon_sql.policy.Policy`.
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
        masks=masks,
        linked=linked,
        weights=weights,
        algorithm=algorithm,
        time_limit=time_limit,
        seed=seed,
        suppress=suppress,
    )
    source = _to_arrow(table)
    sql = release_query('"source"', policy.resolve(source.column_names))
    with duckdb.connect() as con:
        session = session_of(con)
        session.watch(progress)
        con.register("source", _readable(source))
        try:
            released = con.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            cause = session.cause_of(str(error))
            if cause is None:
                raise
            raise cause from None
        certificate = session.releases[-1]
    return Release(table=_like(table, source, released, suppress), certificate=certificate, sql=sql)


def audit(table: Any, *, quasi_identifiers: Iterable[str] | None = None, k: int | None = None) -> Audit:
    """Measure a table, released by whomever, in plain SQL.

    Parameters
    ----------
    table : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The table.
    quasi_identifiers : iterable of str, optional
        The columns that make the classes; None takes all. NULL is a value like any other.
    k : int, optional
        Raise an error when a class has fewer rows.

    Raises
    ------
    AuditError
        When a class has fewer than ``k`` rows.
    """
    source = _to_arrow(table)
    policy = Policy.of(k=1 if k is None else k, quasi_identifiers=quasi_identifiers).resolve(source.column_names)
    names = [qi.column for qi in policy.quasi_identifiers]
    with register(duckdb.connect()) as con:
        con.register("source", source)
        arguments = ("source", names)
        size = con.execute("SELECT k, rows, classes, uniques FROM k_anonymity(?, ?)", arguments).fetchall()[0]
        risk = con.execute(
            "SELECT prosecutor_risk, prosecutor_risk_average FROM reidentification_risk(?, ?)", arguments
        ).fetchall()[0]
    found = Audit(k=size[0], rows=size[1], classes=size[2], uniques=size[3], highest_risk=risk[0], average_risk=risk[1])
    if k is not None and found.k is not None and found.k < k:
        raise AuditError(
            f"the smallest class has {found.k} rows, fewer than k = {k}; hint: release the table with a smaller promise"
        )
    return found


def _kind(table: Any) -> str:
    return type(table).__module__.split(".")[0]


def _to_arrow(table: Any) -> pa.Table:
    """Return the table as Arrow; an error of the conversion may quote a value, so it is not passed on."""
    import pyarrow as pa

    refusal = f"a {type(table).__name__} is no table; hint: pass Arrow, pandas, polars or a DuckDB relation"
    try:
        match _kind(table):
            case "pandas" if table.ndim == 2:
                if not table.columns.is_unique:
                    raise SourceError("a column name occurs twice; hint: rename one of them")
                arrow = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata()
            case "polars":
                arrow = (table.collect() if hasattr(table, "collect") else table).to_arrow()
            case "_duckdb" | "duckdb" if hasattr(table, "to_arrow_table"):
                arrow = table.to_arrow_table()
            case "pyarrow" if isinstance(table, pa.RecordBatch):
                arrow = pa.Table.from_batches([table])
            case _:
                arrow = table
    except pa.ArrowException:
        raise SourceError("the table cannot be read: a column mixes types; hint: give each column one type") from None
    if not isinstance(arrow, pa.Table):
        raise SourceError(refusal)
    names = [same_name(name) for name in arrow.column_names]
    if len(set(names)) < len(names):
        raise SourceError("a column name occurs twice (case does not count in SQL); hint: rename one of them")
    if not names:
        raise SourceError("the table has no columns")
    return arrow


def _readable(source: pa.Table) -> pa.Table:
    """Return the table with durations as numbers: DuckDB reads them as intervals, which do not lead back."""
    import pyarrow as pa

    for place, field in enumerate(source.schema):
        if pa.types.is_duration(field.type):
            source = source.set_column(place, field.name, source.column(place).cast(pa.int64()))
    return source


def _like(table: Any, source: pa.Table, released: pa.Table, suppress: str | None) -> Any:
    """Give the released rows the kind and the column types of the source."""
    if suppress is None:
        import pyarrow as pa

        columns = [_cast(released.column(place), field.type) for place, field in enumerate(source.schema)]
        released = pa.table(columns, names=source.column_names)
    match _kind(table):
        case "pandas":
            return _to_pandas(released, table, suppress is not None)
        case "polars":
            import polars

            frame = cast("polars.DataFrame", polars.from_arrow(released))
            return frame if suppress is not None else frame.cast(dict(table.collect_schema()))
        case "_duckdb" | "duckdb":
            return duckdb.connect().from_arrow(released)
        case _:
            return released


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    import pyarrow as pa

    if column.type == kind:
        return column
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind)


def _to_pandas(released: pa.Table, source: pd.DataFrame, texts: bool) -> pd.DataFrame:
    """Keep the types of the source; whole numbers and booleans with suppressed cells take pandas' nullable types."""
    import pandas as pd

    if texts:
        return cast("pd.DataFrame", released.to_pandas())
    columns = {}
    for place, (name, kind) in enumerate(source.dtypes.items()):
        column = released.column(place)
        if column.null_count and kind.kind in "iub":
            nullable = {"bool": "boolean"}.get(kind.name, kind.name.replace("int", "Int").replace("uI", "UI"))
            kind = pd.api.types.pandas_dtype(nullable)
        exact = hasattr(kind, "__from_arrow__")
        series = column.to_pandas(types_mapper=lambda _, kind=kind: kind) if exact else column.to_pandas()
        columns[name] = series if series.dtype == kind else series.astype(kind)
    return pd.DataFrame(columns)
