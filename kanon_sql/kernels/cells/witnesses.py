"""Witnesses: for each primary row another table that agrees with all published rows, kept as a list of changed base cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.cells.boxes import BoxSearch, apply, search
    from kanon_sql.kernels.cells.planes import PlaneSearch, search_planes
    from kanon_sql.kernels.cells.search_space import CellSpace

SECONDARY = cython.declare(cython.longlong, 2)
"""Mark of a row that is suppressed for the sake of others; primary rows and those that are suppressed anyway have 1."""

_FREE = cython.declare(cython.double, 0.5)
"""A score below that of any box that suppresses a row in addition."""

_ANY = cython.declare(cython.double, 1e300)

_MOST_MOVES = cython.declare(cython.longlong, 4096)
"""Boxes of one witness."""


@cython.final
@cython.cclass
class WitnessPool:
    """The witnesses, and which of them change a secondary row.

    Parameters
    ----------
    row : int32 array [w]
        The primary row of each.
    need : int64 array [w]
        By how much it has to grow at least.
    member_first : int64 array [w + 1]
        Where the base cells of its row begin.
    members : int32 array
        Those that may be the centre of a box.
    set_of : int32 array [r]
        The grouping set of each row.
    planes : PlaneSearch
        For cycles.

    Attributes
    ----------
    start, count : int64 arrays [w]
        Where the changes of each witness begin, and how many there are; 0 where none is found yet.
    base, change : int32 and int64 arrays
        The changes of all witnesses, outdated ones among them.
    """

    def __init__(
        self,
        row: NDArray[np.int32],
        need: NDArray[np.int64],
        member_first: NDArray[np.int64],
        members: NDArray[np.int32],
        set_of: NDArray[np.int32],
        planes: PlaneSearch,
    ) -> None:
        self.row, self.need, self.member_first, self.members = row, need, member_first, members
        self.set_of, self.planes = set_of, planes
        self.start, self.count = np.zeros(len(row), np.int64), np.zeros(len(row), np.int64)
        self.base, self.change, self.used = np.zeros(1024, np.int32), np.zeros(1024, np.int64), 0
        self.head, self.links = np.full(len(set_of), -1, np.int64), 0
        self.link_after, self.link_witness = np.zeros(1024, np.int64), np.zeros(1024, np.int32)
        self.touched, self.touches = np.zeros(1 << 16, np.int32), 0
        self.new, self.news = np.zeros(len(set_of), np.int32), 0
        self.users, self.seen, self.calls = np.zeros(len(row), np.int32), np.zeros(len(row), np.int64), 0

    def reserve(self, changes: int, links: int) -> None:
        """Make place for more changes and links."""
        if self.used + changes > self.base.shape[0]:
            more = max(self.base.shape[0], changes)
            self.base = np.concatenate((np.asarray(self.base), np.zeros(more, np.int32)))
            self.change = np.concatenate((np.asarray(self.change), np.zeros(more, np.int64)))
        if self.links + links > self.link_after.shape[0]:
            more = max(self.link_after.shape[0], links)
            self.link_after = np.concatenate((np.asarray(self.link_after), np.zeros(more, np.int64)))
            self.link_witness = np.concatenate((np.asarray(self.link_witness), np.zeros(more, np.int32)))

    def renew(
        self, base: NDArray[np.int32], change: NDArray[np.int64], start: NDArray[np.int64], links: NDArray[np.int32]
    ) -> None:
        """Replace all changes, and the links: pairs of a secondary row and a witness."""
        self.base, self.change, self.used = np.append(base, [0]).astype(np.int32), np.append(change, 0), len(base)
        np.asarray(self.start)[:] = start
        np.asarray(self.head)[:] = -1
        self.links = 0
        self.reserve(0, len(links))
        for row, witness in links.tolist():
            self.link_witness[self.links], self.link_after[self.links] = witness, self.head[row]
            self.head[row] = self.links
            self.links += 1


def find(
    space: CellSpace,
    work: BoxSearch,
    pool: WitnessPool,
    witness: cython.longlong,
    free: cython.bint,
    steps: cython.longlong,
) -> bool:
    """Find a witness, with the cheapest box again and again; suppress what has to be suppressed for it.

    Parameters
    ----------
    space, work, pool
        The published system, the search in the measure of the witness, and the witnesses.
    witness : int
        Its number.
    free : bool
        Whether no row may be suppressed in addition.
    steps : int
        Steps of the search for one box, at most.

    Returns
    -------
    bool
        Whether there is one; else nothing has changed.
    """
    found: cython.bint
    with cython.nogil:
        found = _grow(space, work, pool, witness, free, steps)
    if found:
        pool.reserve(pool.touches, pool.touches * space.levels.shape[0])
        _store(space, work, pool, witness)
    _clear(space, work, pool)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _grow(
    space: CellSpace,
    work: BoxSearch,
    pool: WitnessPool,
    witness: cython.longlong,
    free: cython.bint,
    steps: cython.longlong,
) -> cython.bint:
    """Make the other table; return whether the row has what it needs."""
    left: cython.longlong = pool.need[witness]
    target: cython.longlong = pool.set_of[pool.row[witness]]
    at: cython.longlong
    moves: cython.longlong = 0
    pool.news = 0
    while left > 0:
        work.score = _FREE if free else _ANY
        work.cells = 0
        for at in range(pool.member_first[witness], pool.member_first[witness + 1]):
            search(space, work, pool.members[at], target, left, steps)
            if work.cells and work.cost == 0 and left <= 16:
                break
        if work.cells == 0 or work.cost > 0:
            for at in range(pool.member_first[witness], pool.member_first[witness + 1]):
                search_planes(space, work, pool.planes, pool.members[at], target, left, steps)
                if work.cells and work.cost == 0 and left <= 16:
                    break
        moves += 1
        if work.cells == 0 or moves > _MOST_MOVES or pool.touches + work.cells > pool.touched.shape[0]:
            for at in range(pool.news):
                space.suppressed[pool.new[at]] = 0
            return False
        _suppress(space, work, pool)
        apply(work)
        left -= work.amount
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _suppress(space: CellSpace, work: BoxSearch, pool: WitnessPool) -> cython.void:
    """Suppress the rows that the best box changes, and note its base cells."""
    k: cython.longlong
    for k in range(work.cells):
        pool.touched[pool.touches] = work.cell[k]
        pool.touches += 1
    for k in range(work.rows):
        if not space.suppressed[work.row[k]]:
            space.suppressed[work.row[k]] = SECONDARY
            pool.new[pool.news] = work.row[k]
            pool.news += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _store(space: CellSpace, work: BoxSearch, pool: WitnessPool, witness: cython.longlong) -> cython.void:
    """Keep the other table as a witness."""
    t: cython.longlong
    g: cython.longlong
    cell: cython.longlong
    row: cython.longlong
    pool.start[witness] = pool.used
    for t in range(pool.touches):
        cell = pool.touched[t]
        if work.shift[cell] == 0:
            continue
        pool.base[pool.used] = cell
        pool.change[pool.used] = work.shift[cell]
        pool.used += 1
        work.shift[cell] = 0
        for g in range(space.levels.shape[0]):
            row = space.ancestors[cell, g]
            if work.moved[row] != 0 and space.suppressed[row] == SECONDARY:
                pool.link_witness[pool.links] = witness
                pool.link_after[pool.links] = pool.head[row]
                pool.head[row] = pool.links
                pool.links += 1
            work.moved[row] = 0
    pool.count[witness] = pool.used - pool.start[witness]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear(space: CellSpace, work: BoxSearch, pool: WitnessPool) -> cython.void:
    """Forget the other table."""
    t: cython.longlong
    g: cython.longlong
    for t in range(pool.touches):
        work.shift[pool.touched[t]] = 0
        for g in range(space.levels.shape[0]):
            work.moved[space.ancestors[pool.touched[t], g]] = 0
    pool.touches = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _change_of(space: CellSpace, pool: WitnessPool, witness: cython.longlong, row: cython.longlong) -> cython.longlong:
    """Return by how much a witness changes a row."""
    total: cython.longlong = 0
    at: cython.longlong
    for at in range(pool.start[witness], pool.start[witness] + pool.count[witness]):
        if space.ancestors[pool.base[at], pool.set_of[row]] == row:
            total += pool.change[at]
    return total


def users(space: CellSpace, pool: WitnessPool, row: cython.longlong) -> NDArray[np.int32]:
    """Return the witnesses that change a secondary row, in ascending order."""
    link: cython.longlong = pool.head[row]
    witness: cython.longlong
    count: cython.longlong = 0
    pool.calls += 1
    while link >= 0:
        witness = pool.link_witness[link]
        if pool.seen[witness] != pool.calls and _change_of(space, pool, witness, row) != 0:
            pool.seen[witness] = pool.calls
            pool.users[count] = witness
            count += 1
        link = pool.link_after[link]
    return np.sort(np.asarray(pool.users)[:count])
