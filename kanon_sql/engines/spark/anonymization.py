"""A release of a DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from kanon_sql.certificate import Release
from kanon_sql.engines.duckdb.written import read_options
from kanon_sql.engines.engine import release
from kanon_sql.engines.spark.engine import SparkEngine
from kanon_sql.engines.spark.supported import check_supported
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import POLICY_DEFAULTS, PolicyOptions, completed, spelled_out
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.secret import secret_of
from kanon_sql.solvers.budget import Progress, silent

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@spelled_out(POLICY_DEFAULTS)
def anonymize(
    df: DataFrame,
    *,
    into: str,
    using: str = "parquet",
    secret: str | bytes | None = None,
    progress: Progress | None = None,
    **options: Unpack[PolicyOptions[str | Generalization]],
) -> Release:
    """Release a DataFrame as a table so that every row looks like k - 1 others, at the least loss.

    Parameters
    ----------
    df : DataFrame
        The source, of a classic session or of Connect. It is read two or three times, and has to be the same each time.
    into : str
        The table that the release becomes, as in ``schema.table``; it must not be there yet.
    using : str
        Its format: ``'parquet'``, or what the session has, such as ``'delta'`` or ``'iceberg'``.
    secret : str or bytes, optional
        As for `kanon_sql.register`.
    progress : callable, optional
        As for `kanon_sql.anonymize`.
    **options
        The policy, as for `kanon_sql.anonymize`; hierarchies are tables of the session.

    Returns
    -------
    Release
        Its ``table`` is a DataFrame that reads what was audited; ``sql`` has the statements of the audit.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        When the policy is wrong or not supported on Spark, the source cannot be read, or no release meets the guarantee.
    TypeError
        When there is no such option.

    Notes
    -----
    One GROUP BY of the source by the columns of the policy, one join of its rows with their row types, one shuffle of the
    released rows, and one GROUP BY of what was written for each question of the audit.

    Examples
    --------
    >>> import kanon_sql.spark
    >>> release = kanon_sql.spark.anonymize(  # doctest: +SKIP
    ...     spark.table("clinic.patients"), k=5, quasi_identifiers=["zip", "age"], into="clinic.released"
    ... )
    """
    completed("anonymize", options, POLICY_DEFAULTS)
    return released(df, Policy.of(**read_options(options)), into, using=using, secret=secret, progress=progress)


def released(
    df: DataFrame,
    policy: Policy,
    into: str,
    *,
    using: str = "parquet",
    secret: str | bytes | None = None,
    progress: Progress | None = None,
) -> Release:
    """Release a DataFrame under a policy."""
    check_supported(policy)
    known = secret_of(secret)
    engine = SparkEngine(df, into, using, known)
    certificate = release(engine, policy, known, progress or silent)
    return Release(table=df.sparkSession.table(engine.into), certificate=certificate, sql=";\n".join(engine.asked))
