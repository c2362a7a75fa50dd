"""The clause on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.clause import not_our_word, single_release, wide_text
from kanon_sql.engines.spark.cells.query import with_protected
from kanon_sql.engines.spark.connect.failures import safe_errors
from kanon_sql.engines.spark.connect.names import fresh, joined, name_parts
from kanon_sql.engines.spark.release.anonymization import policy_of, released
from kanon_sql.errors import MissingPackageError, SourceError, raise_alone
from kanon_sql.model.surfaces import Surface
from kanon_sql.solvers.budget import Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FORMAT = "parquet"


def sql(
    text: str,
    *,
    into: str | None = None,
    policies: str | Path | None = None,
    secret: str | bytes | None = None,
    progress: Progress | None = None,
    session: SparkSession | None = None,
) -> DataFrame:
    """Run a statement of Spark's SQL that may have an ANONYMIZE or a PROTECT clause.

    Parameters
    ----------
    text : str
        A query, or ``CREATE TABLE name [USING format] AS`` a query, with ANONYMIZE behind its outermost SELECT. PROTECT may be
        behind any GROUP BY. A statement without a clause goes to Spark as it is.
    into : str, optional
        The table that the release of a query becomes; by default one with a name of its own in the current schema, which
        stays until it is dropped.
    policies : path, optional
        A file of policies, JSON or YAML, for ``ANONYMIZE WITH POLICY``.
    secret, progress : optional
        As for `anonymize`.
    session : SparkSession, optional
        By default the active one.

    Returns
    -------
    DataFrame
        It reads what was audited. The certificate is the last of `releases`.

    Raises
    ------
    ClauseError
        When the clause cannot be read, does not belong to the outermost query, or the rows of that query are groups and the
        guarantee does not say what it counts.
    PolicyError, SourceError, InfeasibleError, AuditError
        As `anonymize`.

    Examples
    --------
    >>> kanon_sql.spark.sql(  # doctest: +SKIP
    ...     "CREATE TABLE clinic.released AS SELECT zip, age, disease FROM clinic.patients "
    ...     "ANONYMIZE BY zip, age GUARANTEE k >= 5 AND l(disease) >= 2"
    ... )
    """
    spark = session or active()
    tables = with_protected(spark, text, progress)
    if tables is not None:
        with safe_errors("reading the protected table"):
            return spark.sql(tables)
    parts = single_release(text)
    if parts is None:
        return _passed_on(spark, text)
    if into is not None and parts.into is not None:
        raise SourceError("the statement already specifies the release table; hint: omit into")
    with safe_errors("reading the source"):
        whole, wide = spark.sql(parts.query), spark.sql(wide_text(parts.query, tried=False))
    source, policy = policy_of(whole, parts.policy, policies)
    parts.check_rows(policy)
    place = parts.into or into or fresh("released")
    surface: Surface = "json" if isinstance(parts.policy, str) else "spark"
    release = released(
        source, policy, place, wide=wide, surface=surface, using=parts.using or _FORMAT, secret=secret, progress=progress
    )
    if not parts.tail:
        table: DataFrame = release.table
        return table
    with safe_errors("reading the release"):
        return spark.sql(f"SELECT * FROM {joined(name_parts(place))} {parts.tail}")  # noqa: S608 - theirs


def _passed_on(spark: SparkSession, text: str) -> DataFrame:
    """Run a statement without the clause; where Spark cannot read it, a word may have been meant for the clause."""
    from pyspark.errors import ParseException

    try:
        return spark.sql(text)
    except ParseException:
        wrong = not_our_word(text)
        if wrong is None:
            raise
        raise_alone(wrong)


def active() -> SparkSession:
    """Return the active session.

    Raises
    ------
    SourceError
        When there is none.
    MissingPackageError
        When PySpark is not installed.
    """
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise_alone(MissingPackageError.of("Spark", "pyspark", "spark", ", and Java 17"))

    found = SparkSession.getActiveSession()
    if found is None:
        raise SourceError(
            "there is no active Spark session; hint: call SparkSession.builder.getOrCreate(), or pass session=..."
        )
    return found
