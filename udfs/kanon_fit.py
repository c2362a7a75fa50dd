"""`kanon_fit(row_types, policy, ...)`: the solver, called once a release with all row types and the tables of the policy."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql import pipeline
from kanon_sql.coded import CodedTable, Recoding, encode, hidden_bits
from kanon_sql.engines.functions import Function
from kanon_sql.engines.session import Session
from kanon_sql.errors import PolicyError
from kanon_sql.ground import Columns, labelled, measured, named_tables
from kanon_sql.policy import Policy

if TYPE_CHECKING:
    import pyarrow as pa


def fit(session: Session, row_types: pa.ChunkedArray, policy: pa.ChunkedArray, *tables: pa.ChunkedArray) -> pa.Array:
    """Return for each row type the pieces it is released in.

    Parameters
    ----------
    row_types : list of struct
        One list: the quasi-identifiers and the sensitive attributes, then for each of `labelled` the text of its value, and
        ``kanon#n``, the rows.
    policy : text
        Canonical JSON.
    tables : lists of struct of text
        The tables of `named_tables`.

    Returns
    -------
    struct
        ``release``, its number; ``pieces``, a list per row type of ``(piece, after, upto, hidden)``: the rows numbered
        above ``after`` up to ``upto`` hide the columns ``hidden``.
    """
    import pyarrow as pa

    session.ready()
    types = row_types.combine_chunks().values if row_types.null_count < len(row_types) else None
    asked = Policy.from_json(policy[0].as_py())
    if types is None:
        return _answer(session.record(pipeline.empty_certificate(asked)), pa.array([[]], _PIECES()))
    known = len(types.type) - 1 - len(labelled(asked))
    parts, names = types.flatten(), [field.name for field in types.type]
    values = pa.StructArray.from_arrays(parts[:known], names[:known])
    table, resolved = encode(values, np.from_dlpack(parts[-1]), asked)
    texts = dict(zip(labelled(resolved), parts[known:-1], strict=True))
    named = map(_columns, named_tables(asked.requirements), tables)
    table = measured(table, resolved, texts, dict(zip(named_tables(asked.requirements), named, strict=True)))
    try:
        recoding, certificate = pipeline.run(table, resolved, session.report, session.ended)
    finally:
        session.rest()
    number = session.record(certificate)
    return _answer(number, _pieces(table, recoding))


def _columns(name: str, table: pa.ChunkedArray) -> Columns:
    """Return a table that the policy names, column by column."""
    if table.null_count:
        raise PolicyError(f"the table {name!r} that the policy names is empty; hint: fill it, or take the metric 'equal'")
    rows = table.combine_chunks().values
    return {field.name: column.to_pylist() for field, column in zip(rows.type, rows.flatten(), strict=True)}


def _PIECES() -> pa.DataType:  # noqa: N802 - a type, made late because pyarrow is imported late
    import pyarrow as pa

    piece = pa.struct([("piece", pa.int32()), ("after", pa.int64()), ("upto", pa.int64()), ("hidden", pa.list_(pa.string()))])
    return pa.list_(pa.list_(piece))


def _answer(number: int, pieces: pa.Array) -> pa.Array:
    import pyarrow as pa

    return pa.StructArray.from_arrays([pa.array([number], pa.int64()), pieces], ["release", "pieces"])


def _pieces(table: CodedTable, recoding: Recoding) -> pa.Array:
    """Lay the pieces out in the order in which the row types came."""
    import pyarrow as pa

    order = np.argsort(table.origin[recoding.row_type], kind="stable")
    place = table.origin[recoding.row_type][order]
    count = recoding.count[order]
    total = np.cumsum(count)
    first = np.searchsorted(place, np.arange(table.row_types + 1)).astype(np.int32)
    before = np.append(0, total)[first[place]]
    hidden = hidden_bits(recoding.shown[order], len(table.columns)).astype(np.bool_).repeat(table.width, axis=1)
    columns = pa.array(chain.from_iterable(table.columns))
    names = pa.DictionaryArray.from_arrays(pa.array(np.nonzero(hidden)[1].astype(np.int32)), columns)
    offsets = np.append(0, np.cumsum(hidden.sum(axis=1))).astype(np.int32)
    piece = pa.StructArray.from_arrays(
        [
            pa.array(np.arange(len(order), dtype=np.int32)),
            pa.array(total - count - before),
            pa.array(total - before),
            pa.ListArray.from_arrays(pa.array(offsets), names.cast(pa.string())),
        ],
        ["piece", "after", "upto", "hidden"],
    )
    by_type = pa.ListArray.from_arrays(pa.array(first), piece)
    return pa.ListArray.from_arrays(pa.array([0, table.row_types], pa.int32()), by_type)


FUNCTION = Function(
    name="kanon_fit",
    returns='STRUCT("release" BIGINT, pieces STRUCT(piece INTEGER, after BIGINT, upto BIGINT, hidden VARCHAR[])[][])',
    call=fit,
    arrow=True,
)
