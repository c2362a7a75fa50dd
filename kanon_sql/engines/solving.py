"""What every engine does with a histogram: code it, solve it, and say in which pieces its row types are released."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.certificate import Certificate
from kanon_sql.engines.built_arrays import numbers, texts
from kanon_sql.engines.histogram import coded
from kanon_sql.engines.pieces import ListedPieces, PiecesByNumber, PlainPieces, hidden_columns
from kanon_sql.engines.tokens import Tokens
from kanon_sql.generalize.summaries import ranges, sets
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Aggregate, Medians, Ranges
from kanon_sql.model.secret import Secret
from kanon_sql.model.validation import same_name
from kanon_sql.pipeline import run, summarize
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem_classes import ProblemClass, Summaries
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.equal_values import Spellings
from kanon_sql.table.ladder import Ladder
from kanon_sql.table.measurements import numbers_of
from kanon_sql.table.recoding import Recoding, hidden_bits

if TYPE_CHECKING:
    import pyarrow as pa


def solve(
    types: pa.StructArray,
    requested: Policy,
    tables: tuple[pa.ChunkedArray, ...],
    secret: Secret,
    budget: Budget,
    memory: int | None = None,
) -> tuple[PiecesByNumber, Certificate]:
    """Find the pieces of the row types of a table, in the order in which they came.

    Parameters
    ----------
    types, tables
        As for `coded`.
    requested : Policy
        The guarantee.
    secret : Secret
        Decides which rows of equal spellings are in which piece.
    memory : int, optional
        Bytes that what classes show of their own values may take in the release; pieces then carry tokens, see `Tokens`.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        As `coded` and `pipeline.run`.
    """
    read = coded(types, requested, tables, budget, secret)
    del types  # the solver has their codes
    table, resolved, climbed = read.table, read.policy, read.ladders
    number = None
    if isinstance(ProblemClass.of(resolved), Summaries):
        null = {name: _null(climbed[name]) for name in resolved.summarized}
        values = {name: numbers_of(climbed[name].labels[0]) for name in resolved.aggregated}
        recoding, division, certificate = summarize(table, resolved, null, budget, values)
        number = division.number
    else:
        recoding, certificate = run(table, resolved, budget)
    if not requested.generalized and not table.sensitive:
        return PlainPieces.of_recoding(table, recoding), certificate
    spelled = {same_name(qi.column): qi.column for qi in resolved.quasi_identifiers}
    generalized = [spelled[same_name(name)] for name in requested.generalized]
    tokens = None if memory is None else Tokens(prefix=requested.suppress or "", memory=memory)
    shown = [
        _shown(resolved, name, climbed[name], table, recoding, (number, tokens, place))
        for place, name in enumerate(generalized, 1)
    ]
    seed = int.from_bytes(secret.derived(f"spellings under {resolved.to_json()}"))
    return ListedPieces(_pieces(table, recoding, shown, read.spellings, seed), tokens), certificate


def _pieces(table: CodedTable, recoding: Recoding, shown: Sequence[pa.Array], spellings: Spellings, seed: int) -> pa.Array:
    """Return the list of pieces of each row type, as these came; ``shown`` has the texts of each generalized column."""
    import pyarrow as pa

    place, order, count = spellings.dealt(recoding.row_type.astype(np.int64), recoding.count, seed)
    total = np.cumsum(count)
    first = np.searchsorted(place, np.arange(len(spellings.weight) + 1)).astype(np.int32)
    before = np.append(0, total)[first[place]]
    piece = pa.StructArray.from_arrays(
        [
            numbers(np.arange(len(order), dtype=np.int32)),
            numbers(total - count - before),
            numbers(total - before),
            hidden_columns(recoding.shown[order], table),
            _rows_as_lists([column.take(numbers(order)) for column in shown], len(order)),
        ],
        ["piece", "after", "upto", "hidden", "labels"],
    )
    return pa.ListArray.from_arrays(numbers(first), piece)


def _null(ladder: Ladder) -> int:
    """Return the code of NULL among the values of a column, -1 if it has none."""
    return ladder.labels[0].index(None) if None in ladder.labels[0] else -1


def _shown(
    policy: Policy,
    name: str,
    ladder: Ladder,
    table: CodedTable,
    recoding: Recoding,
    classes: tuple[Int64 | None, Tokens | None, int],
) -> pa.Array:
    """Return what each piece shows of a generalized column, NULL where it is suppressed.

    ``classes`` has the class of each piece, tokens for what classes show, and the number of the column among them.
    """
    number, tokens, place = classes
    places = table.ladders[name,]
    level = hidden_bits(recoding.shown, len(table.columns))[:, places].sum(axis=1)
    if number is None or name not in policy.summarized:
        return _labels(ladder, level, table.origin[recoding.row_type])
    recoded = policy.summarized[name]
    if isinstance(recoded, Aggregate):
        return _aggregates(isinstance(recoded, Medians), ladder, table, places[0], recoding, number)
    summary = ranges if isinstance(policy.summarized[name], Ranges) else sets
    code = table.codes[recoding.row_type, places[0]].astype(np.int64)
    found = summary(ladder.labels[0], number, code)
    if tokens is not None:
        rows = np.bincount(number[level == 0], recoding.count[level == 0], len(found)).astype(np.int64)
        found = tokens.of(place, name, found, rows)
    return texts(found).take(numbers(np.where(level == 0, number, 0), missing=level > 0))


def _aggregates(median: bool, ladder: Ladder, table: CodedTable, place: int, recoding: Recoding, number: Int64) -> pa.Array:
    """Return the mean or the median of the class of each piece, as a text."""
    from kanon_sql.solvers.microaggregation.measurements import Measurements

    labels, codes, null = ladder.labels[0], table.codes[:, place], _null(ladder)
    column = Measurements.of(numbers_of(labels), codes, table.weight, null=null, median=median)
    held = codes[recoding.row_type].astype(np.int64), number, recoding.count
    shown: list[str | None] = [None] * (int(number.max()) + 1)
    if median:
        for each, code in column.medians(*held).items():
            shown[each] = labels[code]
    else:
        means = column.means(*held)
        shown[: len(means)] = means
    return texts(shown).take(numbers(number))


def _labels(ladder: Ladder, level: Int64, row_type: Int64) -> pa.Array:
    """Return what each piece shows of a column: at the level that as many levels hide, nothing above the last."""
    first = np.cumsum([0, *map(len, ladder.labels)])
    codes = np.stack([*ladder.codes, np.zeros_like(ladder.codes[0])])
    every = texts([*chain.from_iterable(ladder.labels), None])
    return every.take(numbers(first[level] + codes[level, row_type]))


def _rows_as_lists(columns: Sequence[pa.Array], size: int) -> pa.Array:
    """Return a list for each place with the texts that the columns have there."""
    import pyarrow as pa

    if not columns:
        return pa.nulls(size, pa.list_(pa.string()))
    order = np.arange(len(columns) * size).reshape(len(columns), size).T.ravel()
    offsets = np.arange(0, len(order) + 1, len(columns)).astype(np.int32)
    return pa.ListArray.from_arrays(numbers(offsets), pa.concat_arrays(columns).take(numbers(order)))
