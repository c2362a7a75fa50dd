"""The search for useful instances: the groups that wait, and the instances found; both grow as they have to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64, empty_int64_2d, full_int64, zeros_int64

_TURN = cython.declare(cython.longlong, 7919)


@cython.final
@cython.cclass
class Search:
    """A search for the instances with k rows that are of use to one of them, without dominated ones; and what it has found.

    An instance is of use to a row type if it costs less than the cheapest instance of the row type and ``slack`` more.

    Parameters
    ----------
    codes : int32 array [t, m]
        Columns of many values first: groups fall below k early.
    weight : int64 array [t]
        Rows of each row type.
    slack : int
        See above.
    masks : uint64 array [p], descending
        Column ``c`` is bit ``m - 1 - c``.
    cost : int64 array [p]
        Cost of a row under each mask.
    sparse : int64 array [levels, p]
        ``sparse[l, i]`` is the least of ``cost[i : i + 2**l]``.
    k, limit : int
        Least rows of a class; members after which the search gives up.
    low, high : int
        Instances of the masks from ``low`` to ``high - 1`` are looked for.

    Attributes
    ----------
    price_limit : int64 array [t]
        The cost from which on an instance is of no use to a row type; where the search is priced, the price of a row.
    priced : bool
        Whether only instances are of use whose cost is below the mean price of k of their rows; then ``price_limit`` does not
        change.
    row : int32 array [(m + 1) t]
        The row types, group after group. Where the search is priced, those of the highest price come first, and the parts of a
        group follow it; else they take its place.
    rows, count, best, value : int64 arrays [cells]
        While a group is split: rows, row types, highest limit (or the prices of k rows) of each code, and the different codes.
    waiting, stack : int, int64 array [at least waiting, 5]
        The groups that wait: first and last place in ``row``, column to decide, first and last of the masks that agree with
        what was decided.
    found, start, mask, size, member : int, int64, int32 arrays, int, int32 array
        The instances found: instance j has the ``mask[j]`` and the row types ``member[start[j] : start[j + 1]]``.

    Notes
    -----
    Memory O(t m) and the result; a search without prices uses O(t) of it.
    """

    def __init__(
        self,
        *,
        codes: NDArray[np.int32],
        weight: NDArray[np.int64],
        slack: int,
        masks: NDArray[np.uint64],
        cost: NDArray[np.int64],
        sparse: NDArray[np.int64],
        k: int,
        limit: int,
        low: int,
        high: int,
    ) -> None:
        t, cells = len(codes), int(codes.max(initial=0)) + 1
        self.codes, self.weight, self.slack = codes, weight, slack
        self.masks, self.cost, self.sparse = masks, cost, sparse
        self.k, self.limit = k, limit
        self.price_limit = full_int64(t, 1 << 62)
        row = np.empty((codes.shape[1] + 1) * t, np.int32)
        row[:t] = np.arange(t, dtype=np.int32)
        self.priced, self.row = False, row
        self.rows, self.count = zeros_int64(cells), zeros_int64(cells)
        self.best, self.value = zeros_int64(cells), empty_int64(cells)
        self.waiting, self.stack = 0, empty_int64_2d(1024, 5)
        self.found, self.start, self.mask = 0, zeros_int64(1024), empty_int32(1024)
        self.size, self.member = 0, empty_int32(4096)
        wait(self, 0, t, 0, low, high)


def _grow_stack(search):
    search.stack = np.concatenate([search.stack, search.stack])
    return 0


def _grow_instances(search):
    search.start = np.concatenate([search.start, search.start])
    search.mask = np.concatenate([search.mask, search.mask])
    return 0


def _grow_members(search):
    members: object = np.empty(2 * len(search.member), np.int32)  # most of its pages are not touched before they are needed
    members[: search.size] = search.member[: search.size]
    search.member = members
    return 0


def wait(search, first, last, column, low, high):
    """Let a group wait: its places in ``row``, the column to decide, and the masks that agree with what was decided."""
    if search.waiting == search.stack.shape[0]:
        _grow_stack(search)
    search.stack[search.waiting, 0] = first
    search.stack[search.waiting, 1] = last
    search.stack[search.waiting, 2] = column
    search.stack[search.waiting, 3] = low
    search.stack[search.waiting, 4] = high
    search.waiting += 1
    return 0


def keep(search, first, last, p):
    """Add an instance to those found.

    Where the search is priced, each begins elsewhere: of rows with the same price, not all are to be filled up with the first.
    """
    size = last - first
    turn = search.found * _TURN % size if search.priced else 0
    while search.size + size > search.member.shape[0]:
        _grow_members(search)
    if search.found + 2 > search.start.shape[0]:
        _grow_instances(search)
    for a in range(size - turn):
        search.member[search.size + a] = search.row[first + turn + a]
    for a in range(turn):
        search.member[search.size + size - turn + a] = search.row[first + a]
    search.mask[search.found] = p
    search.size += size
    search.found += 1
    search.start[search.found] = search.size
    return 0
