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

from kanon_sql.kernels.projections.rows_by_value import rows_by_value

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.criteria.dispatch import criterion_meets, criterion_shortfall
    from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement

_MOST_MEMBERS = 64
"""Rows of a class that change together."""

_FIRST_HISTOGRAMS = 1024
"""Classes for which histograms are made at first, where sensitive values count."""


@cython.final
@cython.cclass
class SetClasses:
    """Rows, what each hides, and the rows, people and sensitive values of each class by every set of columns.

    Parameters
    ----------
    words : (uint64 array [n, m], uint64 array [m])
        A random word for each cell, the same for equal values of a column, and that of a hidden cell of each column.
    weight : int64 array [n]
        Rows of the table that each row stands for.
    sets : (int64 array [s + 1], int32 array, int64 array [s])
        Where the columns of each set begin, the columns, and the least rows of a class by each set.
    columns : (int64 array [m + 1], int32 array)
        Where the sets of each column begin, and the sets.
    ladder : (int32 array [m], int32 array [m])
        The column that is hidden before each, and the column that is shown before it: the levels of a column of the source.
        -1 is none; a column that is its own is never shown.
    people : (uint64 array [n], int64 array [s])
        A random word for each person, 0 for nobody, and the least people of a class by each set. Without people the first is
        empty.
    values : (EncodedRequirement, int64 array [s + 1], int32 array, int32 array [n, a])
        Criteria on sensitive values, where those of each set begin, which they are, and the counters that each row raises.
    bits : int
        The table of classes has 2^bits places.

    Attributes
    ----------
    cell : uint64 array [n, m]
        The word of each cell as it is shown.
    hidden : uint8 array [n, m]
        Whether it is hidden.
    key, rows, people : uint64, int64 and int64 arrays [2^bits]
        The classes, 0 where there is none, their rows, and their people.
    held_key, held_rows : uint64 and int64 arrays
        The same for the rows of one person in a class.
    slot, histogram : int64 arrays
        Where the counters of the sensitive values of each class begin, and the counters.
    used, held_used : int
        Places that are taken, also by classes without rows, and by persons.
    alike, alike_start, alike_size : int32 arrays [m, n], [n, m], [n, m]
        For each column the rows by their values, and for each cell where those of its value begin, and how many they are.
    members : int64 array
        Scratch: the rows of a class.
    """

    def __init__(
        self,
        words: tuple[NDArray[np.uint64], NDArray[np.uint64]],
        weight: NDArray[np.int64],
        sets: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
        columns: tuple[NDArray[np.int64], NDArray[np.int32]],
        ladder: tuple[NDArray[np.int32], NDArray[np.int32]],
        people: tuple[NDArray[np.uint64], NDArray[np.int64]],
        values: tuple[EncodedRequirement, NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]],
        bits: int,
    ) -> None:
        self.word, self.hidden_word = words
        self.weight = weight
        self.set_start, self.member, self.need = sets
        self.of_start, self.of_set = columns
        self.finer, self.coarser = ladder
        self.person, self.need_people = people
        self.required, self.criterion_start, self.criterion, self.counter = values
        self.work = CriteriaWorkspace(self.required)
        self.cell, self.hidden = words[0].copy(), np.zeros(words[0].shape, np.uint8)
        self.last = (1 << bits) - 1
        places = self.last + 1
        counted, valued = len(people[0]) > 0, len(values[2]) > 0
        self.key, self.rows = np.zeros(places, np.uint64), np.zeros(places, np.int64)
        self.people = np.zeros(places if counted else 0, np.int64)
        self.held_last = 2 * places - 1  # a class has several people
        self.held_key = np.zeros(2 * places if counted else 0, np.uint64)
        self.held_rows = np.zeros(2 * places if counted else 0, np.int64)
        self.slot = np.zeros(places if valued else 0, np.int64)
        self.plain = not (counted or valued)
        self.most = min(places, _FIRST_HISTOGRAMS) if valued else places
        self.histogram = np.zeros(self.most * self.required.counters if valued else 0, np.int64)
        self.used, self.held_used = 0, 0
        self.alike, self.alike_start, self.alike_size = rows_by_value(words[0])
        self.members = np.empty(_MOST_MEMBERS, np.int64)

    def hide(self, hidden: NDArray[np.uint8]) -> bool:
        """Hide these cells and no others; all classes are counted again. Return whether the table holds them."""
        np.copyto(np.asarray(self.hidden), hidden)
        np.copyto(np.asarray(self.cell), np.where(hidden.astype(np.bool_), np.asarray(self.hidden_word), np.asarray(self.word)))
        return self.count()

    def count(self) -> bool:
        """Count the classes of all rows; return whether the table holds them, without which the counts are wrong."""
        while not self._counted():
            if self.most > self.last or self.full:
                return False
            self.most = min(2 * self.most, self.last + 1)
            self.histogram = np.zeros(self.most * self.required.counters, np.int64)
        return True

    def _counted(self) -> bool:
        """Count the classes of all rows; return whether there is place for them."""
        r: cython.longlong
        s: cython.longlong
        place: cython.longlong
        held: cython.bint = False
        self.key[:] = 0
        self.rows[:] = 0
        self.people[:] = 0
        self.held_key[:] = 0
        self.held_rows[:] = 0
        self.histogram[:] = 0
        self.used, self.held_used = 0, 0
        with cython.nogil:
            for r in range(self.cell.shape[0]):
                if self.used + self.need.shape[0] > self.most or self.held_used + self.need.shape[0] > self.held_last:
                    break
                for s in range(self.need.shape[0]):
                    place = place_of(self, key_of(self, r, s))
                    move(self, r, s, place, 1)
            else:
                held = True
        roomy = self.most > self.last or self.used * 2 <= self.most  # a search makes more classes
        return held and roomy and not self.full

    @property
    def full(self) -> bool:
        """Whether so many places are taken that searching for one takes long."""
        return self.used * 4 > (self.last + 1) * 3 or self.held_used * 4 > (self.held_last + 1) * 3

    @property
    def crowded(self) -> bool:
        """Whether the table of classes is so full that it should be counted again."""
        return self.full or (self.most <= self.last and self.used * 4 > self.most * 3)

    def small_by_column(self, found: NDArray[np.int64]) -> int:
        """Count for each shown cell the failing classes of its row by sets with it, int64 [n, m]; return how many there are."""
        number: cython.longlong = 0
        r: cython.longlong
        s: cython.longlong
        i: cython.longlong
        out: cython.longlong[:, ::1] = found
        out[:] = 0
        with cython.nogil:
            for r in range(self.cell.shape[0]):
                for s in range(self.need.shape[0]):
                    if fails(self, s, place_of(self, key_of(self, r, s))):
                        number += 1
                        for i in range(self.set_start[s], self.set_start[s + 1]):
                            out[r, self.member[i]] += 1
        return number

    def short(self, row: int, number: int) -> int:
        """Return how many rows, people or values the class of a row by a set is short of."""
        return short_of(self, number, place_of(self, key_of(self, row, number)))

    def toggled(self, row: int, column: int) -> int:
        """Hide or show a cell; return how many more rows classes are short of."""
        return toggle(self, row, column)


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
            if classes.slot.shape[0] > 0:
                classes.slot[place] = classes.used * classes.required.counters
            classes.used += 1
            return place
        place = (place + 1) & classes.last
    return place


