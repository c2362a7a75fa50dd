"""The cheapest cells that each row hides where it is charged for classes and gets back for others, and steps of the charges.

A class is a set of columns, the part of it that is hidden, and the values of the rest. A row that fits it joins it if it hides
just this part of the set. It then pays its charge, and gets back what the charges of all rows of the class give each row.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

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
        Where the classes that each row fits begin, these, and what a row pays for each.
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
        self.joined = np.zeros(self.fit.shape[0], np.uint8)
        self.back = np.zeros(self.need.shape[0], np.int64)
        self.size = np.zeros(self.need.shape[0], np.int64)
        self.price = np.zeros(self.weight.shape[0], np.int64)
        longest = max(1, int(np.diff(self.fit_start).max(initial=0)))
        self.term = np.zeros(longest, np.int32)
        self.value = np.zeros(longest, np.int64)
        self.gain = np.zeros((self.cost.shape[0] + 1, self.cost.shape[0]), np.int64)


def relaxed(of: Relaxation) -> int:
    """Find what each row hides at the least cost, and the size of each class; return what all rows cost at least.

    Notes
    -----
    O(fits) and a search for each row that has to hide a cell, or may gain by it.
    """
    i: cython.longlong
    found: cython.longlong = 0
    of.work = of.fit.shape[0]
    with cython.nogil:
        _paid_back(of)
        for i in range(of.size.shape[0]):
            of.size[i] = 0
        for i in range(of.weight.shape[0]):
            found += of.weight[i] * _cheapest(of, i)
    return found


def moved(of: Relaxation, length: cython.longlong, most: cython.longlong) -> None:
    """Change the charges by steps of at most some length: those of members of small classes rise, all others fall; O(fits)."""
    i: cython.longlong
    a: cython.longlong
    c: cython.longlong
    small: cython.longlong
    need: cython.longlong
    step: cython.longlong
    with cython.nogil:
        for i in range(of.weight.shape[0]):
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


def _paid_back(of):
    """Compute what each row of a class gets back: the charges of all rows that fit it, divided among its least rows."""
    for c in range(of.back.shape[0]):
        of.back[c] = 0
    for i in range(of.weight.shape[0]):
        for a in range(of.fit_start[i], of.fit_start[i + 1]):
            of.back[of.fit[a]] += of.charge[a] * of.weight[i]
    for c in range(of.back.shape[0]):
        of.back[c] = (of.back[c] + of.need[c] - 1) // of.need[c]


def _cheapest(of, i):
    """Return what a row costs at least; store what it hides, and count it in its classes."""
    of.terms = 0
    of.least = 0
    for a in range(of.fit_start[i], of.fit_start[i + 1]):
        c = of.fit[a]
        value = of.charge[a] - of.back[c]
        if value != 0:
            of.term[of.terms] = c
            of.value[of.terms] = value
            of.terms += 1
    bits = cython.cast(cython.ulonglong, of.hidden[i])
    for a in range(of.rare_start[i], of.rare_start[i + 1]):
        if of.rare[a] & bits == 0:
            bits |= of.rare[a]
    of.best_hidden = bits
    of.best = _cost_of(of, bits)
    of.least = of.best
    of.nodes = 0
    _visit(of, i, 0, 0, 0)
    of.price[i] = of.least if of.least < of.best else of.best
    of.hidden[i] = of.best_hidden
    for a in range(of.fit_start[i], of.fit_start[i + 1]):
        c = of.fit[a]
        of.joined[a] = (of.best_hidden & of.chosen[c]) == of.part[c]
        if of.joined[a]:
            of.size[c] += of.weight[i]
    return of.price[i]


def _cost_of(of, hidden):
    """Return what it costs the row to hide some columns and show all others."""
    found = cython.cast(cython.longlong, 0)
    for c in range(of.cost.shape[0]):
        if (hidden >> c) & 1:
            found += of.cost[c]
    for a in range(of.terms):
        if (hidden & of.chosen[of.term[a]]) == of.part[of.term[a]]:
            found += of.value[a]
    return found


def _least_cost(of, columns):
    """Return the cost of the cheapest of some columns."""
    found = cython.cast(cython.longlong, -1)
    for c in range(of.cost.shape[0]):
        if (columns >> c) & 1 and (found < 0 or of.cost[c] < found):
            found = of.cost[c]
    return found


def _visit(of, i, hidden, shown, depth):
    """Search the masks that hide some columns and show others: branch on the column that most sets or gains ask for."""
    of.nodes += 1
    of.work += of.terms + of.rare_start[i + 1] - of.rare_start[i]
    one = cython.cast(cython.ulonglong, 1)
    changed = True
    while changed:
        changed = False
        for a in range(of.rare_start[i], of.rare_start[i + 1]):
            if of.rare[a] & hidden:
                continue
            left = cython.cast(cython.ulonglong, of.rare[a]) & ~shown
            if left == 0:
                return
            if left & (left - 1) == 0:
                hidden |= left
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
        if (hidden >> c) & 1:
            bound += of.cost[c]
    for a in range(of.terms):
        part = cython.cast(cython.ulonglong, of.part[of.term[a]])
        needed = cython.cast(cython.ulonglong, of.chosen[of.term[a]]) & ~part
        if (part & shown) or (needed & hidden):
            continue
        value = of.value[a]
        left = part & ~hidden
        if value < 0:
            bound += value
            value = -value
        else:
            left = needed & ~shown
            if left == 0 and part & ~hidden == 0:
                bound += value
                continue
        for w in range(of.column.shape[1]):
            c = of.column[of.term[a], w]
            if c >= 0 and (left >> c) & 1:
                of.gain[depth, c] += value
    if bound >= of.best:
        return
    if of.nodes > of.most:
        of.least = min(of.least, bound)
        return
    branch = -1
    highest = cython.cast(cython.longlong, 0)
    for c in range(of.cost.shape[0]):
        if ((hidden | shown) >> c) & 1:
            continue
        worth = of.gain[depth, c] - of.cost[c]
        if (unmet >> c) & 1:
            worth = of.gain[depth, c] + 1
            for a in range(of.rare_start[i], of.rare_start[i + 1]):
                if not (of.rare[a] & hidden) and (of.rare[a] >> c) & 1:
                    worth += of.cost[c] + 1
        if worth > highest:
            highest = worth
            branch = c
    if branch < 0:
        value = _cost_of(of, hidden)
        if value < of.best:
            of.best = value
            of.best_hidden = hidden
        return
    _visit(of, i, hidden | (one << branch), shown, depth + 1)
    _visit(of, i, hidden, shown | (one << branch), depth + 1)
