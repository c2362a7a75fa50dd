"""How groups of row types are pruned and split: from which cost on an instance is of no use to a group, and to its parts."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.instances.search import wait


def limit_of_any(price_limit, row, first, last):
    """Return the cost from which on an instance is of no use to any of some row types."""
    top = -1
    for a in range(first, last):
        top = max(top, price_limit[row[a]])
    return top


def limit_of_k_rows(search, first, last):
    """Return the cost of a row from which on a group gains nothing: the mean price of its first k rows, the highest."""
    need = search.k
    total = 0
    for a in range(first, last):
        i = search.row[a]
        total += min(need, search.weight[i]) * search.price_limit[i]
        need -= min(need, search.weight[i])
        if need == 0:
            break
    return (total + search.k - 1) // search.k


def least_cost(search, low, high):
    """Return the least cost of the masks ``low`` to ``high - 1``."""
    level = 0
    width = 1
    while 2 * width <= high - low:
        level += 1
        width *= 2
    return min(search.sparse[level, low], search.sparse[level, high - width])


def split(search, first, last, column, low, high):
    """Split a group by the codes of a column; the parts that still matter under the masks wait.

    Without prices, the parts take the place of the group. With prices, those that matter come after it.
    """
    floor = least_cost(search, low, high)
    source = first
    place = last
    if search.priced:
        values = _sum_prices(search, first, last, column)
        floor *= search.k
    else:
        values = _find_tops(search, first, last, column)
        source, place = search.weight.shape[0], first
    for v in range(values):
        code = search.value[v]
        size = search.count[code]
        search.count[code] = 0
        matters: cython.bint = search.rows[code] >= search.k and search.best[code] > floor
        if matters:
            wait(search, place, place + size, column + 1, low, high)
        search.rows[code] = -1  # from here on the place of its next row type
        if matters or not search.priced:
            search.rows[code] = place
            place += size
    _hand_out(search, source, source + last - first, column)
    return 0


def _sum_prices(search, first, last, column):
    """Count the row types and rows of each code, and in ``best`` the k highest prices, in all; return the codes."""
    values = 0
    for a in range(first, last):
        i = search.row[a]
        code = search.codes[i, column]
        if search.count[code] == 0:
            values = _add_code(search, values, code, 0)
        search.count[code] += 1
        if search.rows[code] < search.k:
            search.best[code] += min(search.weight[i], search.k - search.rows[code]) * search.price_limit[i]
        search.rows[code] += search.weight[i]
    return values


def _find_tops(search, first, last, column):
    """Count the row types and rows of each code, and in ``best`` the highest limit; copy the group; return the codes."""
    values = 0
    copy = search.weight.shape[0]
    for a in range(first, last):
        i = search.row[a]
        code = search.codes[i, column]
        if search.count[code] == 0:
            values = _add_code(search, values, code, -1)
        search.count[code] += 1
        search.best[code] = max(search.best[code], search.price_limit[i])
        search.rows[code] += search.weight[i]
        search.row[copy] = i
        copy += 1
    return values


def _add_code(search, values, code, best):
    """Begin to count a code that a group has; return how many it has now."""
    search.value[values] = code
    search.rows[code] = 0
    search.best[code] = best
    return values + 1


def _hand_out(search, first, last, column):
    """Put each row type at the place of its code, in ``rows``; those of codes without a place are left out."""
    for a in range(first, last):
        i = search.row[a]
        code = search.codes[i, column]
        if search.rows[code] >= 0:
            search.row[search.rows[code]] = i
            search.rows[code] += 1
