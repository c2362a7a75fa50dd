"""The classes of rows by many sets of columns at once, while single cells are hidden and shown.

A class is found by a key: the exclusive or of a random word for each cell of the row in the set. Two classes with one key would
be counted as one, so the audit counts in another way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, it comes from the .pxd
    from kanon_sql.kernels.random import below


@cython.final
@cython.cclass
class SetClasses:
    """Rows, what each hides, and the rows of each class by every set of columns.

    Parameters
    ----------
    word : uint64 array [n, m]
        A random word for each cell, the same for equal values of a column.
    hidden_word : uint64 array [m]
        The word of a hidden cell of each column.
    weight : int64 array [n]
        Rows of the table that each row stands for.
    set_start, member : int64 array [s + 1], int32 array
        Where the columns of each set begin, and the columns.
    of_start, of_set : int64 array [m + 1], int32 array
        Where the sets of each column begin, and the sets.
    need : int64 array [s]
        Least rows of a class by each set.
    bits : int
        The table of classes has 2^bits places.

    Attributes
    ----------
    cell : uint64 array [n, m]
        The word of each cell as it is shown.
    hidden : uint8 array [n, m]
        Whether it is hidden.
    key, rows : uint64 and int64 arrays [2^bits]
        The classes, 0 where there is none, and their rows.
    used : int
        Places that are taken, also by classes without rows.
    """

    def __init__(
        self,
        word: NDArray[np.uint64],
        hidden_word: NDArray[np.uint64],
        weight: NDArray[np.int64],
        sets: tuple[NDArray[np.int64], NDArray[np.int32]],
        columns: tuple[NDArray[np.int64], NDArray[np.int32]],
        need: NDArray[np.int64],
        bits: int,
    ) -> None:
        self.word, self.hidden_word, self.weight = word, hidden_word, weight
        self.set_start, self.member = sets
        self.of_start, self.of_set = columns
        self.need = need
        self.cell, self.hidden = word.copy(), np.zeros(word.shape, np.uint8)
        self.key, self.rows = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int64)
        self.last = (1 << bits) - 1
        self.used = 0

    def hide(self, hidden: NDArray[np.uint8]) -> bool:
        """Hide these cells and no others; all classes are counted again. Return whether the table holds them."""
        np.copyto(np.asarray(self.hidden), hidden)
        np.copyto(np.asarray(self.cell), np.where(hidden.astype(np.bool_), np.asarray(self.hidden_word), np.asarray(self.word)))
        return self.count()

    def count(self) -> bool:
        """Count the classes of all rows; return whether the table holds them, without which the counts are wrong."""
        r: cython.longlong
        s: cython.longlong
        self.key[:] = 0
        self.rows[:] = 0
        self.used = 0
        with cython.nogil:
            for r in range(self.cell.shape[0]):
                if self.used + self.need.shape[0] > self.last:
                    break
                for s in range(self.need.shape[0]):
                    self.rows[place_of(self, key_of(self, r, s))] += self.weight[r]
        return not self.crowded

    @property
    def crowded(self) -> bool:
        """Whether the table of classes is so full that it should be counted again."""
        return self.used * 4 > (self.last + 1) * 3

    def small_by_column(self, found: NDArray[np.int64]) -> int:
        """Count for each shown cell the small classes of its row by sets with it, int64 [n, m]; return how many there are."""
        number: cython.longlong = 0
        r: cython.longlong
        s: cython.longlong
        i: cython.longlong
        out: cython.longlong[:, ::1] = found
        out[:] = 0
        with cython.nogil:
            for r in range(self.cell.shape[0]):
                for s in range(self.need.shape[0]):
                    if self.rows[place_of(self, key_of(self, r, s))] < self.need[s]:
                        number += 1
                        for i in range(self.set_start[s], self.set_start[s + 1]):
                            out[r, self.member[i]] += 1
        return number

    def toggled(self, row: int, column: int) -> int:
        """Hide or show a cell; return how many more rows classes are short of."""
        return toggle(self, row, column)


def search(
    classes: SetClasses,
    active: cython.longlong[::1],
    cost: cython.longlong[::1],
    penalty: cython.longlong,
    threshold: cython.longlong,
    steps: cython.longlong,
    state: cython.ulonglong[::1],
) -> int:
    """Hide and show random cells of the active rows, and swap two of a row; return the change of the cost.

    Parameters
    ----------
    classes : SetClasses
        Changes.
    active : int64 array
        The rows that may change.
    cost : int64 array [m]
        Cost of hiding a cell.
    penalty : int
        What each row that a class is short of costs.
    threshold : int
        A change may cost at most this, times the square of a random share.
    steps : int
        Changes to try.
    state : uint64 array [1]
        Of the random numbers.
    """
    total: cython.longlong = 0
    n: cython.longlong
    with cython.nogil:
        for n in range(steps):
            if classes.used * 4 > (classes.last + 1) * 3:
                break
            total += _step(classes, active, cost, penalty, threshold, state)
    return total


def _step(classes, active, cost, penalty, threshold, state):
    """Try one change; return what it changes of the cost."""
    columns = cost.shape[0]
    r = active[below(state, active.shape[0])]
    c = below(state, columns)
    other = -1
    if below(state, 2) == 0:  # a swap: a hidden cell of the row for a shown one
        other = below(state, columns)
        if classes.hidden[r, c] == classes.hidden[r, other]:
            return 0
    moved = -cost[c] if classes.hidden[r, c] else cost[c]
    if other >= 0:
        moved += -cost[other] if classes.hidden[r, other] else cost[other]
    moved *= classes.weight[r]
    short = toggle(classes, r, c)
    if other >= 0:
        short += toggle(classes, r, other)
    share = below(state, 1024)
    if moved + penalty * short <= (threshold * share * share) >> 20:
        return moved
    toggle(classes, r, c)
    if other >= 0:
        toggle(classes, r, other)
    return 0


def key_of(classes, r, s):
    """Return the key of the class of a row by a set."""
    key = classes.cell[r, classes.member[classes.set_start[s]]]
    for i in range(classes.set_start[s] + 1, classes.set_start[s + 1]):
        key ^= classes.cell[r, classes.member[i]]
    return key


def place_of(classes, key):
    """Return the place of a class; it gets one if it has none."""
    place = cython.cast(cython.longlong, key & cython.cast(cython.ulonglong, classes.last))
    while classes.key[place] != key:
        if classes.key[place] == 0:
            classes.key[place] = key
            classes.used += 1
            return place
        place = (place + 1) & classes.last
    return place


def toggle(classes, r, c):
    """Hide or show a cell; return how many more rows classes are short of."""
    before = classes.cell[r, c]
    after = classes.word[r, c] if classes.hidden[r, c] else classes.hidden_word[c]
    rows = classes.weight[r]
    short = 0
    for i in range(classes.of_start[c], classes.of_start[c + 1]):
        s = classes.of_set[i]
        need = classes.need[s]
        key = key_of(classes, r, s)
        place = place_of(classes, key)
        short -= _short(classes.rows[place], need)
        classes.rows[place] -= rows
        short += _short(classes.rows[place], need)
        place = place_of(classes, key ^ before ^ after)
        short -= _short(classes.rows[place], need)
        classes.rows[place] += rows
        short += _short(classes.rows[place], need)
    classes.cell[r, c] = after
    classes.hidden[r, c] = 1 - classes.hidden[r, c]
    return short


def _short(rows, need):
    return need - rows if 0 < rows < need else 0
