"""Witnesses: for each primary row another table that agrees with all published rows, kept as a list of changed base cells."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.cells.boxes import BoxSearch, apply, search
    from kanon_sql.kernels.cells.circuits import search_circuit
    from kanon_sql.kernels.cells.planes import search_planes
    from kanon_sql.kernels.cells.search_space import CellSpace
    from kanon_sql.kernels.cells.witness_pool import WitnessPool

SECONDARY = cython.declare(cython.longlong, 2)
"""Mark of a row that is suppressed for the sake of others; primary rows and those that are suppressed anyway have 1."""

_FREE = cython.declare(cython.double, 0.5)
"""A score below that of any box that suppresses a row in addition."""

_ANY = cython.declare(cython.double, 1e300)

_MOST_MOVES = cython.declare(cython.longlong, 4096)
"""Boxes of one witness."""


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
    given: cython.longlong
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
        if work.cells == 0 and free:
            given = _by_circuit(space, work, pool, witness, left, pool.steps)
            left -= given
            if given:
                continue
        if work.cells == 0 or moves > _MOST_MOVES or pool.touches + work.cells + 64 > pool.touched.shape[0]:
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
def _by_circuit(
    space: CellSpace,
    work: BoxSearch,
    pool: WitnessPool,
    witness: cython.longlong,
    left: cython.longlong,
    steps: cython.longlong,
) -> cython.longlong:
    """Add a change of suppressed cells alone to the table in the making; return by how much the row grows."""
    at: cython.longlong
    k: cython.longlong
    amount: cython.longlong = 1 if left <= 16 else left
    for at in range(pool.member_first[witness], pool.member_first[witness + 1]):
        if search_circuit(space, work, pool.circuits, pool.members[at], pool.row[witness], amount, steps):
            pool.touched[pool.touches] = pool.members[at]
            pool.touches += 1
            for k in range(pool.circuits.changes):
                pool.touched[pool.touches] = pool.circuits.changed[k]
                pool.touches += 1
            return amount
    return 0


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
