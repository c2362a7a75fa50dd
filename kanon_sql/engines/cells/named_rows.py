"""The rows that SHOW and HIDE name by values: each value is counted as a key that says whether a row has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.errors import PolicyError
from kanon_sql.model.named_rows import NamedRow, describe, shows_keys, shows_sql
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools


def with_named_rows(counting: Counting, protection: Protection) -> Counting:
    """Return what is counted for a table, with a key more for each value that names rows.

    Raises
    ------
    PolicyError
        When the table does not have such rows.
    """
    shape, keys = counting.tabulation, dict(zip(counting.tabulation.keys, counting.keys, strict=True))
    for row in (*protection.show_rows, *protection.hide):
        for text, (place, values) in shows_keys(row, shape).items():
            keys.setdefault(text, shows_sql(counting.keys[place], values))
    return replace(counting, tabulation=replace(shape, keys=tuple(keys)), keys=tuple(keys.values()))


def rows_named(
    keys: Int64,
    ancestors: Int32,
    places: Mapping[tuple[int, ...], int],
    tabulation: Tabulation,
    asked: Sequence[tuple[Tabulation, Protection]],
) -> tuple[Bools, Bools]:
    """Return which rows of a system SHOW names, and which HIDE does.

    Parameters
    ----------
    keys : int64 array [b, d]
        The keys of the base cells.
    ancestors : int32 array [b, g]
        The row of each base cell in each grouping set.
    places : mapping
        The place of each grouping set, by its keys.
    tabulation : Tabulation
        The keys.
    asked : sequence of (Tabulation, Protection)
        The tables.

    Raises
    ------
    PolicyError
        When a table has no row with such values.
    """
    count = int(ancestors.max(initial=-1)) + 1
    shown, hidden = np.zeros((2, count), np.bool_)
    for shape, protection in asked:
        own = np.zeros((2, count), np.bool_)
        for found, word, rows in ((own[0], "SHOW", protection.show_rows), (own[1], "HIDE", protection.hide)):
            for row in rows:
                members, place = _members(keys, places, tabulation, shape, row)
                if not len(members):
                    raise PolicyError(
                        f"the table has no row of {describe(word, [row])}; hint: write values as the table shows them"
                    )
                found[ancestors[members, place]] = True
        if own.all(axis=0).any():
            raise PolicyError("SHOW and HIDE name the same row; hint: leave it out of one of them")
        shown |= own[0]
        hidden |= own[1]
    return shown, hidden


def _members(
    keys: Int64, places: Mapping[tuple[int, ...], int], tabulation: Tabulation, shape: Tabulation, row: NamedRow
) -> tuple[Int64, int]:
    """Return the base cells of some rows, and the place of their grouping set."""
    named = shows_keys(row, shape)
    outer = [tabulation.keys.index(text) for text in shape.conditions if text in tabulation.keys]
    met = [tabulation.keys.index(text) for text in named]
    chosen = tuple(sorted({*outer, *(tabulation.keys.index(shape.keys[place]) for place, _ in named.values())}))
    return np.flatnonzero((keys[:, [*outer, *met]] == 1).all(axis=1)), places[chosen]
