"""`kanon_fit(row_types, policy, ...)`: the solver, called once a release with all row types and the tables of the policy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql import pipeline
from kanon_sql.engines.duckdb.built_arrays import numbers, texts
from kanon_sql.engines.duckdb.functions import Function
from kanon_sql.engines.duckdb.histogram import coded
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.generalize.summaries import ranges, sets
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Ranges
from kanon_sql.model.validation import same_name
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.equal_values import Spellings
from kanon_sql.table.ladder import Ladder
from kanon_sql.table.recoding import Recoding, hidden_bits

if TYPE_CHECKING:
    import pyarrow as pa


def fit(session: Session, row_types: pa.ChunkedArray, policy: pa.ChunkedArray, *tables: pa.ChunkedArray) -> pa.Array:
    """Return for each row type the pieces it is released in.

    Parameters
    ----------
    row_types : list of struct
        One list, see `coded`.
    policy : text
        Canonical JSON.
    tables : lists of struct of text
        The tables of `Policy.tables`.

    Returns
    -------
    struct
        ``release``, its number; ``pieces``, a list per row type of ``(piece, after, upto, hidden, labels)``: the rows numbered
        above ``after`` up to ``upto`` hide the columns ``hidden``, and show ``labels`` in those of `Policy.generalized`.
    """
    import pyarrow as pa

    session.ready()
    types = row_types.combine_chunks().values if row_types.null_count < len(row_types) else None
    asked = Policy.from_json(policy[0].as_py())
    if types is None:
        return _answer(session.record(pipeline.empty_certificate(asked)), pa.array([[]], _PIECES()))
    try:
        budget = Budget(seconds=asked.time_limit, seed=asked.seed, progress=session.report, ended=session.ended)
        read = coded(types, asked, tables, budget, session.secret)
        table, resolved, climbed = read.table, read.policy, read.ladders
        number = None
        if resolved.summarized:
            null = {name: _null(climbed[name]) for name in resolved.summarized}
            recoding, division, certificate = pipeline.summarize(table, resolved, null, session.report, session.ended)
            number = division.number
        else:
            recoding, certificate = pipeline.run(table, resolved, session.report, session.ended)
    finally:
        session.rest()
    spelled = {same_name(qi.column): qi.column for qi in resolved.quasi_identifiers}
    generalized = [spelled[same_name(name)] for name in asked.generalized]
    shown = [_shown(resolved, name, climbed[name], table, recoding, number) for name in generalized]
    seed = int.from_bytes(session.secret.derived(f"spellings under {resolved.to_json()}"))
    return _answer(session.record(certificate), _pieces(table, recoding, shown, read.spellings, seed))


def _PIECES() -> pa.DataType:  # noqa: N802 - a type, made late because pyarrow is imported late
    import pyarrow as pa

    parts = [("piece", pa.int32()), ("after", pa.int64()), ("upto", pa.int64())]
    return pa.list_(pa.list_(pa.struct([*parts, *((name, pa.list_(pa.string())) for name in ("hidden", "labels"))])))


def _answer(number: int, pieces: pa.Array) -> pa.Array:
    import pyarrow as pa

    return pa.StructArray.from_arrays([numbers(np.array([number], np.int64)), pieces], ["release", "pieces"])


def _pieces(table: CodedTable, recoding: Recoding, shown: Sequence[pa.Array], spellings: Spellings, seed: int) -> pa.Array:
    """Lay the pieces out in the order in which the row types came; ``shown`` has the texts of each generalized column."""
    import pyarrow as pa

    place, order, count = spellings.dealt(recoding.row_type, recoding.count, seed)
    total = np.cumsum(count)
    first = np.searchsorted(place, np.arange(len(spellings.weight) + 1)).astype(np.int32)
    before = np.append(0, total)[first[place]]
    bits = hidden_bits(recoding.shown[order], len(table.columns))
    hidden = bits.astype(np.bool_).repeat(table.width, axis=1)
    columns = texts(chain.from_iterable(table.ladders))
    names = pa.DictionaryArray.from_arrays(numbers(np.nonzero(hidden)[1].astype(np.int32)), columns)
    offsets = np.append(0, np.cumsum(hidden.sum(axis=1))).astype(np.int32)
    piece = pa.StructArray.from_arrays(
        [
            numbers(np.arange(len(order), dtype=np.int32)),
            numbers(total - count - before),
            numbers(total - before),
            pa.ListArray.from_arrays(numbers(offsets), names.dictionary_decode()),
            _beside([column.take(numbers(order)) for column in shown], len(order)),
        ],
        ["piece", "after", "upto", "hidden", "labels"],
    )
    by_type = pa.ListArray.from_arrays(numbers(first), piece)
    return pa.ListArray.from_arrays(numbers(np.array([0, len(spellings.weight)], np.int32)), by_type)


def _null(ladder: Ladder) -> int:
    """Return the code of NULL among the values of a column, -1 if it has none."""
    return ladder.labels[0].index(None) if None in ladder.labels[0] else -1


def _shown(policy: Policy, name: str, ladder: Ladder, table: CodedTable, recoding: Recoding, number: Int64 | None) -> pa.Array:
    """Return what each piece shows of a generalized column, NULL where it is suppressed."""
    places = table.ladders[name,]
    level = hidden_bits(recoding.shown, len(table.columns))[:, places].sum(axis=1)
    if number is None or name not in policy.summarized:
        return _labels(ladder, level, table.origin[recoding.row_type])
    summary = ranges if isinstance(policy.summarized[name], Ranges) else sets
    code = table.codes[recoding.row_type, places[0]].astype(np.int64)
    return texts(summary(ladder.labels[0], number, code)).take(numbers(np.where(level == 0, number, 0), missing=level > 0))


def _labels(ladder: Ladder, level: Int64, row_type: Int64) -> pa.Array:
    """Return what each piece shows of a column: at the level that as many levels hide, nothing above the last."""
    first = np.cumsum([0, *map(len, ladder.labels)])
    codes = np.stack([*ladder.codes, np.zeros_like(ladder.codes[0])])
    every = texts([*chain.from_iterable(ladder.labels), None])
    return every.take(numbers(first[level] + codes[level, row_type]))


def _beside(columns: Sequence[pa.Array], size: int) -> pa.Array:
    """Return a list for each place with the texts that the columns have there."""
    import pyarrow as pa

    if not columns:
        return pa.nulls(size, pa.list_(pa.string()))
    order = np.arange(len(columns) * size).reshape(len(columns), size).T.ravel()
    offsets = np.arange(0, len(order) + 1, len(columns)).astype(np.int32)
    return pa.ListArray.from_arrays(numbers(offsets), pa.concat_arrays(columns).take(numbers(order)))


FUNCTION = Function(
    name="kanon_fit",
    returns=(
        'STRUCT("release" BIGINT, '
        "pieces STRUCT(piece INTEGER, after BIGINT, upto BIGINT, hidden VARCHAR[], labels VARCHAR[])[][])"
    ),
    call=fit,
    arrow=True,
)
