"""The proof of a lower bound, computed again in plain Python: it trusts no solver and shares no code with one.

A row type i has n_i rows at the price p_i; an instance j costs w_j for each row. Every release pays w_j for a row in j,
which is p_i less p_i - w_j. So it pays at least sum n_i p_i, less what each instance can gain at most: the sum of
p_i - w_j over its rows, k or more of them. This is true of any prices.

An instance does not count if all of its rows can move to one that is cheaper, or costs as much with more row types, or with
the same row types and first in order: classes only grow by such moves, and no sequence of them comes back.

In wide tables, whose masks are all permitted, no class may cost a row less than its price: by the columns in which rows differ.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDE = 16
"""Columns beyond which the masks are too many to go through."""

Shown = tuple[bool, ...]
"""A mask: for each coded column whether it is shown."""

Tree = tuple[int, Any, Any]
"""Masks that agree so far: the least cost of what they still hide, those that show the next column, those that hide it."""

_LEAF: Tree = (0, None, None)

_LARGEST = 1 << 62
"""What sums of costs and of rows stay below."""


def gains(
    table: list[list[Any]],
    counts: Sequence[int],
    prices: Sequence[int],
    cost: list[int],
    permitted: Collection[Shown] | None,
    k: int,
) -> int:
    """Return what all instances together gain from the prices at most; ``table`` holds the codes column by column.

    What `instances` takes, 2 s for Adult-2 (21,257 row types, 9 columns, k = 5) with good prices. Wide tables are first tried
    by the rows that are near each row, in O(m t^2).
    """
    if permitted is None and len(cost) > WIDE and none_is_cheaper(table, counts, prices, cost, k):
        return 0
    found = instances(table, counts, prices, cost, permitted, k)
    return sum(gain(members, counts, prices, spent, k) for members, spent in found)


def instances(
    table: list[list[Any]],
    counts: Sequence[int],
    prices: Sequence[int],
    cost: list[int],
    permitted: Collection[Shown] | None,
    k: int,
) -> Iterator[tuple[Sequence[int], int]]:
    """Give the row types and the cost of a row of each instance that counts and that some row pays more for.

    Depth first over the columns; groups of fewer than k rows are dropped, and those that already cost what the
    highest price of their rows is: O(t 2^m) at the worst.
    """

    @cache
    def least(closed: Shown) -> list[Shown]:
        """Return the cheapest permitted masks that show only columns in which rows agree."""
        found: dict[int, list[Shown]] = defaultdict(list)
        for mask in sorted(permitted or ()):
            if all(agree or not shown for agree, shown in zip(closed, mask, strict=True)):
                found[sum(price for price, shown in zip(cost, mask, strict=True) if not shown)].append(mask)
        return found[min(found)]

    @cache
    def group_sizes(mask: Shown) -> Counter[tuple[Any, ...]]:
        """Count the row types of each instance of a mask."""
        return Counter(zip(*(column for column, shown in zip(table, mask, strict=True) if shown), strict=True))

    def dominated(mask: Shown, row: int, closed: Shown) -> bool:
        if permitted is None or closed == mask:
            return closed != mask
        others = least(closed)
        size = [group_sizes(other)[tuple(c[row] for c, shown in zip(table, other, strict=True) if shown)] for other in others]
        return mask != others[size.index(max(size))]

    waiting: list[tuple[Tree, Shown, int, Sequence[int]]] = [(_tree(permitted, cost), (), 0, range(len(counts)))]
    while waiting:
        (rest, showing, hiding), mask, spent, members = waiting.pop()
        if max(prices[i] for i in members) <= spent + rest or sum(counts[i] for i in members) < k:
            continue
        if showing is None and hiding is None:
            closed = tuple(shown or len({column[i] for i in members}) == 1 for column, shown in zip(table, mask, strict=True))
            if not dominated(mask, members[0], closed):
                yield members, spent
            continue
        column = table[len(mask)]
        groups: dict[Any, list[int]] = defaultdict(list)
        for i in members:
            groups[column[i]].append(i)
        if showing is not None:
            waiting += [(showing, (*mask, True), spent, group) for group in groups.values()]
        # What may be hidden as well as shown is not hidden where all rows agree: that would cost more for nothing.
        if hiding is not None and (showing is not hiding or len(groups) > 1):
            waiting.append((hiding, (*mask, False), spent + cost[len(mask)], members))


def gain(members: Sequence[int], counts: Sequence[int], prices: Sequence[int], cost: int, k: int) -> int:
    """Return what an instance gains at most: from every row that pays more than it costs, and the best others up to k."""
    gain, rows = 0, 0
    for i in sorted(members, key=lambda i: -prices[i]):
        covered = counts[i] if prices[i] > cost else min(counts[i], k - rows)
        if covered <= 0:
            break
        gain += covered * (prices[i] - cost)
        rows += covered
    return max(0, gain)


def _tree(permitted: Collection[Shown] | None, cost: list[int]) -> Tree:
    """Return the permitted masks as a tree; where two branches are alike, they are one object."""
    if permitted is None:
        every = _LEAF
        for _ in cost:
            every = (0, every, every)
        return every

    @cache
    def branch(masks: frozenset[Shown], column: int) -> Tree | None:
        if not masks or column == len(cost):
            return _LEAF if masks else None
        showing, hiding = (
            branch(frozenset(mask[1:] for mask in masks if mask[0] is shown), column + 1) for shown in (True, False)
        )
        ends = [each[0] + more for each, more in ((showing, 0), (hiding, cost[column])) if each is not None]
        return min(ends), showing, hiding

    return branch(frozenset(permitted), 0) or _LEAF


def none_is_cheaper(table: list[list[Any]], counts: Sequence[int], prices: Sequence[int], cost: list[int], k: int) -> bool:
    """Return whether every class with k rows costs each of its rows the price of the row, or more.

    A class hides every column in which two of its rows differ. So k rows whose columns cost less would all be so near to each
    other. O(m t) for a row, and O(n^2) for n rows that are near; sets of these are tried where that does not decide.
    """
    if max(sum(cost), sum(counts)) >= _LARGEST:
        return False
    numbers: list[dict[Any, int]] = [{} for _ in table]
    codes = np.array(
        [[seen.setdefault(value, len(seen)) for value in column] for seen, column in zip(numbers, table, strict=True)]
    )
    rows, each = np.array(counts, np.int64), np.array(cost, np.int64)
    for i, price in enumerate(prices):
        if price <= 0:
            continue
        away = np.zeros(len(rows), np.int64)
        for column, more in zip(codes, cost, strict=True):
            away += (column != column[i]) * more
        near = away < price
        if rows[near].sum() < k:
            continue
        near[i] = False
        if rows[i] >= k or _Around(codes[:, near] != codes[:, i : i + 1], rows[near], each, price).hold(k - int(rows[i])):
            return False
    return True


class _Around:
    """The rows that are near a row: the columns in which they differ from it, and which two of them fit one class."""

    def __init__(self, differing: NDArray[np.bool_], rows: NDArray[np.int64], cost: NDArray[np.int64], price: int) -> None:
        self.differing, self.rows, self.cost, self.price = differing.T, rows, cost, price
        costs = self.differing * cost
        alone = costs.sum(axis=1)
        self.fit = alone[:, None] + alone - costs @ self.differing.T.astype(np.int64) < price

    def hold(self, need: int) -> bool:
        """Return whether so many rows fit one class with the row that costs less than the price."""
        kept = np.arange(len(self.rows))
        while len(kept):
            enough = self.fit[np.ix_(kept, kept)] @ self.rows[kept] >= need
            if enough.all():
                return self._grow(kept, np.zeros(len(self.cost), np.bool_), need)
            kept = kept[enough]
        return False

    def _grow(self, fitting: NDArray[np.intp], hidden: NDArray[np.bool_], need: int) -> bool:
        left = int(self.rows[fitting].sum())
        for place, j in enumerate(fitting.tolist()):
            if left < need:
                return False
            more = int(self.rows[j])
            if more >= need:
                return True
            left -= more
            wider = hidden | self.differing[j]
            others = fitting[place + 1 :]
            others = others[self.fit[j, others]]
            others = others[(self.differing[others] | wider) @ self.cost < self.price]
            if self._grow(others, wider, need - more):
                return True
        return False
