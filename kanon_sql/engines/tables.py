"""Tables in Python: a release of Arrow, pandas, polars or a DuckDB relation, given back as what came in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import duckdb

from kanon_sql.certificate import Release
from kanon_sql.engines.duckdb import register, session_of
from kanon_sql.engines.measures import demand, distance_of, frequency_of, measure, measured_requirements, record
from kanon_sql.engines.names import quoted, table_name
from kanon_sql.engines.release import release_query
from kanon_sql.engines.written import read_masks, read_recodings
from kanon_sql.errors import AuditError, PolicyError, SourceError, raise_alone
from kanon_sql.generalizations import Generalization
from kanon_sql.masks import AtLevels
from kanon_sql.policy import Policy, QuasiIdentifier
from kanon_sql.requirements import Requirement
from kanon_sql.solvers.budget import Progress
from kanon_sql.validation import same_name

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


Number = int | float | str | Decimal | Fraction
"""A threshold: exact, a float as the decimal that it is written as, a text such as '1/3'."""


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
    distinct_l : int or None
        The fewest different values of the sensitive attribute in a class. This and what follows is None for an empty table,
        and where no sensitive attribute was named.
    frequency_l : Fraction or None
        One over the highest share that a value has in its class.
    entropy_l : float or None
        The number of equally frequent values that have the entropy of the least diverse class.
    t : Fraction or None
        The distance of the farthest class from the whole table.
    """

    k: int | None
    rows: int
    classes: int
    uniques: int
    highest_risk: float | None
    average_risk: float | None
    distinct_l: int | None = None
    frequency_l: Fraction | None = None
    entropy_l: float | None = None
    t: Fraction | None = None


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
        Columns that help to recognize somebody; None takes all that are not sensitive.
    sensitive : str, optional
        The sensitive attribute that ``l`` and ``t`` are about; it is released as it is.
    l, variant, c : optional
        Its l-diversity in every class, as in :class:`~kanon_sql.requirements.LDiversity`.
    t, metric, hierarchy : optional
        Its t-closeness in every class, as in :class:`~kanon_sql.requirements.TCloseness`.
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
    algorithm, time_limit, seed, max_suppressed, suppress
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
    )
    source = to_arrow(table)
    resolved = policy.resolve(source.column_names)
    sql = release_query('"source"', resolved)
    with duckdb.connect() as con:
        session = session_of(con)
        session.watch(progress)
        con.register("source", readable(source))
        register_tables(con, policy, tables)
        try:
            released = con.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            cause = session.cause_of(str(error))
            if cause is None:
                raise
            raise_alone(cause)
        certificate = session.releases[-1]
    texts = source.column_names if suppress is not None else resolved.generalized
    if resolved.people is not None:
        source = source.drop_columns(resolved.people.per)
    return Release(table=_like(table, source, released, frozenset(texts)), certificate=certificate, sql=sql)


def audit(
    table: Any,
    *,
    quasi_identifiers: Iterable[str] | None = None,
    k: int | None = None,
    sensitive: str | None = None,
    l: Number | None = None,  # noqa: E741 - its name everywhere
    variant: str | None = None,
    c: Number | None = None,
    t: Number | None = None,
    metric: str | None = None,
    hierarchy: str | None = None,
    tables: Mapping[str, Any] | None = None,
) -> Audit:
    """Measure a table, released by whomever, in plain SQL.

    Parameters
    ----------
    table : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The table.
    quasi_identifiers : iterable of str, optional
        The columns that make the classes; None takes all that are not sensitive. NULL is a value like any other.
    k : int, optional
        Raise an error when a class has fewer rows.
    sensitive : str, optional
        The sensitive attribute, whose diversity and closeness are measured too.
    l, variant, c : optional
        Raise an error when a class is less diverse, as in :class:`~kanon_sql.requirements.LDiversity`.
    t : optional
        Raise an error when a class is farther from the whole table.
    metric, hierarchy : str, optional
        What far means, as in :class:`~kanon_sql.requirements.TCloseness`.
    tables : mapping, optional
        By their names, the hierarchy or the table of distances, as in `anonymize`.

    Raises
    ------
    AuditError
        When a class has fewer than ``k`` rows, or breaks another promise.
    """
    source = to_arrow(table)
    measured = measured_requirements(sensitive, l=l, variant=variant, c=c, t=t, metric=metric, hierarchy=hierarchy)
    policy = Policy.of(k=1 if k is None else k, quasi_identifiers=quasi_identifiers, requirements=measured)
    policy = policy.resolve(source.column_names)
    names = [qi.column for qi in policy.quasi_identifiers]
    with register(duckdb.connect()) as con:
        con.register("source", source)
        register_tables(con, policy, tables)
        size = record(con, "FROM k_anonymity('source', $qi)", {"qi": names})
        risk = record(con, "FROM reidentification_risk('source', $qi)", {"qi": names})
        figures = [(each, measure(con, each, names)) for each in measured]
    if k is not None and size["k"] is not None and size["k"] < k:
        raise AuditError(
            f"the smallest class has {size['k']} rows, fewer than k = {k}; hint: release the table with a smaller promise"
        )
    for requirement, found in figures:
        demand(requirement, found)
    told = {name: value for _, found in figures for name, value in found.items()}
    return Audit(
        k=size["k"],
        rows=size["rows"],
        classes=size["classes"],
        uniques=size["uniques"],
        highest_risk=risk["prosecutor_risk"],
        average_risk=risk["prosecutor_risk_average"],
        distinct_l=told.get("distinct_l"),
        frequency_l=frequency_of(told) if told else None,
        entropy_l=told.get("entropy_l"),
        t=distance_of(told) if told else None,
    )


