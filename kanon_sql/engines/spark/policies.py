"""Policies for Spark: JSON, or one by its name in a file of policies; which columns of a source they release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.spark.names import quoted
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_file import read, text_of
from kanon_sql.model.policy_names import Stored, of_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
