"""The permitted patterns of a policy, cheapest first.

Among equally dear patterns the one that hides the larger domains comes first: its instances gather the most rows, which
measured up to 6 % fewer suppressed cells on Adult and CMC than an order by position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.coded import CodedTable, Int64, Words, row_cost
from kanon_sql.policy import Policy

LISTED_COLUMNS = 16
"""With more columns than this, all 2^m patterns are searched, not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternSet:
    """The permitted patterns.

    Parameters
    ----------
    shown : uint64 array [p]
        Bit ``c`` is set where coded column ``c`` is shown; empty when there are too many to list.
    cost : int64 array [p]
        Cost of one row under the pattern, in units of the coded table; ascending.
    """

    shown: Words
    cost: Int64

    @property
    def listed(self) -> bool:
        """Whether the patterns are listed; if not, all 2^m are permitted."""
        return len(self.shown) > 0


def permitted(table: CodedTable, policy: Policy) -> PatternSet:
    """List the patterns that a resolved policy permits on a table.

    Notes
    -----
    O(p (m + log p)) for p patterns.
    """
    columns = len(table.columns)
    masks = policy.permitted_masks
    if masks is not None:
        place = {name: 1 << column for column, names in enumerate(table.columns) for name in names}
        # A permitted mask names a coded column whole: once for each column of the source behind it.
        shown = np.unique(np.array([sum({place[name] for name in mask}) for mask in masks], np.uint64))
    elif columns <= LISTED_COLUMNS:
        shown = np.arange(1 << columns, dtype=np.uint64)
    else:
        return PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))
    return ordered(table, shown)


def ordered(table: CodedTable, shown: Words) -> PatternSet:
    """Return patterns in the order in which they are tried; O(p (m + log p))."""
    return _sorted(table, shown, -_domain(table, shown))


def other_orders(table: CodedTable, patterns: PatternSet) -> list[PatternSet]:
    """Return the same patterns, equally dear ones in other orders: smaller domains hidden first, and by position."""
    domain = _domain(table, patterns.shown)
    return [_sorted(table, patterns.shown, tie) for tie in (domain, np.zeros_like(domain))]


def _sorted(table: CodedTable, shown: Words, tie: Int64) -> PatternSet:
    cost = row_cost(shown, table.cost)
    order = np.lexsort((shown, tie, cost))
    return PatternSet(shown=shown[order], cost=cost[order])


def _domain(table: CodedTable, shown: Words) -> Int64:
    """Return the size of the hidden domains on a logarithmic scale, whole numbers so that it is the same everywhere."""
    scale: Int64 = np.rint(np.log2(table.cardinality) * 2**20).astype(np.int64)
    return row_cost(shown, scale)
