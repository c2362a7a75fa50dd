"""How groups of row types are pruned and split: from which cost on an instance is of no use to a group, and to its parts."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.instances.search import Search, wait
else:
    from kanon_sql.kernels.instances.search import Search, wait


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def limit_of_any(
    worth: cython.longlong[::1], row: cython.int[::1], first: cython.longlong, last: cython.longlong
) -> cython.longlong:
    """Return the cost from which on an instance is of no use to any of some row types."""
    a: cython.longlong
    top: cython.longlong = -1
    for a in range(first, last):
        top = max(top, worth[row[a]])
    return top


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def limit_of_k_rows(search: Search, first: cython.longlong, last: cython.longlong) -> cython.longlong:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def least_cost(search: Search, low: cython.longlong, high: cython.longlong) -> cython.longlong:
    """Return the least cost of the masks ``low`` to ``high - 1``."""
    level: cython.longlong = 0
    width: cython.longlong = 1
    while 2 * width <= high - low:
        level += 1
        width *= 2
    return min(search.sparse[level, low], search.sparse[level, high - width])


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def split(
    search: Search,
    first: cython.longlong,
    last: cython.longlong,
    column: cython.longlong,
    low: cython.longlong,
    high: cython.longlong,
) -> cython.int:
    """Split a group by the codes of a column; the parts that still matter under the masks wait.

    Without prices, the parts take the place of the group. With prices, those that matter come after it.
    """
    v: cython.longlong
    code: cython.longlong
    size: cython.longlong
    matters: cython.bint
    values: cython.longlong
    floor: cython.longlong = least_cost(search, low, high)
    source: cython.longlong = first
    place: cython.longlong = last
    if search.priced:
        values = _sum_payments(search, first, last, column)
        floor *= search.k
    else:
        values = _find_tops(search, first, last, column)
        source, place = search.weight.shape[0], first
    for v in range(values):
        code = search.value[v]
        size = search.count[code]
        search.count[code] = 0
        matters = search.rows[code] >= search.k and search.best[code] > floor
        if matters:
            wait(search, place, place + size, column + 1, low, high)
        search.rows[code] = -1  # from here on the place of its next row type
        if matters or not search.priced:
            search.rows[code] = place
            place += size
    _hand_out(search, source, source + last - first, column)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sum_payments(search: Search, first: cython.longlong, last: cython.longlong, column: cython.longlong) -> cython.longlong:
    """Count the row types and rows of each code, and in ``best`` what its first k rows, the dearest, pay; return the codes."""
    a: cython.longlong
    i: cython.longlong
    code: cython.longlong
    values: cython.longlong = 0
    for a in range(first, last):
        i = search.row[a]
        code = search.codes[i, column]
        if search.count[code] == 0:
            values = _add_code(search, values, code, 0)
        search.count[code] += 1
        if search.rows[code] < search.k:
            search.best[code] += min(search.weight[i], search.k - search.rows[code]) * search.worth[i]
        search.rows[code] += search.weight[i]
    return values


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_tops(search: Search, first: cython.longlong, last: cython.longlong, column: cython.longlong) -> cython.longlong:
    """Count the row types and rows of each code, and in ``best`` the greatest worth; copy the group; return the codes."""
    a: cython.longlong
    i: cython.longlong
    code: cython.longlong
    values: cython.longlong = 0
    copy: cython.longlong = search.weight.shape[0]
    for a in range(first, last):
        i = search.row[a]
        code = search.codes[i, column]
        if search.count[code] == 0:
            values = _add_code(search, values, code, -1)
        search.count[code] += 1
        search.best[code] = max(search.best[code], search.worth[i])
        search.rows[code] += search.weight[i]
        search.row[copy] = i
        copy += 1
    return values


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_code(search: Search, values: cython.longlong, code: cython.longlong, best: cython.longlong) -> cython.longlong:
    """Begin to count a code that a group has; return how many it has now."""
    search.value[values] = code
    search.rows[code] = 0
    search.best[code] = best
    return values + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hand_out(search: Search, first: cython.longlong, last: cython.longlong, column: cython.longlong) -> cython.void:
    """Put each row type at the place of its code, in ``rows``; those of codes without a place are left out."""
    a: cython.longlong
    i: cython.longlong
    code: cython.longlong
    for a in range(first, last):
        i = search.row[a]
        code = search.codes[i, column]
        if search.rows[code] >= 0:
            search.row[search.rows[code]] = i
            search.rows[code] += 1
