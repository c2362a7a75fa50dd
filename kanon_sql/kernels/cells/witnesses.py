"""Witnesses: for each primary row another table that agrees with all published rows, kept as a list of changed base cells."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.cells.boxes import BoxSearch, apply, search
from kanon_sql.kernels.cells.circuits import search_circuit
from kanon_sql.kernels.cells.planes import search_planes
from kanon_sql.kernels.cells.search_space import CellSpace
from kanon_sql.kernels.cells.witness_store import WitnessStore

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
    store: WitnessStore,
    witness: cython.longlong,
    free: cython.bint,
    steps: cython.longlong,
) -> bool:
    """Find a witness, with the cheapest box again and again; suppress what has to be suppressed for it.

    Parameters
    ----------
    space, work, store
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
        found = _grow(space, work, store, witness, free, steps)
    if found:
        store.reserve(store.touches, store.touches * space.levels.shape[0])
        _store(space, work, store, witness)
    _clear(space, work, store)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _grow(
    space: CellSpace,
    work: BoxSearch,
    store: WitnessStore,
    witness: cython.longlong,
    free: cython.bint,
    steps: cython.longlong,
) -> cython.bint:
    """Make the other table; return whether the row has what it needs."""
    left = store.need[witness]
    target = store.set_of[store.row[witness]]
    moves = 0
    store.news = 0
    while left > 0:
        work.score = _FREE if free else _ANY
        work.cells = 0
        for at in range(store.member_first[witness], store.member_first[witness + 1]):
            search(space, work, store.members[at], target, left, steps)
            if work.cells and work.cost == 0 and left <= 16:
                break
        if not work.down and (work.cells == 0 or work.cost > 0):
            for at in range(store.member_first[witness], store.member_first[witness + 1]):
                search_planes(space, work, store.planes, store.members[at], target, left, steps)
                if work.cells and work.cost == 0 and left <= 16:
                    break
        moves += 1
        if work.cells == 0 and free and not work.down:
            given = _by_circuit(space, work, store, witness, left, store.steps)
            left -= given
            if given:
                continue
        if work.cells == 0 or moves > _MOST_MOVES or store.touches + work.cells + 64 > store.touched.shape[0]:
            for at in range(store.news):
                space.suppressed[store.new[at]] = 0
            return False
        _suppress(space, work, store)
        apply(work)
        left -= work.amount
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _by_circuit(
    space: CellSpace,
    work: BoxSearch,
    store: WitnessStore,
    witness: cython.longlong,
    left: cython.longlong,
    steps: cython.longlong,
) -> cython.longlong:
    """Add a change of suppressed cells alone to the table in the making; return by how much the row grows."""
    amount = 1 if left <= 16 else left
    for at in range(store.member_first[witness], store.member_first[witness + 1]):
        if search_circuit(space, work, store.circuits, store.members[at], store.row[witness], amount, steps):
            store.touched[store.touches] = store.members[at]
            store.touches += 1
            for k in range(store.circuits.changes):
                store.touched[store.touches] = store.circuits.changed[k]
                store.touches += 1
            return amount
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _suppress(space: CellSpace, work: BoxSearch, store: WitnessStore) -> cython.void:
    """Suppress the rows that the best box changes, and note its base cells."""
    for k in range(work.cells):
        store.touched[store.touches] = work.cell[k]
        store.touches += 1
    for k in range(work.rows):
        if not space.suppressed[work.row[k]]:
            space.suppressed[work.row[k]] = SECONDARY
            store.new[store.news] = work.row[k]
            store.news += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _store(space: CellSpace, work: BoxSearch, store: WitnessStore, witness: cython.longlong) -> cython.void:
    """Keep the other table as a witness."""
    store.start[witness] = store.used
    for t in range(store.touches):
        cell = store.touched[t]
        if work.shift[cell] == 0:
            continue
        store.base[store.used] = cell
        store.change[store.used] = work.shift[cell]
        store.used += 1
        work.shift[cell] = 0
        for g in range(space.levels.shape[0]):
            row = space.ancestors[cell, g]
            if work.moved[row] != 0 and space.suppressed[row] == SECONDARY:
                store.link_witness[store.links] = witness
                store.link_after[store.links] = store.head[row]
                store.head[row] = store.links
                store.links += 1
            work.moved[row] = 0
    store.count[witness] = store.used - store.start[witness]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear(space: CellSpace, work: BoxSearch, store: WitnessStore) -> cython.void:
    """Forget the other table."""
    for t in range(store.touches):
        work.shift[store.touched[t]] = 0
        for g in range(space.levels.shape[0]):
            work.moved[space.ancestors[store.touched[t], g]] = 0
    store.touches = 0
