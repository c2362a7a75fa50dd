"""`kanon_transport(tally, costs)`: the cheapest moves that turn each class of a table into the whole of it, size for size.

The audit of t-closeness under a table of distances does not believe it: it checks the moves themselves, in SQL. Moves that
are not the cheapest could only fail a release that is good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    import pyarrow as pa


def moves(_session: Session, tally: pa.ChunkedArray, costs: pa.ChunkedArray) -> pa.Array:
    """Return one list of moves.

    Parameters
    ----------
    tally : list of struct
        One list of ``(class, value, n)``: the rows of each class per value, values from 1 to v.
    costs : list of struct
        One list of ``(source, target, cost)`` for every two values.

    Returns
    -------
    list of struct
        ``(class, source, target, amount)``. An amount counts pairs of a row of the table and a row of the class, so it is
        whole: a class of s rows in a table of n has n * s of them.

    Notes
    -----
    O(v^3) a class in practice.
    """
    import pyarrow as pa

    from kanon_sql.kernels.criteria import transport

    names = ["class", "source", "target", "amount"]
    if tally.null_count:  # no rows
        return pa.array([[]], pa.list_(pa.struct([(name, pa.int64()) for name in names])))
    number, value, rows = (np.from_dlpack(column) for column in tally.combine_chunks().values.flatten())
    classes, place = np.unique(number, return_inverse=True)
    count = np.zeros((len(classes), int(value.max())), np.int64)
    count[place, value - 1] = rows
    cost = np.zeros((count.shape[1], count.shape[1]), np.int64)
    if costs.null_count == 0:
        source, target, price = (np.from_dlpack(column) for column in costs.combine_chunks().values.flatten())
        cost[source - 1, target - 1] = price
    total = count.sum(axis=0)
    found = []
    for each, held in zip(classes, count, strict=True):
        flow, _ = transport(cost.ravel(), total.sum() * held - held.sum() * total)
        source, target = np.nonzero(flow)
        found.append(np.stack([np.full(len(source), each), source + 1, target + 1, flow[source, target]]))
    columns = np.concatenate(found, axis=1)
    structs = pa.StructArray.from_arrays([pa.array(column) for column in columns], names)
    return pa.ListArray.from_arrays(pa.array([0, len(structs)], pa.int32()), structs)


FUNCTION = Function(
    name="kanon_transport",
    returns='STRUCT("class" BIGINT, source BIGINT, target BIGINT, amount BIGINT)[]',
    call=moves,
    arrow=True,
)
