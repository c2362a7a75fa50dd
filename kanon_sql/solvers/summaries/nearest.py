"""Row types near each other: who could share a class, and what each row loses at least."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kanon_sql.kernels.summaries import BLOCK, Measure, nearest
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Prices

METHOD = "row distance"

CHEAPEST = "cheapest classes"

METHOD_OF_PEOPLE = "row distance, counting people"

NEAR = 16
"""Near row types of each that are listed."""

_MOST_KEPT = 128
"""Row types kept while the k-th nearest row is looked for."""

_AROUND, _STEPS, _MOST_K = 64, 5_000, 20
"""Row types kept while the cheapest class of a row type is looked for, steps for each, and k up to which it is.

Adult x 9 in ranges and sets, k = 5: 0.0087 instead of 0.0064 in 0.35 s; twice as many row types and ten times as many steps
prove 0.1 % more. At k = 20 it takes 1.2 s.
"""

_PER_PERSON = 4
"""Row types kept for each person who is looked for."""

_BLOCKS = 1 << 28
"""Blocks of row types passed, a second or two; with more, some row types are only compared with those near them, and add
nothing to the bound."""

_REACH = 1 << 26
"""The same of those."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """What is near each row type."""

    near: Int32  # [t, s]: the nearest row types found, the nearest first, -1 where there are no more
    lower_bound: Fraction  # a lower bound on the loss of every partition, in units of the table
    bound: str  # name of the argument that proves it
    prices: Prices  # what proves it: what a row of each row type loses at least


def nearby(table: CodedTable, measure: Measure, scale: int, k: int, order: Int64, *, classes: bool = False) -> Nearby:
    """Return the nearest row types of each, and the bound of the row distance, or of the cheapest classes.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns, at least k rows.
    measure, scale
        How loss is counted.
    order : int64 array [t]
        The row types with similar ones near each other.
    classes : bool
        Whether the cheapest class of k rows that holds a row type is looked for, if k is not too large.

    Notes
    -----
    A row loses at least what it loses in the cheapest class of k rows that holds it: a larger class loses no less by row.

    The distance of two rows is what each loses in a class of just these two. A class of k rows or more has a row at least as
    far from a given one as its k-th nearest row, itself the first; and no row loses less in a class than in a part of it.

    O(t^2 / 256) groups of row types, each passed over in O(m) or compared by eight at once; memory O(t m). From some 65,000 row
    types on, the bound adds up what a part of them loses.
    """
    near = np.empty((table.row_types, NEAR), np.int32)
    steps = _STEPS if classes and k <= _MOST_K else 0
    kept = _AROUND if steps else min(max(k, NEAR), _MOST_KEPT)
    nobody = np.empty(0, np.int32)
    price = nearest(table.codes, table.weight, measure, k, order, *_looks(table), near, kept, nobody, steps)
    return Nearby(
        near=near,
        lower_bound=Fraction(int(price @ table.weight), scale),
        bound=CHEAPEST if steps else METHOD,
        prices=Prices(price=price, scale=scale),
    )


def person_distance(table: CodedTable, measure: Measure, scale: int, k: int, person: Int32) -> tuple[Fraction, str]:
    """Return the bound of the row distance where the k-th nearest person counts, in units of the table, and its name.

    Parameters
    ----------
    person : int32 array [t]
        Whose rows each row type has; nobody is -1.

    Notes
    -----
    As `nearby`: a class of rows of k people has one of somebody who has no nearer row than the k-th nearest person. A person
    with many row types takes the place of others among those that are kept, and the bound is less for it.
    """
    near = np.empty((table.row_types, 0), np.int32)
    order, kept = np.arange(table.row_types), min(_PER_PERSON * k, _MOST_KEPT)
    distance = nearest(table.codes, table.weight, measure, k, order, *_looks(table), near, kept, person)
    return Fraction(int(distance @ table.weight), scale), METHOD_OF_PEOPLE


def _looks(table: CodedTable) -> tuple[int, int]:
    """Return one in how many row types is compared with all, and with how many blocks on either side the others are."""
    passed = table.row_types * -(-table.row_types // BLOCK)
    return -(-passed // _BLOCKS), _REACH // (2 * table.row_types) + 1
