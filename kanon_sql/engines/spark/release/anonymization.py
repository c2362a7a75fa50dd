"""A release of a DataFrame."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from kanon_sql.certificate import Certificate, Release
from kanon_sql.engines.engine import release
from kanon_sql.engines.spark.connect.names import quoted
from kanon_sql.engines.spark.connect.scratch import scratch
from kanon_sql.engines.spark.gather.columns import fields_of
from kanon_sql.engines.spark.guarantees import check_supported
from kanon_sql.engines.spark.release.engine import SparkEngine
from kanon_sql.engines.written import read_options
from kanon_sql.errors import PolicyError
from kanon_sql.model.dropped_columns import dropped_columns, remaining
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_file import read, text_of
from kanon_sql.model.policy_names import Stored, of_name
from kanon_sql.model.policy_options import POLICY_DEFAULTS, UNSAID_K, OptionsBesideK, completed, spelled_out
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.secret import secret_of
from kanon_sql.model.surfaces import Surface
from kanon_sql.solvers.budget import Progress, silent
from kanon_sql.solvers.problem_classes import ProblemClass

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_RELEASES: weakref.WeakKeyDictionary[Any, list[Certificate]] = weakref.WeakKeyDictionary()

ROW_TYPES = 2_000_000
"""Row types that the driver takes at once by default: nine columns of them are some 2 GB with all that the solver needs."""

_LOCK = threading.Lock()


@spelled_out(POLICY_DEFAULTS)
def anonymize(
    df: DataFrame,
    k: int = UNSAID_K,
    *,
    into: str,
    using: str = "parquet",
    secret: str | bytes | None = None,
    progress: Progress | None = None,
    driver_row_types: int = ROW_TYPES,
    scratch_schema: str | None = None,
    policy: str | None = None,
    policies: str | Path | None = None,
    drop: Sequence[str] | None = None,
    **options: Unpack[OptionsBesideK[str | Generalization]],
) -> Release:
    """Release a DataFrame as a table so that every row looks like k - 1 others, at the least loss.

    Parameters
    ----------
    df : DataFrame
        The source, of a classic session or of Connect. It is read two or three times, and has to be the same each time.
    k : int
        As for `kanon_sql.anonymize`.
    into : str
        The table that the release becomes, as in ``schema.table``; it must not be there yet.
    using : str
        Its format: ``'parquet'``, or what the session has, such as ``'delta'`` or ``'iceberg'``.
    secret : str or bytes, optional
        As for `kanon_sql.register`.
    progress : callable, optional
        As for `kanon_sql.anonymize`.
    driver_row_types : int
        Row types that the driver takes at once. Where there are more, they are solved by parts, by executors that have
        kanon-sql installed: for k alone, without generalized columns, under ``auto`` and ``greedy``.
    scratch_schema : str, optional
        The schema of the tables between two steps of that, and of the released rows with the column of ``per``; by default the
        current one. They are dropped in the end.
    policy : str, optional
        In place of options: JSON text, or the name of a policy in the file ``policies``, JSON or YAML.
    policies : path, optional
        That file.
    drop : sequence of str, optional
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
    if policy is not None and (options or k is not UNSAID_K):
        raise PolicyError("a policy cannot be combined with options; hint: pass either the policy or the options")
    requested = Policy.of(**read_options({**options, "k": k})) if policy is None else policy
    if policy is not None and drop is not None:
        raise PolicyError("policy and drop cannot be combined; hint: list the columns as identifiers in the policy")
    left = df
    if isinstance(requested, Policy) and drop is not None:
        names = remaining(df.columns, dropped_columns(drop, requested, df.columns))
        left = df.select([quoted(name) for name in names])
    fields_of(left)
    source, chosen = policy_of(left, requested, policies)
    return released(
        source,
        chosen,
        into,
        wide=df,
        surface="dataframe" if policy is None else "json",
        using=using,
        secret=secret,
        progress=progress,
        driver_row_types=driver_row_types,
        scratch_schema=scratch_schema,
    )


def released(
    df: DataFrame,
    policy: Policy,
    into: str,
    *,
    wide: DataFrame,
    surface: Surface,
    using: str = "parquet",
    secret: str | bytes | None = None,
    progress: Progress | None = None,
    driver_row_types: int = ROW_TYPES,
    scratch_schema: str | None = None,
) -> Release:
    """Release a DataFrame under a policy; ``wide`` has the same rows with the columns that it leaves out."""
    check_supported(policy)
    known = secret_of(secret)
    hears = progress or silent
    with scratch(df.sparkSession, scratch_schema) as place:
        engine = SparkEngine(df, into, using, known, surface=surface, scratch=place)
        resolved = policy.resolve(engine.columns(), surface)
        unit_warnings = engine.settle(resolved, wide)
        if ProblemClass.of(policy).divisible(policy) and engine.has_more_row_types(resolved, driver_row_types):
            certificate = engine.release_by_parts(resolved, driver_row_types, hears, unit_warnings)
        else:
            certificate = release(engine, policy, known, hears, unit_warnings)
    with _LOCK:
        _RELEASES.setdefault(df.sparkSession, []).append(certificate)
    return Release(table=df.sparkSession.table(engine.into), certificate=certificate, sql=";\n".join(engine.statements))


def releases(session: SparkSession) -> list[Certificate]:
    """Return the certificates of all audited releases of a session in this process, oldest first.

    Parameters
    ----------
    session : SparkSession
        The session.
    """
    with _LOCK:
        return list(_RELEASES.get(session, []))


def policy_of(source: DataFrame, policy: Policy | str, policies: str | Path | None) -> tuple[DataFrame, Policy]:
    """Return what a policy releases of a source, and what it guarantees.

    Parameters
    ----------
    policy : Policy or str
        A policy, its JSON text, or the name of one in the file; a named one drops its identifiers, and knows each column.
    policies : path, optional
        A file of policies, as of `kanon policies`: JSON or YAML.

    Raises
    ------
    PolicyError
        When the policy cannot be read, there is none of that name, or a column has no role in it.
    SourceError
        When the file cannot be read.
    """
    if isinstance(policy, Policy):
        return source, policy
    if policy.lstrip().startswith("{"):
        return source, Policy.from_json(policy)
    stored = of_name(policy, _read(policies))
    columns = stored.released(source.columns)
    return source.select([quoted(column) for column in columns]), stored.policy_for(columns)


def _read(policies: str | Path | None) -> list[Stored]:
    if policies is None:
        return []
    return read(text_of(policies), str(policies))
