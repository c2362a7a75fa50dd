"""What an instance gains at most from a class of so many rows and no more, where whole rows keep limits, by NumPy.

Multipliers that hold for every size let a class have parts of rows. In a class of X rows the first floor(share X) rows of a
value are within its share, the next one is beyond it in part, and the others whole. No value has more rows than a limit
allows it if all others are within their shares: where each share is a limit of its own, none but the first. By the limit that
is about all values together a row beyond pays the multiplier of this size times the length of its set, one in part that part
of it, and the class gets back multiplier * most for each row: never less than it pays, if it keeps the limit. So its gain after
penalties, of the X rows that pay most, is at least its gain.

The multipliers of a size are, first, the m that `kanon_sql.verification.penalized_gains` chose for the instance; then, eight
times, the middle of what is left between 0 and ``longest``: the upper half where the class with the last one was beyond the
limit, or the lower one. Of rows that pay the same, those of the first set are taken. The least gain counts.

For classes of more rows than are looked at by their size, the largest size chooses multipliers: the one with which it gained
least, and for each set what its next row beyond the share pays more than the last row of the class, but no more than the limit
lets it pay. A set of another limit has what is left of that for its multiplier.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kanon_sql.verification.guarantees.claimed_requirement import ONE, Limit, Whole

LARGEST = 62
"""Most rows of a class that is looked at by its size."""

_MOST_LEAST = 32
"""Where classes have more rows at least, sizes are not looked at."""

_HALVINGS = 8

_NONE = -(1 << 62)
"""What a row pays that a class may not have."""


def applies(limits: Sequence[Limit], columns: Sequence[str], least: int) -> bool:
    """Return whether classes are looked at by their size: for limits to single values of one attribute with too many rows.

    At most one of them is about all values together. ``columns`` has the attribute of each.
    """
    if least > _MOST_LEAST or len(set(columns)) != 1:
        return False
    return sum(limit.most is not None for limit in limits) <= 1 and all(map(_of_single_values, limits))


def _of_single_values(limit: Limit) -> bool:
    below = limit.below
    return bool(not limit.signed and (below.sum(axis=1) == 1).all() and (below.sum(axis=0) <= 1).all())


class ClassSizes:
    """The best rows of one instance, set by set, as classes of each size see them.

    Parameters
    ----------
    limit : Limit
        To single values.
    others : sequence of Limit
        To single values of the same attribute, where each share is a limit of its own.
    profit, rows, value : int64 arrays
        What a row of each row type pays beyond its cost, how many there are, and the code of their value.
    least : int
        Least rows of a class.
    """

    def __init__(self, limit: Limit, others: Sequence[Limit], profit: Whole, rows: Whole, value: Whole, least: int) -> None:
        sets = np.where(limit.below.any(axis=0), limit.below.argmax(axis=0), len(limit.below))[value]
        order = np.lexsort((-profit, sets))
        copies = np.minimum(rows, LARGEST)[order]
        profit, sets, value = (np.repeat(each[order], copies) for each in (profit, sets, value))
        place = np.arange(len(sets)) - np.searchsorted(sets, sets)
        kept = place < LARGEST
        self.limit, self.others = limit, others
        self.profit, self.sets, self.place, self.value = profit[kept], sets[kept], place[kept], value[kept]
        self.sizes = np.arange(least, min(LARGEST, int(rows.sum())) + 1)
        share = np.append(limit.numerator, limit.denominator)[self.sets] * self.sizes[:, None]
        self.length = np.append(limit.length, 0)[self.sets]
        free = share // limit.denominator
        part = ((limit.denominator - share % limit.denominator) * ONE) // limit.denominator
        self.next = self.place == free
        self.over = np.where(self.place < free, 0, np.where(self.place > free, ONE, part))
        self.allowed = self.over == 0
        if limit.most is not None:
            off = ((self.place - free) * ONE + part) * self.length // ONE
            self.allowed |= off <= limit.most * self.sizes[:, None]
        self.single = self.sets < len(limit.below)
        for other in others:
            limited = self.single & (other.below[:, self.value] > 0).any(axis=0)
            most = other.numerator @ other.below[:, self.value] * self.sizes[:, None] // other.denominator
            self.allowed &= ~limited | (self.place < most)

    def best(self, start: int, longest: int) -> int:
        """Return the most that a class of some size gains, at least 0; O(rows log rows) for each multiplier that is tried."""
        if not len(self.sizes):
            return 0
        pays = -np.sort(-self._penalized(slice(None), start), axis=1)
        first = np.cumsum(pays, axis=1)[np.arange(len(self.sizes)), self.sizes - 1] + self._back(start) * self.sizes
        enough = pays[np.arange(len(self.sizes)), self.sizes - 1] > _NONE
        best = 0
        for place in sorted(np.flatnonzero(enough & (first > 0)).tolist(), key=lambda place: -int(first[place])):
            if first[place] <= best:
                break
            best = max(best, self._lowest(place, start, longest, best)[0])
        return best

    def multipliers(self, start: int, longest: int) -> tuple[list[Whole], int] | None:
        """Return the multipliers of the sets of each limit and that of larger classes; None if none of that size may be."""
        if self.allowed[-1].sum() < self.sizes[-1]:
            return None
        _, at = self._lowest(len(self.sizes) - 1, start, longest, _NONE)
        pays = self._penalized(-1, at)
        last = -int(np.partition(-pays, int(self.sizes[-1]) - 1)[int(self.sizes[-1]) - 1])
        multiplier = np.zeros(len(self.limit.length) + 1, np.int64)
        multiplier[self.sets[self.next[-1]]] = np.maximum(0, self.profit[self.next[-1]] - last)
        if self.limit.most is not None:
            multiplier[:-1] = np.minimum(multiplier[:-1], at * self.limit.length >> 16)
        largest = at if self.limit.most is not None else 0
        return [multiplier[:-1], *(self._left(other, multiplier, last) for other in self.others)], largest

    def _left(self, other: Limit, multiplier: Whole, last: int) -> Whole:
        """Return the multipliers of the sets of another limit: what the next row beyond the share pays more, less that."""
        most = other.numerator @ other.below[:, self.value] * self.sizes[-1] // other.denominator
        following = self.single & (self.place == most)
        left = np.where(following, np.maximum(0, self.profit - last - multiplier[self.sets]), 0)
        found: Whole = (other.below[:, self.value] * left).max(axis=1, initial=0)
        return found

    def _lowest(self, place: int, start: int, longest: int, best: int) -> tuple[int, int]:
        """Return the least gain of a size of all its multipliers, or one that is not above the best, and that multiplier."""
        low, high, at = 0, longest, start
        lowest, slope = self._gain(place, at)
        lowest_at = at
        if self.limit.most is None:
            return lowest, lowest_at
        for _ in range(_HALVINGS):
            if lowest <= best or slope == 0:
                break
            low, high = (at, high) if slope < 0 else (low, at)
            at = (low + high) // 2
            gained, slope = self._gain(place, at)
            if gained < lowest:
                lowest, lowest_at = gained, at
        return lowest, lowest_at

    def _gain(self, place: int, at: int) -> tuple[int, int]:
        """Return what a size gains with a multiplier, and how far its class is below what the limit allows."""
        size = int(self.sizes[place])
        pays = self._penalized(place, at)
        taken = np.argsort(-pays, kind="stable")[:size]
        gained = int(pays[taken].sum()) + self._back(at) * size
        off = np.bincount(self.sets[taken], self.over[place, taken], len(self.limit.length) + 1)[:-1].astype(np.int64)
        return gained, (self.limit.most or 0) * size - int((off * self.limit.length >> 16).sum())

    def _penalized(self, place: int | slice, at: int) -> Whole:
        over = self.over[place]
        penalized: Whole = np.where(self.allowed[place], self.profit - ((at * self.length >> 16) * over >> 16), _NONE)
        return penalized

    def _back(self, at: int) -> int:
        return -(-at * self.limit.most // ONE) if self.limit.most is not None else 0


def owners(start: Whole, items: int) -> list[slice]:
    """Return where the row types of each instance are."""
    return [slice(low, high) for low, high in pairwise([*start.tolist(), items])]
