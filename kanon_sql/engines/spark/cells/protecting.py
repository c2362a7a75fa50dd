"""Protected tables of a DataFrame: Spark counts the base cells, the driver finds what to suppress."""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kanon_sql.certificate.table_certificate import ProtectedTable, TableCertificate
from kanon_sql.engines.announcing import announce
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.table_unit import unit_of
from kanon_sql.engines.duckdb.cells.counted_cells import counted_keys, protect_counted
from kanon_sql.engines.duckdb.cells.protecting import arguments_of
from kanon_sql.engines.spark.cells.base_cells import base_cells
from kanon_sql.engines.spark.connect.failures import safe_errors
from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.engines.spark.gather.columns import fields_of
from kanon_sql.engines.spark.gather.unit import settled_frame
from kanon_sql.errors import PolicyError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation, level_of
from kanon_sql.model.validation import same_name
from kanon_sql.solvers.budget import Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NOT_COMPARED = (
    "Spark did not compare this table with an earlier one of the session: each is safe alone, but both together may not be; "
    "hint: count them in one query with GROUPING SETS"
)

_PROTECTED: weakref.WeakKeyDictionary[Any, list[TableCertificate]] = weakref.WeakKeyDictionary()

_LOCK = threading.Lock()


def protect(
    df: DataFrame,
    by: Sequence[str],
    *,
    measures: Mapping[str, str] | None = None,
    k: int | None = None,
    grouping: str = "cube",
    p: Mapping[str, float | str | Fraction] | None = None,
    dominance: Mapping[str, tuple[int, float | str | Fraction]] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> ProtectedTable:
    """Publish counts and sums of a DataFrame from which no count below k follows.

    Parameters
    ----------
    df : DataFrame
        The source, one row for each person unless ``per`` names a column, or ``per_row=True``.
    by, measures, k, grouping, p, dominance, progress, **options
        As for `kanon_sql.protect`.

    Returns
    -------
    ProtectedTable
        Its ``table`` is a DataFrame that holds the checked rows.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        As `kanon_sql.protect`; also when a key or a sum has a type that is not exact.

    Notes
    -----
    One GROUP BY of the source by all keys, one more for each sum with a rule, and one for the people of ``per``. Earlier tables
    are not remembered.

    Examples
    --------
    >>> kanon_sql.spark.protect(spark.table("clinic.patients"), by=["region", "sex"], k=5).table.show()  # doctest: +SKIP
    """
    fields = {same_name(field.name): field.name for field in fields_of(df)}
    rules: dict[str, Any] = {"measures": measures, "k": k, "grouping": grouping, "p": p, "dominance": dominance}
    counting, protection = arguments_of([*fields.values()], by, **rules, **options).requested()
    shape = counting.tabulation
    check_supported(shape)
    counted = [fields[text] for text in counted_keys(counting)]
    named = [(name, f"kanon#key{place}") for place, name in enumerate(counted)]
    named += [(fields[text], f"kanon#value{place}") for place, text in enumerate(shape.sums)]
    named += [] if protection.per is None else [(fields[same_name(protection.per)], "kanon#person")]
    with safe_errors("reading the source"):
        rows = df.selectExpr(*[f"{quoted(name)} AS {quoted(place)}" for name, place in named])
        keys = df.select(*map(quoted, counted))
    warned = settled_frame(keys, df, unit_of(counting, protection), "dataframe")
    return protected(rows, counting, protection, progress, warned)


def check_supported(shape: Tabulation) -> None:
    """Refuse levels, whose labels are made in DuckDB."""
    if any(map(level_of, shape.keys)):
        raise PolicyError(
            "Spark does not support levels with IN; hint: add a column for each level, and count with ROLLUP over them"
        )


def protected(
    rows: DataFrame, counting: Counting, protection: Protection, progress: Progress | None, warned: Sequence[str]
) -> ProtectedTable:
    """Return the protected table of rows with the columns of `base_cells`; ``warned`` is said about whom they describe."""
    with safe_errors("counting the source"):
        cells = base_cells(rows, counted_keys(counting), counting.tabulation.sums, protection.largest)
    found = protect_counted(cells, counting, protection, progress, warned)
    certificate = _with_earlier(rows.sparkSession, found.certificate)
    with safe_errors("storing the protected table"):
        table = rows.sparkSession.createDataFrame(found.table)
    with _LOCK:
        _PROTECTED.setdefault(rows.sparkSession, []).append(certificate)
    return ProtectedTable(table=table, certificate=certificate, sql=found.sql)


def _with_earlier(session: SparkSession, certificate: TableCertificate) -> TableCertificate:
    """Warn of earlier tables that may be of the same people, since nothing compares them; return the certificate with that.

    All tables of DataFrames may be: these have no names.
    """
    own = json.loads(certificate.tabulation)
    earlier = [json.loads(each.tabulation) for each in protected_tables(session)]
    if not any(each["source"] == own["source"] and each != own for each in earlier):
        return certificate
    announce([replace(certificate, warnings=(_NOT_COMPARED,))])
    return replace(certificate, warnings=(*certificate.warnings, _NOT_COMPARED))


def protected_tables(session: SparkSession) -> list[TableCertificate]:
    """Return the certificates of all protected tables of a session in this process, oldest first.

    Parameters
    ----------
    session : SparkSession
        The session.
    """
    with _LOCK:
        return list(_PROTECTED.get(session, []))
