"""The graph of the labels as the solvers of regions see it: what only one region can hold is one node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.kernels.labels import Graph, depth_first, graph_of, lumps
from kanon_sql.solvers.instances.components import components
from kanon_sql.table.arrays import Int64

BOUND = "branches, neighbours and the number of regions"


@dataclass(frozen=True, slots=True, kw_only=True)
class LumpedGraph:
    """A graph of m nodes, each a lump of labels that are in one region whatever the division."""

    lump: Int64  # [n]: the node of each label
    graph: Graph  # which nodes are next to each other
    weight: Int64  # [m]: rows of each node
    component: Int64  # [m]: the connected component of each node, dense from 0; each has k rows or more
    k: int  # least rows of a region, rounded up to what the rows of the labels can be in sum

    @classmethod
    def of(cls, weight: Int64, edges: Int64, k: int) -> LumpedGraph:
        """Lump labels together; O((n + e) log e) time, O(n + e) memory.

        Parameters
        ----------
        weight : int64 array [n]
            Rows of each label; k or more in each connected component.
        edges : int64 array [e, 2]
            Pairs of neighbours.
        k : int
            Least rows of a region.
        """
        unit = int(np.gcd.reduce(weight))
        least = -(-k // unit) * unit
        graph = graph_of(len(weight), edges)
        order, parent = depth_first(graph, np.arange(len(weight)))
        names, lump = np.unique(lumps(graph, weight, order, parent, least), return_inverse=True)
        rows = np.zeros(len(names), np.int64)
        np.add.at(rows, lump, weight)
        return cls(
            lump=lump,
            graph=graph_of(len(names), lump[edges]),
            weight=rows,
            component=components(len(names), lump[edges]),
            k=least,
        )

    def bounds(self) -> Int64:
        """Return a lower bound on the rows of the heaviest region of each component, int64 [c]; O(m + e).

        Notes
        -----
        Proof. A region of k rows or more still has k when each node counts for k rows at most, so of a component with S such
        rows there are S // k regions or fewer, and one has at least the average of so many. A node is in some region. A node
        of fewer than k rows shares its region with a neighbour.
        """
        rows, counted, heaviest = (np.zeros(int(self.component.max()) + 1, np.int64) for _ in range(3))
        np.add.at(rows, self.component, self.weight)
        np.add.at(counted, self.component, np.minimum(self.weight, self.k))
        begin, near = self.graph.arrays()
        node = np.repeat(np.arange(len(self.weight)), np.diff(begin))
        lightest_neighbour = np.where(begin[1:] > begin[:-1], np.iinfo(np.int64).max, 0)
        np.minimum.at(lightest_neighbour, node, self.weight[near])
        np.maximum.at(heaviest, self.component, self.weight + np.where(self.weight < self.k, lightest_neighbour, 0))
        average: Int64 = -(-rows // (counted // self.k))
        return np.maximum(average, heaviest)
