"""The base cells of a table as an engine counts them, and the table that they make for a solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from kanon_sql.errors import SourceError
from kanon_sql.model.protection import Ambiguity, Dominance, Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import CellTable, Measure

_LARGEST = 2**62
"""Sums in units are below this, so that no sum of two of them overflows."""

_SAFETY = 10
"""Percent by which the sum of a row of too few people may be greater for all that an attacker knows, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCells:
    """What an engine counted, in the order of the keys.

    Parameters
    ----------
    keys : int64 array [b, d]
        The keys as numbers, equal ones for equal values.
    people : int64 array [b]
        How many people are in each base cell, at least 1.
    sums : int64 array [b, s]
        The sums, in units of the last decimal place.
    largest : list of int64 array [b, m]
        For each sum, the largest contributions to each base cell, in descending order; 0 where there are fewer.
    """

    keys: Int64
    people: Int64
    sums: Int64
    largest: list[Int64]

    def same(self, other: BaseCells) -> bool:
        """Return whether the counts and the sums are the same, cell by cell."""
        mine, theirs = (self.keys, self.people, self.sums), (other.keys, other.people, other.sums)
        return all(map(np.array_equal, mine, theirs))


def cell_table(cells: BaseCells, tabulation: Tabulation, asked: Sequence[tuple[Tabulation, Protection]]) -> CellTable:
    """Return the published system of a table.

    Parameters
    ----------
    cells : BaseCells
        At least one.
    tabulation : Tabulation
        Its keys, sums and grouping sets.
    asked : sequence of (Tabulation, Protection)
        What is asked of the table, and of other tables over the same base cells: for a row that several have, the strictest
        counts. What suppressing costs follows the first.

    Raises
    ------
    SourceError
        When a sum has too many digits.

    Notes
    -----
    O(b log b) for each grouping set.
    """
    ancestors, rows = row_numbers(cells.keys, tabulation.sets)
    levels = np.array([[key not in chosen for key in range(cells.keys.shape[1])] for chosen in tabulation.sets], np.int16)
    protection = asked[0][1]
    people = _added(ancestors, cells.people, rows)
    fixed = (cells.people == 1) & any(each.contributors for _, each in asked)
    k = max(each.k for _, each in asked)
    few = people < k
    least = int(any(each.rows == "null" for _, each in asked))
    measures = [Measure(value=cells.people, least=least, required=np.where(few, k, 0), fixed=fixed)]
    for place, text in enumerate(tabulation.sums):
        if sum(map(int, cells.sums[:, place].tolist())) >= _LARGEST:
            raise SourceError("a sum has more than 18 digits; hint: round its numbers, or sum thousands")
        total = _added(ancestors, cells.sums[:, place], rows)
        required = np.where(few, total + np.maximum(1, -(-total // (100 // _SAFETY))), 0)
        for shape, each in asked:
            rules = _rules(shape, each, text)
            if rules:
                largest = _largest(ancestors, cells.largest[place], rows)
                required = np.maximum(required, _required(rules, largest, total))
        measures.append(Measure(value=cells.sums[:, place].copy(), least=0, required=required, fixed=fixed))
    return CellTable(
        ancestors=ancestors,
        levels=levels,
        measures=tuple(measures),
        cost=people.copy() if protection.cost == "n" else np.ones(rows, np.int64),
        shown=_shown(ancestors, rows, tabulation, asked),
        suppressed=np.zeros(rows, np.bool_),
    )


def row_numbers(keys: Int64, sets: Sequence[Sequence[int]]) -> tuple[Int32, int]:
    """Return the row of each base cell in each grouping set, and how many rows there are; see `CellTable.ancestors`."""
    found = np.zeros((len(keys), len(sets)), np.int32)
    rows = 0
    for place, chosen in enumerate(sets):
        group = np.zeros(len(keys), np.int64)
        for key in chosen:
            wide = int(keys[:, key].max()) + 1
            if int(group.max()) + 1 > _LARGEST // wide:
                group = np.unique(group, return_inverse=True)[1]
            group = group * wide + keys[:, key]
        _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
        order = np.empty(len(first), np.int64)
        order[np.argsort(first, kind="stable")] = np.arange(len(first))
        found[:, place] = rows + order[inverse]
        rows += len(first)
    return found, rows


def _shown(ancestors: Int32, rows: int, tabulation: Tabulation, asked: Sequence[tuple[Tabulation, Protection]]) -> np.ndarray:
    """Return which rows have to be shown: those of the grouping sets that are named."""
    found = np.zeros(rows, np.bool_)
    for shape, names in ((shape, names) for shape, each in asked for names in each.show):
        keys = [shape.named(name, "key") for name in names]
        texts = {shape.keys[each.places[0]] for each in keys if each is not None}
        for place, chosen in enumerate(tabulation.sets):
            if {tabulation.keys[key] for key in chosen} == texts:
                found[ancestors[:, place]] = True
    return found


def _added(ancestors: Int32, values: Int64, rows: int) -> Int64:
    found = np.zeros(rows, np.int64)
    for column in ancestors.T:
        np.add.at(found, column, values)
    return found


def _rules(tabulation: Tabulation, protection: Protection, text: str) -> list[Dominance | Ambiguity]:
    """Return the rules about what is summed as ``text``."""
    names = {each.name for each in tabulation.items if each.kind == "sum" and tabulation.sums[each.places[0]] == text}
    return [rule for rule in protection.rules if rule.measure in names]


def _required(rules: Sequence[Dominance | Ambiguity], largest: Int64, total: Int64) -> Int64:
    """Return what an attacker has to think possible of a sum under some rules, for each row; 0 where nothing is required."""
    required = np.zeros(len(total), np.int64)
    for rule in rules:
        if isinstance(rule, Dominance):
            found = _above(largest[:, : rule.largest].sum(axis=1), 1 / rule.share, total)
        else:
            found = _above(largest[:, 0], 1 + rule.percent / 100, total, largest[:, 1])
        required = np.maximum(required, found)
    return required


def _above(value: Int64, factor: Fraction, total: Int64, more: Int64 | None = None) -> Int64:
    """Return ``value * factor + more``, rounded up, where it is above ``total``, else 0; in exact numbers."""
    rest = [0] * len(value) if more is None else more.tolist()
    found = [ceil(each * factor) + beside for each, beside in zip(value.tolist(), rest, strict=True)]
    return np.array([each if each > have else 0 for each, have in zip(found, total.tolist(), strict=True)], np.int64)


def largest_of(group: Int64, largest: Int64, groups: int) -> Int64:
    """Return the largest contributions to each group, in descending order, from those to its parts.

    Parameters
    ----------
    group : int64 array [n]
        The group of each part, 0 to ``groups - 1``.
    largest : int64 array [n, m]
        Contributions to each part, 0 where there are fewer.
    groups : int
        How many there are.
    """
    most = largest.shape[1]
    found = np.zeros((groups, most), np.int64)
    if not most:
        return found
    value, row = largest.reshape(-1), np.repeat(group, most)
    order = np.lexsort((-value, row))
    ordered = row[order]
    start = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    rank = np.arange(len(ordered)) - np.repeat(start, np.diff(np.r_[start, len(ordered)]))
    top = rank < most
    found[ordered[top], rank[top]] = value[order][top]
    return found


def _largest(ancestors: Int32, largest: Int64, rows: int) -> Int64:
    """Return the largest contributions to each row, from those to its base cells."""
    found = np.zeros((rows, largest.shape[1]), np.int64)
    for column in ancestors.T:
        first, end = int(column.min()), int(column.max()) + 1
        found[first:end] = largest_of(column.astype(np.int64) - first, largest, end - first)
    return found
