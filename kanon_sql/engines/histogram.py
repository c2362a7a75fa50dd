"""The histogram of a release as it comes from DuckDB, made a coded table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.coded import CodedTable, Int64, encode
from kanon_sql.errors import PolicyError
from kanon_sql.generalize import ladders
from kanon_sql.ground import Columns, labelled, measured
from kanon_sql.ladder import Ladder
from kanon_sql.policy import Policy
from kanon_sql.solvers.budget import Budget
from kanon_sql.validation import same_name

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """A histogram as solvers see it.

    Parameters
    ----------
    table : CodedTable
        The row types as codes.
    policy : Policy
        Resolved.
    ladders : dict of Ladder
        What the generalized columns show.
    """

    table: CodedTable
    policy: Policy
    ladders: dict[str, Ladder]


def coded(types: pa.StructArray, policy: Policy, tables: tuple[pa.ChunkedArray, ...], budget: Budget) -> Coded:
    """Code a histogram.

    Parameters
    ----------
    types : StructArray [t]
        The quasi-identifiers and the sensitive attributes, then for each of `labelled` the text of its value, and
        ``kanon#n``, the rows.
    policy : Policy
        The promise.
    tables : tuple of lists of struct of text
        The tables of `Policy.tables`.
    budget : Budget
        Time for the groups that are searched for.
    """
    import pyarrow as pa

    known = len(types.type) - 1 - len(labelled(policy))
    parts, names = types.flatten(), [field.name for field in types.type]
    count: Int64 = np.from_dlpack(parts[-1])  # type: ignore[assignment]
    resolved = policy.resolve(names[:known])
    spelled = {same_name(name): name for name in names}
    texts = {spelled[same_name(name)]: part for name, part in zip(labelled(policy), parts[known:-1], strict=True)}
    named = dict(zip(policy.tables, map(_columns, policy.tables, tables), strict=True))
    climbed = ladders(resolved, texts, count, named, budget)
    values = pa.StructArray.from_arrays(parts[:known], names[:known])
    table, resolved = encode(values, count, resolved, climbed)
    return Coded(table=measured(table, resolved, texts, named), policy=resolved, ladders=climbed)


def _columns(name: str, table: pa.ChunkedArray) -> Columns:
    """Return a table that the policy names, column by column."""
    if table.null_count:
        raise PolicyError(f"the table {name!r} that the policy names is empty; hint: fill it, or take the metric 'equal'")
    rows = table.combine_chunks().values
    return {field.name: column.to_pylist() for field, column in zip(rows.type, rows.flatten(), strict=True)}
