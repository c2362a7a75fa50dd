"""What hangs together: the connected components of a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int64


def components(nodes: int, edges: NDArray[np.integer]) -> Int64:
    """Return the number of the component of each node, int64 [n], by edges [e, 2]; O(n + e)."""
    import rustworkx

    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(nodes))
    graph.extend_from_edge_list(list(map(tuple, edges.tolist())))
    component = np.empty(nodes, np.int64)
    for number, each in enumerate(rustworkx.connected_components(graph)):
        component[list(each)] = number
    return component
