"""The histogram of a release as it comes from DuckDB, made a coded table, with the populations in its codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.errors import PolicyError
from kanon_sql.generalize import ladders
from kanon_sql.generalize.unseen import unseen_codes
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Levels, table_of
from kanon_sql.model.requirements import DeltaPresence
from kanon_sql.model.secret import Secret
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import UNSEEN, CodedTable, Population
from kanon_sql.table.encode import encode
from kanon_sql.table.equal_values import Spellings, key_codes, together
from kanon_sql.table.keyed_people import shuffled_people
from kanon_sql.table.ladder import COST, Label, Ladder
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
                return PolicyError(f"the hierarchy {name!r} for the column {column} is empty; hint: add a row for each value")
            return PolicyError(
                f"the map {name!r} for the column {column} is empty; hint: add a row for each pair of neighbours"
            )
    return PolicyError(f"the table {name!r} used in the policy is empty; hint: add rows to it, or use the metric 'equal'")


def refuse_empty_cells(policy: Policy, values: pa.StructArray) -> None:
    """Refuse delta-presence where readers would take a cell that the source leaves empty for a suppressed one.

    Raises
    ------
    PolicyError
        When a quasi-identifier has such cells, and suppressed ones look the same: readers would see larger classes.
    """
    presence = next((each for each in policy.population_requirements if isinstance(each, DeltaPresence)), None)
    if presence is None or policy.suppress is not None:
        return
    for qi in policy.quasi_identifiers:
        if values.field(qi.column).null_count:
            raise PolicyError(
                f"{presence.describe()}: {as_identifier(qi.column)} has empty cells, which would look suppressed; "
                "hint: write USING auto (suppress = '*'), or fill the empty cells"
            )


def with_populations(
    table: CodedTable,
    policy: Policy,
    spellings: Spellings,
    ladders: Mapping[str, Ladder],
    texts: Mapping[str, pa.Array],
    tables: Mapping[str, Columns],
    populations: Sequence[pa.ChunkedArray],
) -> CodedTable:
    """Return a table that knows the populations which its policy names.

    Parameters
    ----------
    table, spellings, ladders
        As in `Coded`.
    policy : Policy
        Resolved.
    texts, tables
        As for `measured`.
    populations : sequence of struct of lists
        For each of `Policy.populations` its ``rows``: for each column, or group of linked columns, the number of the first row
        type that has the same there, below 0 where none has; and how many rows these are. ``texts`` are the values that no row
        type has, behind one empty list a list for each generalized column; the number -2 is the first of a list. ``apart``
        tells of each column whether its values cannot be compared.

    Raises
    ------
    PolicyError
        When there is such a column.
    """
    if not populations:
        return table
    recodings = {qi.column: qi.recoding for qi in policy.quasi_identifiers}
    found: dict[str, Population] = {}
    for name, counted in zip(policy.populations, populations, strict=True):
        rows, unseen, apart = counted.combine_chunks().flatten()
        _refuse_apart(policy, name, apart[0].as_py() or [])
        others = iter(unseen[0].as_py()[1:])
        levels: dict[str, list[Int32]] = {}
        for names in filter(None, table.ladders):
            recoding = recodings[names[0]]
            if recoding is not None:
                known = set(texts[names[0]].unique().to_pylist())
                listed: list[Label] = next(others) or []
                levels[names[0]] = unseen_codes(recoding, ladders[names[0]], known, listed, tables)
        found[name] = _population(table, spellings, levels, rows.flatten())
    return replace(table, populations=found)


def _refuse_apart(policy: Policy, population: str, apart: Sequence[bool]) -> None:
    for qi, different in zip(policy.quasi_identifiers, apart, strict=False):
        if different:
            raise PolicyError(
                f'the column "{qi.column}" has different types in {population} and in the source; hint: cast one of them, '
                "or cast both to VARCHAR"
            )


def _population(table: CodedTable, spellings: Spellings, levels: Mapping[str, list[Int32]], rows: pa.StructArray) -> Population:
    *numbers, weight = (np.from_dlpack(each) for each in rows.flatten())
    codes = np.full((len(weight), len(table.columns)), UNSEEN, np.int32)
    codes[:, table.ladders.get(COST, [])] = 0  # all rows agree there
    named = [(names, places) for names, places in table.ladders.items() if names != COST]
    for (names, places), number in zip(named, numbers, strict=True):
        known, other = np.flatnonzero(number >= 0), np.flatnonzero(number < UNSEEN)
        row_type = spellings.row_type[number[known]]
        for level, place in enumerate(places):
            codes[known, place] = table.codes[row_type, place]
            if names[0] in levels:
                codes[other, place] = levels[names[0]][level][UNSEEN - 1 - number[other]]
    return _together(codes, weight.astype(np.int64))


def _together(codes: Int32, weight: Int64) -> Population:
    """Return the population, rows of the same codes put together: values that are not seen need not be distinguished."""
    if not len(weight):
        return Population(codes=codes, weight=weight)
    distinct, owner = np.unique(codes, axis=0, return_inverse=True)
    total = np.zeros(len(distinct), np.int64)
    np.add.at(total, owner, weight)
    return Population(codes=np.ascontiguousarray(distinct), weight=total)