def register_tables(con: duckdb.DuckDBPyConnection, policy: Policy, tables: Mapping[str, Any] | None) -> None:
    """Give a connection the tables that the policy names: just those."""
    check_tables(policy, tables or {}, "tables={{{!r}: ...}}")
    for name, table in (tables or {}).items():
        con.register(name, to_arrow(table))


def check_tables(policy: Policy, given: Iterable[str], how: str) -> None:
    """Refuse tables beside the source that are not just those that the policy names.

    Parameters
    ----------
    policy : Policy
        The promise.
    given : iterable of str
        Names of the tables that are given, without quotes.
    how : str
        How a table is given, with a place for its name.
    """
    offered = {same_name(quoted(name)): name for name in given}
    named = {same_name(table_name(name)): name for name in policy.tables}
    for key, name in named.items():
        if key not in offered:
            raise PolicyError(f"the policy names the table {name!r}, which is not given; hint: {how.format(name)}")
    for key, name in offered.items():
        if key not in named:
            raise PolicyError(
                f"nothing in the policy names the table {name!r}; hint: a metric, a hierarchy or a recoding names it"
            )
        if key in ('"source"', '"released"'):
            raise PolicyError(f"a table beside the source cannot be called {name!r}; hint: rename it")


def _kind(table: Any) -> str:
    return str(table.__class__.__module__).split(".")[0]


def to_arrow(table: Any) -> pa.Table:
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
        raise_alone(SourceError("the table cannot be read: a column mixes types; hint: give each column one type"))
    if not isinstance(arrow, pa.Table):
        raise SourceError(refusal)
    names = [same_name(name) for name in arrow.column_names]
    if len(set(names)) < len(names):
        raise SourceError("a column name occurs twice (case does not count in SQL); hint: rename one of them")
    if not names:
        raise SourceError("the table has no columns")
    return arrow


def readable(source: pa.Table) -> pa.Table:
    """Return the table with durations as numbers: DuckDB reads them as intervals, which do not lead back."""
    import pyarrow as pa

    for place, field in enumerate(source.schema):
        if pa.types.is_duration(field.type):
            source = source.set_column(place, field.name, source.column(place).cast(pa.int64()))
    return source


def _like(table: Any, source: pa.Table, released: pa.Table, texts: frozenset[str]) -> Any:
    """Give the released rows the kind and the column types of the source, but for columns that have become ``texts``."""
    import pyarrow as pa

    columns = [
        released.column(place) if field.name in texts else _cast(released.column(place), field.type)
        for place, field in enumerate(source.schema)
    ]
    released = pa.table(columns, names=source.column_names)
    match _kind(table):
        case "pandas":
            return _to_pandas(released, table, texts)
        case "polars":
            import polars

            frame = cast("polars.DataFrame", polars.from_arrow(released))
            return frame.cast({name: kind for name, kind in table.collect_schema().items() if name not in texts})
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


def _to_pandas(released: pa.Table, source: pd.DataFrame, texts: frozenset[str]) -> pd.DataFrame:
    """Keep the types of the source; whole numbers and booleans with suppressed cells take pandas' nullable types."""
    import pandas as pd

    columns = {}
    for place, (name, kind) in enumerate(source.dtypes.items()):
        column = released.column(place)
        if released.schema.field(place).name in texts:
            columns[name] = column.to_pandas()
            continue
        if column.null_count and kind.kind in "iub":
            nullable = {"bool": "boolean"}.get(kind.name, kind.name.replace("int", "Int").replace("uI", "UI"))
            kind = pd.api.types.pandas_dtype(nullable)
        exact = hasattr(kind, "__from_arrow__")
        series = column.to_pandas(types_mapper=lambda _, kind=kind: kind) if exact else column.to_pandas()
        columns[name] = series if series.dtype == kind else series.astype(kind)
    return pd.DataFrame(columns)
