"""Odd-set cuts that a fractional matching violates: sets of an odd number of rows with less than one odd class.

References
----------
Padberg, Rao: Odd minimum cut-sets and b-matchings (1982), for pairs alone.
Gusfield: Very simple methods for all pairs network flow analysis (1990).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.instances.components import components
from kanon_sql.table.arrays import Int32, Int64

Floats = NDArray[np.float64]
Set = NDArray[np.bool_]

ALMOST = 1e-6
"""Shares this near to a whole number are one."""

_SHORT = 0.02
"""What is missing from one odd class in a cut that is kept."""

_ALL_SUBSETS = 18
"""Nodes of a component up to which all their sets are looked at."""

_PER_COMPONENT = 12
"""Cuts of one component at a time, the most violated ones."""

_GRAIN = 1_000_000
"""Capacity of a share of one in the flows."""


def violated(rows: Int64, member: Int32, share: Floats) -> list[Set]:
    """Return sets of row types, bool [t] each, whose odd-set cuts the shares violate.

    Parameters
    ----------
    rows : int64 array [t]
        Rows of each row type.
    member : int32 array [g, 3]
        The classes, -1 for the third row type of a pair.
    share : float array [g]
        How often each class is there.

    Notes
    -----
    Row types that whole classes tie together are one node, as those classes would be odd between them. Of components of up
    to 18 nodes all 2^n sets are looked at in O(n 2^n), which is exact; of larger ones the sides of n - 1 least cuts, in which
    a triple counts as a triangle of half its share, and what the larger shares connect.
    """
    present = share > ALMOST
    member, share = member[present], share[present]
    whole = share > 1 - ALMOST
    node = _connected(len(rows), member[whole].astype(np.int64))
    odd = np.bincount(node, weights=rows % 2).astype(np.int64) % 2 == 1
    # A triple inside of a node is odd for every set with that node; pairs inside are even.
    class_nodes = np.where(member < 0, -1, node[member])
    crossing = ~whole | (member[:, 2] >= 0)
    class_nodes, share = class_nodes[crossing], share[crossing]
    component = _connected(len(odd), class_nodes)
    order = np.argsort(component[class_nodes[:, 0]], kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(component[class_nodes[order, 0]])) + 1) if len(order) else []
    cuts = [node == alone for alone in np.flatnonzero(odd & ~np.isin(np.arange(len(odd)), class_nodes)).tolist()]
    for group in groups:
        if len(group) == 1 and share[group[0]] > 1 - ALMOST:
            continue
        nodes = np.unique(class_nodes[group])
        nodes = nodes[nodes >= 0]
        place = np.where(class_nodes[group] < 0, -1, np.searchsorted(nodes, class_nodes[group]))
        part = _Component(odd=odd[nodes], class_nodes=place, share=share[group])
        inside = np.zeros(len(odd), np.bool_)
        for found in part.exact() if len(nodes) <= _ALL_SUBSETS else part.likely():
            inside[nodes] = found
            cuts.append(inside[node])
    return cuts


def _connected(nodes: int, class_nodes: Int64) -> Int64:
    """Return the number of the component of each node, int64 [n], that classes of nodes connect."""
    triples = class_nodes[class_nodes[:, 2] >= 0]
    return components(nodes, np.concatenate([class_nodes[:, :2], triples[:, 1:]]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Component:
    """Nodes that fractional classes connect."""

    odd: Set  # [n]: whether a node has an odd number of rows
    class_nodes: Int64  # [g, 3]: the nodes of each class, -1 for none
    share: Floats  # [g]: how often it is there

    def exact(self) -> list[Set]:
        """Return the most violated sets of all.

        A set holds an odd number of a class if it has an odd number of bits in common with the class's bits, so what the sets
        are short of one odd class is a Walsh-Hadamard transform.
        """
        n = len(self.odd)
        bit = np.append(np.int64(1) << np.arange(n), 0)
        subset = np.bitwise_xor.reduce(bit[self.class_nodes], axis=1)
        even_less_odd = _walsh(np.bincount(subset, weights=self.share, minlength=1 << n))
        odd_classes = (self.share.sum() - even_less_odd) / 2
        sets = np.arange(1 << n)
        short = (np.bitwise_count(sets & int(bit[:n] @ self.odd)) % 2 == 1) & (odd_classes < 1 - _SHORT)
        found = sets[short]
        # Equally violated: the smaller set first, which fewer classes cross.
        order = np.lexsort((found, np.bitwise_count(found), np.rint(odd_classes[short] * _GRAIN)))
        return [found[place] >> np.arange(n) & 1 == 1 for place in order[:_PER_COMPONENT]]

    def likely(self) -> list[Set]:
        """Return the most violated of the sets that are likely to be."""
        found: dict[bytes, tuple[float, int, Set]] = {}
        for inside in [*self._strongly_connected(), *self._least_cuts()]:
            if self.odd[inside].sum() % 2:
                held = np.append(inside, False)[self.class_nodes].sum(axis=1)
                odd_classes = float(self.share[held % 2 == 1].sum())
                if odd_classes < 1 - _SHORT:
                    found[inside.tobytes()] = (round(odd_classes, 6), int(inside.sum()), inside)
        return [inside for _, _, inside in sorted(found.values(), key=lambda each: each[:2])[:_PER_COMPONENT]]

    def _strongly_connected(self) -> list[Set]:
        sets = []
        for least in (0.0, 0.25, 0.4, 0.55, 0.7):
            component = _connected(len(self.odd), self.class_nodes[self.share > least])
            sets += [component == number for number in range(component.max() + 1)]
        return sets

    def _least_cuts(self) -> list[Set]:
        """Return both sides of the cuts of a Gomory-Hu tree that are below one class."""
        from kanon_sql.solvers.or_tools import max_flow

        triple = self.class_nodes[:, 2] >= 0
        half = np.rint(self.share * np.where(triple, _GRAIN // 2, _GRAIN)).astype(np.int64)
        a, b, c = self.class_nodes.T
        tail, head = np.concatenate([a, a[triple], b[triple]]), np.concatenate([b, c[triple], c[triple]])
        capacity = np.concatenate([half, half[triple], half[triple]])
        parent = np.zeros(len(self.odd), np.int64)
        sets: list[Set] = []
        for node in range(1, len(self.odd)):
            flow = max_flow.SimpleMaxFlow()
            flow.add_arcs_with_capacity(np.append(tail, head), np.append(head, tail), np.append(capacity, capacity))
            flow.solve(node, int(parent[node]))
            side = np.zeros(len(self.odd), np.bool_)
            side[flow.get_source_side_min_cut()] = True
            later = np.arange(len(self.odd)) > node
            parent[later & side & (parent == parent[node])] = node
            if flow.optimal_flow() < _GRAIN:
                sets += [side, ~side]
        return sets


def _walsh(values: NDArray[np.number]) -> Floats:
    """Return the sum of (-1)^|i and j| values[j] over all j, for each i; O(n 2^n)."""
    total = values.astype(np.float64)
    for bit in range(len(total).bit_length() - 1):
        halves = total.reshape(-1, 2, 1 << bit)
        total = np.stack([halves.sum(axis=1), halves[:, 0] - halves[:, 1]], axis=1).reshape(-1)
    return total
