"""The cheapest cells that each row hides where it is charged for classes and gets back for others, and steps of the charges.

A class is a set of columns, the part of it that is hidden, and the values of the rest. A row that fits it joins it if it hides
just this part of the set. It is then charged for that, and gets back what the charges of all rows of the class give each row.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int32_2d, zeros_int64, zeros_int64_2d, zeros_uint8

_FULL = cython.declare(cython.longlong, 4)
"""Small classes up to which a row makes full steps; of more, the steps together are as long as those of so many."""


@cython.cclass
class Relaxation:
    """Rows, the sets that each has to hide a cell of, and the classes that it fits.

    Parameters
    ----------
    rows : tuple of (int64 array [n], int64 array [n + 1], uint64 array)
        Rows of the table that each stands for, where the sets of each begin, and these as bits.
    cost : int64 array [m]
        Cost of a hidden cell of each column.
    classes : tuple of (uint64 array [c], uint64 array [c], int64 array [c], int32 array [c, w])
        The set of each class, its hidden part, the least rows that it has, and the columns of the set, then -1.
    fits : tuple of (int64 array [n + 1], int32 array [f], int64 array [f])
        Where the classes that each row fits begin, these, and the charge of each.
    hidden : uint64 array [n]
        The columns that each row hides at first, as bits; changed.
    nodes : int
        Steps of the search for one row, after which only a bound on its cost is known.
    """

    def __init__(self, rows, cost, classes, fits, hidden, nodes) -> None:
        self.weight, self.rare_start, self.rare = rows
        self.cost = cost
        self.chosen, self.part, self.need, self.column = classes
        self.fit_start, self.fit, self.charge = fits
        self.hidden = hidden
        self.most = nodes
        self.work = self.terms = self.best = self.least = self.best_hidden = self.nodes = 0
        row_types, columns = len(self.weight), len(self.cost)
        self.cheapest_cell = int(np.asarray(cost).min())
        self.joined = zeros_uint8(len(self.fit))
        self.active = np.ones(row_types, np.uint8)
        self.counted = False
        self.back = zeros_int64(len(self.need))
        self.size = zeros_int64(len(self.need))
        self.price = zeros_int64(row_types)
        longest = max(1, int(np.diff(self.fit_start).max(initial=0)))
        self.value = zeros_int64(longest)
        self.alive = zeros_int32_2d(columns + 3, longest)
        self.gain = zeros_int64_2d(columns + 2, columns)


def relaxed(of: Relaxation) -> int:
    """Find what each row hides at the least cost, and the size of each class; return what all rows cost at least.

    Notes
    -----
    O(fits) and a search for each row that has to hide a cell, or may gain by it.
    """
    found = 0
    of.work = of.fit.shape[0]
    with cython.nogil:
        _set_refunds(of)
        for i in range(of.weight.shape[0]):
            found += of.weight[i] * _cheapest(of, i)
    of.counted = True
    return found


def moved(of: Relaxation, length: cython.longlong, most: cython.longlong) -> None:
    """Change the charges by steps of at most some length: those of members of small classes rise, all others fall; O(fits)."""
    with cython.nogil:
        for i in range(of.weight.shape[0]):
            if not of.active[i]:
                continue
            small = 0
            for a in range(of.fit_start[i], of.fit_start[i + 1]):
                if of.joined[a] and of.size[of.fit[a]] < of.need[of.fit[a]]:
                    small += 1
            for a in range(of.fit_start[i], of.fit_start[i + 1]):
                if not of.joined[a] and of.charge[a] == 0:
                    continue
                c = of.fit[a]
                need = of.need[c]
                step = (need if of.joined[a] else 0) - of.size[c]
                if step > 0:
                    of.charge[a] = min(most, of.charge[a] + length * step // need * _FULL // max(_FULL, small))
                else:
                    of.charge[a] = max(0, of.charge[a] - min(length, length * -step // need))


def _set_refunds(of):
    """Compute what each row of a class gets back: the charges of all rows that fit it, divided among its least rows.

    A row is active if it is charged, or in a class.
    """
    for c in range(of.back.shape[0]):
        of.back[c] = 0
    for i in range(of.weight.shape[0]):
        if not of.active[i]:
            continue
        of.active[i] = 0
        for a in range(of.fit_start[i], of.fit_start[i + 1]):
            if of.charge[a] != 0:
                of.back[of.fit[a]] += of.charge[a] * of.weight[i]
                of.active[i] = 1
            elif of.joined[a]:
                of.active[i] = 1
    for c in range(of.back.shape[0]):
        of.back[c] = (of.back[c] + of.need[c] - 1) // of.need[c]


def _cheapest(of, i):
    """Return what a row costs at least; store what it hides, and count it in its classes."""
    of.terms = 0
    pull = cython.cast(cython.longlong, 0)
    all_shown = cython.cast(cython.longlong, 0)
    for a in range(of.fit_start[i], of.fit_start[i + 1]):
        c = of.fit[a]
        value = of.charge[a] - of.back[c]
        if value != 0:
            of.alive[0, of.terms] = a
            of.value[a - of.fit_start[i]] = value
            of.terms += 1
            pull += value if value > 0 else -value
            if of.part[c] == 0:
                all_shown += value
    if of.rare_start[i] == of.rare_start[i + 1] and pull <= of.cheapest_cell:
        of.best_hidden = 0
        of.price[i] = all_shown
    else:
        _search(of, i)
    if of.best_hidden != of.hidden[i] or not of.counted:
        _join(of, i)
    return of.price[i]


def _search(of, i):
    """Find what a row hides at the least cost; what it hid before is the first that is known."""
    bits: cython.ulonglong = cython.cast(cython.ulonglong, of.hidden[i])
    for a in range(of.rare_start[i], of.rare_start[i + 1]):
        if of.rare[a] & bits == 0:
            bits |= of.rare[a]
    of.best_hidden = bits
    of.best = 0
    for c in range(of.cost.shape[0]):
        if (bits >> c) & 1:
            of.best += of.cost[c]
    for n in range(of.terms):
        a = of.alive[0, n]
        if (bits & of.chosen[of.fit[a]]) == of.part[of.fit[a]]:
            of.best += of.value[a - of.fit_start[i]]
    of.least = of.best
    of.nodes = 0
    _visit(of, i, 0, 0, 0, of.terms, 0)
    of.price[i] = min(of.least, of.best)


def _join(of, i):
    """Count a row in the classes that it is in now, and no longer in others."""
    of.hidden[i] = of.best_hidden
    for a in range(of.fit_start[i], of.fit_start[i + 1]):
        c = of.fit[a]
        inside: cython.bint = (of.best_hidden & of.chosen[c]) == of.part[c]
        if inside and not of.joined[a]:
            of.size[c] += of.weight[i]
            of.active[i] = 1
        elif of.joined[a] and not inside:
            of.size[c] -= of.weight[i]
        of.joined[a] = inside


def _least_cost(of, columns):
    """Return the cost of the cheapest of some columns."""
    found = cython.cast(cython.longlong, -1)
    for c in range(of.cost.shape[0]):
        if (columns >> c) & 1 and (found < 0 or of.cost[c] < found):
            found = of.cost[c]
    return found


def _visit(of, i, hidden, shown, depth, count, fixed_cost):
    """Search the masks that hide some columns and show others: branch on the column that most sets or gains need.

    Of the terms, ``count`` depend on other columns; ``fixed_cost`` is what the row costs by the columns decided.
    """
    met: cython.ulonglong
    unmet: cython.ulonglong
    of.nodes += 1
    of.work += count + of.rare_start[i + 1] - of.rare_start[i]
    one: cython.ulonglong = cython.cast(cython.ulonglong, 1)
    changed: cython.bint = True
    while changed:
        changed = False
        for a in range(of.rare_start[i], of.rare_start[i + 1]):
            if of.rare[a] & hidden:
                continue
            left: cython.ulonglong = cython.cast(cython.ulonglong, of.rare[a]) & ~shown
            if left == 0:
                return
            if left & (left - 1) == 0:
                hidden |= left
                fixed_cost += _least_cost(of, left)
                changed = True
    bound = cython.cast(cython.longlong, 0)
    met = unmet = cython.cast(cython.ulonglong, 0)
    for a in range(of.rare_start[i], of.rare_start[i + 1]):
        if of.rare[a] & hidden:
            continue
        left = cython.cast(cython.ulonglong, of.rare[a]) & ~shown
        unmet |= left
        if left & met == 0:
            met |= left
            bound += _least_cost(of, left)
    for c in range(of.cost.shape[0]):
        of.gain[depth, c] = 0
    rest = cython.cast(cython.longlong, 0)
    kept = cython.cast(cython.longlong, 0)
    for n in range(count):
        a = of.alive[depth, n]
        part: cython.ulonglong = cython.cast(cython.ulonglong, of.part[of.fit[a]])
        needed: cython.ulonglong = cython.cast(cython.ulonglong, of.chosen[of.fit[a]]) & ~part
        if (part & shown) or (needed & hidden):
            continue
        value = of.value[a - of.fit_start[i]]
        part &= ~hidden
        needed &= ~shown
        if part == 0:
            if needed == 0:
                fixed_cost += value
                continue
            rest += value
        of.alive[depth + 1, kept] = a
        kept += 1
        if value < 0:
            bound += value
            value = -value
        else:
            part = needed
        for w in range(of.column.shape[1]):
            c = of.column[of.fit[a], w]
            if c >= 0 and (part >> c) & 1:
                of.gain[depth, c] += value
    if fixed_cost + bound >= of.best:
        return
    if of.nodes > of.most:
        of.least = min(of.least, fixed_cost + bound)
        return
    branch = -1
    highest = cython.cast(cython.longlong, 0)
    for c in range(of.cost.shape[0]):
        if ((hidden | shown) >> c) & 1:
            continue
        score = of.gain[depth, c] - of.cost[c]
        if (unmet >> c) & 1:
            score = of.gain[depth, c] + 1
            for a in range(of.rare_start[i], of.rare_start[i + 1]):
                if not (of.rare[a] & hidden) and (of.rare[a] >> c) & 1:
                    score += of.cost[c] + 1
        if score > highest:
            highest = score
            branch = c
    if branch < 0:  # to show all others is the cheapest
        if fixed_cost + rest < of.best:
            of.best = fixed_cost + rest
            of.best_hidden = hidden
        return
    _visit(of, i, hidden | (one << branch), shown, depth + 1, kept, fixed_cost + of.cost[branch])
    _visit(of, i, hidden, shown | (one << branch), depth + 1, kept, fixed_cost)
