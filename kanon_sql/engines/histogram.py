"""The histogram of a release as it comes from DuckDB, made a coded table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.engines.population import refuse_empty_cells, with_populations
from kanon_sql.errors import PolicyError
from kanon_sql.generalize import ladders
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Levels, table_of
from kanon_sql.model.secret import Secret
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.equal_values import Spellings, key_codes, together
from kanon_sql.table.keyed_people import shuffled_people
from kanon_sql.table.ladder import Ladder
from kanon_sql.table.measurements import measurable
from kanon_sql.table.sensitive_values import Columns, labelled, measured

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """A histogram as solvers see it."""

    table: CodedTable  # the row types as codes
    policy: Policy  # resolved
    ladders: dict[str, Ladder]  # what the generalized columns show
    spellings: Spellings  # which entries of the histogram are one row type, as their sensitive values are equal


def coded(
    types: pa.StructArray, policy: Policy, tables: tuple[pa.ChunkedArray, ...], budget: Budget, secret: Secret | None = None
) -> Coded:
    """Code a histogram.

    Parameters
    ----------
    types : StructArray [t]
        The quasi-identifiers and the sensitive attributes, then for each of `labelled` the text of its value,
        ``kanon#n``, the rows, and for each of `Policy.measured` a key of its value, the same for equal ones.
    tables : tuple of lists of struct
        The tables of `Policy.tables`, their cells as texts, and those of `Policy.populations`, see `with_populations`.
    budget : Budget
        Time for the groups that are searched for.
    secret : Secret, optional
        People are coded in an order that follows it; without it in that of their values.
    """
    import pyarrow as pa

    parts, names = types.flatten(), [field.name for field in types.type]
    rows = len(names) - 1 - len(policy.measured)
    known = rows - len(labelled(policy))
    count: Int64 = np.from_dlpack(parts[rows])  # type: ignore[assignment]
    resolved = policy.resolve_row_types(names[:known])
    spelled = {same_name(name): name for name in names}
    texts = {spelled[same_name(name)]: part for name, part in zip(labelled(policy), parts[known:rows], strict=True)}
    keys = {name: key_codes(part) for name, part in zip(resolved.measured, parts[rows + 1 :], strict=True)}
    texts_of, populations = tables[: len(policy.tables)], tables[len(policy.tables) :]
    named = {name: _columns(policy, name, table) for name, table in zip(policy.tables, texts_of, strict=True)}
    climbed = ladders(resolved, measurable(resolved, texts, types.type), count, named, budget)
    values = pa.StructArray.from_arrays(parts[:known], names[:known])
    refuse_empty_cells(resolved, values)
    table, resolved = encode(values, count, resolved, climbed)
    table, spellings = together(table, keys)
    if secret is not None and resolved.people is not None:
        per = resolved.people.per
        table, spellings = shuffled_people(
            table, spellings, per, _drawn(parts[rows + 1 + resolved.measured.index(per)], keys[per], secret)
        )
    table = measured(table, resolved, texts, named, spellings)
    table = with_populations(table, resolved, spellings, climbed, texts, named, populations)
    return Coded(table=table, policy=resolved, ladders=climbed, spellings=spellings)


def _drawn(key: pa.Array, code: Int32, secret: Secret) -> Words:
    """Return the number that the secret gives each person, for each entry; every person is looked up once."""
    sample = np.empty(int(code.max()) + 1, np.int64)
    sample[code] = np.arange(len(code))
    return secret.numbers("people", key.take(numbers(sample)).to_pylist())[code]


def _columns(policy: Policy, name: str, table: pa.ChunkedArray) -> Columns:
    """Return a table that the policy names, column by column."""
    if table.null_count:
        raise _empty(policy, name)
    rows = table.combine_chunks().values
    return {field.name: column.to_pylist() for field, column in zip(rows.type, rows.flatten(), strict=True)}


def _empty(policy: Policy, name: str) -> PolicyError:
    """Return the error for a table without rows, with what its use in the policy asks for."""
    for qi in policy.quasi_identifiers:
        if table_of(qi.recoding) == name:
            column = as_identifier(qi.column)
            if isinstance(qi.recoding, Levels):
                return PolicyError(
                    f"the hierarchy {name!r} of the column {column} is empty; hint: it needs a row for each value"
                )
            return PolicyError(
                f"the map {name!r} of the column {column} is empty; hint: it needs a row for each pair of neighbours"
            )
    return PolicyError(f"the table {name!r} that the policy names is empty; hint: fill it, or take the metric 'equal'")
