"""The rows that SHOW, HIDE and IMPOSSIBLE name by values: a key more says which of the named values a key shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.named_rows import NamedRow, check_rows, describe, shows_keys, shows_of, shows_sql, values_of
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools


def with_named_rows(counting: Counting, protection: Protection) -> Counting:
    """Return what is counted for a table, with a key more for each key of which values are named.

    Raises
    ------
    PolicyError
        When the table does not have such rows.
    """
    shape, keys = counting.tabulation, dict(zip(counting.tabulation.keys, counting.keys, strict=True))
    check_rows((*protection.show_rows, *protection.hide), shape)
    for place, text in shows_keys(protection.rows_by_values, shape).items():
        _, values = shows_of(text) or ("", ())
        keys[text] = shows_sql(counting.keys[place], values)
    return replace(counting, tabulation=replace(shape, keys=tuple(keys)), keys=tuple(keys.values()))


def rows_named(
    keys: Int64,
    ancestors: Int32,
    places: Mapping[tuple[int, ...], int],
    tabulation: Tabulation,
    requested: Sequence[tuple[Tabulation, Protection]],
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
    requested : sequence of (Tabulation, Protection)
        The tables.

    Raises
    ------
    PolicyError
        When a table has no row with such values.
    """
    count = int(ancestors.max(initial=-1)) + 1
    shown, hidden = np.zeros((2, count), np.bool_)
    for shape, protection in requested:
        own = np.zeros((2, count), np.bool_)
        for found, word, rows in ((own[0], "SHOW", protection.show_rows), (own[1], "HIDE", protection.hide)):
            for row in rows:
                members, place = _members(keys, places, tabulation, (shape, protection), row)
                if not len(members):
                    raise PolicyError(
                        f"the table has no row for {describe(word, [row])}; hint: write the values as they appear in the table"
                    )
                found[ancestors[members, place]] = True
        if own.all(axis=0).any():
            raise PolicyError("SHOW and HIDE list the same row; hint: remove it from one of them")
        shown |= own[0]
        hidden |= own[1]
    return shown, hidden


def impossible_cells(keys: Int64, tabulation: Tabulation, requested: Sequence[tuple[Tabulation, Protection]]) -> Bools:
    """Return which base cells, by their keys, nobody can be in, as the author of some table says."""
    found = np.zeros(len(keys), np.bool_)
    for shape, protection in requested:
        for row in protection.impossible:
            found |= _having(keys, tabulation, shape, protection, row)
    return found


def refuse_impossible(cells: BaseCells, tabulation: Tabulation, requested: Sequence[tuple[Tabulation, Protection]]) -> None:
    """Refuse a table that counts people whom its author calls impossible.

    Raises
    ------
    SourceError
        When somebody has such values.
    """
    if impossible_cells(cells.keys[cells.people > 0], tabulation, requested).any():
        raise SourceError(
            "a person has values that IMPOSSIBLE rules out; nothing was released; hint: correct the source, or "
            "remove these values from IMPOSSIBLE"
        )


def relate_impossible(
    related: list[set[int]], tabulation: Tabulation, requested: Sequence[tuple[Tabulation, Protection]]
) -> None:
    """Add the keys of which IMPOSSIBLE says that not all values go together, see `related_keys`."""
    for shape, protection in requested:
        for row in protection.impossible:
            keys = {tabulation.keys.index(shape.keys[place]) for place in values_of(row, shape)}
            for key in keys:
                related[key] |= keys - {key}


def _having(keys: Int64, tabulation: Tabulation, shape: Tabulation, protection: Protection, row: NamedRow) -> Bools:
    """Return which base cells have the values of a row."""
    found, shows = np.ones(len(keys), np.bool_), shows_keys(protection.rows_by_values, shape)
    for place, values in values_of(row, shape).items():
        _, listed = shows_of(shows[place]) or ("", ())
        numbers = [1 + listed.index(each) for each in values]
        found &= np.isin(keys[:, tabulation.keys.index(shows[place])], numbers)
    return found


def _members(
    keys: Int64,
    places: Mapping[tuple[int, ...], int],
    tabulation: Tabulation,
    table: tuple[Tabulation, Protection],
    row: NamedRow,
) -> tuple[Int64, int]:
    """Return the base cells of some rows, and the place of their grouping set."""
    shape, protection = table
    outer = [tabulation.keys.index(text) for text in shape.conditions if text in tabulation.keys]
    chosen = tuple(sorted({*outer, *(tabulation.keys.index(shape.keys[place]) for place in values_of(row, shape))}))
    met = (keys[:, outer] == 1).all(axis=1) & _having(keys, tabulation, shape, protection, row)
    return np.flatnonzero(met), places[chosen]
