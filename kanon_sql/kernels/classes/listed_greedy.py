"""The greedy pass over listed instances: each with enough rows left takes all of them."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython


def take_listed(
    start: cython.longlong[::1],
    member: cython.int[::1],
    order: cython.longlong[::1],
    weight: cython.longlong[::1],
    k: cython.longlong,
    taken: cython.int[::1],
) -> int:
    """Let the instances, one after the other, take their rows that are left if they are k or more; return the rows taken.

    Parameters
    ----------
    start, member
        The row types of instance j are ``member[start[j] : start[j + 1]]``.
    order : int64 array
        The instances in their turn.
    weight : int64 array [t]
        Rows of each row type.
    k : int
        Least number of rows of a class.
    taken : int32 array [t]
        -1 for the row types that are left; set to the instance that takes them.

    Notes
    -----
    O(members).
    """
    total = 0
    with cython.nogil:
        for place in range(order.shape[0]):
            j = order[place]
            rows = 0
            for a in range(start[j], start[j + 1]):
                if taken[member[a]] < 0:
                    rows += weight[member[a]]
            if rows < k:
                continue
            total += rows
            for a in range(start[j], start[j + 1]):
                if taken[member[a]] < 0:
                    taken[member[a]] = j
    return total
