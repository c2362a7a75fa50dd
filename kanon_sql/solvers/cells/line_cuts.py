"""Line cuts: what a primary row needs in one line, whatever else is suppressed.

Let row p be primary in a measure, with ``need = required(p) - value(p)``. A row is *free* if it is primary in any measure or
suppressed anyway: it costs nothing. The capacity of a row c is by how much it can be less in a witness of p:

    margin(b) = 0 if base cell b is fixed, else value(b) - known(b), or value(b) - least(c) if b alone is the row c and that is
              less; at least 0
    capacity(c) = max(0, min(value(c) - least(c), sum of margin(b) over the base cells b of c))

A cut with ``parent != row`` is about the rows of the grouping set ``refined``, that of p, that add up to the parent P:

    left = need - sum of min(capacity(c), need) over free c != p in the line - (need if P is free)
    left x(P) + sum of min(capacity(c), left) x(c) over c in the line that are not free >= left

where x is 1 for suppressed rows. A cut with ``parent == row`` is about the rows of ``refined`` that add up to p, none of them
free: the sum of need x(c) over them is at least ``need``. Cuts with ``left <= 0`` and those of a line with a free finer row are
no cuts.

Each is valid: if P is shown, what p gains is lost by suppressed rows of its line, each at most its capacity; and a row whose
finer rows are all shown is known. For prices of at least 0 in units of 1 / scale, every suppression costs at least

    (sum of price * left - sum over rows that are neither free nor have to be shown of
     max(0, sum of price * coefficient - scale * cost)) / scale, rounded up.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.cells.cuts import Cuts
from kanon_sql.solvers.cells.derived_cuts import DerivedCuts, Lines
from kanon_sql.solvers.cells.search_space import own_rows
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable


def line_cuts(table: CellTable) -> DerivedCuts:
    """Return the cuts of a table; of those that say the same, the first."""
    free = table.primary | table.suppressed
    parts = []
    for number, measure in enumerate(table.measures):
        value = table.values(number)
        primary = measure.required > value
        capacity = capacities(table, number, value)
        need = np.where(primary & ~table.unseen, measure.required - value, 0)
        for set_ in range(len(table.levels)):
            for parent in range(len(table.levels)):
                if set_ != parent and (table.levels[set_] <= table.levels[parent]).all():
                    parts.append(_in_lines(table, number, set_, parent, need, capacity, free))
                    parts.append(_below(table, number, set_, parent, need, free))
    return _joined(parts)


def capacities(table: CellTable, number: int, value: Int64) -> Int64:
    """Return by how much each row can be less where another one is more; a cell that is borrowed only rises."""
    measure = table.measures[number]
    own = own_rows(table)
    margin = np.maximum(measure.value - np.maximum(np.where(own >= 0, measure.least[own], 0), measure.known), 0)
    margin[measure.fixed > 0] = 0
    most = np.zeros(table.rows, np.int64)
    for column in table.ancestors.T:
        np.add.at(most, column, margin)
    found: Int64 = np.maximum(np.minimum(value - measure.least, most), 0)
    return found


def _children(table: CellTable, set_: int, parent: int) -> tuple[Int64, Int64]:
    """Return the rows of a grouping set and the row of a coarser one that each is part of, ordered by the latter."""
    rows, first = np.unique(table.ancestors[:, set_], return_index=True)
    above = table.ancestors[first, parent]
    order = np.argsort(above, kind="stable")
    return rows[order].astype(np.int64), above[order].astype(np.int64)


def _in_lines(
    table: CellTable, number: int, set_: int, parent: int, need: Int64, capacity: Int64, free: Bools
) -> tuple[Int64, ...]:
    """Return the cuts of primary rows in the lines of a grouping set and a coarser one."""
    rows, above = _children(table, set_, parent)
    line = np.unique(above, return_inverse=True)[1]
    own = np.flatnonzero((need[rows] > 0) & ~free[above])
    wanted = need[rows[own]]
    given = _given(line, np.where(free[rows], capacity[rows], 0), line[own], wanted) - np.minimum(capacity[rows[own]], wanted)
    left = wanted - np.minimum(given, wanted)
    # Primary rows of one line that need the same amount have the same cut.
    own, left = own[left > 0], left[left > 0]
    kept = np.unique(np.stack([line[own], left]), axis=1, return_index=True)[1] if len(own) else np.zeros(0, np.int64)
    own, left = own[np.sort(kept)], left[np.sort(kept)]
    first, last = np.searchsorted(line, line[own]), np.searchsorted(line, line[own], side="right")
    cut, entry = _spread(first, last)
    variable, coefficient = rows[entry], np.minimum(capacity[rows[entry]], left[cut])
    open_ = ~free[variable] & ~table.shown[variable] & (coefficient > 0)
    head = np.flatnonzero(~table.shown[above[own]])
    return (
        rows[own],
        np.full(len(own), number),
        above[own],
        np.full(len(own), set_),
        left,
        np.concatenate((cut[open_], head)),
        np.concatenate((variable[open_], above[own][head])),
        np.concatenate((coefficient[open_], left[head])),
    )


def _given(line: Int64, capacity: Int64, queried: Int64, need: Int64) -> Int64:
    """Return the sum of ``min(capacity, need)`` over a line, for some lines and needs. O(n log n).

    No sum is greater than that of all values.
    """
    count = len(line)
    order = np.lexsort([np.arange(count + len(queried)) >= count, np.append(capacity, need), np.append(line, queried)])
    entry = order < count
    amount = np.where(entry, np.append(capacity, need)[order], 0)
    # Up to each question, in all lines before its own and in its own.
    below, number = np.cumsum(amount), np.cumsum(entry)
    first, last = np.searchsorted(line, queried), np.searchsorted(line, queried, side="right")
    sums = np.append(0, np.cumsum(capacity))
    at = np.empty(len(queried), np.int64)
    at[order[~entry] - count] = np.flatnonzero(~entry)
    found: Int64 = below[at] - sums[first] + (last - number[at]) * need
    return found


def _below(table: CellTable, number: int, set_: int, parent: int, need: Int64, free: Bools) -> tuple[Int64, ...]:
    """Return the cuts of primary rows over the rows of a finer grouping set."""
    rows, above = _children(table, set_, parent)
    heads, first, count = np.unique(above, return_index=True, return_counts=True)
    has_free = np.zeros(table.rows, np.bool_)
    has_free[above[free[rows]]] = True
    own = (need[heads] > 0) & ~has_free[heads]
    heads, first, last = heads[own], first[own], (first + count)[own]
    cut, entry = _spread(first, last)
    open_ = ~table.shown[rows[entry]]
    measure, refined, left = np.full(len(heads), number), np.full(len(heads), set_), need[heads]
    return heads, measure, heads, refined, left, cut[open_], rows[entry][open_], left[cut[open_]]


def _spread(first: Int64, last: Int64) -> tuple[Int64, Int64]:
    """Return all numbers of some ranges, and the range that each is from."""
    counts = last - first
    of = np.repeat(np.arange(len(first)), counts)
    return of, np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)


def _joined(parts: list[tuple[Int64, ...]]) -> DerivedCuts:
    """Return parts as one matrix; each cut follows from one line."""
    none = np.zeros(0, np.int64)
    begins = np.cumsum([0, *(len(part[0]) for part in parts)])
    columns = [np.concatenate([none, *(part[at] for part in parts)]) for at in range(8)]
    columns[5] = np.concatenate([none, *(part[5] + begin for part, begin in zip(parts, begins, strict=False))])
    row, measure, parent, refined = (each.astype(np.int32) for each in columns[:4])
    cuts = Cuts(left=columns[4], cut=columns[5], variable=columns[6], coefficient=columns[7])
    count = len(row)
    lines = Lines(cut=np.arange(count), parent=parent, refined=refined, times=np.ones(count, np.int32))
    return DerivedCuts(row=row, measure=measure, lines=lines, cuts=cuts)
