"""`forest`: trees of rows that look alike under masks, cut into classes of k to 2 k - 1 rows.

References
----------
Aggarwal and others: Anonymizing Tables (ICDT 2005): O(k) by a forest of near neighbours.
Aydin and others: Nearly-Linear Time and Massively Parallel Algorithms for k-Anonymity (NeurIPS 2025): the same by hashing.
Pagh: Locality-sensitive Hashing without False Negatives (SODA 2016).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.partitions import Forest, cut_forest
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.partition import Classes, divided, released
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import Recoding

Bools = NDArray[np.bool_]

MOST_PAIRS = 1 << 28
"""Pairs of row type and mask that are hashed, in half a minute or so: 256 masks of a million row types."""

_MOST_BLOCKS = 14
"""Blocks of columns: 16,384 masks take about a second, however few row types there are."""

_PLACES = 1 << 22
"""Places of the table that keys are looked up in first."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a strictly k-anonymous recoding of at most (3 k - 3) b times the optimum's cost.

    Parameters
    ----------
    budget : Budget
        Time left; when it ends, the rows in no tree of k rows are joined as they follow each other.

    Returns
    -------
    Recoding
        The factor is proven where all masks are permitted. The m columns are in at most g blocks of b = ceil(m / g) columns,
        with 2^g t at most 268,435,456 and g at most 14. With weights, b is the sum of those in a block over the least of them.

    Notes
    -----
    Proof. Let a row pay what the columns cost that its cheapest class of k rows hides. All rows together pay no more than an
    optimum. The masks hide whole blocks. One of them hides the columns of that class, and costs at most b times as much.

    The masks come in the order of their costs. Under each, rows that look alike are joined if one of them is in a tree of
    fewer than k rows. Such a tree has a row that is charged for no edge. Under no cheaper mask k rows look like this row, so it
    pays for the edge: its ends differ in no column that the mask shows. All edges together cost at most b times the optimum.

    A tree is cut into parts that share no edge. The rows of a part agree wherever all its edges do, so each of them costs at
    most what these edges cost together, and there are at most 3 k - 3 of them. Parts of 2 k rows or more are split.

    Masks that hide any columns would find every cheapest class, but are too many. Those of whole blocks miss none that costs
    a b-th: hashing without false negatives. O(2^g t (g + log t)) time, O(g t) memory.
    """
    table, k = problem.table, problem.k
    forest = Forest(table.weight, k)
    blocks = _Blocks(table)
    for place, hidden in enumerate(blocks.masks()):
        small = forest.small()
        if not len(small):
            break
        budget.report("forest", place / (1 << len(blocks.number)))
        if budget.over():
            hidden = np.ones_like(hidden)
        shown = np.flatnonzero(~hidden)
        key = blocks.key(shown)
        near = _near(key, small)
        if not forest.join(near, key, blocks.number, shown):
            key = alike(np.ascontiguousarray(blocks.number.T), blocks.number.max(axis=1) + np.int64(1), hidden).astype(
                np.uint64
            )
            forest.join(_near(key, small), key, blocks.number, shown)
    return released(table, problem.patterns, k, _classes(table, forest, k), budget)


class _Blocks:
    """Blocks of columns, each hidden as a whole.

    Attributes
    ----------
    number : int32 array [g, t]
        The number of the combination that a row type has in each block.
    """

    def __init__(self, table: CodedTable) -> None:
        most = min(_MOST_BLOCKS, max(1, (MOST_PAIRS // table.row_types).bit_length() - 1))
        paying = np.flatnonzero(table.cost)
        order = paying[np.lexsort((-table.cardinality[paying], table.cost[paying]))]
        size = -(-len(order) // most)
        chosen = [order[place : place + size] for place in range(0, len(order), size)]
        self._cost = np.array([table.cost[each].sum() for each in chosen])
        self.number: Int32 = np.array([_numbers(table, each) for each in chosen])
        self._word = np.array([_words(each, salt) for salt, each in enumerate(self.number)])

    def masks(self) -> Iterator[Bools]:
        """Yield the masks, cheapest first: the blocks that each hides."""
        g = len(self._cost)
        hidden = np.arange(1 << g)[:, None] >> np.arange(g) & 1
        for place in np.argsort(hidden @ self._cost, kind="stable"):
            yield hidden[place] > 0

    def key(self, shown: Int64) -> Words:
        """Return a key for each row type: that of row types that look alike is the same."""
        found: Words = self._word[shown].sum(axis=0, dtype=np.uint64)
        return found


def _numbers(table: CodedTable, columns: Int64) -> Int32:
    """Return the number of the combination that each row type has in some columns."""
    hidden = np.ones(len(table.cost), np.bool_)
    hidden[columns] = False
    return alike(table.codes, table.cardinality, hidden).astype(np.int32)


def _words(number: Int32, salt: int) -> Words:
    """Return a pseudorandom word for each number (splitmix64)."""
    word = (number.astype(np.uint64) + (np.uint64(salt) << np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ word >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ word >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return word ^ word >> np.uint64(31)


def _near(key: Words, small: Int64) -> Int64:
    """Return the row types with keys that small ones may have, in the order of the keys."""
    place = (key & np.uint64(_PLACES - 1)).astype(np.int64)
    has = np.zeros(_PLACES, np.bool_)
    has[place[small]] = True
    near = np.flatnonzero(has[place])
    return near[np.argsort(key[near], kind="stable")]


def _classes(table: CodedTable, forest: Forest, k: int) -> Classes:
    """Return the parts of the trees, those of 2 k rows or more split, and the classes of one row type each."""
    part, joined = cut_forest(forest.joined(), table.weight, k)
    together, alone = np.flatnonzero(joined), np.flatnonzero(table.weight > joined)
    rows = np.bincount(part[together], weights=joined[together]).astype(np.int64)
    large = rows[part[together]] >= 2 * k
    kept, split = together[~large], together[large]
    found = [
        Classes(row_type=alone.astype(np.int32), count=(table.weight - joined)[alone], number=alone),
        Classes(row_type=kept.astype(np.int32), count=joined[kept], number=part[kept]),
    ]
    split = split[np.argsort(part[split], kind="stable")]
    pieces = np.split(split, np.flatnonzero(np.diff(part[split])) + 1) if len(split) else []
    return Classes.concatenated(*found, *(_split(table, each, joined[each], k) for each in pieces))


def _split(table: CodedTable, row_types: Int64, count: Int64, k: int) -> Classes:
    """Return the classes of some rows of some row types, in time that does not depend on the others."""
    found = divided(table.of_row_types(row_types, count), np.arange(len(row_types)), count, k)
    return replace(found, row_type=row_types[found.row_type].astype(np.int32))
