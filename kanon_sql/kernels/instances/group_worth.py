"""The cost from which on an instance is of no use to a group of row types: to any of them, or to k rows on average."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.instances.search import Search
else:
    from kanon_sql.kernels.instances.search import Search


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def worth_of(
    worth: cython.longlong[::1], row: cython.int[::1], first: cython.longlong, last: cython.longlong
) -> cython.longlong:
    """Return the greatest worth of some row types."""
    a: cython.longlong
    top: cython.longlong = -1
    for a in range(first, last):
        top = max(top, worth[row[a]])
    return top


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def paid(search: Search, first: cython.longlong, last: cython.longlong) -> cython.longlong:
    """Return the cost of a row from which on a group gains nothing: what its first k rows, the dearest, pay on average."""
    a: cython.longlong
    i: cython.longlong
    need: cython.longlong = search.k
    total: cython.longlong = 0
    for a in range(first, last):
        i = search.row[a]
        total += min(need, search.weight[i]) * search.worth[i]
        need -= min(need, search.weight[i])
        if need == 0:
            break
    return (total + search.k - 1) // search.k
