"""The populations of a release as they come from DuckDB, in the codes of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.generalize.unseen import unseen_codes
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import DeltaPresence
from kanon_sql.model.validation import as_identifier
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import UNSEEN, CodedTable, Population
from kanon_sql.table.equal_values import Spellings
from kanon_sql.table.ladder import COST, Label, Ladder
from kanon_sql.table.sensitive_values import Columns

if TYPE_CHECKING:
    import pyarrow as pa


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
                f"{presence.describe()}: {as_identifier(qi.column)} has empty cells, which would look like suppressed ones; "
                "hint: USING auto (suppress = '*'), or fill the empty cells"
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
                f'the column "{qi.column}" of {population} has another kind of values than that of the source; hint: cast '
                "one of them, or both to VARCHAR"
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