def toggle(classes, r, c):
    """Hide or show a cell; return how many more rows classes are short of."""
    before = classes.cell[r, c]
    after = classes.word[r, c] if classes.hidden[r, c] else classes.hidden_word[c]
    short = 0
    for i in range(classes.of_start[c], classes.of_start[c + 1]):
        s = classes.of_set[i]
        key = key_of(classes, r, s)
        place = place_of(classes, key)
        short -= short_of(classes, s, place)
        move(classes, r, s, place, -1)
        short += short_of(classes, s, place)
        place = place_of(classes, key ^ before ^ after)
        short -= short_of(classes, s, place)
        move(classes, r, s, place, 1)
        short += short_of(classes, s, place)
    classes.cell[r, c] = after
    classes.hidden[r, c] = 1 - classes.hidden[r, c]
    return short


def move(classes, r, s, place, sign):
    """Let a row join a class, or leave it; ``sign`` is 1 or -1."""
    rows = sign * classes.weight[r]
    classes.rows[place] += rows
    if classes.plain:
        return
    if classes.need_people[s] > 0 and classes.person[r] != 0:
        key = classes.key[place] ^ classes.person[r]
        held = cython.cast(cython.longlong, key & cython.cast(cython.ulonglong, classes.held_last))
        while classes.held_key[held] != key and classes.held_key[held] != 0:
            held = (held + 1) & classes.held_last
        if classes.held_key[held] == 0:
            classes.held_key[held] = key
            classes.held_used += 1
        classes.people[place] -= classes.held_rows[held] > 0
        classes.held_rows[held] += rows
        classes.people[place] += classes.held_rows[held] > 0
    if classes.criterion_start[s] < classes.criterion_start[s + 1]:
        for a in range(classes.counter.shape[1]):
            classes.histogram[classes.slot[place] + classes.counter[r, a]] += rows


def fails(classes, s, place):
    """Return whether a class breaks what is asked of a set."""
    if classes.rows[place] < classes.need[s]:
        return classes.rows[place] > 0
    if classes.plain or classes.rows[place] == 0:
        return False
    if classes.need_people[s] > 0 and classes.people[place] < classes.need_people[s]:
        return True
    for i in range(classes.criterion_start[s], classes.criterion_start[s + 1]):
        q = classes.criterion[i]
        if not criterion_meets(classes.required, classes.work, q, classes.histogram, classes.slot[place], classes.rows[place]):
            return True
    return False


def short_of(classes, s, place):
    """Return how many rows at least have to join a class or leave it until it is large enough, or there is none.

    Of people and sensitive values, about so many.
    """
    rows = classes.rows[place]
    if rows == 0:
        return 0
    short = classes.need[s] - rows if rows < classes.need[s] else 0
    if short > rows:
        short = rows
    if classes.plain:
        return short
    if classes.need_people[s] > 0 and classes.need_people[s] - classes.people[place] > short:
        short = classes.need_people[s] - classes.people[place]
    for i in range(classes.criterion_start[s], classes.criterion_start[s + 1]):
        q = classes.criterion[i]
        if not criterion_meets(classes.required, classes.work, q, classes.histogram, classes.slot[place], rows):
            away = criterion_shortfall(classes.required, classes.work, q, classes.histogram, classes.slot[place], rows)
            short += 1 + cython.cast(cython.longlong, away)
    return short
