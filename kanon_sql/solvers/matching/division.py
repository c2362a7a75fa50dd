"""Classes of a release in pairs and triples: each part keeps what its class shows, so it costs no more.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Lemma 2 (2-diverse classes).
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding


def pairs_and_triples(table: CodedTable, release: Recoding, apart: Int64) -> tuple[Int32, Int64]:
    """Divide the classes of a release into pairs and triples of rows that may be in one class.

    Parameters
    ----------
    table : CodedTable
        n rows of t row types.
    release : Recoding
        Each class has two rows or more, of no value in ``apart`` more than half.
    apart : int64 array [t]
        Rows of row types with the same number from 0 may not be in one part; those of -1 may.

    Returns
    -------
    tuple of (int32 array [g, 3], int64 array [g])
        The row types of each part, ascending, -1 for the third of a pair; and how often the part is there.

    Notes
    -----
    O(n log n). With the rows of a class of s in the order of their values, two that are s // 2 apart have different ones. In a
    class of an odd number the first, the middle and the last row are a triple.
    """
    number = np.repeat(PartialRecoding.of(release).classes(table), release.count)
    row_type = np.repeat(release.row_type, release.count)
    order = np.lexsort((row_type, apart[row_type], number))
    row_type, number = row_type[order], number[order]
    size = np.bincount(number)
    first = np.cumsum(size) - size
    half, odd = size // 2, size % 2
    within = np.arange(len(number)) - first[number]
    opens = np.flatnonzero((within >= odd[number]) & (within < half[number]))
    pair = np.stack([row_type[opens], row_type[opens + half[number[opens]]]], axis=1)
    with_third = first[odd == 1]
    middle, last = with_third + half[odd == 1], with_third + size[odd == 1] - 1
    triple = np.stack([row_type[with_third], row_type[middle], row_type[last]], axis=1)
    pairs = np.concatenate([np.sort(pair, axis=1), np.full((len(pair), 1), -1)], axis=1)
    member, count = np.unique(np.concatenate([pairs, np.sort(triple, axis=1)]), axis=0, return_counts=True)
    return member.astype(np.int32), count.astype(np.int64)
