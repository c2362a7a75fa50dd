"""The witnesses of all primary rows, and which of them change a secondary row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int64, zeros_int32, zeros_int64
from kanon_sql.kernels.cells.circuits import CircuitSearch
from kanon_sql.kernels.cells.planes import PlaneSearch
from kanon_sql.kernels.cells.search_space import CellSpace


@cython.final
@cython.cclass
class WitnessStore:
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
    circuits : CircuitSearch
        For what no box and no cycle does.

    Attributes
    ----------
    start, count : int64 arrays [w]
        Where the changes of each witness begin, and how many there are; 0 where none is found yet.
    steps : int
        Steps of the search for a circuit, at most.
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
        circuits: CircuitSearch,
    ) -> None:
        self.row, self.need, self.member_first, self.members = row, need, member_first, members
        self.set_of, self.planes, self.circuits, self.steps = set_of, planes, circuits, 0
        self.start, self.count = zeros_int64(len(row)), zeros_int64(len(row))
        self.base, self.change, self.used = zeros_int32(1024), zeros_int64(1024), 0
        self.head, self.links = full_int64(len(set_of), -1), 0
        self.link_after, self.link_witness = zeros_int64(1024), zeros_int32(1024)
        self.touched, self.touches = zeros_int32(1 << 16), 0
        self.new, self.news = zeros_int32(len(set_of)), 0
        self.users, self.seen, self.calls = zeros_int32(len(row)), zeros_int64(len(row)), 0

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

    def put(self, witness: int, base: NDArray[np.int32], change: NDArray[np.int64], rows: NDArray[np.int32]) -> None:
        """Take a witness from elsewhere, and the secondary rows that it changes."""
        self.reserve(len(base), len(rows))
        np.asarray(self.base)[self.used : self.used + len(base)] = base
        np.asarray(self.change)[self.used : self.used + len(base)] = change
        self.start[witness], self.count[witness] = self.used, len(base)
        self.used += len(base)
        for row in rows.tolist():
            self.link_witness[self.links], self.link_after[self.links] = witness, self.head[row]
            self.head[row] = self.links
            self.links += 1

    def renew(
        self, base: NDArray[np.int32], change: NDArray[np.int64], start: NDArray[np.int64], links: NDArray[np.int64]
    ) -> None:
        """Replace all changes and links; a link is the number of a secondary row times w plus that of a witness."""
        self.base, self.change, self.used = np.append(base, [0]).astype(np.int32), np.append(change, 0), len(base)
        np.asarray(self.start)[:] = start
        np.asarray(self.head)[:] = -1
        self.links = 0
        self.reserve(0, len(links))
        _link(self, links)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _link(store: WitnessStore, links: cython.longlong[::1]) -> cython.void:
    """Add links."""
    for at in range(links.shape[0]):
        row = links[at] // store.row.shape[0]
        store.link_witness[at] = links[at] % store.row.shape[0]
        store.link_after[at] = store.head[row]
        store.head[row] = at
    store.links = links.shape[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _change_of(space: CellSpace, store: WitnessStore, witness: cython.longlong, row: cython.longlong) -> cython.longlong:
    """Return by how much a witness changes a row."""
    total = 0
    for at in range(store.start[witness], store.start[witness] + store.count[witness]):
        if space.ancestors[store.base[at], store.set_of[row]] == row:
            total += store.change[at]
    return total


def users(space: CellSpace, store: WitnessStore, row: cython.longlong) -> NDArray[np.int32]:
    """Return the witnesses that change a secondary row, in ascending order."""
    link: cython.longlong = store.head[row]
    witness: cython.longlong
    count: cython.longlong = 0
    store.calls += 1
    while link >= 0:
        witness = store.link_witness[link]
        if store.seen[witness] != store.calls and _change_of(space, store, witness, row) != 0:
            store.seen[witness] = store.calls
            store.users[count] = witness
            count += 1
        link = store.link_after[link]
    return np.sort(np.asarray(store.users)[:count])
