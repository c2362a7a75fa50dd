"""A table in which each row type has no more than one of its masks shows, and releases of it as releases of the whole table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import ascending
from kanon_sql.table.recoding import Recoding, hidden_bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Coarser:
    """A table without what masks hide."""

    table: CodedTable  # its row types; what is hidden has codes of its own
    member: Int64  # [t]: the row types of the whole table, in the order of the row types here that they are a part of
    start: Int64  # [u + 1]: where the members of each row type here begin


def without_hidden(table: CodedTable, shown: Words) -> Coarser:
    """Return a table in which each row type has what a mask of it shows; O(t m log t)."""
    codes = table.codes.copy()
    hidden = hidden_bits(shown, len(table.columns)).astype(np.bool_)
    for places in table.ladders.values():
        # of a ladder, what is hidden still follows from the finest level that is shown
        finest = np.where(hidden[:, places].all(axis=1), len(places), (~hidden[:, places]).argmax(axis=1))
        label = np.zeros(len(codes), np.int64)
        for level, place in enumerate(places):
            label[finest == level] = table.codes[finest == level, place]
        rest = np.unique(np.stack([finest, label]), axis=1, return_inverse=True)[1]
        for place in places:
            own = hidden[:, place]
            codes[own, place] = (int(table.codes[:, place].max()) + 1 + rest[own]).astype(np.int32)
    held = [each.codes[:, None] for each in table.sensitive]
    every = np.hstack([*held, codes]) if held else codes
    order = ascending(every)
    fresh = np.append(True, (every[order[1:]] != every[order[:-1]]).any(axis=1))
    first = order[fresh]
    coarser = replace(
        table,
        codes=np.ascontiguousarray(codes[first]),
        weight=np.add.reduceat(table.weight[order], np.flatnonzero(fresh)),
        origin=table.origin[first],
        sensitive=tuple(replace(each, codes=np.ascontiguousarray(each.codes[first])) for each in table.sensitive),
        populations={},
    )
    return Coarser(table=coarser, member=order, start=np.append(np.flatnonzero(fresh), len(order)))


def spread(coarser: Coarser, weight: Int64, shown: Words, recoding: Recoding) -> Recoding:
    """Return a release of a coarser table as one of the whole table.

    Parameters
    ----------
    coarser : Coarser
        As `without_hidden` returned it.
    weight : int64 array [t]
        Rows of the row types of the whole table.
    shown : uint64 array [t]
        Their masks.
    recoding : Recoding
        Of the coarser table.

    Notes
    -----
    O(q + t).
    """
    ends = [np.cumsum(weight[coarser.member]), np.cumsum(recoding.count)]  # both by the row types of the coarser table
    end = np.unique(np.concatenate(ends))
    own, piece = (np.searchsorted(each, end) for each in ends)
    row_type = coarser.member[own]
    return PartialRecoding(
        row_type=row_type.astype(np.int32),
        shown=recoding.shown[piece] & shown[row_type],
        count=np.diff(end, prepend=0),
        placed=np.ones(len(end), np.bool_),
    ).recoding()


def instances(codes: Int32, shown: Words, cardinality: Int64) -> tuple[Int32, Int64]:
    """Return the distinct instances of pieces, and which one each piece is; a hidden cell has a code that no row has."""
    seen = np.where(hidden_bits(shown, codes.shape[1]).astype(np.bool_), cardinality, codes)
    order = ascending(seen.astype(np.int32))
    fresh = np.append(True, (seen[order[1:]] != seen[order[:-1]]).any(axis=1))
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh) - 1
    return np.ascontiguousarray(seen[order[fresh]].astype(np.int32)), number
