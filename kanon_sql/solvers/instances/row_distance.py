"""What each row costs at least, whatever becomes of the others: its cheapest instance, or the distance of its neighbours.

As prices these prove a lower bound without any further evidence: no instance gains from them.

References
----------
Meyerson, Williams: On the Complexity of Optimal k-Anonymity (2004), section 4 (distances).
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), section 4 (the integer program).
"""

from __future__ import annotations

from kanon_sql.solvers.instances.listing import cheapest
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices

METHOD = "row distance"

_COMPARISONS = 1 << 29
"""Cells compared to find neighbours, some tenths of a second; row types beyond them cost at least nothing."""


def row_prices(table: CodedTable, patterns: PatternSet, k: int) -> Prices:
    """Return what a row of each row type costs at least in any release.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns, at least k rows.
    patterns : PatternSet
        The permitted patterns.
    k : int
        Least number of rows of a class.

    Notes
    -----
    Where the patterns are listed, the cost of the cheapest one under which k rows look like the row: as `useful`, but far
    less, because only one instance of each row matters. Else the cost of the columns in which the row differs from the
    k-th nearest row, itself the first: O(m t^2), for as many row types as there is time for.
    """
    if not patterns.listed:
        from kanon_sql.kernels.instances.row_distance import distances

        most = min(table.row_types, max(1, _COMPARISONS // (table.row_types * len(table.columns))))
        return Prices(price=distances(table.codes, table.weight, table.cost, k, most), scale=1)
    return Prices(price=cheapest(table, patterns, k), scale=1)
