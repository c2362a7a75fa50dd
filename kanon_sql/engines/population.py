"""The populations of a release as they come from DuckDB, in the codes of its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.model.policy import Policy
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.equal_values import Spellings
from kanon_sql.table.population import UNSEEN, Population

if TYPE_CHECKING:
    import pyarrow as pa


def with_populations(
    table: CodedTable, policy: Policy, spellings: Spellings, populations: Sequence[pa.ChunkedArray]
) -> CodedTable:
    """Return a table that knows the populations which its policy names.

    Parameters
    ----------
    table, policy, spellings
        As in `Coded`.
    populations : sequence of lists of struct of whole numbers
        For each of `Policy.populations` its rows: for each column, or group of linked columns, the number of the first row type
        that has the same there, below 0 where none has; and how many rows these are.
    """
    if not populations:
        return table
    found = {name: _population(table, spellings, rows) for name, rows in zip(policy.populations, populations, strict=True)}
    return replace(table, populations=found)


def _population(table: CodedTable, spellings: Spellings, rows: pa.ChunkedArray) -> Population:
    entries = rows.combine_chunks().flatten()
    *numbers, weight = (np.from_dlpack(each) for each in entries.flatten())
    codes = np.full((len(weight), len(table.columns)), UNSEEN, np.int32)
    for places, number in zip(table.ladders.values(), numbers, strict=True):
        known = np.flatnonzero(number >= 0)
        row_type = spellings.row_type[number[known]]
        for place in places:
            codes[known, place] = table.codes[row_type, place]
    return _together(codes, weight.astype(np.int64))


def _together(codes: np.ndarray, weight: Int64) -> Population:
    """Return the population, rows of the same codes put together: DuckDB tells values apart that have one code."""
    if not len(weight):
        return Population(codes=codes, weight=weight)
    distinct, owner = np.unique(codes, axis=0, return_inverse=True)
    total = np.zeros(len(distinct), np.int64)
    np.add.at(total, owner, weight)
    return Population(codes=np.ascontiguousarray(distinct), weight=total)
