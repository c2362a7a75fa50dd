"""The classes of rows by many sets of columns at once, while single cells are hidden and shown.

A class is found by a key: the exclusive or of a random word for each cell of the row in the set. Two classes with one key would
be counted as one, so the audit counts in another way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import (
    empty_int64,
    empty_uint64,
    zeros_int32,
    zeros_int32_2d,
    zeros_int64,
    zeros_int64_2d,
    zeros_uint64,
)
from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement

_MOST_MEMBERS = 64
"""Rows of a class that change together."""

_RARE = cython.declare(cython.longlong, 1 << 40)
"""What the rows of a class are less than they are if too few rows of the table could ever be in it."""

_SEEN = cython.declare(cython.ulonglong, (1 << 12) - 1)
"""The last of the classes that a scan of all rows keeps at hand, in the cache: one less than a power of 2."""

_MOST_PLACES = 1 << 26
"""Places of the table of classes at most: it then takes 1 GB."""


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
    alike : tuple of int32 arrays [m, n], [n, m], [n, m]
        For each column the rows by their values, and for each cell where those of its value begin, and how many they are.

    Attributes
    ----------
    cell, hidden : uint64 and uint8 arrays [n, m]
        The word of each cell as it is shown, and whether it is hidden.
    entry, people : int64 arrays [places, 2], [places]
        The key of each class, 0 where there is none, and its rows: both are in one line of the cache. Its people.
    rare : int64 array
        The keys of classes that too few rows of the table could be in. All rows have to leave them.
    held_key, held_rows : uint64 and int64 arrays
        The same for the rows of one person in a class.
    slot, histogram : int64 arrays
        Where the counters of the sensitive values of each class begin, and the counters.
    used, held_used, most, margin : int
        Places that are taken, also by classes without rows, and by persons; that may be taken; and that a step needs free.
    barred : int32 array [n, m]
        Among the sets of its column, the one with which those begin that barred the last change of each cell; -1 is none.
    barring : int32 array [n]
        The first of the sets that barred a change of several cells of each row last.
    failing, listed : int32 array [4 n, 2], int
        Rows and sets by which they failed when failing classes were last listed, and how many there are.
    within : uint8 array [s, m]
        Whether each set has each column.
    seen_key, seen_rows : uint64 and int64 arrays
        Scratch: the classes that a scan of all rows has seen last, and their rows, or whether they fail.
    left, joined, changing : int64 arrays [s]
        Scratch: the places of classes before a change and after it, and the sets.
    now : int64 array [s]
        Scratch: how many more rows classes by each set are short of after a change of a row.
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
        alike: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
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
        self.margin = 2 * _MOST_MEMBERS * int(np.diff(columns[0]).max())  # a change, and its way back
        self.plain = not (len(people[0]) or len(values[2]))
        self.rare = empty_int64(0)
        self.seen_key, self.seen_rows = empty_uint64(_SEEN + 1), empty_int64(_SEEN + 1)
        self._make(1)
        self.alike, self.alike_start, self.alike_size = alike
        self.members, self.within = empty_int64(_MOST_MEMBERS), np.zeros((len(sets[2]), len(words[1])), np.uint8)
        np.asarray(self.within)[np.repeat(np.arange(len(sets[2])), np.diff(sets[0])), sets[1]] = 1
        self.left, self.joined, self.changing, self.now = np.empty((4, len(sets[2])), np.int64)
        self.barred = np.full(words[0].shape, -1, np.int32)
        self.failing, self.listed = zeros_int32_2d(4 * len(weight), 2), 0
        self.barring = zeros_int32(len(weight))

    def hide(self, hidden: NDArray[np.uint8]) -> bool:
        """Hide these cells and no others; all classes are counted again. Return whether the table holds them."""
        np.copyto(np.asarray(self.hidden), hidden)
        np.copyto(np.asarray(self.cell), np.where(hidden.astype(np.bool_), np.asarray(self.hidden_word), np.asarray(self.word)))
        return self.count()

    def _make(self, least: int) -> None:
        """Make a table of at least so many places, a power of 2; most classes have several rows."""
        places = 1 << (max(least, 4 * self.margin) - 1).bit_length()
        counted, valued = len(self.person) > 0, len(self.criterion) > 0
        self.last, self.most = places - 1, places * 3 // 4
        self.entry = zeros_int64_2d(places, 2)
        self.people = zeros_int64(places if counted else 0)
        self.held_last = 2 * places - 1  # a class has several people
        self.held_key = zeros_uint64(2 * places if counted else 0)
        self.held_rows = zeros_int64(2 * places if counted else 0)
        self.slot = zeros_int64(places if valued else 0)
        self.histogram = zeros_int64(self.most * self.required.counters if valued else 0)
        self.used, self.held_used = 0, 0

    def count(self) -> bool:
        """Count the classes of all rows in a table of fitting size; if none holds them, return False: the counts are wrong."""
        while not self._counted():
            if self.last + 1 >= _MOST_PLACES:
                return False
            self._make(2 * (self.last + 1))
        taken = max(self.used, self.held_used // 2, self.margin)  # a smaller table is a faster one
        if taken * 16 < self.last:
            self._make(4 * taken)
            self._counted()
        return True

    def _counted(self) -> bool:
        """Count the classes of all rows; return whether a search finds places for more."""
        cells: cython.ulonglong[:, ::1] = np.ascontiguousarray(np.asarray(self.cell).T)
        keys: cython.ulonglong[::1] = np.empty(len(self.weight), np.uint64)
        seen: cython.ulonglong[::1] = self.seen_key
        self.entry[:] = 0
        self.people[:] = 0
        self.held_key[:] = 0
        self.held_rows[:] = 0
        self.histogram[:] = 0
        self.seen_key[:] = 0
        self.seen_rows[:] = 0
        self.used, self.held_used = 0, 0
        if len(self.rare) + self.margin > self.most:
            return False
        with cython.nogil:
            for r in range(self.rare.shape[0]):
                self.entry[place_of(self, cython.cast(cython.ulonglong, self.rare[r])), 1] = -_RARE
            for s in range(self.need.shape[0]):  # one set after the other: its classes stay in the cache
                keys_by(self, s, cells, keys)
                for r in range(keys.shape[0]):
                    if not self.plain:
                        if crowded(self):
                            break
                        move(self, r, s, place_of(self, keys[r]), 1)
                        continue
                    n = cython.cast(cython.longlong, keys[r] & _SEEN)
                    if seen[n] != keys[r]:
                        if crowded(self):
                            break
                        _join(self, n)
                        seen[n] = keys[r]
                    self.seen_rows[n] += self.weight[r]
            for n in range(seen.shape[0]):
                if not crowded(self):
                    _join(self, n)
        sparse = max(self.used, self.held_used // 2) * 3 <= self.last or self.last + 1 >= _MOST_PLACES
        return sparse and not crowded(self)

    def ready(self) -> bool:
        """Return whether there are places for the next changes, if need be after classes without rows lose theirs."""
        return not crowded(self) or self.compact()

    def compact(self) -> bool:
        """Give places to classes with rows and rare ones only; return whether some are left. Smaller tables are faster."""
        if not self.plain:
            return self.count()
        every = np.asarray(self.entry)
        held: cython.longlong[:, ::1] = every[every[:, 1] != 0]
        self._make(min(4 * len(held), _MOST_PLACES))
        with cython.nogil:
            for n in range(held.shape[0]):
                self.entry[place_of(self, cython.cast(cython.ulonglong, held[n, 0])), 1] = held[n, 1]
        return not crowded(self)


def crowded(classes):
    """Return whether the places that are free are too few for the next changes."""
    return classes.used + classes.margin > classes.most or classes.held_used + 2 * classes.margin > 2 * classes.most


def key_of(classes, r, s):
    """Return the key of the class of a row by a set."""
    key: cython.ulonglong = classes.cell[r, classes.member[classes.set_start[s]]]
    for i in range(classes.set_start[s] + 1, classes.set_start[s + 1]):
        key ^= classes.cell[r, classes.member[i]]
    return key


def keys_by(classes, s, cells, keys):
    """Find the keys of the classes of rows by a set from their cells, column by column: faster than row by row."""
    first = classes.set_start[s]
    c = classes.member[first]
    for r in range(keys.shape[0]):
        keys[r] = cells[c, r]
    for i in range(first + 1, classes.set_start[s + 1]):
        c = classes.member[i]
        for r in range(keys.shape[0]):
            keys[r] ^= cells[c, r]


def _join(classes, n):
    """Let the rows that a scan has seen of a class join it."""
    if classes.seen_rows[n] != 0:
        classes.entry[place_of(classes, classes.seen_key[n]), 1] += classes.seen_rows[n]
        classes.seen_rows[n] = 0


def place_of(classes, key):
    """Return the place of a class; it gets one if it has none."""
    place = cython.cast(cython.longlong, key & cython.cast(cython.ulonglong, classes.last))
    while classes.entry[place, 0] != cython.cast(cython.longlong, key):
        if classes.entry[place, 0] == 0:
            classes.entry[place, 0] = cython.cast(cython.longlong, key)
            if classes.slot.shape[0] > 0:
                classes.slot[place] = classes.used * classes.required.counters
            classes.used += 1
            return place
        place = (place + 1) & classes.last
    return place


def move(classes, r, s, place, sign):
    """Let a row join a class, or leave it; ``sign`` is 1 or -1."""
    rows = sign * classes.weight[r]
    classes.entry[place, 1] += rows
    if classes.plain:
        return
    if classes.need_people[s] > 0 and classes.person[r] != 0:
        key: cython.ulonglong = cython.cast(cython.ulonglong, classes.entry[place, 0]) ^ classes.person[r]
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


def missing(rows, need):
    """Return how many rows have to join a class or leave it until it is large enough, or there is none."""
    if rows >= need:
        return 0
    if rows < 0:
        return rows + _RARE
    return need - rows if need - rows < rows else rows
